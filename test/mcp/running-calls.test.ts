import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { RunningCalls } from "../../src/mcp/running-calls.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function scene() {
  const calls = new RunningCalls("shop");
  const stop = new AbortController();
  const reports: string[] = [];
  const progress = (text: string) => reports.push(text);
  const ended: string[] = [];
  /** A call whose server answers nothing until the call is over. */
  const run = (tool: string, timeoutMs = 100) => {
    const how = { signal: stop.signal, progress, timeoutMs };
    const done = (signal: AbortSignal) =>
      new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve()));
    void calls.run(tool, how, done).then(() => ended.push(tool));
  };
  return { calls, run, stop, reports, ended };
}

const unasked = new AbortController().signal;

it("the time of a call stops while a user is asked for it, and not that of a later one", async () => {
  const { calls, run, ended } = scene();
  run("order");
  let answer = (_text: string) => {};
  const asked = calls.ask(unasked, () => new Promise<string>((resolve) => (answer = resolve)));
  run("later");
  await vi.advanceTimersByTimeAsync(60_000);
  expect(ended).toEqual(["later"]);
  answer("yes");
  expect(await asked).toBe("yes");
  await vi.advanceTimersByTimeAsync(100);
  expect(ended).toEqual(["later", "order"]);
});

it("nobody waits for an answer when all calls that it may be for have ended", async () => {
  const { calls, run, stop, ended } = scene();
  run("one");
  run("two");
  let left: readonly string[] = [];
  const asked = calls.ask(unasked, (asker) => {
    left = asker.calls();
    return new Promise<void>((resolve) => asker.signal.addEventListener("abort", () => resolve()));
  });
  expect(left).toEqual(["one", "two"]);
  stop.abort();
  await asked;
  await vi.advanceTimersByTimeAsync(0);
  expect(ended).toEqual(["one", "two"]);
});

it("a crowd of questions is not kept, and ends the asking until the next call", async () => {
  const { calls, run } = scene();
  run("order");
  const crowd: boolean[] = [];
  const answers: (() => void)[] = [];
  const all = Array.from({ length: 30 }, () =>
    calls.ask(unasked, (asker) => {
      crowd.push(asker.isOneTooMany);
      if (asker.isOneTooMany) return Promise.resolve(asker.answered(false));
      return new Promise<boolean>((resolve) => answers.push(() => resolve(asker.mayAsk())));
    }),
  );
  await vi.advanceTimersByTimeAsync(0);
  expect(crowd).toEqual([...new Array(8).fill(false), ...new Array(22).fill(true)]);
  for (const answer of answers) answer();
  const results = await Promise.all(all);
  // Those that waited are not asked any more, and that is told once.
  expect(results.slice(0, 8)).toEqual(new Array(8).fill(false));
  expect(results.slice(8).filter(Boolean)).toHaveLength(1);
  run("later");
  expect(await calls.ask(unasked, async (asker) => asker.mayAsk() && !asker.isOneTooMany)).toBe(
    true,
  );
});

it("a question that is over leaves nothing at the call that it was for", async () => {
  const { calls, run } = scene();
  run("order");
  const added = vi.spyOn(EventTarget.prototype, "addEventListener");
  const removed = vi.spyOn(EventTarget.prototype, "removeEventListener");
  for (let time = 0; time < 5; time += 1) await calls.ask(unasked, async () => {});
  expect([added.mock.calls.length, removed.mock.calls.length]).toEqual([5, 5]);
  added.mockRestore();
  removed.mockRestore();
});

it("words at the calls are taken away after the question, and none are added when there were none", async () => {
  const { calls, run, reports } = scene();
  run("order");
  await calls.ask(unasked, async () => {});
  expect(reports).toEqual([]);
  await calls.ask(unasked, async (asker) => asker.progress("waits"));
  expect(reports).toEqual(["waits", ""]);
});

it("a question outside of any call has no turn to pay from", async () => {
  const { calls } = scene();
  expect(await calls.ask(unasked, async (asker) => asker.calls())).toEqual([]);
  expect(await calls.ask(unasked, async (asker) => asker.spendModelCall())).toBe(false);
});

it("the user is not asked again after three times no in a row, and a yes in between restarts the count", async () => {
  const { calls, run } = scene();
  run("order");
  const says = (isYes: boolean) => calls.ask(unasked, async (asker) => asker.answered(isYes));
  const mayAsk = () => calls.ask(unasked, async (asker) => asker.mayAsk());
  for (const isYes of [false, false, true, false, false]) expect(await says(isYes)).toBe(false);
  expect(await mayAsk()).toBe(true);
  expect(await says(false)).toBe(true);
  expect(await mayAsk()).toBe(false);
});

it("names the calls that still run, of those a question came for", async () => {
  const { calls, run, ended } = scene();
  run("short", 100);
  run("long", 1000);
  await calls.ask(unasked, async (asker) => {
    expect(asker.calls()).toEqual(["short", "long"]);
  });
  let left: readonly string[] = [];
  const own = new AbortController();
  const how = { signal: own.signal, progress: () => {}, timeoutMs: 100 };
  let end = () => {};
  const other = calls.run("other", how, () => new Promise<void>((resolve) => (end = resolve)));
  const asked = calls.ask(unasked, async (asker) => {
    end();
    await other;
    left = asker.calls();
  });
  await asked;
  expect(left).toEqual(["short", "long"]);
  expect(ended).toEqual([]);
});

it("progress makes the time of a call longer, but not without end", async () => {
  const { calls } = scene();
  const how = { signal: unasked, progress: () => {}, timeoutMs: 100 };
  let isOver = false;
  const timer = { tell: () => {} };
  void calls.run("slow", how, (signal, progress) => {
    timer.tell = () => progress("still at it");
    return new Promise<void>((resolve) =>
      signal.addEventListener("abort", () => {
        isOver = true;
        resolve();
      }),
    );
  });
  for (let time = 0; time < 950; time += 50) {
    await vi.advanceTimersByTimeAsync(50);
    timer.tell();
  }
  expect(isOver).toBe(false);
  await vi.advanceTimersByTimeAsync(50);
  expect(isOver).toBe(true);
});
