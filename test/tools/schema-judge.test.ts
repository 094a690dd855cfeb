/** The thread that checks arguments with servers' schemas, and the order in which servers get it. */
import { describe, expect, it, onTestFinished } from "vitest";
import { createSchemaJudge, judgeLimits } from "../../src/tools/schema-judge.ts";
import { createSchemaWorker, type SchemaWorker } from "../../src/tools/schema-worker.ts";
import { turnsOf } from "../support/event-loop.ts";
import { eventually } from "../support/eventually.ts";
import fc from "../support/property.ts";

const schema = JSON.stringify({ properties: { x: { type: "number" } } });
const fits = { schema, value: '{"x":1}' };
const slow = {
  schema: JSON.stringify({ properties: { x: { pattern: "^(a+)+$" } } }),
  value: JSON.stringify({ x: `${"a".repeat(60)}!` }),
};
/** Compiles at once, and produces a huge number of errors. */
const large = {
  schema: JSON.stringify({
    $defs: Object.fromEntries(
      Array.from({ length: 40 }, (_, at) => [
        `d${at}`,
        at === 39
          ? { type: "number" }
          : { allOf: Array.from({ length: 20 }, () => ({ $ref: `#/$defs/d${at + 1}` })) },
      ]),
    ),
    $ref: "#/$defs/d0",
  }),
  value: '"a"',
};

function worker(limits: Partial<typeof judgeLimits> = {}, text?: string) {
  const made = createSchemaWorker({ ...judgeLimits, ...limits }, undefined, text);
  onTestFinished(() => made.end());
  return made;
}

describe("the schema thread", () => {
  it("keeps running when it starts while the previous thread is ending", async () => {
    const used = worker({ idleMs: 60_000 });
    await used.ask(fits);
    const ending = used.end();
    expect((await used.ask(fits)).outcome).toEqual({ type: "fits" });
    await ending;
    expect(used.isRunning()).toBe(true);
  });

  it("answers, exits when idle, and starts again for the next question", async () => {
    const used = worker({ idleMs: 1 });
    expect(used.isRunning()).toBe(false);
    expect((await used.ask(fits)).outcome).toEqual({ type: "fits" });
    await eventually(() => expect(used.isRunning()).toBe(false));
    expect((await used.ask({ ...fits, value: '{"x":""}' })).outcome).toEqual({
      type: "misfit",
      reasons: '`x` must be number, but it is "".',
    });
  });

  it("ends a check that takes too long, and answers the next one", async () => {
    const used = worker({ questionMs: 300 });
    const { outcome, takenMs } = await used.ask(slow);
    expect(outcome).toEqual({ type: "too-much", of: "time" });
    expect(takenMs).toBeGreaterThan(50);
    expect(used.isRunning()).toBe(false);
    expect((await used.ask(fits)).outcome).toEqual({ type: "fits" });
  });

  it("does not block the event loop during a slow check", async () => {
    const used = worker({ questionMs: 200 });
    expect((await turnsOf(used.ask(slow))).turns).toBeGreaterThan(100);
  });

  it("ends a check that takes too much memory, and answers the next one", async () => {
    const used = worker({ questionMs: 20_000, memoryMb: 16 });
    expect((await used.ask(large)).outcome).toEqual({ type: "too-much", of: "memory" });
    expect((await used.ask(fits)).outcome).toEqual({ type: "fits" });
  });

  it("limits processor time, and elapsed time only far beyond that limit", async () => {
    const idle = createSchemaWorker({ ...judgeLimits, questionMs: 40 }, () => 0);
    onTestFinished(() => idle.end());
    const begun = performance.now();
    expect((await idle.ask(slow)).outcome).toEqual({ type: "too-much", of: "time" });
    expect(performance.now() - begun).toBeGreaterThanOrEqual(400);
  });

  it.each([
    ["throws", "throw new Error('no room')", "no room"],
    ["ends", "process.exit()", "the thread ended at once"],
    ["says nothing", "setInterval(() => {}, 1000)", "the thread did not start in time"],
  ])("reports why there is no thread when it %s at its start", async (_, text, reason) => {
    const { outcome } = await worker({ startMs: 1000 }, text).ask(fits);
    expect(outcome).toEqual({ type: "no-thread", reason });
  });

  it("starts again when it ended between two questions", async () => {
    const text = `
      const { parentPort } = require("node:worker_threads");
      parentPort.on("message", () => { parentPort.postMessage({ type: "fits" }); process.exit(); });
      parentPort.postMessage("ready");`;
    const used = worker({}, text);
    await used.ask(fits);
    await eventually(() => expect(used.isRunning()).toBe(false));
    expect((await used.ask(fits)).outcome).toEqual({ type: "fits" });
  });
});

