/** Opening a chat, and the memory it takes. */
import { utimes } from "node:fs/promises";
import { chatText } from "../lib/chats.mjs";
import { now, pause } from "../lib/clock.mjs";
import { startEditor } from "../lib/editor.mjs";
import { childrenOf, memoryMB } from "../lib/processes.mjs";
import { number, spread } from "../lib/statistics.mjs";
import { answered, ask, startWarm } from "./respond.mjs";

async function open(nvim, kind, exchanges) {
  const editor = await startEditor(nvim, { kind, text: chatText(exchanges), open: false });
  // Chats are usually older; a file written within the last two seconds is read twice.
  const aMinuteAgo = new Date(Date.now() - 60_000);
  await utimes(editor.chat, aMinuteAgo, aMinuteAgo);
  // Excludes what Neovim loads with its first Markdown file.
  await editor.request("nvim_command", "edit other.md | silent! bwipeout!");
  const begun = now();
  await editor.request("nvim_command", `edit ${editor.chat}`);
  const opened = now() - begun;
  editor.probe.start();
  // Long enough for everything to be read.
  await pause(exchanges > 1000 ? 2500 : 700);
  const waits = await editor.probe.stop();
  await editor.close();
  return { opened, later: Math.max(...waits) };
}

const budgets = new Map([
  [10, "≤ plain + 5"],
  [1000, "≤ plain + 10"],
  [10_000, "≤ plain + 15"],
]);

export async function openingRows({ nvim, runs, sizes }) {
  const rows = [];
  for (const exchanges of sizes) {
    const times = { parley: [], plain: [] };
    for (let run = 0; run < (exchanges > 1000 ? 3 : runs); run += 1) {
      for (const kind of ["plain", "parley"]) times[kind].push(await open(nvim, kind, exchanges));
    }
    const of = (kind, key) => spread(times[kind].map((time) => time[key]));
    rows.push(
      {
        what: `opening ${exchanges.toLocaleString("en-US")} exchanges, ms`,
        budget: budgets.get(exchanges),
        parley: of("parley", "opened"),
        plain: of("plain", "opened"),
      },
      {
        what: "— longest wait of a request after it, ms",
        parley: of("parley", "later"),
        plain: of("plain", "later"),
      },
    );
  }
  return rows;
}

/** Returns the memory of Neovim, the host and its children together. */
function usedMB(editor) {
  const host = editor.host();
  const processes = host === undefined ? [] : [host, ...childrenOf(host)];
  return [editor.pid, ...processes].map(memoryMB).reduce((sum, one) => sum + one, 0);
}

const hostBudgets = new Map([
  [10, "≤ 60"],
  [1000, "≤ 70"],
  [10_000, "≤ 85"],
]);

async function askAll({ server }, editor, answers) {
  for (let answer = 0; answer < answers; answer += 1) {
    await ask(editor);
    await server.plan({ deltas: 20, perSecond: 500 });
    await editor.input("<C-g><C-g>");
    await answered(editor, server);
  }
}

/**
 * Milliseconds after which an idle host has released unused memory: after 5 s it collects garbage, and 8 s later V8
 * collects again and returns the pages.
 */
const idle = 18_000;

/** The memory of the host without Neovim, after some answers, when everything they need is loaded. */
async function hostRow(context, exchanges) {
  const editor = await startWarm(context, "parley", exchanges);
  await askAll(context, editor, 5);
  await pause(idle);
  const row = {
    what: `— only the host, ${exchanges.toLocaleString("en-US")} exchanges, at rest after six answers, MB`,
    budget: hostBudgets.get(exchanges),
    parley: number(memoryMB(editor.host())),
  };
  await editor.close();
  return row;
}

const manyAnswers = 300;

/** The memory after hundreds of answers, and after their chat was closed. */
async function manyAnswersRows(context) {
  const editor = await startWarm(context, "parley", 10);
  await askAll(context, editor, manyAnswers);
  await pause(idle);
  const after = number(memoryMB(editor.host()));
  await editor.lua(`vim.cmd("enew | silent! %bwipeout!")`);
  await pause(idle);
  const closed = number(memoryMB(editor.host()));
  await editor.close();
  return [
    { what: `— at rest after ${manyAnswers} answers, MB`, parley: after },
    { what: "— when their chat is closed, MB", parley: closed },
  ];
}

export async function memoryRows(context) {
  const exchanges = 1000;
  const opened = {};
  for (const kind of ["parley", "plain"]) {
    const { environment } = context.server;
    const text = chatText(exchanges);
    const editor = await startEditor(context.nvim, { kind, text, environment });
    await pause(1000);
    opened[kind] = number(usedMB(editor));
    await editor.close();
  }
  const used = {};
  for (const kind of ["parley", "floor"]) {
    const editor = await startWarm(context, kind, exchanges);
    used[kind] = `${number(usedMB(editor))} (host ${number(memoryMB(editor.host()))})`;
    await editor.close();
  }
  const hosts = [];
  for (const size of context.sizes) hosts.push(await hostRow(context, size));
  return [
    { what: "memory at 1,000 exchanges, host included, MB", budget: "≤ plain + 75", ...opened },
    { what: "— after an answer, MB", ...used },
    ...hosts,
    ...(context.long ? await manyAnswersRows(context) : []),
  ];
}
