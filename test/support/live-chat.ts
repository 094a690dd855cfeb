/** A chat in a real Neovim whose model and tools do what the test says, when the test says it. */
import { existsSync, readFileSync } from "node:fs";
import { rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach } from "vitest";
import { z } from "zod";
import { projectRoot } from "../../scripts/lib/paths.mjs";
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
  /** The same folders in a new Neovim. */
  reopen(): Promise<LiveChat>;
}

const open: { readonly nvim: TestNeovim; readonly model: LiveModel }[] = [];

afterEach(async () => {
  for (const { nvim, model } of open.splice(0)) {
    await nvim.cleanUp();
    await model.close();
  }
});

/** Opens the chat; Neovim and the model end with the test. */
export async function openLiveChat(
  options: Pick<NeovimOptions, "path" | "chat" | "init" | "swap">,
): Promise<LiveChat> {
  const { home } = await installPlugin(import.meta.resolve("./live-tools.mjs"));
  return start({ chat: { text: asked }, ...options, home });
}

async function start(options: NeovimOptions & { readonly home: string }): Promise<LiveChat> {
  const { home } = options;
  const model = await startLiveModel();
  const nvim = await TestNeovim.start({
    ...options,
    init: `vim.opt.runtimepath:remove(${JSON.stringify(projectRoot)})
vim.opt.runtimepath:prepend(${JSON.stringify(join(home, "plugin-root"))})
vim.api.nvim_create_autocmd("User", {
  pattern = { "ParleyDone", "ParleyWaiting", "ParleyError" },
  callback = function(event) Ended = event.match end,
})
${options.init ?? ""}`,
    env: { ...options.env, ...model.environment },
  });
  open.push({ nvim, model });
  await nvim.ready();
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
    runs: () => {
      const file = join(dist, "runs");
      return existsSync(file) ? readFileSync(file, "utf8").trimEnd().split("\n") : [];
    },
    async hostPid() {
      const pid = await nvim.lua("return vim.fn.jobpid(require('parley.host').channel())");
      return z.number().parse(pid);
    },
    reopen: () => start({ path: options.path, home }),
  };
}
