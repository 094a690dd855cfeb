/** Converts a conversation of a program to a transcript and back: the Markdown that users read, approve and edit. */
import { nextStep } from "../conversation/decide/next-step.ts";
import { emptySession } from "../conversation/decide/session.ts";
import type { AssistantMessage, Message, ToolResultPart } from "../conversation/ports.ts";
import type { CallNote } from "../conversation/proposed-call.ts";
import { buildMessages } from "../conversation/request/build-messages.ts";
import { writableCall } from "../conversation/unreadable-call.ts";
import { given } from "../shared/given.ts";
import { beginAnswer, beginContinuation } from "../transcript/edits/answer-edits.ts";
import { writeResults } from "../transcript/edits/call-edits.ts";
import { finishStep, type StepPart } from "../transcript/edits/finish-step.ts";
import { insertQuestion, setHeaderValue } from "../transcript/edits/header-edits.ts";
import { applyEdits } from "../transcript/edits/layout.ts";
import { escapeAnswerText } from "../transcript/markers.ts";
import { parseLines, parseTranscript } from "../transcript/parse.ts";
import type { Edit, Exchange, Transcript } from "../transcript/transcript.ts";
import { withKeys } from "./answer-calls.ts";
import { toMessage } from "./run-turn.ts";
import type { MessageInput, WaitingCall, WaitingTurn } from "./turn-options.ts";

export interface TranscriptOptions {
  /** The label after `🤖:`; `assistant` when absent. */
  readonly label?: string;
  /** For the header: `provider/id`, and the system prompt. */
  readonly model?: string;
  readonly system?: string;
}

/**
 * The text of a chat with these messages. The calls of a waiting turn wait for a key in it. Images are named and left
 * out, since a text cannot hold them.
 */
export function toTranscript(
  conversation: readonly MessageInput[] | WaitingTurn,
  { label = "assistant", model, system }: TranscriptOptions = {},
): string {
  const messages = "version" in conversation ? conversation.messages : conversation.map(toMessage);
  let transcript = parseTranscript("");
  for (const [key, value] of Object.entries(given({ model, system_prompt: system }))) {
    transcript = after(transcript, setHeaderValue(transcript, key, value));
  }
  messages.forEach((message, index) => {
    if (message.role === "user") {
      const text = contentText(message.content);
      transcript = after(transcript, [
        insertQuestion(transcript, openQuestionOf(transcript), text),
      ]);
    }
    if (message.role !== "assistant") return;
    const next = messages[index + 1];
    const isLast = messages
      .slice(index + 1)
      .every(({ role }) => role === "user" || role === "tool");
    const answered: readonly Answered[] =
      "version" in conversation && isLast
        ? conversation.calls.map(({ call, result }) => ({ notes: call.notes ?? [], result }))
        : resultsOf(message, next?.role === "tool" ? next.results : []);
    transcript = withStep(transcript, message, answered, label);
  });
  return `${transcript.lines.join("\n").trimEnd()}\n`;
}

/** What is known of a call beside its text. */
interface Answered {
  readonly notes: readonly CallNote[];
  /** Null: it has none. */
  readonly result: ToolResultPart | null;
}

/** The results of the calls. Ids may be equal: then the results are in the order of the calls. */
function resultsOf(
  { content }: AssistantMessage,
  results: readonly ToolResultPart[],
): readonly Answered[] {
  const left = [...results];
  return content.flatMap((part) => {
    if (part.type !== "tool-call") return [];
    const at = left.findIndex(({ callId }) => callId === part.id);
    return [{ notes: [], result: at < 0 ? null : (left.splice(at, 1)[0] ?? null) }];
  });
}

function after({ lines }: Transcript, edits: readonly Edit[]): Transcript {
  return parseLines(applyEdits(lines, edits));
}

function contentText(content: ToolResultPart["content"]): string {
  return content.map((part) => (part.type === "text" ? part.text : `(${part.mime})`)).join("\n\n");
}

function openQuestionOf({ exchanges }: Transcript): Exchange | null {
  const last = exchanges.at(-1);
  return last?.answer === null ? last : null;
}

/**
 * The transcript with one more step at the end of its last answer. `answered` has one item for each call.
 */
