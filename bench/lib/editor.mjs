/** A Neovim with a screen, a second connection to measure by, and an eye on what is drawn. */
import { spawn } from "node:child_process";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { attach } from "neovim";
import { now, pause, until } from "./clock.mjs";
import { startProbe } from "./probe.mjs";
import { childrenOf } from "./processes.mjs";
import { watchScreen } from "./screen.mjs";

const projectRoot = fileURLToPath(new URL("../..", import.meta.url));
const logger = { level: "error", info() {}, warn() {}, error() {}, debug() {} };

/** What is loaded in front of the file: Parley, a minimal host, or nothing. */
const initOf = {
  parley: `vim.opt.runtimepath:prepend(${JSON.stringify(projectRoot)})`,
  floor: `vim.opt.runtimepath:append("")
package.path = package.path .. ";${join(projectRoot, "bench", "floor")}/?.lua"
vim.g.floor_root = ${JSON.stringify(join(projectRoot, "bench", "floor"))}
vim.g.floor_node = ${JSON.stringify(process.execPath)}`,
  plain: "",
};
const afterOf = { parley: "", floor: 'require("floor")', plain: "" };

function initLua(kind) {
  return `vim.o.swapfile = false
vim.o.shortmess = vim.o.shortmess .. "I"
${initOf[kind]}
vim.cmd("filetype plugin on")
${afterOf[kind]}
`;
}

export async function makeHome(kind) {
  const home = await mkdtemp(join(tmpdir(), "parley-bench-"));
  const folder = join(home, "data", "nvim", "parley");
  await mkdir(folder, { recursive: true });
  await writeFile(join(home, "init.lua"), initLua(kind));
  return { home, chat: join(folder, "chat.md") };
}

export function environmentOf(home, extra = {}) {
  return {
    PATH: process.env.PATH,
    TERM: "xterm-256color",
    LANG: "C.UTF-8",
    HOME: home,
    XDG_CONFIG_HOME: join(home, "config"),
    XDG_DATA_HOME: join(home, "data"),
    XDG_STATE_HOME: join(home, "state"),
    XDG_CACHE_HOME: join(home, "cache"),
    PARLEY_NODE: process.execPath,
    ...extra,
  };
}

/** Starts Neovim on nothing, or with `open` on the chat of the given text. */
export async function startEditor(nvim, { kind, text, open = true, environment = {} }) {
  const { home, chat } = await makeHome(kind);
  if (text !== undefined) await writeFile(chat, text);
  const socket = join(home, "socket");
  const args = ["--embed", "-n", "-i", "NONE", "--listen", socket, "-u", join(home, "init.lua")];
  const child = spawn(nvim.path, open && text !== undefined ? [...args, chat] : args, {
    cwd: home,
    env: environmentOf(home, environment),
    stdio: "pipe",
  });
  child.stdin.on("error", () => {});
  child.stderr.resume();
  const client = attach({ proc: child, options: { logger } });
  const screen = watchScreen(client);
  await client.request("nvim_ui_attach", [120, 40, { ext_linegrid: true }]);
  const editor = {
    kind,
    home,
    chat,
    client,
    screen,
    pid: child.pid,
    probe: await startProbe(socket),
    request: (method, ...parameters) => client.request(method, parameters),
    lua: (code, ...parameters) => client.request("nvim_exec_lua", [code, parameters]),
    input: (keys) => client.request("nvim_input", [keys]),
    host: () => childrenOf(child.pid)[0],
    async close() {
      editor.probe.close();
      if (child.exitCode === null && child.signalCode === null) {
        const gone = new Promise((resolve) => child.once("exit", resolve));
        child.kill("SIGKILL");
        await gone;
      }
      await rm(dirname(join(home, "x")), {
        recursive: true,
        force: true,
        maxRetries: 9,
        retryDelay: 50,
      });
    },
  };
  if (kind !== "plain" && open && text !== undefined) await ready(editor);
  return editor;
}

/** Until the host has read the chat and drawn what there is to draw, and has nothing more to do. */
export async function ready(editor) {
  const code =
    editor.kind === "parley"
      ? "return vim.b.parley_status ~= nil and vim.fn.maparg('<C-g><C-g>', 'n') ~= ''"
      : "return vim.g.floor_ready == true";
  await until("the host", () => editor.lua(code));
  await pause(50);
}

/** Milliseconds from a key to the end of the redraw that follows it. */
export async function keyMs(editor, key) {
  const drawn = new Promise((resolve) => {
    editor.screen.onFlush = resolve;
  });
  const begun = now();
  await editor.input(key);
  const at = await drawn;
  editor.screen.onFlush = null;
  return at - begun;
}
