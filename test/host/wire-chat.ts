/** Chats in a real Neovim whose model answers over the real wire; what a test opens is closed after it. */
import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { onTestFinished } from "vitest";
import { z } from "zod";
import { type ModelServer, startModelServer, type Turn } from "../support/model-server.ts";
import { casesFor, type NeovimOptions, neovims, TestNeovim } from "../support/neovim.ts";

export const wires = [
  { provider: "openai", model: "openai/gpt-5", label: "gpt-5" },
  { provider: "anthropic", model: "anthropic/claude-sonnet-5", label: "claude-sonnet-5" },
] as const;

/** Every Neovim and every wire, each in one pair at least. */
export const editorsAndWires = neovims.flatMap((neovim) =>
  casesFor(neovim.path, wires).map((wire) => ({ ...neovim, ...wire })),
);

export const question = "can you find the latest stock price of google and microsoft?";

export function searchFor(name: string, id: string) {
  return { id, name: "web_search", arguments: JSON.stringify({ query: `${name} stock price` }) };
}

export const google = searchFor("google", "call_1");
export const microsoft = searchFor("microsoft", "call_2");

/** The JSON of a call line. */
export function callJson(call: { id: string; name: string; arguments: string }): string {
  const { id, name, arguments: text } = call;
  return JSON.stringify({ id, type: "function", function: { name, arguments: text } });
}

export function chatText(model: string, ...body: readonly string[]): string {
  const lines = ["---", "topic: stocks", `model: ${model}`, "tools: mock", "---", "", ...body];
  return `${lines.join("\n")}\n`;
}

export async function serve(
  turns: readonly Turn[] | ((index: number) => Turn),
): Promise<ModelServer> {
  const server = await startModelServer({
    turns: typeof turns === "function" ? (_, index) => turns(index) : turns,
  });
  onTestFinished(() => server.close());
  return server;
}

export async function open(options: NeovimOptions): Promise<TestNeovim> {
  const nvim = await openAny(options);
  await nvim.ready();
  return nvim;
}

/** A Neovim whose buffer need not be a chat. */
export async function openAny(options: NeovimOptions): Promise<TestNeovim> {
  const nvim = await TestNeovim.start(options);
  onTestFinished(() => nvim.cleanUp());
  return nvim;
}

/** What the host shows below the text, in one line. */
export async function status(nvim: TestNeovim): Promise<string> {
  return z.string().parse(await nvim.lua("return vim.b.parley_status or ''"));
}

/** Until the user is asked about calls, in a text that has `pattern`. */
export async function untilWaiting(nvim: TestNeovim, pattern = /^❓: `/m): Promise<string> {
  await nvim.untilText(pattern);
  await nvim.until("the question about the calls", async () => /yo this/.test(await status(nvim)));
  await untilListed(nvim);
  return nvim.text();
}

/** Until the next question is open below `pattern`, nothing is under way, and the file holds all of it. */
export async function untilDone(nvim: TestNeovim, pattern = ""): Promise<string> {
  const text = await nvim.untilText(new RegExp(`${pattern}\\n\\n💬: $`));
  await nvim.until("the end", async () => (await status(nvim)) === "");
  await nvim.until("the file", async () => (await nvim.file()) === `${text}\n`);
  return text;
}

export async function respond(nvim: TestNeovim): Promise<void> {
  await nvim.input("G<C-g><C-g>");
}

/** Presses an approval key on the first line with `pattern`, moved to the top so that the calls are on screen. */
export async function decide(nvim: TestNeovim, key: string, pattern = "^❓: "): Promise<void> {
  await untilListed(nvim);
  await nvim.input(`gg/${pattern}<CR>zt${key}`);
}

/** Until the tools are known: a yes before that opens the list of calls first. */
export async function untilListed(nvim: TestNeovim): Promise<void> {
  await nvim.until("the tools", async () => !/listing its tools/.test(await nvim.virtualText()));
}

/**
 * Lets the host do everything it was told before, and what it would do on its own. The message with the host's word is
 * closed: a call that it covers would be listed first instead of decided.
 */
export async function settle(nvim: TestNeovim): Promise<void> {
  const asked = /\d exchanges?; \w/g;
  const count = async () => (await nvim.messages()).match(asked)?.length ?? 0;
  const before = await count();
  await nvim.command("Parley status");
  await nvim.until("the host's word", async () => (await count()) > before);
  await nvim.lua(`for _, win in ipairs(vim.api.nvim_list_wins()) do
    local place = vim.api.nvim_win_get_config(win)
    if place.relative ~= "" and not place.focusable then vim.api.nvim_win_close(win, true) end
  end`);
}

// biome-ignore lint/suspicious/noExplicitAny: a test reads single fields of what goes over the wire.
export type Body = any;

/** What the command line says would be sent for the file of this Neovim; `dist` is where the plugin is built. */
export async function previewOf(
  nvim: TestNeovim,
  server: ModelServer,
  dist: string,
): Promise<{ readonly body: Body; readonly step: string }> {
  const { home, chatPath } = nvim;
  const folders = ["config", "data", "state", "cache"].map(
    (name) => [`XDG_${name.toUpperCase()}_HOME`, join(home, name)] as const,
  );
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ["--preserve-symlinks", "--preserve-symlinks-main", join(dist, "cli.js"), "preview", chatPath],
    {
      cwd: home,
      env: {
        PATH: process.env.PATH,
        HOME: home,
        ...Object.fromEntries(folders),
        ...server.environment,
      },
    },
  );
  return JSON.parse(stdout);
}

/** The messages of each request begin with those of the one before. */
export function extendEachOther(server: ModelServer): boolean {
  const histories = server.requests.map(({ body }) => body.messages);
  return histories.every((messages, index) => {
    const before = histories[index - 1] ?? [];
    return JSON.stringify(messages.slice(0, before.length)) === JSON.stringify(before);
  });
}
