import { expect, test } from "vitest";
import { rejectOnAbort, unlessAborted } from "../../src/shared/abort.ts";

const never = new Promise<string>(() => {});

test("unlessAborted and rejectOnAbort return the result of the promise", async () => {
  const { signal } = new AbortController();
  expect(await unlessAborted(Promise.resolve("done"), signal)).toBe("done");
  expect(await rejectOnAbort(Promise.resolve("done"), signal)).toBe("done");
});

test("an abort before or during the wait ends the wait", async () => {
  const before = AbortSignal.abort(new Error("stopped"));
  expect(await unlessAborted(never, before)).toBeNull();
  await expect(rejectOnAbort(never, before)).rejects.toThrow("stopped");

  const controller = new AbortController();
  const waiting = unlessAborted(never, controller.signal);
  const rejecting = expect(rejectOnAbort(never, controller.signal)).rejects.toThrow("enough");
  controller.abort(new Error("enough"));
  expect(await waiting).toBeNull();
  await rejecting;
});

test("unlessAborted passes on a failure but ignores one after the abort", async () => {
  const controller = new AbortController();
  await expect(
    unlessAborted(Promise.reject(new Error("broken")), controller.signal),
  ).rejects.toThrow("broken");
  let fail: (error: Error) => void = () => {};
  const late = new Promise<string>((_, reject) => {
    fail = reject;
  });
  controller.abort();
  expect(await unlessAborted(late, controller.signal)).toBeNull();
  fail(new Error("too late"));
});
