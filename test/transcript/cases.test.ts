/** Each case is a pair of files in test/cases: a transcript before and after one edit of the writer. */
import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import {
  beginAnswer,
  openQuestion,
  replaceAnswer,
  restartStep,
  retryLastStep,
  stopStep,
} from "../../src/transcript/edits/answer-edits.ts";
import { decideCalls, declineCalls, writeResults } from "../../src/transcript/edits/call-edits.ts";
import type { StepPart } from "../../src/transcript/edits/finish-step.ts";
import { finishStep } from "../../src/transcript/edits/finish-step.ts";
import { setHeaderValue } from "../../src/transcript/edits/header-edits.ts";
import { applyEdits } from "../../src/transcript/edits/layout.ts";
import { parseLines, parseTranscript } from "../../src/transcript/parse.ts";
import type {
  CallBlock,
  Edit,
  Exchange,
  StepRecord,
  Transcript,
} from "../../src/transcript/transcript.ts";

const folder = new URL("../cases/", import.meta.url);

function read(name: string): string {
  return readFileSync(new URL(name, folder), "utf8");
}

type EditCase = (transcript: Transcript, exchange: Exchange) => readonly Edit[];

const model = "anthropic/claude";
const label = "Claude-Sonnet";

function call(id: string, query: string): StepPart {
  const args = JSON.stringify({ query: `${query} stock price` });
  const proposed = { id, name: "web_search", arguments: args };
  return { type: "call", call: proposed, decision: null, notes: [], result: null };
}

const google = call("call_1", "google");
const microsoft = call("call_2", "microsoft");
const texts = ["First google.", "Then microsoft.", "That is all."].map(
  (text): StepPart => ({ type: "text", text }),
);
const mixed = [texts[0]!, google, texts[1]!, microsoft, texts[2]!];

function finish(
  parts: readonly StepPart[],
  record: StepRecord = { model },
  previousModel: string | null = null,
): EditCase {
  const openQuestionBelow = parts.every((part) => part.type === "text");
  return (transcript, exchange) =>
    finishStep(transcript, exchange, {
      parts,
      record,
      previousModel,
      openQuestion: openQuestionBelow,
    });
}

function calls(exchange: Exchange): readonly CallBlock[] {
  return exchange.answer?.steps.at(-1)?.calls ?? [];
}

const bodies: Readonly<Record<string, string>> = {
  call_1: '{"matches":[{"title":"GOOGL","snippet":"$911 as of today"}]}',
  call_2: '{"matches":[{"title":"MSFT","snippet":"$544 as of today"}]}',
};

function results(ids: readonly string[], goesOn: boolean): EditCase {
  return (transcript, exchange) => {
    const found = calls(exchange).filter((block) => ids.includes(block.call?.id ?? ""));
    const written = found.map((block) => ({
      call: block,
      result: {
        name: "web_search",
        callId: block.call?.id ?? "",
        status: "ok" as const,
        attachments: [],
        fullText: null,
        text: bodies[block.call?.id ?? ""] ?? "",
      },
    }));
    return writeResults(transcript, exchange, written, goesOn ? { record: null } : null).edits;
  };
}

const answer = { type: "text", text: "Ok." } as const;
const files = { "@@./a.ts@@": "0a1b.ts" };
const failed = {
  name: "web_search",
  callId: "call_1",
  status: "error" as const,
  attachments: [],
  fullText: null,
  text: "unknown tool",
};

