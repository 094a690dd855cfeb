/** `:Parley prompt`: inserts a prompt of an MCP server, filled in by the user, as the question. */
import { promptText } from "../../app/references/prompt-text.ts";
import { exchangeAtLine } from "../../conversation/decide/session.ts";
import type { PromptArgument } from "../../mcp/catalog/prompts.ts";
import type { ListedPrompt } from "../../mcp/catalogs.ts";
import { visible } from "../../shared/visible.ts";
import { insertQuestion } from "../../transcript/edits/header-edits.ts";
import type { HostChat } from "../chat/host-chat.ts";
import type { OpenHost } from "../context.ts";

/** `wanted`: `server:name`; an empty text lets the user choose. `line` is where the cursor was. */
export async function insertPrompt(
  chat: HostChat,
  { wanted, line }: { readonly wanted: string; readonly line: number },
): Promise<void> {
  const { signal } = new AbortController();
  const [server = ""] = wanted.split(":", 1);
  const list = await chat.host.app.now.mcp.catalogs.prompts(wanted === "" ? null : server, signal);
  for (const notice of list.notices) chat.host.notify("warn", notice);
  const prompt = await choose(chat.host, list.prompts, wanted);
  if (prompt === null) return;
  const values = await askValues(chat.host, prompt, signal);
  if (values === null) return;
  const messages = await chat.host.app.now.mcp.catalogs.prompt(prompt, values, signal);
  const text = await promptText(messages, {
    server: prompt.server,
    path: chat.path || null,
    canRead: (uri) =>
      chat.host.app.now.mcp.catalogs.read(prompt.server, uri, signal).then(
        (parts) => parts.length > 0,
        () => false,
      ),
  });
  if (text.trim() === "") {
    chat.host.notify("warn", `The prompt ${visible(prompt.name)} of ${prompt.server} is empty.`);
    return;
  }
  if (chat.chat.active !== null) {
    chat.host.notify("warn", "An answer is under way; insert the prompt when it has ended.");
    return;
  }
  const { chat: core } = chat;
  await core.edit(core.newUndoGroup(), (transcript) => {
    const here = exchangeAtLine(transcript, line);
    const open = here?.answer === null ? here : (transcript.exchanges.at(-1) ?? null);
    return { edits: [insertQuestion(transcript, open, text)] };
  });
  await chat.refresh();
}

const nameOf = ({ server, name }: ListedPrompt) => `${server}:${name}`;

async function choose(
  host: OpenHost,
  prompts: readonly ListedPrompt[],
  wanted: string,
): Promise<ListedPrompt | null> {
  if (wanted !== "") {
    const found = prompts.find((prompt) => nameOf(prompt) === wanted) ?? null;
    if (found === null) {
      const what = `There is no prompt ${JSON.stringify(wanted)} here`;
      host.notify("warn", `${what}; :Parley prompt lists those of all servers.`);
    }
    return found;
  }
  if (prompts.length === 0) {
    host.notify("info", "No MCP server in use here offers prompts.");
    return null;
  }
  const labels = prompts.map((prompt) => {
    const words = [prompt.title === prompt.name ? "" : prompt.title, prompt.description];
    const about = words.filter((word) => word !== "").join(": ");
    return visible(about === "" ? nameOf(prompt) : `${nameOf(prompt)} (${about})`);
  });
  const chosen = await host.ask({ kind: "select", prompt: "Prompt", items: labels });
  return prompts[labels.indexOf(String(chosen))] ?? null;
}

/** Null when the user cancelled. Optional arguments that are left empty are not sent. */
async function askValues(
  host: OpenHost,
  prompt: ListedPrompt,
  signal: AbortSignal,
): Promise<Readonly<Record<string, string>> | null> {
  const values: [string, string][] = [];
  for (const argument of prompt.arguments) {
    const given = Object.fromEntries(values);
    const proposed = await host.app.now.mcp.catalogs.complete(prompt, argument.name, given, signal);
    const value = await askValue(host, argument, proposed);
    if (value === null) return null;
    if (value !== "") values.push([argument.name, value]);
  }
  return Object.fromEntries(values);
}

const other = "Type another value";

/** Asks again until a required argument has a value. */
async function askValue(
  host: OpenHost,
  { name, description, required }: PromptArgument,
  proposed: readonly string[],
): Promise<string | null> {
  const about = [description, required ? "required" : "may be empty"];
  const prompt = visible(`${name} (${about.filter((word) => word !== "").join(", ")})`);
  for (;;) {
    if (proposed.length > 0) {
      const labels = proposed.map(visible);
      const items = [...labels, other];
      const chosen = await host.ask({ kind: "select", prompt, items });
      if (typeof chosen !== "string") return null;
      const value = proposed[labels.indexOf(chosen)];
      if (value !== undefined) return value;
    }
    const typed = await host.ask({ kind: "input", prompt: `${prompt}: ` });
    if (typeof typed !== "string") return null;
    if (typed.trim() !== "" || !required) return typed;
    host.notify("warn", `${visible(name)} is required: type a value, or leave with Esc.`);
  }
}
