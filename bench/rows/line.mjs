/** The cost of network latency to the vendor: a connection that survives the user's pauses needs one round trip. */
import { fork } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { Agent, request } from "node:https";
import { certificatePath } from "../lib/certificate.mjs";
import { now, pause, until } from "../lib/clock.mjs";
import { spread } from "../lib/statistics.mjs";
import { answered, ask, startWarm } from "./respond.mjs";

/** In milliseconds. */
const roundTrip = 50;
/** Milliseconds between writing a question and the key that sends it. */
const typing = 300;

async function delays(context, url, readingMs, runs) {
  const environment = {
    ...context.server.environment,
    OPENAI_BASE_URL: url,
    NODE_EXTRA_CA_CERTS: certificatePath,
  };
  const server = { ...context.server, environment };
  const editor = await startWarm({ ...context, server }, "parley", 10);
  const times = [];
  for (let run = 0; run < runs; run += 1) {
    await pause(readingMs);
    await ask(editor);
    editor.screen.follow(await server.plan({ deltas: 1, perSecond: 100 }));
    await pause(typing);
    const begun = now();
    await editor.input("<C-g><C-g>");
    await until("the first word", () => editor.screen.newest >= 0);
    times.push(editor.screen.seen[0] - begun);
    await answered(editor, server);
  }
  await editor.close();
  return times;
}

/** Returns the times of plain Node on an open connection: one round trip plus the simulation's own cost. */
async function roundTrips({ server }, url, runs) {
  const agent = new Agent({ keepAlive: true, ca: readFileSync(certificatePath) });
  const times = [];
  for (let run = 0; run <= runs; run += 1) {
    await server.plan({ deltas: 1, perSecond: 100 });
    const begun = now();
    const asked = request(`${url}/chat/completions`, { method: "POST", agent }).end("{}");
    const [answer] = await once(asked, "response");
    // The first request opens the connection.
    if (run > 0) times.push(now() - begun);
    await once(answer.resume(), "end");
  }
  agent.destroy();
  return times;
}

/** With `long`, also after five minutes of reading. */
export async function lineRows(context) {
  const { securePort } = context.server;
  const relay = fork(new URL("../slow-line.mjs", import.meta.url), [
    String(securePort),
    String(roundTrip),
  ]);
  const [port] = await once(relay, "message");
  const url = `https://localhost:${port}/v1`;
  const least = spread(await roundTrips(context, url, context.runs));
  const row = async (what, readingMs, runs) => ({
    what,
    budget: "≤ 60",
    parley: spread(await delays(context, url, readingMs, runs)),
    floor: `${least} (Node alone)`,
  });
  const rows = [
    await row(
      `respond → first word visible, on a line of ${roundTrip} ms there and back, TLS, after 6 s of reading, ms`,
      6000,
      context.runs,
    ),
  ];
  if (context.long) rows.push(await row("— after 5 min of reading, ms", 300_000, 2));
  relay.disconnect();
  return rows;
}
