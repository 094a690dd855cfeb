/** Typing and redrawing in a chat, against the same file without Parley. */
import { chatText } from "../lib/chats.mjs";
import { now, pause } from "../lib/clock.mjs";
import { keyMs, startEditor, typeKeys } from "../lib/editor.mjs";
import { number, percentile, ratio, spread } from "../lib/statistics.mjs";

/** The text that is typed; its last character turns a word into code. */
const code = " some `code`";
const mostMs = 5000;

/** Returns the milliseconds from the key that turns a word into code to its new colours, while more keys come. */
async function coloursMs(editor) {
  await editor.input(`<Esc>o${code.slice(0, -1)}`);
  await pause(300);
  const isCode = `local at = vim.fn.screenpos(0, vim.fn.line("."), 8)
    return at.row > 0 and vim.fn.screenattr(at.row, at.col) ~= vim.fn.screenattr(at.row, at.col - 5)`;
  const begun = now();
  await editor.input("`");
  while (!(await editor.lua(isCode)) && now() - begun < mostMs) {
    await pause(5);
    if ((now() - begun) % 25 < 6) await editor.input("x");
  }
  const time = now() - begun;
  await editor.input("<Esc>");
  return time;
}

async function measure({ nvim, server, runs }, kind, exchanges) {
  const { environment } = server;
  const editor = await startEditor(nvim, { kind, text: chatText(exchanges), environment });
  const { times: keys, cpu } = await typeKeys(editor, runs * 8);
  const times = { keys, redraws: [], pauses: [], cpu: [cpu], colours: [] };
  for (let run = 0; run < runs; run += 1) {
    await keyMs(editor, "y");
    editor.probe.start();
    await pause(300);
    await editor.input("<Esc>");
    await pause(300);
    times.pauses.push(Math.max(0, ...(await editor.probe.stop())));
    await editor.input("A");
  }
  await editor.input("<Esc>");
  for (let run = 0; run < runs * 4; run += 1) {
    const begun = now();
    await editor.request("nvim_command", "redraw!");
    times.redraws.push(now() - begun);
  }
  times.colours.push(await coloursMs(editor));
  await editor.close();
  return times;
}

export async function keyRows(context) {
  const rows = [];
  for (const exchanges of context.sizes) {
    const own = await measure(context, "parley", exchanges);
    const plain = await measure(context, "plain", exchanges);
    const row = (what, budget, key) => ({
      what,
      budget,
      parley: spread(own[key]),
      plain: spread(plain[key]),
      ratio: ratio(own[key], plain[key]),
    });
    rows.push(
      row(`a key, ${exchanges.toLocaleString("en-US")} exchanges, ms`, "≤ 2", "keys"),
      {
        what: "— p99, ms",
        budget: "≤ 4",
        parley: number(percentile(own.keys, 0.99)),
        plain: number(percentile(plain.keys, 0.99)),
      },
      row("— Neovim's CPU for it, ms", "≤ 2", "cpu"),
      row("— until a typed word is drawn as code, ms", "≤ 10", "colours"),
      row("— longest stall in the pause after it and at <Esc>, ms", "≤ plain + 5", "pauses"),
      row("— a whole redraw, ms", undefined, "redraws"),
    );
  }
  return rows;
}
