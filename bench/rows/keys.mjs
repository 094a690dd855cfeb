/** Typing and redrawing in a chat, against the same file without Parley. */
import { chatText } from "../lib/chats.mjs";
import { now, pause } from "../lib/clock.mjs";
import { keyMs, startEditor } from "../lib/editor.mjs";
import { ratio, spread } from "../lib/statistics.mjs";

async function measure({ nvim, server, runs }, kind, exchanges) {
  const { environment } = server;
  const editor = await startEditor(nvim, { kind, text: chatText(exchanges), environment });
  await editor.lua("vim.cmd('normal! G')");
  await pause(500);
  const times = { keys: [], redraws: [], pauses: [] };
  await editor.input("A");
  for (let key = 0; key < runs * 8 + 5; key += 1) {
    const time = await keyMs(editor, "x");
    if (key >= 5) times.keys.push(time);
    await pause(20);
  }
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
      row(`a key, ${exchanges.toLocaleString("en-US")} exchanges, ms`, "≤ 1.2 × plain", "keys"),
      row("— longest stall in the pause after it and at <Esc>, ms", "≤ plain + 5", "pauses"),
      row("— a whole redraw, ms", undefined, "redraws"),
    );
  }
  return rows;
}
