/** Usage as the `User` autocommands give it to Lua. */
import type { Usage } from "../conversation/types.ts";
import type { ChatUsage, UsageTotal } from "../conversation/usage.ts";

/** Tokens by the names of the configuration's `prices`. */
interface LuaUsage {
  readonly input: number;
  readonly output: number;
  readonly cache_read?: number;
  readonly cache_write?: number;
  readonly reasoning?: number;
}

interface LuaTotal {
  readonly usage: LuaUsage;
  readonly requests: number;
  /** In US dollars; absent when a price is not known. */
  readonly cost?: number;
}

/** Of the answer, and below `chat` of all requests of this session; nothing as long as nothing was told. */
export function usageData({ answer, chat }: ChatUsage): Partial<LuaTotal> & { chat?: LuaTotal } {
  if (chat.requests === 0) return {};
  return { ...(answer.requests > 0 ? luaTotal(answer) : {}), chat: luaTotal(chat) };
}

function luaTotal({ usage, cost, requests }: UsageTotal): LuaTotal {
  return { usage: luaUsage(usage), requests, ...(cost === null ? {} : { cost }) };
}

function luaUsage({ input, output, cacheRead, cacheWrite, reasoning }: Usage): LuaUsage {
  return {
    input,
    output,
    ...(cacheRead === undefined ? {} : { cache_read: cacheRead }),
    ...(cacheWrite === undefined ? {} : { cache_write: cacheWrite }),
    ...(reasoning === undefined ? {} : { reasoning }),
  };
}
