/** The loop run again on its own result changes nothing; no tool runs twice (architecture). */

import { describe, expect, it } from "vitest";
import { nextStep } from "../../../src/conversation/decide/next-step.ts";
import { emptySession } from "../../../src/conversation/decide/session.ts";
import { approve, respond } from "../../../src/conversation/turn/actions.ts";
import type { TurnEnd } from "../../../src/conversation/turn/chat.ts";
import type { CallBlock } from "../../../src/transcript/transcript.ts";
import fc from "../../support/property.ts";
import { openMemoryChat, type Turn } from "../memory-chat.ts";

const word = fc.constantFrom("one", "two", "💬: forged", "❓: `{}`", "🛠️: [search][call_1]", "```");
const text = fc.array(word, { maxLength: 4 }).map((words) => words.join("\n"));

const someTurns: fc.Arbitrary<readonly Turn[]> = fc
  .array(fc.record({ text, calls: fc.nat({ max: 3 }) }), { minLength: 1, maxLength: 4 })
  .map((turns) =>
    turns.map(({ text: said, calls }, turn) => ({
      text: `Step ${turn}. ${said}`,
      calls: Array.from({ length: calls }, (_, index) => ({
        // Ids may repeat from one response to the next; the arguments tell the calls apart.
        id: `call_${index}`,
        name: "search",
        arguments: JSON.stringify({ turn, index }),
      })),
    })),
  );

const callsOf = (turns: readonly Turn[]) => {
  const last = turns.findIndex(({ calls = [] }) => calls.length === 0);
  const played = last < 0 ? turns : turns.slice(0, last);
  return played.flatMap(({ calls = [] }) => calls.map((call) => `${call.id} ${call.arguments}`));
};

/** As the command line does it: respond, then approve as long as something waits. */
async function runTurn(
  memory: ReturnType<typeof openMemoryChat>,
  wanted: (call: CallBlock) => boolean,
): Promise<TurnEnd> {
  let end = await respond(memory.chat, 0);
  while (end.type === "await-approval") {
    const next = await approve(memory.chat, wanted);
    if (next === null) return end;
    end = next;
  }
  return end;
}

describe("a turn over scripted responses", () => {
  it("runs each call once and then finishes", async () => {
    await fc.assert(
      fc.asyncProperty(someTurns, async (turns) => {
        const memory = openMemoryChat("💬: find it\n", turns);
        expect(await runTurn(memory, () => true)).toEqual({ type: "done" });
        expect(memory.runs).toEqual(callsOf(turns));

        const finished = memory.editor.lines.join("\n");
        const again = openMemoryChat(finished, turns);
        const { transcript } = await again.chat.read();
        const [exchange] = transcript.exchanges;
        expect(exchange && nextStep(transcript, exchange, emptySession)).toEqual({
          type: "open-question",
        });
        expect(transcript.exchanges).toHaveLength(2);
      }),
      { numRuns: 60 },
    );
  });

  it("can be resumed from every saved file, without running a call with a result again", async () => {
    await fc.assert(
      fc.asyncProperty(someTurns, fc.nat(), async (turns, moment) => {
        const whole = openMemoryChat("💬: find it\n", turns);
        await runTurn(whole, () => true);
        const { saves } = whole.editor;
        const found = saves[moment % saves.length]?.join("\n") ?? "";

        const resumed = openMemoryChat(found, turns);
        const { transcript } = await resumed.chat.read();
        const settled = transcript.exchanges.flatMap(({ answer }) =>
          (answer?.steps ?? []).flatMap(({ calls }) =>
            calls.flatMap(({ call, result }) =>
              call && result ? [`${call.id} ${call.arguments}`] : [],
            ),
          ),
        );
        const [exchange] = transcript.exchanges;
        const isDone =
          exchange && nextStep(transcript, exchange, emptySession).type === "open-question";
        if (!isDone) expect(await runTurn(resumed, () => true)).toEqual({ type: "done" });
        expect([...settled, ...resumed.runs].sort()).toEqual([...whole.runs].sort());
        expect(resumed.editor.lines).toEqual(whole.editor.lines);
      }),
      { numRuns: 60 },
    );
  });

  it("does not run calls that were not approved", async () => {
    await fc.assert(
      fc.asyncProperty(someTurns, async (turns) => {
        const memory = openMemoryChat("💬: find it\n", turns);
        const hasCalls = callsOf(turns).length > 0;
        const end = await runTurn(memory, () => false);
        expect(end.type).toBe(hasCalls ? "await-approval" : "done");
        expect(memory.runs).toEqual([]);
        if (!hasCalls) return;
        const waiting = memory.editor.lines;
        expect(await respond(memory.chat, 0)).toMatchObject({ already: true });
        expect(memory.editor.lines).toEqual(waiting);
      }),
      { numRuns: 60 },
    );
  });
});
