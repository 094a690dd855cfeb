/** A real Neovim with the Lua half of the plugin and a host that only takes notes. */
import type { ChildProcess } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { NeovimClient } from "neovim";
import { environmentIn, openNeovim } from "../../scripts/lib/editor.mjs";
import { projectRoot as project } from "../../scripts/lib/paths.mjs";
import type { InstalledNeovim } from "../support/neovims.ts";
import { withPatience } from "../support/patience.ts";
import { removeFolder } from "../support/remove-folder.ts";

export { neovims } from "../support/neovims.ts";

export interface Editor {
  readonly nvim: NeovimClient;
  /** Holds `chats/`, which is the chat folder. */
  readonly folder: string;
  readonly process: ChildProcess;
  lua<T = unknown>(code: string, ...parameters: unknown[]): Promise<T>;
  /** Calls what the host calls. */
  call<T = Record<string, unknown>>(name: string, ...parameters: unknown[]): Promise<T>;
  /** Presses keys as a user does. */
  press(keys: string): Promise<void>;
  lines(buffer?: number): Promise<string[]>;
  tick(buffer?: number): Promise<number>;
  /** What the host was told, of one action or all. */
  received(action?: string): Promise<Record<string, unknown>[]>;
  /** The rows of the screen. */
  screen(): Promise<string[]>;
  writeChat(name: string, lines: readonly string[]): string;
  /** Opens a chat and puts the cursor at its top. */
  openChat(name: string, lines: readonly string[]): Promise<number>;
  quit(): Promise<void>;
}

/** Asks again and again until the answer is not false, null or undefined. */
export async function poll<T>(
  what: string,
  ask: () => Promise<T | false | null | undefined>,
): Promise<T> {
  const end = Date.now() + 15_000;
  for (;;) {
    const answer = await ask();
    if (answer !== false && answer !== null && answer !== undefined) return answer;
    if (Date.now() > end) throw new Error(`This never came: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

/** A folder that looks like an installed plugin with the built host `host`. */
function pluginFolder(folder: string, host: string): string {
  const root = join(folder, "plugin-root");
  mkdirSync(join(root, "dist"), { recursive: true });
  mkdirSync(join(root, "scripts"));
  for (const name of ["lua", "plugin", "doc"]) symlinkSync(join(project, name), join(root, name));
  symlinkSync(join(project, "scripts", "supported.json"), join(root, "scripts", "supported.json"));
  writeFileSync(join(root, "dist", "host.js"), host);
  writeFileSync(join(root, "package.json"), '{"type":"module"}');
  return root;
}

const fakeHost = fileURLToPath(import.meta.resolve("./fake-host.lua"));

/** The built host of those that start a Node of their own: it runs the one that takes notes. */
function hostInNode(neovim: InstalledNeovim): string {
  const command = JSON.stringify([neovim.path, ["--clean", "-l", fakeHost]]).slice(1, -1);
  return `import { spawnSync } from "node:child_process";
const { status } = spawnSync(${command}, { stdio: "inherit" });
process.exit(status ?? 1);
`;
}

/** A Node that runs the host that takes notes in place of the built one, and anything else as Node does. */
function nodeWithFakeHost(folder: string, neovim: InstalledNeovim): string {
  const path = join(folder, "node");
  const text = `#!/bin/sh
case "$3" in
*/dist/host.js) exec '${neovim.path}' --clean -l '${fakeHost}' ;;
*) exec '${process.execPath}' "$@" ;;
esac
`;
  writeFileSync(path, text, { mode: 0o755 });
  return path;
}

interface Options {
  /** Lua that runs before the plugin is loaded. */
  readonly before?: string;
  /** The built host, in place of the one that takes notes. */
  readonly host?: string;
  readonly env?: Record<string, string>;
}

export async function startEditor(neovim: InstalledNeovim, options: Options = {}): Promise<Editor> {
  const folder = mkdtempSync(join(tmpdir(), "parley-lua-"));
  const root = pluginFolder(folder, options.host ?? hostInNode(neovim));
  const node = options.host === undefined ? nodeWithFakeHost(folder, neovim) : process.execPath;
  const chats = join(folder, "chats");
  mkdirSync(chats);
  const init = join(folder, "init.lua");
  writeFileSync(
    init,
    `vim.opt.runtimepath:prepend(${JSON.stringify(root)})
vim.g.parley_node = ${JSON.stringify(node)}
vim.o.swapfile = false
vim.o.shadafile = "NONE"
Notified = {}
vim.notify = function(message, level) table.insert(Notified, message) end
require("parley").setup({ chat_dir = ${JSON.stringify(chats)} })
${options.before ?? ""}
`,
  );
  const opened = openNeovim({
    path: neovim.path,
    args: ["-u", init, "--headless"],
    env: environmentIn(folder, options.env),
  });
  withPatience(opened.client);
  await opened.client.uiAttach(100, 30, {});
  return editorOf(opened, folder);
}

function editorOf(opened: ReturnType<typeof openNeovim>, folder: string): Editor {
  const { client: nvim, process: child } = opened;
  const lua = async <T>(code: string, ...parameters: unknown[]): Promise<T> =>
    (await nvim.request("nvim_exec_lua", [code, parameters])) as T;
  const editor: Editor = {
    nvim,
    folder,
    process: child,
    lua,
    call: (name, ...parameters) =>
      lua("return require('parley.rpc').call(...)", name, ...parameters),
    async press(keys) {
      await nvim.request("nvim_input", [keys]);
    },
    lines: (buffer = 0) => lua("return vim.api.nvim_buf_get_lines((...), 0, -1, false)", buffer),
    tick: (buffer = 0) => lua("return vim.api.nvim_buf_get_changedtick((...))", buffer),
    async received(action) {
      const all = await lua<Record<string, unknown>[]>("return Received or {}");
      return action === undefined ? all : all.filter((message) => message["action"] === action);
    },
    screen: () =>
      lua(`vim.cmd("redraw")
        local rows = {}
        for row = 1, vim.o.lines do
          local cells = {}
          for column = 1, vim.o.columns do cells[column] = vim.fn.screenstring(row, column) end
          rows[row] = (table.concat(cells):gsub("%s+$", ""))
        end
        return rows`),
    writeChat(name, lines) {
      const path = join(folder, "chats", name);
      writeFileSync(path, `${lines.join("\n")}\n`);
      return path;
    },
    async openChat(name, lines) {
      const path = editor.writeChat(name, lines);
      const magic = { file: false, bar: false };
      await nvim.request("nvim_cmd", [{ cmd: "edit", args: [path], magic }, {}]);
      const buffer = await lua<number>("return vim.api.nvim_get_current_buf()");
      await poll("the attach message", async () =>
        (await editor.received("attach")).some((message) => message["buf"] === buffer),
      );
      await lua("vim.api.nvim_win_set_cursor(0, { 1, 0 })");
      return buffer;
    },
    async quit() {
      child.kill("SIGKILL");
      await opened.gone;
      await removeFolder(folder);
    },
  };
  return editor;
}

export function readText(path: string): string {
  return readFileSync(path, "utf8");
}
