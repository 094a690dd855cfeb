import { describe, expect, it } from "vitest";
import { buildMessages } from "../../../src/conversation/request/build-messages.ts";
import { type LoadedFile, neededFiles } from "../../../src/conversation/request/needed-files.ts";
import { parseTranscript } from "../../../src/transcript/parse.ts";
import type { Exchange, Transcript } from "../../../src/transcript/transcript.ts";
import { checkHistory } from "../../support/history.ts";
import fc from "../../support/property.ts";

const files: ReadonlyMap<string, LoadedFile> = new Map<string, LoadedFile>([
  ["a.txt", { kind: "text", text: "```\n" }],
  ["b.png", { kind: "image", mime: "image/png", data: "iVBORw0KGgo=" }],
]);
const copies = { "@@./a@@": "a.txt", "b.png": "b.png", "@@./b@@": "b.png", "c.png": "a.txt" };

const word = fc.constantFrom(
  "one",
  "two",
  " ",
  "  three",
  "",
  "\ud83d",
  "\u0007",
  "\u00a0",
  "📝: sum",
);
const id = fc.constantFrom("call_1", "call_2", "a b", "x".repeat(50), "");
const args = fc.constantFrom('{"q":"x"}', "{}", "[]", "", '{"q":', String.raw`{"q":"\ud800"}`);
const mark = fc.constantFrom("", "[ya]", "[yO]", "[yn]", "[auto]", "[zz]");
const status = fc.constantFrom("", " (error)", " (declined)", " (nope)", " ![image/png](b.png)");

function callLine(callId: string, text: string, decision = ""): string {
  const json = JSON.stringify({
    id: callId,
    type: "function",
    function: { name: "t", arguments: text },
  });
  return `❓:${decision} \`${json}\``;
}

const line = fc.oneof(
  { weight: 3, arbitrary: word },
  word.map((text) => `💬: ${text}`),
  word.map((text) => `🤖:[m] ${text}`),
  word.map((text) => `🧠: ${text}`),
  fc.tuple(id, args, mark).map(([callId, text, decision]) => callLine(callId, text, decision)),
  fc.tuple(id, status).map(([callId, text]) => `🛠️: [t][${callId}]${text}`),
  fc.constantFrom(
    "`result`",
    "```",
    "❓: `{broken`",
    "🔧: old id=call_1",
    "📎: old id=call_1",
    "🔒: private",
    "🧠:[END]",
    "<!-- parley:unfinished stopped -->",
    `<!-- parley:step ${JSON.stringify({ files: copies, tail: true })} -->`,
    '<!-- parley:step {"model":"mock/demo"} -->',
    "@@./a@@ and @@/none@@",
    "![alt](b.png)",
    "![alt](c.png)",
    "\\💬: escaped",
    "---",
  ),
);
const anyText = fc.array(line, { maxLength: 40 }).map((lines) => lines.join("\n"));

function build(transcript: Transcript, exchange: Exchange, steps?: number) {
  const options = { exchange, files, maxFullExchanges: 1, openState: () => "state" };
  return buildMessages(transcript, steps === undefined ? options : { ...options, steps });
}

describe("buildMessages with any transcript", () => {
  it("builds a history that providers accept", () => {
    fc.assert(
      fc.property(anyText, fc.nat(3), (text, steps) => {
        const transcript = parseTranscript(text);
        for (const exchange of transcript.exchanges) {
          expect(checkHistory(build(transcript, exchange).messages)).toEqual([]);
          expect(checkHistory(build(transcript, exchange, steps).messages)).toEqual([]);
        }
      }),
      { numRuns: 1000 },
    );
  });

  it("ignores everything below the exchange", () => {
    fc.assert(
      fc.property(anyText, anyText, (above, below) => {
        const short = parseTranscript(`${above}\n\n💬: here\n`);
        const long = parseTranscript(`${above}\n\n💬: here\n\n💬: next\n${below}`);
        const exchange = short.exchanges.at(-1)!;
        const same = long.exchanges[exchange.index];
        fc.pre(same?.range.start === exchange.range.start && same.question.text === "here");
        expect(build(long, same).messages).toEqual(build(short, exchange).messages);
      }),
    );
  });

  it("sends only files that neededFiles lists", () => {
    fc.assert(
      fc.property(anyText, (text) => {
        const transcript = parseTranscript(text);
        for (const exchange of transcript.exchanges) {
          const { names } = neededFiles(transcript, exchange, { maxFullExchanges: 1 });
          const named = new Map([...files].filter(([name]) => names.includes(name)));
          const options = { exchange, maxFullExchanges: 1 };
          expect(buildMessages(transcript, { ...options, files: named })).toEqual(
            buildMessages(transcript, { ...options, files }),
          );
        }
      }),
    );
  });
});

/** Steps of one turn, each with at least one call and all results. */
const turn = fc.array(
  fc.record({
    text: fc.constantFrom("looking", "looking  \n\nmore", "\\🤖: text"),
    thought: fc.boolean(),
    calls: fc.array(fc.tuple(id, args), { minLength: 1, maxLength: 3 }),
  }),
  { minLength: 1, maxLength: 5 },
);

function stepText({
  text,
  thought,
  calls,
}: typeof turn extends fc.Arbitrary<(infer S)[]> ? S : never) {
  const results = calls.map(
    ([callId, argumentsText]) =>
      `${callLine(callId, argumentsText, "[ya]")}\n\n🛠️: [t][${encodeURIComponent(callId)}]\n\n\`done\`\n`,
  );
  return `${thought ? "🧠: hm\n\n" : ""}${text}\n\n${results.join("\n")}\n`;
}

/** The text of an interrupted response, which is retried. */
const half = fc.constantFrom("", "half of a sen");

describe("buildMessages within a turn", () => {
  it("begins each request with the messages of the previous one", () => {
    fc.assert(
      fc.property(anyText, turn, fc.boolean(), half, (above, steps, withStepLines, broken) => {
        const stepLine = `<!-- parley:step ${JSON.stringify({ model: "mock/demo", files: copies })} -->\n\n`;
        const begin = withStepLines ? stepLine : "";
        const question = `${above}\n\n💬: now @@./a@@\n![x](b.png)\n`;
        let text = question;
        const requests = [text];
        for (const [index, step] of steps.entries()) {
          text += `${index === 0 ? "\n🤖:[m]\n\n" : ""}${begin}${stepText(step)}`;
          const again = broken === "" ? "open" : "stopped";
          requests.push(`${text}\n${begin}${broken}\n<!-- parley:unfinished ${again} -->\n`);
        }
        const histories = requests.map((request, index) => {
          const transcript = parseTranscript(request);
          const exchange = transcript.exchanges.at(-1)!;
          fc.pre(exchange.question.text.startsWith("now "));
          const options = { exchange, files, maxFullExchanges: 1 };
          const first = index === 0 && withStepLines ? { copies } : {};
          return buildMessages(transcript, { ...options, ...first }).messages;
        });
        for (const [index, history] of histories.entries()) {
          const before = histories[index - 1] ?? [];
          expect(checkHistory(history)).toEqual([]);
          expect(history.slice(0, before.length)).toEqual(before);
          expect(history.length).toBe(before.length + (index === 0 ? history.length : 2));
        }
      }),
      { numRuns: 300 },
    );
  });
});
