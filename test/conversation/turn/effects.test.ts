/** Effects are computed before approval, and the run has exactly these effects, in order. */

import { expect, it } from "vitest";
import { lastCalls, planBatch } from "../../../src/conversation/decide/next-step.ts";
import { toolIdentity } from "../../../src/conversation/decide/remembered.ts";
import { defaultKeys } from "../../../src/conversation/keys.ts";
import type { CallPlan, ToolOutput } from "../../../src/conversation/ports.ts";
import { pressCallKey, respond } from "../../../src/conversation/turn/actions.ts";
import { sha256 } from "../../../src/shared/hash.ts";
import type { ApprovalKey } from "../../../src/transcript/decisions.ts";
import type { ToolCall } from "../../../src/transcript/transcript.ts";
import fc from "../../support/property.ts";
import { chatTools, openMemoryChat, search } from "../memory-chat.ts";

const name = "search";
const call = (id: string, args: object): ToolCall => ({
  id,
  name,
  arguments: JSON.stringify(args),
});

/** One text that calls append to (`{add}`), or do something to that nobody can know before (`{any}`). */
function scene(proposed: readonly ToolCall[], ports: { text?: string } = {}) {
  const file = { text: ports.text ?? "start" };
  const counts = { plans: 0 };
  const order: string[] = [];
  const planOf = (before: string, add: string): CallPlan => {
    const refusal = before.includes(add) ? `${add} is there already.` : null;
    const hash = sha256(refusal ?? JSON.stringify([before, before + add]));
    return { lines: [`  +${add}`], saysAll: true, hash, refusal, changes: true };
  };
  const notices: string[] = [];
  const memory = openMemoryChat("💬: go\n", [{ calls: proposed }, { text: "Done." }], {
    tools: chatTools(
      async () => new Map([[search.name, search]]),
      async (calls) => {
        counts.plans += 1;
        let text = file.text;
        return calls.map(({ arguments: args }) => {
          const { add } = JSON.parse(args);
          if (add === undefined) return null;
          const plan = planOf(text, add);
          if (plan.refusal === null) text += add;
          return plan;
        });
      },
    ),
    runTool: async (ran, { effect }): Promise<ToolOutput> => {
      order.push(`start ${ran.id}`);
      const { add, any } = JSON.parse(ran.arguments);
      await new Promise((resolve) => setImmediate(resolve));
      if (any !== undefined) file.text += any;
      if (add !== undefined) {
        const plan = planOf(file.text, add);
        expect(effect).toBe(plan.hash);
        if (plan.refusal !== null) return { status: "error", text: plan.refusal, media: [] };
        file.text += add;
      }
      order.push(`end ${ran.id}`);
      return { status: "ok", text: file.text, media: [] };
    },
    report: (event) => {
      if (event.type === "notice") notices.push(event.message);
    },
  });
  const { chat } = memory;
  const shown = async () => {
    const { transcript } = await chat.read();
    const exchange = transcript.exchanges.findLast(({ answer }) => answer !== null);
    if (exchange === undefined) throw new Error("no answer");
    const { tools, plans: plan } = await chat.ports.tools.look(transcript);
    const plans = await planBatch(exchange, plan);
    return lastCalls(exchange).map(({ line, lineText, call: about, result, decision }) => ({
      line,
      text: lineText,
      isOpen: result === null && decision === null,
      id: about?.id ?? "",
      decision,
      tool: toolIdentity(tools.get(about?.name ?? "")),
      effect: plans.get(line)?.hash ?? "",
    }));
  };
  const decide = async (key: ApprovalKey, id: string, seen?: Awaited<ReturnType<typeof shown>>) => {
    const all = (seen ?? (await shown())).filter(({ isOpen }) => isOpen);
    const cursorLine = all.find((one) => one.id === id)?.line ?? -1;
    return pressCallKey(chat, { key, cursorLine, shown: all, reason: null, keys: defaultKeys });
  };
  return { ...memory, file, counts, order, notices, shown, decide, begin: () => respond(chat, 0) };
}

it("runs a batch in order: calls with planned changes alone, other neighbouring calls together", async () => {
  const ids = [
    call("1", { any: "" }),
    call("2", { any: "" }),
    call("3", { add: "x" }),
    call("4", { any: "y" }),
  ];
  const { begin, decide, order, file } = scene(ids);
  await begin();
  expect(await decide("ya", "1")).toMatchObject({ type: "done" });
  expect(order).toEqual([
    "start 1",
    "start 2",
    "end 1",
    "end 2",
    "start 3",
    "end 3",
    "start 4",
    "end 4",
  ]);
  expect(file.text).toBe("startxy");
});

