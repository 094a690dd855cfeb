/** Every kind of edit that the program makes in a chat, by name. */
import {
  applyEdits,
  beginAnswer,
  beginContinuation,
  type CallBlock,
  decideCalls,
  declineCalls,
  type Edit,
  type Exchange,
  finishStep,
  insertQuestion,
  openQuestion,
  replaceAnswer,
  restartStep,
  retryLastStep,
  setHeaderValue,
  stopStep,
  type Transcript,
  writeResults,
} from "./program.ts";

const record = { model: "anthropic/claude" };
const answer = { type: "text", text: "The answer.\n💬: in it" } as const;

const proposed = {
  type: "call",
  call: { id: "new_1", name: "web_search", arguments: '{"query":"new"}' },
  decision: null,
  notes: [],
  result: null,
} as const;

function calls(exchange: Exchange): readonly CallBlock[] {
  return exchange.answer?.steps.at(-1)?.calls ?? [];
}

function results(found: readonly CallBlock[]) {
  return found.map((call) => ({
    call,
    result: {
      name: "web_search",
      callId: call.call?.id ?? "",
      status: "ok" as const,
      attachments: [],
      fullText: null,
      text: "a result\n❓: in it",
    },
  }));
}

const exchangeEdits: Readonly<
  Record<string, (transcript: Transcript, exchange: Exchange) => readonly Edit[]>
> = {
  begin: (t, e) => beginAnswer(t, e, { label: "Label", record: null }).edits,
  "begin with a step line": (t, e) => beginAnswer(t, e, { label: null, record }).edits,
  replace: (t, e) => replaceAnswer(t, e, { label: "Label", record: null }).edits,
  continue: (t, e) => beginContinuation(t, e, { record: null }).edits,
  restart: (t, e) => restartStep(t, e, { record: null }).edits,
  retry: (t, e) => retryLastStep(t, e, { record: null, label: "Label" }).edits,
  stop: (t, e) => stopStep(t, e, "stopped"),
  "open question": (t, e) => openQuestion(t, e),
  "insert question": (t, e) => [insertQuestion(t, e, "Inserted.\n🤖: in it")],
  approve: (t, e) => decideCalls(t, calls(e), "ya"),
  "decline the first": (t, e) => declineCalls(t, calls(e).slice(0, 1), "yn", "not that"),
  "decline all": (t, e) => declineCalls(t, calls(e), "yN", null),
  "write the last result": (t, e) => writeResults(t, e, results(calls(e).slice(-1)), null).edits,
  "write all results": (t, e) => writeResults(t, e, results(calls(e)), { record: null }).edits,
  "finish with text": (t, e) =>
    finishStep(t, e, { parts: [answer], record, previousModel: null, openQuestion: true }),
  "finish with calls": (t, e) =>
    finishStep(t, e, {
      parts: [answer, proposed],
      record: { ...record, state: "eyJ4IjoxfQ" },
      previousModel: "openai/gpt",
      openQuestion: false,
    }),
};

/** The lines that an edit changed: `removed` lines from `at` on, and what is there now. */
type Change =
  | { readonly at: number; readonly removed: number; readonly lines: readonly string[] }
  | "nothing"
  | { readonly refused: string };

function change(transcript: Transcript, edit: () => readonly Edit[]): Change {
  let after: readonly string[];
  try {
    after = applyEdits(transcript.lines, edit());
  } catch (error) {
    if (error instanceof RangeError) return { refused: error.name };
    throw error;
  }
  const before = transcript.lines;
  const most = Math.min(before.length, after.length);
  let at = 0;
  while (at < most && before[at] === after[at]) at += 1;
  let below = 0;
  while (below < most - at && before.at(-1 - below) === after.at(-1 - below)) below += 1;
  const removed = before.length - below - at;
  const lines = after.slice(at, after.length - below);
  return removed === 0 && lines.length === 0 ? "nothing" : { at, removed, lines };
}

/** What each edit of one exchange makes of the text. */
export function editsOf(
  transcript: Transcript,
  exchange: Exchange,
): Readonly<Record<string, Change>> {
  return Object.fromEntries(
    Object.entries(exchangeEdits).map(([name, edit]) => [
      name,
      change(transcript, () => edit(transcript, exchange)),
    ]),
  );
}

/** What each edit of the whole chat makes of the text, the fixes of its problems among them. */
export function chatEdits(transcript: Transcript): Readonly<Record<string, Change>> {
  const fixes = transcript.problems.flatMap(({ line, code, fixes: found = [] }) =>
    found.map(({ edits }, index) => [`fix ${index + 1} of ${code} at ${line + 1}`, edits] as const),
  );
  const edits: readonly (readonly [string, () => readonly Edit[]])[] = [
    ["set topic", () => setHeaderValue(transcript, "topic", "New\ntopic")],
    ["set model", () => setHeaderValue(transcript, "model", "mock/demo")],
    ["ask below", () => [insertQuestion(transcript, null, "Asked.")]],
    ...fixes.map(([name, found]) => [name, () => found] as const),
  ];
  return Object.fromEntries(edits.map(([name, edit]) => [name, change(transcript, edit)]));
}
