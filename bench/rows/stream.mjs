/** The cost of streaming an answer, slowly and at full speed. */
import { fork } from "node:child_process";
import { once } from "node:events";
import { pause, until } from "../lib/clock.mjs";
import { cpuMs } from "../lib/processes.mjs";
import { median, number, percentile, ratio, spread } from "../lib/statistics.mjs";
import { answered, ask, startWarm } from "./respond.mjs";

async function stream(editor, server, plan, { probeEveryMs }) {
  await ask(editor);
  editor.screen.follow(await server.plan({ afterMs: 100, ...plan }));
  await editor.input("<C-g><C-g>");
  await server.heard("request");
  await pause(40);
  const host = editor.host();
  const used = { nvim: cpuMs(editor.pid), host: cpuMs(host) };
  if (probeEveryMs) editor.probe.start(probeEveryMs);
  const { times } = await server.heard("written", 60_000);
  await until("the last word", () => editor.screen.newest >= plan.deltas - 1);
  const waits = probeEveryMs ? await editor.probe.stop() : [];
  const cpu = { nvim: cpuMs(editor.pid) - used.nvim, host: cpuMs(host) - used.host };
  await answered(editor, server);
  return { times, seen: editor.screen.seen, waits, cpu };
}

async function pacedRun(context, kind, exchanges) {
  const { server, seconds } = context;
  const editor = await startWarm(context, kind, exchanges);
  const plan = { deltas: 100 * seconds, perSecond: 100 };
  const firsts = [];
  for (let run = 0; run < context.runs; run += 1) {
    const { times, seen } = await stream(editor, server, { deltas: 3, perSecond: 100 }, {});
    firsts.push(seen[0] - times[0]);
  }
  const quiet = await stream(editor, server, plan, {});
  const probed = await stream(editor, server, plan, { probeEveryMs: 3 });
  await editor.close();
  return {
    firsts,
    delays: quiet.times.map((at, index) => quiet.seen[index] - at),
    cpu: quiet.cpu,
    waits: probed.waits,
  };
}

/** Scales to three seconds, the unit of the budgets. */
const ofThree = (milliseconds, seconds) => number((milliseconds * 3) / seconds);
const tail = (values) => `${number(percentile(values, 0.99))} (max ${number(Math.max(...values))})`;

function pacedRows(own, floor, exchanges, seconds) {
  const chat = `${exchanges.toLocaleString("en-US")} exchanges`;
  return [
    {
      what: `first delta visible after it was written, ${chat}, ms`,
      budget: "≤ 1.5",
      parley: spread(own.firsts),
      floor: spread(floor.firsts),
      ratio: ratio(own.firsts, floor.firsts),
    },
    {
      what: "— every delta at 100 a second, p99, ms",
      budget: "≤ 18",
      parley: tail(own.delays),
      floor: tail(floor.delays),
    },
    {
      what: "— median, ms",
      budget: "≤ 4",
      parley: number(median(own.delays)),
      floor: number(median(floor.delays)),
      ratio: ratio(own.delays, floor.delays),
    },
    {
      what: "— Neovim's CPU for three seconds of it, ms",
      budget: "≤ 130",
      parley: ofThree(own.cpu.nvim, seconds),
      floor: ofThree(floor.cpu.nvim, seconds),
      ratio: ratio([own.cpu.nvim], [floor.cpu.nvim]),
    },
    {
      what: "— the host's CPU for three seconds of it, ms",
      budget: "≤ 200",
      parley: ofThree(own.cpu.host, seconds),
      floor: ofThree(floor.cpu.host, seconds),
    },
    {
      what: "— a request meanwhile, p99, ms",
      budget: "≤ 2",
      parley: tail(own.waits),
      floor: tail(floor.waits),
    },
  ];
}

async function rawWalls({ server, runs }, deltas) {
  await server.plan({ deltas, afterMs: 100 });
  const url = `${server.url}/chat/completions`;
  const walls = [];
  const child = fork(new URL("../raw-client.mjs", import.meta.url), [url, String(runs + 1)]);
  for (let run = 0; run <= runs; run += 1) {
    const [{ at }] = await once(child, "message");
    const { times } = await server.heard("written");
    // The first run is slower, because the code is not compiled yet.
    if (run > 0) walls.push(at - times[0]);
    await server.plan({ deltas, afterMs: 100 });
  }
  return walls;
}

async function flatOut(context, kind, deltas) {
  const editor = await startWarm(context, kind, 10);
  const walls = [];
  const blocked = [];
  const cpu = [];
  for (let run = 0; run < context.runs; run += 1) {
    const { times, seen, cpu: used } = await stream(editor, context.server, { deltas }, {});
    cpu.push(used.nvim);
    walls.push(seen[deltas - 1] - times[0]);
    const probed = await stream(editor, context.server, { deltas }, { probeEveryMs: 1 });
    blocked.push(Math.max(...probed.waits));
  }
  await editor.close();
  return { walls, blocked, cpu };
}

async function flatOutRows(context) {
  const few = 2000;
  const [fewOwn, fewFloor] = [
    await flatOut(context, "parley", few),
    await flatOut(context, "floor", few),
  ];
  const deltas = 20_000;
  const own = await flatOut(context, "parley", deltas);
  const floor = await flatOut(context, "floor", deltas);
  const raw = await rawWalls(context, deltas);
  return [
    {
      what: "2,000 deltas flat out, all visible, ms",
      budget: "≤ 35",
      parley: spread(fewOwn.walls),
      floor: spread(fewFloor.walls),
      ratio: ratio(fewOwn.walls, fewFloor.walls),
    },
    {
      what: "— Neovim's CPU for them, ms",
      budget: "≤ 18",
      parley: spread(fewOwn.cpu),
      floor: spread(fewFloor.cpu),
    },
    {
      what: "20,000 deltas flat out, all visible, ms",
      budget: "≤ 100",
      parley: spread(own.walls),
      floor: spread(floor.walls),
      ratio: ratio(own.walls, floor.walls),
    },
    { what: "— read and parsed by bare Node, ms", parley: spread(raw) },
    {
      what: "— longest wait of a request, ms",
      budget: "≤ 16",
      parley: spread(own.blocked),
      floor: spread(floor.blocked),
    },
  ];
}

export async function streamRows(context) {
  const rows = [];
  for (const exchanges of context.sizes) {
    const own = await pacedRun(context, "parley", exchanges);
    const floor = await pacedRun(context, "floor", exchanges);
    rows.push(...pacedRows(own, floor, exchanges, context.seconds));
  }
  return [...rows, ...(await flatOutRows(context))];
}
