/** Stopping a stream, the end of the host, a tool call, and a tool call that never ends. */
import { readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { chatText } from "../lib/chats.mjs";
import { now, pause, until } from "../lib/clock.mjs";
import { startEditor } from "../lib/editor.mjs";
import { childrenOf, cpuMs, isAlive } from "../lib/processes.mjs";
import { number, percentile, spread } from "../lib/statistics.mjs";
import { answered, ask, countDone, startWarm } from "./respond.mjs";

async function stops(context, kind, plan) {
  const { server, runs } = context;
  const editor = await startWarm(context, kind, 10);
  const times = [];
  for (let run = 0; run < runs; run += 1) {
    await ask(editor);
    await server.plan({ afterMs: 20, ...plan });
    await editor.input("<C-g><C-g>");
    await server.heard("request");
    await pause(150);
    const begun = now();
    await editor.input("<C-g>x");
    const { at } = await server.heard("closed");
    times.push(at - begun);
    await answered(editor, server);
    // The next question goes below the stopped answer.
    await editor.lua(`local last = vim.api.nvim_buf_line_count(0)
      vim.api.nvim_buf_set_lines(0, last, last, false, { "", "" })`);
  }
  await editor.close();
  return times;
}

async function hostEnds(context) {
  const times = [];
  for (let run = 0; run < context.runs; run += 1) {
    const editor = await startWarm(context, "parley", 10);
    const host = editor.host();
    const all = [host, ...childrenOf(host)];
    process.kill(editor.pid, "SIGKILL");
    const begun = now();
    await until("the host's end", () => !all.some(isAlive));
    times.push(now() - begun);
    await editor.close();
  }
  return times;
}

export async function stopRows(context) {
  const idle = { deltas: 5, perSecond: 100, hold: true };
  const endless = { deltas: 2000, endless: true };
  return [
    {
      what: "stop → socket closed, silent stream, ms",
      budget: "≤ 2",
      parley: spread(await stops(context, "parley", idle)),
      floor: spread(await stops(context, "floor", idle)),
    },
    {
      what: "— in the middle of a flat-out stream, ms",
      budget: "≤ 2",
      parley: spread(await stops(context, "parley", endless)),
      floor: spread(await stops(context, "floor", endless)),
    },
    {
      what: "Neovim killed → host and its children gone, ms",
      budget: "≤ 1,000",
      parley: spread(await hostEnds(context)),
    },
  ];
}

/** Returns the last time of each event that the probe recorded. */
function noted(file) {
  const lines = readFileSync(file, "utf8").trim().split("\n");
  return Object.fromEntries(
    lines.map((line) => JSON.parse(line)).map(({ what, at }) => [what, at]),
  );
}

/** Measures an approval, its tool call, the result and the next request. */
async function callRows({ nvim, server, runs }) {
  const text = chatText(10).replace("\n---\n", "\ntools: mock\n---\n");
  const file = join(tmpdir(), `parley-tool-${process.pid}.jsonl`);
  const environment = {
    ...server.environment,
    NODE_OPTIONS: `--import ${new URL("../lib/tool-probe.mjs", import.meta.url).href}`,
    PARLEY_TOOL_TIMES: file,
  };
  const editor = await startEditor(nvim, { kind: "parley", text, environment });
  await editor.lua(countDone);
  const times = { called: [], asked: [] };
  for (let run = 0; run <= runs * 2; run += 1) {
    await ask(editor);
    const call = { name: "web_search", arguments: JSON.stringify({ query: `${run}` }) };
    await server.plan({ call });
    await editor.input("<C-g><C-g>");
    await answered(editor, server);
    await server.plan({ deltas: 3, perSecond: 500 });
    await editor.input("gg/^❓: <CR>zt");
    await pause(300);
    await editor.input("ya");
    await server.heard("written");
    await until("the answer", () => editor.lua("return vim.fn.search('^💬: *$') > 0"));
    await pause(150);
    const { key, tool, result, request } = noted(file);
    // The first run loads code.
    if (run === 0) continue;
    times.called.push(tool - key);
    times.asked.push(request - result);
  }
  await editor.close();
  return [
    {
      what: "key `ya`, after its wait for a text object → tool called, ms",
      budget: "≤ 12",
      parley: spread(times.called),
    },
    {
      what: "last result → next request, ms",
      budget: "≤ 8",
      parley: spread(times.asked),
    },
  ];
}

export async function toolRows(context) {
  return [...(await callRows(context)), ...(await hangingRows(context))];
}

/** Measures with a tool server that is suspended in the middle of a call. */
async function hangingRows({ nvim, server, seconds }) {
  const text = chatText(1000).replace("\n---\n", "\ntools: mock\n---\n");
  const { environment } = server;
  const editor = await startEditor(nvim, { kind: "parley", text, environment });
  await editor.lua(countDone);
  await ask(editor);
  await server.plan({ call: { name: "web_search", arguments: '{"query":"slow"}' } });
  await editor.input("<C-g><C-g>");
  await answered(editor, server);
  const [toolServer] = childrenOf(editor.host());
  process.kill(toolServer, "SIGSTOP");
  await editor.input("gg/^❓: <CR>ztyo");
  await until("the call to run", () => editor.lua("return vim.fn.search('^❓:.yo..*slow') > 0"));
  await pause(500);
  const before = cpuMs(editor.pid);
  await pause(seconds * 1000);
  const used = cpuMs(editor.pid) - before;
  editor.probe.start(3);
  await pause(seconds * 1000);
  const waits = await editor.probe.stop();
  process.kill(toolServer, "SIGCONT");
  await editor.close();
  return [
    {
      what: "a tool that hangs, 1,000 exchanges: Neovim's share of a core",
      budget: "nothing",
      parley: `${number(used / (seconds * 10))} %`,
    },
    {
      what: "— a request meanwhile, p99, ms",
      parley: `${number(percentile(waits, 0.99))} (max ${number(Math.max(...waits))})`,
    },
  ];
}
