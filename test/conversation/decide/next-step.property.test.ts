import { expect, test } from "vitest";
import { nextStep } from "../../../src/conversation/decide/next-step.ts";
import {
  emptySession,
  type Session,
  type TrackedCall,
} from "../../../src/conversation/decide/session.ts";
import { parseTranscript } from "../../../src/transcript/parse.ts";
import fc from "../../support/property.ts";
import { anyChat } from "../any-chat.ts";
import { inTurn } from "../chats.ts";

interface KnownCall {
  readonly offset: number;
  readonly state: TrackedCall["state"];
  readonly spoiled: boolean;
  readonly at: number;
}

const anyStates = fc.array(
  fc.record({
    offset: fc.integer({ min: -1, max: 1 }),
    state: fc.constantFrom("approved" as const, "running" as const, "reopened" as const),
    spoiled: fc.boolean(),
    at: fc.nat(),
  }),
  { maxLength: 8 },
);

/** A session that knows some call lines, some of them a line off or with another text. */
function anySession(lines: readonly string[], states: readonly KnownCall[]): Session {
  const callLines = lines.flatMap((text, line) => (text.startsWith("❓") ? [{ line, text }] : []));
  const calls = states.flatMap(({ offset, state, spoiled, at }) => {
    const found = callLines[at % Math.max(1, callLines.length)];
    if (found === undefined) return [];
    const text = spoiled ? found.text.replace("google", "msft") : found.text;
    return [
      {
        line: found.line + (at % 3 === 0 ? offset : 0),
        text,
        state,
        tool: "",
        effect: "",
        isAlone: false,
      },
    ];
  });
  return { ...emptySession, calls };
}

test("runs only calls that were approved at exactly this line with exactly this text", () => {
  let ran = 0;
  fc.assert(
    fc.property(anyChat, anyStates, fc.boolean(), (text, states, isInTurn) => {
      const transcript = parseTranscript(text);
      for (const exchange of transcript.exchanges) {
        const known = anySession(transcript.lines, states);
        const session = isInTurn ? inTurn(known, { transcript, exchange }) : known;
        const step = nextStep(transcript, exchange, session);
        if (step.type !== "run-tools") continue;
        for (const block of step.calls) {
          ran += 1;
          const tracked = session.calls.filter(({ line }) => line === block.line);
          expect(
            tracked.some(
              (call) => call.state === "approved" && call.text === transcript.lines[block.line],
            ),
          ).toBe(true);
          expect(["ya", "yA", "yo", "yO", "auto"]).toContain(block.decision);
          expect(block.result).toBeNull();
          expect(block.broken).toBeNull();
          const written = exchange.answer?.steps.findLast((last) => last.blocks.length > 0);
          expect(written?.calls).toContain(block);
        }
      }
    }),
    { numRuns: 2000 },
  );
  expect(ran).toBeGreaterThan(0);
});

test("runs no tool and sends no request in a fresh session until the user responds", () => {
  fc.assert(
    fc.property(anyChat, (text) => {
      const transcript = parseTranscript(text);
      for (const exchange of transcript.exchanges) {
        const step = nextStep(transcript, exchange, emptySession);
        expect(["run-tools", "await-tools"]).not.toContain(step.type);
        if (step.type === "ask-model") expect(step.when).toBe("respond");
      }
    }),
  );
});
