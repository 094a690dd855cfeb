/** The time from the respond key to the request, and the cost for Neovim's main loop. */
import { chatText } from "../lib/chats.mjs";
import { now, pause, until } from "../lib/clock.mjs";
import { ready, startEditor } from "../lib/editor.mjs";
import { ratio, spread } from "../lib/statistics.mjs";

export const countDone = `vim.g.bench_done = 0
vim.api.nvim_create_autocmd("User", { pattern = { "ParleyDone", "ParleyWaiting", "ParleyError" }, callback = function()
  vim.g.bench_done = vim.g.bench_done + 1
end })`;

/** Writes a question at the end and puts the cursor on it. */
export async function ask(editor) {
  await editor.lua(`local last = vim.api.nvim_buf_line_count(0)
    vim.api.nvim_buf_set_lines(0, last - 1, last, false, { "💬: and what of this?" })
    vim.cmd("normal! G0")
    vim.g.bench_done = 0`);
  await ready(editor);
}

export async function answered(editor, server) {
  if (editor.kind === "parley") {
    await until("the end of the turn", () => editor.lua("return vim.g.bench_done > 0"));
  } else {
    await server.heard("written");
    await pause(50);
  }
}

/** Starts an editor and completes a first answer, so that lazily loaded code is loaded. */
export async function startWarm({ nvim, server }, kind, exchanges) {
  const { environment } = server;
  const editor = await startEditor(nvim, { kind, text: chatText(exchanges), environment });
  await editor.lua(countDone);
  await respondOnce(editor, server, { deltas: 1, perSecond: 100 });
  return editor;
}

async function respondOnce(editor, server, plan) {
  await ask(editor);
  await server.plan(plan);
  await editor.input("<C-g><C-g>");
  await server.heard("request");
  await answered(editor, server);
}

async function measure(context, kind, exchanges) {
  const { server } = context;
  // Short measurements are repeated more often, because other work on the machine affects them more.
  const runs = exchanges > 100 ? context.runs : 3 * context.runs;
  const editor = await startWarm(context, kind, exchanges);
  const times = { leaves: [], arrived: [], before: [], after: [] };
  for (let run = 0; run < 2 * runs; run += 1) {
    // Waits are measured with continuous requests, which take time themselves.
    const isProbed = run % 2 === 1;
    await ask(editor);
    await server.plan({ deltas: 20, perSecond: 500 });
    // Neovim keeps parsing the question for a while, and a user rereads it.
    await pause(300);
    if (isProbed) editor.probe.start();
    const begun = now();
    await editor.input("<C-g><C-g>");
    const { at, whole } = await server.heard("request");
    if (isProbed) {
      times.before.push(Math.max(0, ...(await editor.probe.stop())));
      editor.probe.start();
    } else {
      times.leaves.push(at - begun);
      times.arrived.push(whole - begun);
    }
    await answered(editor, server);
    if (isProbed) times.after.push(Math.max(0, ...(await editor.probe.stop())));
  }
  await editor.close();
  return times;
}

const budgets = new Map([
  [10, "≤ 5"],
  [1000, "≤ 35"],
  [10_000, "≤ 200"],
]);
const firstBudgets = new Map([...budgets, [10, "≤ 15"]]);

const chatOf = (exchanges) => `${exchanges.toLocaleString("en-US")} exchanges`;

export async function respondRows(context) {
  const rows = [];
  for (const exchanges of context.sizes) {
    const own = await measure(context, "parley", exchanges);
    const floor = await measure(context, "floor", exchanges);
    const chat = chatOf(exchanges);
    rows.push(
      {
        what: `respond → request leaves, ${chat}, ms`,
        budget: budgets.get(exchanges),
        parley: spread(own.leaves),
        floor: spread(floor.leaves),
        ratio: ratio(own.leaves, floor.leaves),
      },
      {
        what: "— all of it has arrived, ms",
        parley: spread(own.arrived),
        floor: spread(floor.arrived),
        ratio: ratio(own.arrived, floor.arrived),
      },
      {
        what: "— longest wait of a request meanwhile, ms",
        budget: "≤ 5",
        parley: spread(own.before),
        floor: spread(floor.before),
      },
      {
        what: "— then, until the answer is written and saved, ms",
        parley: spread(own.after),
        floor: spread(floor.after),
      },
    );
  }
  return rows;
}

/** Milliseconds that the chat is open before the question is written, and then until the key. */
const reading = 500;
const thinking = 1000;

/** Until all of the first question of a session has arrived; nothing was asked before. */
async function firstSend({ nvim, server }, kind, exchanges) {
  const { environment } = server;
  const editor = await startEditor(nvim, { kind, text: chatText(exchanges), environment });
  await editor.lua(countDone);
  await pause(reading);
  await ask(editor);
  await server.plan({ deltas: 1, perSecond: 100 });
  await pause(thinking);
  const begun = now();
  await editor.input("<C-g><C-g>");
  const { whole } = await server.heard("request");
  await answered(editor, server);
  await editor.close();
  return whole - begun;
}

export async function firstSendRows(context) {
  const rows = [];
  for (const exchanges of context.sizes) {
    const arrived = { parley: [], floor: [] };
    for (let run = 0; run < (exchanges > 1000 ? 3 : context.runs); run += 1) {
      for (const kind of ["parley", "floor"]) {
        arrived[kind].push(await firstSend(context, kind, exchanges));
      }
    }
    rows.push({
      what: `first respond of a session → all of the request has arrived, ${chatOf(exchanges)}, ms`,
      budget: firstBudgets.get(exchanges),
      parley: spread(arrived.parley),
      floor: spread(arrived.floor),
      ratio: ratio(arrived.parley, arrived.floor),
    });
  }
  return rows;
}
