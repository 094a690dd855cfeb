/** What Parley adds to Neovim's startup, and how long the host takes for the first chat. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { environmentIn } from "../../scripts/lib/editor.mjs";
import { firstChat } from "../../scripts/lib/first-chat.mjs";
import { chatText } from "../lib/chats.mjs";
import { now, pause, until } from "../lib/clock.mjs";
import { makeHome, startEditor } from "../lib/editor.mjs";
import { ratio, spread } from "../lib/statistics.mjs";

async function wallOf(nvim, { home }, more = []) {
  const args = [
    "--headless",
    "-n",
    "-i",
    "NONE",
    "-u",
    join(home, "init.lua"),
    ...more,
    "-c",
    "qa",
  ];
  const begun = now();
  const child = spawn(nvim.path, args, { cwd: home, env: environmentIn(home), stdio: "ignore" });
  await once(child, "exit");
  return now() - begun;
}

/** Returns the time that Neovim reports for sourcing plugin/parley.lua. */
async function sourcedMs(nvim, place) {
  const log = join(place.home, "startup.log");
  await rm(log, { force: true });
  await wallOf(nvim, place, ["--startuptime", log]);
  const line = /^\S+\s+(\S+)\s+\S+: sourcing \S*plugin\/parley\.lua/m.exec(
    await readFile(log, "utf8"),
  );
  return Number(line?.[1]);
}

/** Returns the milliseconds from `:Parley new`, from a cold start, to the offline model's first words. */
async function firstWords(nvim, { home }) {
  const env = { ...environmentIn(home), PARLEY_MOCK_DELAY_MS: undefined };
  const args = ["-u", join(home, "init.lua")];
  return (await firstChat({ path: nvim.path, args, env, cwd: home })).firstWordsMs;
}

export async function startRows({ nvim, runs }) {
  const [parley, plain] = [await makeHome("parley"), await makeHome("plain")];
  const sourced = [];
  const wall = { parley: [], plain: [] };
  for (let run = 0; run < runs * 3; run += 1) {
    sourced.push(await sourcedMs(nvim, parley));
    wall.plain.push(await wallOf(nvim, plain));
    wall.parley.push(await wallOf(nvim, parley));
  }
  const words = [];
  for (let run = 0; run < runs * 2; run += 1) words.push(await firstWords(nvim, parley));
  await Promise.all([parley, plain].map(({ home }) => rm(home, { recursive: true })));
  return [
    {
      what: "from :Parley new to the first words of the offline model, ms",
      budget: "≤ 1000",
      parley: spread(words),
    },
    {
      what: "added to Neovim's start (plugin/parley.lua), ms",
      budget: "≤ 1",
      parley: spread(sourced),
    },
    {
      what: "Neovim's whole start, headless, ms",
      parley: spread(wall.parley),
      plain: spread(wall.plain),
      ratio: ratio(wall.parley, wall.plain),
    },
    ...(await hostRows(nvim, runs)),
  ];
}

const noteFirstShow = `local rpc = require("parley.rpc")
local call = rpc.call
rpc.call = function(name, ...)
  local result = call(name, ...)
  if name == "show" and not vim.g.bench_shown then vim.g.bench_shown = vim.uv.hrtime() / 1e6 end
  return result
end`;

async function hostRows(nvim, runs) {
  const readyTimes = [];
  const blocked = [];
  for (let run = 0; run < runs; run += 1) {
    const editor = await startEditor(nvim, { kind: "parley", text: chatText(10), open: false });
    await writeFile(editor.chat, chatText(10));
    // Excludes Neovim's own loading of the Markdown file type.
    await editor.request("nvim_command", "edit other.md | silent! bwipeout!");
    await editor.lua(noteFirstShow);
    editor.probe.start();
    await pause(20);
    const begun = now();
    await editor.request("nvim_command", `edit ${editor.chat}`);
    const shown = await until("the first view", () => editor.lua("return vim.g.bench_shown"));
    blocked.push(Math.max(0, ...(await editor.probe.stop())));
    readyTimes.push(shown - begun);
    await editor.close();
  }
  return [
    {
      what: "first chat opened → host has read and drawn it, ms",
      budget: "≤ 150",
      parley: spread(readyTimes),
    },
    { what: "— longest wait of a request meanwhile, ms", parley: spread(blocked) },
  ];
}