/** A judge with a fake thread that takes as long as the question says, on a fake clock. */
function fakeJudge() {
  let time = 0;
  const asked: string[] = [];
  const fakeWorker: SchemaWorker = {
    isRunning: () => true,
    end: async () => {},
    async ask({ schema: name, value }) {
      await Promise.resolve();
      const takenMs = Math.min(Number(value), judgeLimits.questionMs);
      time += takenMs;
      asked.push(name);
      return { outcome: { type: "fits" }, takenMs };
    },
  };
  const judge = createSchemaJudge(judgeLimits, fakeWorker, () => time);
  const pass = (ms: number) => {
    time += ms;
  };
  return { judge, asked, pass, now: () => time };
}

describe("a server that asks for too much", () => {
  it("does not keep others waiting: the server that used least is next", async () => {
    const { judge, asked } = fakeJudge();
    const all = [1, 2, 3, 4].map((at) =>
      judge.judge("hostile", { schema: `h${at}`, value: "900" }),
    );
    all.push(judge.judge("honest", { schema: "mine", value: "1" }));
    await Promise.all(all);
    expect(asked).toEqual(["h1", "mine", "h2", "h3", "h4"]);
  });

  it("is refused when its share is spent, and gets time back gradually", async () => {
    const { judge, pass } = fakeJudge();
    const ask = async () => (await judge.judge("hostile", { schema: "h", value: "1000" })).type;
    const first: string[] = [];
    for (let time = 0; time < 8; time += 1) first.push(await ask());
    expect(first.filter((type) => type === "fits").length).toBeLessThanOrEqual(6);
    expect(first.at(-1)).toBe("spent");
    pass(61_000);
    expect([await ask(), await ask()]).toEqual(["fits", "spent"]);
  });

  it("stays within its share, and delays another server by one question at most", async () => {
    const question = fc.record({
      server: fc.constantFrom("a", "b", "c"),
      takes: fc.integer({ min: 1, max: 2000 }),
      later: fc.integer({ min: 0, max: 2000 }),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(question, { maxLength: 60 }), async (questions) => {
        const { judge, pass, now } = fakeJudge();
        const used = new Map<string, number>();
        const waits: number[] = [];
        const all: Promise<unknown>[] = [];
        for (const { server, takes, later } of questions) {
          const asking = judge.judge(server, { schema: "h", value: String(takes) });
          all.push(
            asking.then(({ type }) => {
              const took = type === "fits" ? Math.min(takes, judgeLimits.questionMs) : 0;
              used.set(server, (used.get(server) ?? 0) + took);
            }),
          );
          const begun = now();
          await judge.judge("honest", { schema: "mine", value: "0" });
          waits.push(now() - begun);
          pass(later);
        }
        await Promise.all(all);
        const allowed = judgeLimits.shareMs + judgeLimits.questionMs + now() * judgeLimits.refill;
        expect(Math.max(0, ...used.values())).toBeLessThanOrEqual(allowed);
        expect(Math.max(0, ...waits)).toBeLessThanOrEqual(judgeLimits.questionMs);
      }),
      { numRuns: 100 },
    );
  });
});
