/** A Neovim with an attached UI, a second connection for measurements, and a record of what is drawn. */
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { environmentIn, openNeovim } from "../../scripts/lib/editor.mjs";
import { projectRoot } from "../../scripts/lib/paths.mjs";
import { now, pause, until } from "./clock.mjs";
import { startProbe } from "./probe.mjs";
import { childrenOf, cpuMs } from "./processes.mjs";
import { watchScreen } from "./screen.mjs";

/** What is loaded before the file: Parley, a minimal host, or nothing. */
const initOf = {
  parley: `vim.opt.runtimepath:prepend(${JSON.stringify(projectRoot)})`,
  floor: `vim.opt.runtimepath:append("")
package.path = package.path .. ";${join(projectRoot, "bench", "floor")}/?.lua"
vim.g.floor_root = ${JSON.stringify(join(projectRoot, "bench", "floor"))}
vim.g.floor_node = ${JSON.stringify(process.execPath)}`,
  plain: "",
};
const readyOf = {
  parley: "return vim.b.parley_status ~= nil and vim.fn.maparg('<C-g><C-g>', 'n') ~= ''",
  floor: "return vim.g.floor_ready == true",
};
const afterOf = { parley: "", floor: 'require("floor")', plain: "" };

function initLua(kind, after) {
  return `vim.o.swapfile = false
vim.o.shortmess = vim.o.shortmess .. "I"
${initOf[kind] ?? ""}
vim.cmd("filetype plugin on")
${after ?? afterOf[kind]}
`;
}

export async function makeHome(kind, after, file = "chat.md") {
  const home = await mkdtemp(join(tmpdir(), "parley-bench-"));
  const folder = join(home, "data", "nvim", "parley");
  await mkdir(folder, { recursive: true });
  await writeFile(join(home, "init.lua"), initLua(kind, after));
  return { home, chat: join(folder, file) };
}

/** The running Neovims, so that an interrupted bench leaves none behind. */
const running = new Set();
process.on("exit", () => {
  for (const child of running) kill(child);
});

/** Kills a Neovim and its children, because not every plugin's process ends with its Neovim. */
function kill(child) {
  for (const pid of childrenOf(child.pid)) {
    try {
      process.kill(pid);
    } catch {
      // It has exited.
    }
  }
  child.kill("SIGKILL");
}

/**
 * Starts Neovim without a file, or with `open` on a chat with the given text. A plugin other than those above passes
 * the Lua to load after the file types, and the Lua that says whether it is ready.
 */
export async function startEditor(
  nvim,
  { kind, text, open = true, environment = {}, after, isReady, file },
) {
  const { home, chat } = await makeHome(kind, after, file);
  if (text !== undefined) await writeFile(chat, text);
  const socket = join(home, "socket");
  const args = ["-n", "-i", "NONE", "--listen", socket, "-u", join(home, "init.lua")];
  const opened = openNeovim({
    path: nvim.path,
    args: open && text !== undefined ? [...args, chat] : args,
    cwd: home,
    env: environmentIn(home, environment),
  });
  const { client, process: child } = opened;
  running.add(child);
  const screen = watchScreen(client);
  await client.request("nvim_ui_attach", [120, 40, { ext_linegrid: true }]);
  const editor = {
    kind,
    isReady: isReady ?? readyOf[kind],
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
      kill(child);
      running.delete(child);
      await opened.gone;
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

/** Waits until the host has read and drawn the chat and is idle. */
export async function ready(editor) {
  await until("the host", () => editor.lua(editor.isReady));
  await pause(50);
}

/** Returns the milliseconds from a key to the end of the redraw that follows it. */
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

/** Appends characters at the end of the text, one by one, and returns what each took and its share of Neovim's CPU. */
export async function typeKeys(editor, count) {
  const unmeasured = 5;
  const times = [];
  let used = 0;
  await editor.lua("vim.cmd('normal! G')");
  await pause(500);
  await editor.input("A");
  for (let key = 0; key < count + unmeasured; key += 1) {
    if (key === unmeasured) used = cpuMs(editor.pid);
    const time = await keyMs(editor, "x");
    if (key >= unmeasured) times.push(time);
    await pause(20);
  }
  return { times, cpu: (cpuMs(editor.pid) - used) / count };
}