const cases: Readonly<Record<string, EditCase>> = {
  begin: (t, e) => beginAnswer(t, e, { label, record: null }).edits,
  propose: finish([{ type: "text", text: "Sure, I need to search the web." }, google, microsoft]),
  "approve-all": (t, e) => decideCalls(t, calls(e), "ya"),
  "approve-one": (t, e) => decideCalls(t, calls(e).slice(1), "yO"),
  "first-result": results(["call_2"], false),
  "last-result": results(["call_1"], true),
  "all-results": results(["call_1", "call_2"], true),
  finish: finish([answer], { model }, model),
  decline: (t, e) => declineCalls(t, calls(e).slice(0, 1), "yn", "not that one"),
  "decline-interrupted": (t, e) => declineCalls(t, calls(e), "yN", null),
  "decline-broken": (t, e) => declineCalls(t, calls(e).slice(1), "yn", null),
  "touching-batches": finish([call("call_3", "google")]),
  "text-between-calls": finish(mixed),
  "text-edited-meanwhile": finish(mixed),
  "call-not-offered": finish([{ ...google, result: failed } as StepPart, microsoft]),
  "text-typed-below": finish([answer], { model }, model),
  "text-typed-below-results": results(["call_1", "call_2"], true),
  "model-changed": finish([answer], { model }, "openai/gpt"),
  "with-references": (t, e) => beginAnswer(t, e, { label, record: { model, files } }).edits,
  "complete-step-line": finish([answer, google], { model, state: "eyJ4IjoxfQ" }),
  stop: (t, e) => stopStep(t, e, "stopped"),
  restart: (t, e) => restartStep(t, e, { record: null }).edits,
  retry: (t, e) => retryLastStep(t, e, { record: null }).edits,
  replace: (t, e) => replaceAnswer(t, e, { label, record: null }).edits,
  "between-exchanges": (t, e) => beginAnswer(t, e, { label, record: null }).edits,
  "above-footnotes": openQuestion,
  "header-value": (t) => setHeaderValue(t, "topic", "Stock prices\nof\ttoday"),
  "header-new": (t) => setHeaderValue(t, "model", "openai/gpt"),
  "header-older": (t) => setHeaderValue(t, "model", "openai/gpt"),
};

describe("the edit cases in test/cases", () => {
  it.each(Object.entries(cases))("%s", (name, edit) => {
    const transcript = parseTranscript(read(`${name}.before.md`));
    const edits = edit(transcript, transcript.exchanges[0]!);
    const lines = applyEdits(transcript.lines, edits);
    expect(`${lines.join("\n")}\n`).toBe(read(`${name}.after.md`));
  });

  it("cover every file in the folder", () => {
    // test/conversation/text-calls.test.ts covers calls in the model's own text.
    const names = [...Object.keys(cases), "thoughts-beside-call"].flatMap((name) => [
      `${name}.after.md`,
      `${name}.before.md`,
    ]);
    expect(readdirSync(folder).sort()).toEqual(names.sort());
  });
});

/** What the stream writes: lines at the tip of the open step. */
function write(text: string): EditCase {
  return (_, exchange) => {
    const { line } = exchange.answer!.unfinished!;
    return [{ start: line - 1, end: line, lines: [text] }];
  };
}

describe("the two transcripts in section 12 of the format", () => {
  const final = "GOOGL is at $911 and MSFT at $544 as of today. Do you want something else?";
  const all = cases as Record<"begin" | "propose" | "approve-all" | "finish", EditCase>;

  function follow(text: string, edits: readonly EditCase[]): string {
    const lines = edits.reduce<readonly string[]>((now, edit) => {
      const transcript = parseLines(now);
      return applyEdits(now, edit(transcript, transcript.exchanges[0]!));
    }, text.trimEnd().split("\n"));
    return `${lines.join("\n")}\n`;
  }

  const waiting = [all.begin, write("Sure, I need to search the web."), all.propose];

  it("are produced from the question edit by edit", () => {
    const question = read("begin.before.md");
    expect(follow(question, waiting)).toBe(read("propose.after.md"));
    for (const order of [
      ["call_1", "call_2"],
      ["call_2", "call_1"],
    ] as const) {
      const written = order.map((id, index) => results([id], index === 1));
      const turn = [...waiting, all["approve-all"], ...written, write(final), all.finish];
      expect(follow(question, turn)).toBe(read("finish.after.md"));
    }
  });
});
