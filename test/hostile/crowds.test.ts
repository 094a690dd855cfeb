/** A chat of anybody's with a crowd of calls in it: whoever looks at each of them does not look at all for each. */
import { describe, expect, it } from "vitest";
import { nextStep, openCalls } from "../../src/conversation/decide/next-step.ts";
import { emptySession } from "../../src/conversation/decide/session.ts";
import { parseTranscript } from "../../src/transcript/parse.ts";
import type { CallBlock, Exchange } from "../../src/transcript/transcript.ts";

const lines = (count: number, make: (at: number) => string) =>
  Array.from({ length: count }, (_, at) => make(at)).join("\n");
const call = (at: number, mark = "") =>
  `❓:${mark} \`{"id":"c${at}","type":"function","function":{"name":"t","arguments":"{}"}}\``;

const crowds: Readonly<Record<string, (count: number) => string>> = {
  "calls that nobody decided": (count) => lines(count, (at) => call(at)),
  "yeses without a result": (count) => lines(count, (at) => call(at, "[ya]")),
  "a yes and calls that nobody decided": (count) =>
    `${call(0, "[ya]")}\n${lines(count, (at) => call(at + 1))}`,
  "broken calls": (count) => lines(count, () => "❓: `{"),
};

/** How often a call of the text is looked at. */
function looksAt(text: string, look: (exchange: Exchange) => void): number {
  let looks = 0;
  const counted = (block: CallBlock) =>
    new Proxy(block, {
      get(target, key) {
        looks += 1;
        return Reflect.get(target, key);
      },
    });
  const { exchanges } = parseTranscript(`💬: a\n\n🤖:[m]\n\n${text}\n`);
  const [exchange] = exchanges;
  if (exchange?.answer == null) throw new Error("There is no answer.");
  const steps = exchange.answer.steps.map((step) => ({ ...step, calls: step.calls.map(counted) }));
  look({ ...exchange, answer: { ...exchange.answer, steps } });
  return looks;
}

describe("a crowd of calls", () => {
  it.each(Object.entries(crowds))("is looked at once for each: %s", (_, crowd) => {
    const looks = (count: number) =>
      looksAt(crowd(count), (exchange) => {
        const transcript = { ...parseTranscript(""), exchanges: [exchange] };
        nextStep(transcript, exchange, emptySession);
        expect(openCalls(transcript, exchange, emptySession).length).toBeGreaterThan(0);
      });
    expect(looks(400) / looks(200)).toBeLessThan(2.2);
  });
});
