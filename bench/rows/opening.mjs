/** Opening a chat, and what it takes to keep it. */
import { chatText } from "../lib/chats.mjs";
import { now, pause } from "../lib/clock.mjs";
import { ready, startEditor } from "../lib/editor.mjs";
import { childrenOf, memoryMB } from "../lib/processes.mjs";
import { number, spread } from "../lib/statistics.mjs";
import { startWarm } from "./respond.mjs";

async function open(nvim, kind, exchanges) {
  const editor = await startEditor(nvim, { kind, text: chatText(exchanges), open: false });
  // What Neovim loads with its first Markdown file is not the matter here.
  await editor.request("nvim_command", "edit other.md | silent! bwipeout!");
  const begun = now();
  await editor.request("nvim_command", `edit ${editor.chat}`);
  const opened = now() - begun;
  editor.probe.start();
  if (kind === "parley") await ready(editor);
  await pause(500);
  const waits = await editor.probe.stop();
  await editor.close();
  return { opened, later: Math.max(...waits) };
}

const budgets = new Map([
  [1000, "≤ plain + 10"],
  [10_000, "≤ plain + 50"],
]);

export async function openingRows({ nvim, runs, sizes }) {
  const rows = [];
  for (const exchanges of sizes) {
    const times = { parley: [], plain: [] };
    for (let run = 0; run < runs; run += 1) {
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

export async function memoryRows(context) {
  const exchanges = 1000;
  const own = await startWarm(context, "parley", exchanges);
  const host = own.host();
  const processes = [own.pid, host, ...childrenOf(host)];
  const parley = processes.map(memoryMB).reduce((sum, one) => sum + one, 0);
  const ofHost = memoryMB(host);
  await own.close();
  const other = await startEditor(context.nvim, { kind: "plain", text: chatText(exchanges) });
  await pause(500);
  const plain = memoryMB(other.pid);
  await other.close();
  return [
    {
      what: "memory at 1,000 exchanges after an answer, MB",
      budget: "≤ plain + 75",
      parley: `${number(parley)} (host ${number(ofHost)})`,
      plain: number(plain),
    },
  ];
}