function withStep(
  before: Transcript,
  { content }: AssistantMessage,
  answered: readonly Answered[],
  label: string,
): Transcript {
  // A history may begin with an answer.
  const asked =
    before.exchanges.length > 0 ? before : after(before, [insertQuestion(before, null, "…")]);
  const opened = openStep(asked, label);
  let count = 0;
  const parts = content.map((part): StepPart => {
    if (part.type === "text") return part;
    const { id, name, arguments: json } = part;
    const { notes = [], result = null } = answered[count++] ?? {};
    const call = writableCall({ id, name, arguments: json });
    return { type: "call", call, decision: result && "auto", notes, result: null };
  });
  const text = parts.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n\n");
  const { line } = opened.tip;
  const written = after(opened.transcript, [
    { start: line, end: line + 1, lines: escapeAnswerText(text) },
  ]);
  const finished = after(
    written,
    finishStep(written, lastOf(written), {
      parts,
      record: {},
      previousModel: null,
      openQuestion: false,
    }),
  );
  return answered.map(({ result }) => result).reduce(withResult, finished);
}

function lastOf({ exchanges }: Transcript): Exchange {
  const last = exchanges.at(-1);
  if (last === undefined) throw new Error("There is no question to answer.");
  return last;
}

function openStep(transcript: Transcript, label: string) {
  const exchange = lastOf(transcript);
  const { answer } = exchange;
  const { edits, tip } =
    answer === null
      ? beginAnswer(transcript, exchange, { label, record: null })
      : beginContinuation(transcript, exchange, { record: null });
  return { transcript: after(transcript, edits), tip };
}

function withResult(
  transcript: Transcript,
  result: ToolResultPart | null,
  index: number,
): Transcript {
  const exchange = lastOf(transcript);
  const call = exchange.answer?.steps.at(-1)?.calls[index];
  if (result === null || call === undefined) return transcript;
  const { edits } = writeResults(
    transcript,
    exchange,
    [
      {
        call,
        result: {
          name: call.call?.name ?? result.name,
          callId: result.callId,
          status: result.isError ? "error" : "ok",
          attachments: [],
          fullText: null,
          text: contentText(result.content),
        },
      },
    ],
    null,
  );
  return after(transcript, edits);
}

export interface ReadTranscript {
  /** Up to the last question, with everything that was answered to it. */
  readonly messages: readonly Message[];
  /** Waiting calls of the last answer, for `runTurn({ from })`; null: no call waits. */
  readonly waiting: WaitingTurn | null;
  /** Sentences about parts of the text that cannot be sent. */
  readonly notices: readonly string[];
}

/** Reads a transcript. Nothing in it counts as a decision: a call approved in the file waits for an approval here. */
export function fromTranscript(text: string): ReadTranscript {
  const transcript = parseTranscript(text);
  const exchange = transcript.exchanges.findLast(({ question }) => question.text !== "");
  if (exchange === undefined) return { messages: [], waiting: null, notices: [] };
  const { messages, notices } = buildMessages(transcript, {
    exchange,
    files: new Map(),
    maxFullExchanges: Number.MAX_SAFE_INTEGER,
  });
  const step = nextStep(transcript, exchange, emptySession);
  if (step.type !== "await-approval") return { messages, waiting: null, notices };
  const broken = step.open.filter(({ call }) => call.broken !== null);
  const unreadable = broken.map(
    ({ call }) => `Line ${call.line + 1} cannot be read as a call: ${call.broken}`,
  );
  const answered = messages.at(-1);
  const before = answered?.role === "tool" ? messages.slice(0, -1) : messages;
  const calls = waitingCallsOf(exchange, before.at(-1), answered);
  const waiting: WaitingTurn = {
    version: 1,
    messages: before,
    calls,
    steps: exchange.answer?.steps.length ?? 0,
    usage: { input: 0, output: 0 },
    cost: null,
  };
  return { messages, waiting, notices: [...notices, ...unreadable] };
}

function isCallNote(note: string): note is CallNote {
  return note === "repaired" || note === "salvaged";
}

function waitingCallsOf(
  { answer }: Exchange,
  asked: Message | undefined,
  answered: Message | undefined,
): readonly WaitingCall[] {
  const sent = asked?.role === "assistant" ? asked.content : [];
  const parts = sent.flatMap((part) => (part.type === "tool-call" ? [part] : []));
  const blocks = (answer?.steps ?? [])
    .flatMap(({ calls }) => calls)
    .filter(({ call, broken }) => call !== null && broken === null)
    .slice(-parts.length);
  const results = answered?.role === "tool" ? answered.results : [];
  return withKeys(parts).map(({ key, call }, index): WaitingCall => {
    const { id, name, arguments: json } = call;
    const block = blocks[index];
    const notes = (block?.notes ?? []).filter(isCallNote);
    return {
      key,
      call: { id, name, arguments: json, ...given({ notes: notes.length > 0 ? notes : null }) },
      decision: null,
      // Ids may be equal; results and calls are in the same order.
      result: block?.result ? (results[index] ?? null) : null,
    };
  });
}
