/** `:Parley agent` and `:Parley system_prompt`: the user's choice is written into the header. */

import type { AgentConfiguration } from "../../conversation/settings/chat-settings.ts";
import { ownValue } from "../../shared/json.ts";
import { removeHeaderKeys, setHeaderValue } from "../../transcript/edits/header-edits.ts";
import type { HostChat } from "../chat/host-chat.ts";
import type { OpenHost } from "../context.ts";

export async function chooseAgent(chat: HostChat, wanted: string | null): Promise<void> {
  const { agents } = chat.host.app.now.configuration;
  // A Lua table arrives in any order.
  const items = Object.entries(agents)
    .toSorted(([a], [b]) => a.localeCompare(b))
    .map(([name, agent]) => ({ label: agentLine(name, agent), value: name }));
  const name = await choose(chat.host, wanted, {
    prompt: "Agent of this chat",
    what: "agent",
    setting: "agents",
    // A header may name an agent that is no longer configured.
    items:
      items.length === 0 && wanted !== "none" ? [] : [...items, { label: "none", value: "none" }],
  });
  if (name === null) return;
  const agent = ownValue(agents, name);
  // The latest choice wins: the agent's model replaces one that was chosen before.
  const replaced = agent?.model === undefined ? [] : ["model", "provider"];
  const before = await writeHeader(chat, "agent", name, replaced);
  const removed = before.filter((key) => replaced.includes(key));
  const kept = before.filter(
    (key) => agent !== undefined && Object.hasOwn(agent, key) && !replaced.includes(key),
  );
  const words = [
    removed.length === 0
      ? ""
      : `The header's own model was removed, because ${name} has one; u brings it back.`,
    kept.length === 0
      ? ""
      : `The header's own ${kept.join(" and ")} ${kept.length === 1 ? "wins" : "win"} over the agent's; delete the line to use the agent's.`,
  ];
  const message = words.filter((sentence) => sentence !== "").join(" ");
  if (message !== "") chat.host.notify("info", message);
}

function agentLine(name: string, { description, model }: AgentConfiguration): string {
  return [name, description, model].filter((part) => part !== undefined).join(" · ");
}

export async function chooseSystemPrompt(chat: HostChat, wanted: string | null): Promise<void> {
  const prompts = chat.host.app.now.configuration.system_prompts;
  const name = await choose(chat.host, wanted, {
    prompt: "System prompt of this chat",
    what: "system prompt",
    setting: "system_prompts",
    items: Object.keys(prompts)
      .toSorted()
      .map((each) => ({ label: each, value: each })),
  });
  const text = name === null ? undefined : prompts[name];
  // A header value is one line; the parser turns these back into line breaks.
  if (text !== undefined) {
    await writeHeader(chat, "system_prompt", text.trim().replaceAll(/\r?\n/g, "\\n"));
  }
}

interface Choice {
  readonly prompt: string;
  readonly what: string;
  readonly setting: string;
  readonly items: readonly { readonly label: string; readonly value: string }[];
}

/** Null when nothing was chosen, or nothing with this name exists. */
async function choose(
  host: OpenHost,
  wanted: string | null,
  { prompt, what, setting, items }: Choice,
): Promise<string | null> {
  if (items.length === 0) {
    host.notify("info", `No ${what} is configured; see ${setting} in :help parley-setup.`);
    return null;
  }
  const chosen = wanted ?? (await host.ask({ kind: "select", prompt, items }));
  if (typeof chosen !== "string" || chosen === "") return null;
  if (items.some(({ value }) => value === chosen)) return chosen;
  const known = items.map(({ value }) => value).join(", ");
  host.notify("warn", `There is no ${what} ${JSON.stringify(chosen)}; there are: ${known}.`);
  return null;
}

/** Writes one key and removes others; returns the keys that the header had. */
async function writeHeader(
  { chat }: HostChat,
  key: string,
  value: string,
  removed: readonly string[] = [],
): Promise<readonly string[]> {
  const written = await chat.edit(chat.newUndoGroup(), (transcript) => ({
    edits: [
      ...removeHeaderKeys(transcript, removed),
      ...setHeaderValue(transcript, key, value),
    ].toSorted((a, b) => a.start - b.start || a.end - b.end),
    keys: transcript.header.entries.map((entry) => entry.key),
  }));
  return written?.keys ?? [];
}