it("plans a call twice: when it is decided and before it starts", async () => {
  const { begin, decide, shown, counts, order } = scene([call("1", { add: "x" })]);
  await begin();
  const seen = await shown();
  counts.plans = 0;
  expect(await decide("yo", "1", seen)).toMatchObject({ type: "done" });
  expect(order).toEqual(["start 1", "end 1"]);
  expect(counts.plans).toBe(2);
});

it("refuses a key for an effect that was not on screen", async () => {
  const { begin, decide, shown, file, runs } = scene([call("1", { add: "x" })]);
  await begin();
  const seen = await shown();
  file.text = "another";
  expect(await decide("ya", "1", seen)).toMatchObject({
    type: "refused",
    message: expect.stringMatching(/What search would do has changed since it was shown/),
  });
  expect(runs).toEqual([]);
  expect(await decide("ya", "1")).toMatchObject({ type: "done" });
  expect(file.text).toBe("anotherx");
});

it("opens a call again when it would do something else by the time it starts", async () => {
  const { begin, decide, file, order, notices, shown } = scene([
    call("1", { any: "!" }),
    call("2", { add: "x" }),
  ]);
  await begin();
  const end = await decide("ya", "1");
  expect(end).toMatchObject({ type: "await-approval", open: [{ reason: "changed" }] });
  expect(order).toEqual(["start 1", "end 1"]);
  expect(file.text).toBe("start!");
  expect(notices.join("\n")).toMatch(/search in line \d+ has changed since it was shown/);
  expect((await shown())[1]?.decision).toBeNull();
  expect(await decide("ya", "2")).toMatchObject({ type: "done" });
  expect(file.text).toBe("start!x");
});

it("opens a decided call again when a later decision changes what it would do", async () => {
  const { begin, decide, file, shown, notices } = scene([
    call("1", { add: "x" }),
    call("2", { add: "y" }),
    call("3", { any: "" }),
  ]);
  await begin();
  expect(await decide("yo", "2")).toBeNull();
  expect(await decide("yn", "1")).toBeNull();
  expect(notices.join("\n")).toMatch(
    /After this yn, search in line \d+ would no longer do what was shown/,
  );
  expect((await shown()).map(({ decision }) => decision)).toEqual(["yn", null, null]);
  expect(file.text).toBe("start");
  expect(await decide("ya", "2")).toMatchObject({ type: "done" });
  expect(file.text).toBe("starty");
});

it("runs a call that would be refused, so that the model gets the reason", async () => {
  const { begin, decide, editor } = scene([call("1", { add: "start" })]);
  await begin();
  expect(await decide("ya", "1")).toMatchObject({ type: "done" });
  expect(editor.lines.join("\n")).toContain("start is there already.");
});

it("never has another effect than the approved one, whatever happens in between", async () => {
  const oneCall = fc.record({ add: fc.constantFrom("x", "y", "z") }, { requiredKeys: [] });
  const anyCall = fc.oneof(oneCall, fc.record({ any: fc.constantFrom("", "!") }));
  const keys = fc.constantFrom<ApprovalKey>("ya", "yo", "yn");
  const steps = fc.array(fc.tuple(keys, fc.nat(3), fc.boolean()), { maxLength: 8 });
  await fc.assert(
    fc.asyncProperty(
      fc.array(anyCall, { minLength: 1, maxLength: 4 }),
      steps,
      async (args, todo) => {
        const proposed = args.map((one, index) =>
          call(String(index), "any" in one || "add" in one ? one : { any: "" }),
        );
        const { begin, decide, shown, file, chat } = scene(proposed);
        await begin();
        for (const [key, index, isTouched] of todo) {
          const seen = await shown();
          if (isTouched) file.text += "#";
          const open = seen.filter(({ isOpen }) => isOpen);
          const target = open[index % Math.max(1, open.length)];
          if (target === undefined) break;
          // `runTool` holds each effect that runs against the one that was approved.
          await decide(key, target.id, seen);
          expect(chat.active).toBeNull();
        }
        expect(
          (await shown()).filter(({ decision, isOpen }) => isOpen && decision !== null),
        ).toEqual([]);
      },
    ),
    { numRuns: 150 },
  );
});
