/** The user's values for a server's `${input:id}`: asked for once, kept in memory. */

import type { DeclaredInput } from "../../mcp/configured/config-file.ts";
import { ellipsize, visible } from "../../shared/visible.ts";
import type { DeclaredServer } from "./declared-servers.ts";
import type { ServersUser } from "./user.ts";

export type AskInput = (server: DeclaredServer, id: string) => Promise<string>;

/** In characters, of an input's description in the file. */
const longestPrompt = 200;

/** Asks for each input once and keeps the answer in memory. A refusal is kept too, or every step would ask again. */
export function createInputs(user: ServersUser | null): {
  ask: AskInput;
  forgetRefused(): void;
} {
  const asked = new Map<string, Promise<string | null>>();
  const refused = new Set<string>();
  return {
    async ask({ entry, inputs, from }, id) {
      if (user === null) {
        throw new Error(`Its input ${id} can be asked for only in Neovim; use \${VAR} instead.`);
      }
      const key = JSON.stringify([from, id]);
      const input = inputs.find((one) => one.id === id) ?? undeclared(id);
      const answer = asked.get(key) ?? askFor(input, entry.name, user);
      asked.set(key, answer);
      const text = await answer;
      if (text !== null && text !== "") return text;
      refused.add(key);
      throw new Error(
        `Its input ${id} was not entered. :Parley mcp restart ${entry.name} asks again.`,
      );
    },
    forgetRefused() {
      for (const key of refused) asked.delete(key);
      refused.clear();
    },
  };
}

function undeclared(id: string): DeclaredInput {
  return { id, prompt: id, options: null, preset: null, isSecret: true };
}

async function askFor(
  { prompt: written, options, preset, isSecret }: DeclaredInput,
  server: string,
  user: ServersUser,
): Promise<string | null> {
  const prompt = `${visible(ellipsize(written, longestPrompt))} (MCP server ${server}): `;
  const { signal } = new AbortController();
  if (options !== null) {
    // The preset comes first, so that Enter selects it.
    const items = [
      ...options.filter((one) => one === preset),
      ...options.filter((one) => one !== preset),
    ];
    const index = await user.select({ prompt, details: [], items: items.map(visible) }, signal);
    return index === null ? null : (items[index] ?? null);
  }
  const typed = isSecret
    ? await user.secret(preset === null ? prompt : `${prompt}(Enter: ${visible(preset)}) `)
    : await user.input(prompt, preset ?? "", signal);
  return typed === "" ? preset : typed;
}
