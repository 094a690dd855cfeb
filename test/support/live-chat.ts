/** A chat in a real Neovim whose model and tools do what the test says, when the test says it. */
import { existsSync, readFileSync } from "node:fs";
import { readdir, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { z } from "zod";
import { projectRoot } from "../../scripts/lib/paths.mjs";
import { atEndOfFile } from "./file-end.ts";
import { type LiveModel, type Reply, startLiveModel } from "./live-model.ts";
import { type NeovimOptions, TestNeovim } from "./neovim.ts";
import { installPlugin } from "./plugin-root.ts";

export const question = "what is new?";
export const header = "---\ntopic: live\nmodel: openai/live\ntools: mock\n---\n\n";
export const asked = `${header}💬: ${question}\n`;

export interface LiveChat {
  readonly nvim: TestNeovim;
  readonly model: LiveModel;
  /** Presses respond and returns the answer that the model is to give. */
  respond(): Promise<Reply>;
  /** The answer to the next request, which nobody asked for by a key just now. */
  reply(): Promise<Reply>;
  /** Waits until the turn is over, and gives the name of the event that said so. */
  ended(): Promise<string>;
  /** Ends the wait of the tool calls with the query `hold:NAME`. */
  release(name: string, text: string): Promise<void>;
  /** What the tools did so far. */
  runs(): readonly string[];
  hostPid(): Promise<number>;
  /** The test changes what is not put back, such as options of `setup`: its Neovim ends with it. */
  keepFromOthers(): void;
  /** The same folders in a new Neovim. */
  reopen(): Promise<LiveChat>;
}

interface Live {
  readonly nvim: TestNeovim;
  readonly model: LiveModel;
  readonly home: string;
  /** The Neovim that another test may go on with, while it is as it was started; null: it is one test's alone. */
  shared: { readonly path: string; readonly hostPid: number } | null;
}

/** By the path of Neovim: starting one with its host and its tools is most of what a test costs. */
const idle = new Map<string, Live>();
let chats = 0;

/** The chat is the test's until that is over; then its Neovim ends, or waits for the next test of the file. */
function endWithTest(live: Live): void {
  onTestFinished(async ({ task }) => {
    if (live.shared === null || task.result?.state === "fail" || !(await isAsBefore(live))) {
      return end(live);
    }
    if (idle.size === 0) atEndOfFile(endIdle);
    idle.set(live.shared.path, live);
  });
}

async function endIdle(): Promise<void> {
  for (const live of idle.values()) await end(live);
  idle.clear();
}

async function end({ nvim, model }: Live): Promise<void> {
  await nvim.cleanUp();
  await model.close();
}

/** Takes the test's chat out of Neovim; false when what the test did may reach into the next one. */
async function isAsBefore({ nvim, model, home, shared }: Live): Promise<boolean> {
  if (shared === null || nvim.hasEnded || idle.has(shared.path)) return false;
  await nvim.input("<C-\\><C-n>");
  const mode = z.object({ mode: z.string(), blocking: z.boolean() });
  if (mode.parse(await nvim.client.request("nvim_get_mode", [])).blocking) return false;
  await nvim.client.request("nvim_ui_try_resize", [120, 40]);
  if ((await nvim.lua("return Restore()")) !== true) return false;
  if ((await hostPidOf(nvim)) !== shared.hostPid) return false;
  // What a tool of the test still does is written to the same file as what the next one's do.
  const dist = join(home, "plugin-root", "dist");
  const ran = runsIn(dist);
  if (ran.filter((line) => line.startsWith("begin")).length * 2 !== ran.length) return false;
  const names = (await readdir(dist, { withFileTypes: true })).filter((entry) => entry.isFile());
  for (const { name } of names.filter((entry) => entry.name !== "mock-server.js")) {
    await rm(join(dist, name));
  }
  model.forget();
  return true;
}

/** Puts options, commands, windows and buffers back to what they were when Neovim had started. */
const restore = `local options = {}
for name in pairs(vim.api.nvim_get_all_options_info()) do
  -- The oldest Neovim lists options that it does not have.
  local exists, value = pcall(vim.api.nvim_get_option_value, name, { scope = "global" })
  if exists then
    options[name] = value
  end
end
local autocmds = {}
local function own(command)
  return command.id and not command.group
end
function Restore()
  vim.cmd("silent! tabonly | silent! only | silent! %bwipeout! | messages clear")
  for name, value in pairs(options) do
    if vim.api.nvim_get_option_value(name, { scope = "global" }) ~= value then
      pcall(vim.api.nvim_set_option_value, name, value, { scope = "global" })
      pcall(vim.api.nvim_set_option_value, name, value, {})
    end
  end
  for _, command in ipairs(vim.api.nvim_get_autocmds({})) do
    if own(command) and not autocmds[command.id] then
      vim.api.nvim_del_autocmd(command.id)
    end
  end
  Ended = nil
  return #vim.api.nvim_list_wins() == 1
end
for _, command in ipairs(vim.api.nvim_get_autocmds({})) do
  if own(command) then
    autocmds[command.id] = true
  end
end
`;

/** Opens the chat; Neovim and the model end with the test. */
export async function openLiveChat(
  options: Pick<NeovimOptions, "path" | "chat" | "init" | "swap">,
): Promise<LiveChat> {
  const { home } = await installPlugin(import.meta.resolve("./live-tools.mjs"));
  return start({ chat: { text: asked }, ...options, home });
}

/**
 * As openLiveChat, but in a Neovim that an earlier test of the file is done with, where there is one. A test
 * that changes what is not put back calls `keepFromOthers`.
 */
export async function openNextLiveChat(
  options: Pick<NeovimOptions, "path"> & { readonly chat?: { readonly text: string } },
): Promise<LiveChat> {
  const live = idle.get(options.path);
  if (live) {
    idle.delete(options.path);
    endWithTest(live);
    chats += 1;
    await live.nvim.openChat(`chat-${chats}.md`, options.chat?.text ?? asked);
    await live.nvim.ready();
    return liveChat(options, live);
  }
  const { home } = await installPlugin(import.meta.resolve("./live-tools.mjs"));
  return start({ chat: { text: asked }, ...options, home }, true);
}

async function start(
  options: NeovimOptions & { readonly home: string },
  isShared = false,
): Promise<LiveChat> {
  const { home } = options;
  const model = await startLiveModel();
  const nvim = await TestNeovim.start({
    ...options,
    init: `vim.opt.runtimepath:remove(${JSON.stringify(projectRoot)})
vim.opt.runtimepath:prepend(${JSON.stringify(join(home, "plugin-root"))})
vim.api.nvim_create_autocmd("User", {
  pattern = { "ParleyDone", "ParleyWaiting", "ParleyError" },
  callback = function(event)
    -- A chat that was taken out of Neovim ends its turn, too.
    if vim.api.nvim_buf_is_valid(event.data.buf) then Ended = event.match end
  end,
})
${options.init ?? ""}`,
    env: { ...options.env, ...model.environment },
  });
  const live: Live = { nvim, model, home, shared: null };
  endWithTest(live);
  await nvim.ready();
  if (!isShared) return liveChat(options, live);
  await nvim.lua(restore);
  live.shared = { path: options.path, hostPid: await hostPidOf(nvim) };
  return liveChat(options, live);
}

async function hostPidOf(nvim: TestNeovim): Promise<number> {
  const pid = await nvim.lua(
    "local job = require('parley.host').channel() return job and vim.fn.jobpid(job) or 0",
  );
  return z.number().parse(pid);
}

function runsIn(dist: string): string[] {
  const file = join(dist, "runs");
  return existsSync(file) ? readFileSync(file, "utf8").trimEnd().split("\n") : [];
}

function liveChat(options: NeovimOptions, live: Live): LiveChat {
  const { nvim, model, home } = live;
  const dist = join(home, "plugin-root", "dist");
  const reply = () => nvim.until("a request", () => model.take());
  return {
    nvim,
    model,
    async respond() {
      await nvim.lua("Ended = nil");
      await nvim.input("<C-g><C-g>");
      return reply();
    },
    reply,
    ended: () =>
      nvim.until("the end of the turn", async () =>
        z
          .string()
          .nullable()
          .parse(await nvim.lua("local name = Ended Ended = nil return name")),
      ),
    async release(name, text) {
      // Complete at once, or the tool would read a half.
      await writeFile(join(dist, `${name}.new`), text);
      await rename(join(dist, `${name}.new`), join(dist, name));
    },
    runs: () => runsIn(dist),
    hostPid: () => hostPidOf(nvim),
    keepFromOthers() {
      live.shared = null;
    },
    reopen: () => start({ path: options.path, home }),
  };
}
