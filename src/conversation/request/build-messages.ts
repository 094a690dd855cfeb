/**
 * The one builder of what a model is sent: for the first request of a turn, every continuation, the preview and
 * the command line (format, section 10). It reads nothing itself.
 */

import { isObject } from "../../shared/json.ts";
import { createTurns } from "../../shared/turns.ts";
import { isUnseen, wellFormed, wellFormedJson } from "../../shared/well-formed.ts";
import { isYes } from "../../transcript/decisions.ts";
import { readJson } from "../../transcript/strict-json.ts";
import type {
  CallBlock,
  Exchange,
  ResultBlock,
  Step,
  ToolCall,
  Transcript,
} from "../../transcript/transcript.ts";
import type {
  AssistantMessage,
  ImagePart,
  Message,
  TextPart,
  ToolCallPart,
  ToolResultPart,
  UserMessage,
} from "../ports.ts";
import { declinedText, interruptedText, notExecutedText } from "../results.ts";
import {
  type Copies,
  hasCalls,
  isSendable,
  type LoadedFile,
  recordedCopies,
  sentSteps,
  summarisedExchanges,
} from "./needed-files.ts";
import { questionMessage } from "./question-message.ts";

export interface MessageOptions {
  /** The exchange asked about; nothing below it is sent. */
  readonly exchange: Exchange;
  /** By plain name in the files folder; what `neededFiles` names and could be loaded. */
  readonly files: ReadonlyMap<string, LoadedFile>;
  /** Exchanges sent in full before the oldest are sent as their summaries. */
  readonly maxFullExchanges: number;
  /** Steps of the asked exchange's answer to send; by default all that are complete. 0 asks the question anew. */
  readonly steps?: number;
  /**
   * Copies of the asked question's references, in place of those its answer records: for the request that
   * answers it first, when no step line records them yet. References without one are then not reported:
   * whoever read the files has told why.
   */
  readonly copies?: Copies;
  /** Provider state of a step of the asked exchange, when it may go back to the model asked. */
  readonly openState?: (step: Step) => unknown;
}

export interface BuiltMessages {
  /** The first is a user message; every call is answered directly below; roles may repeat. */
  readonly messages: readonly Message[];
  /** Sentences about what is not sent though the transcript names it. */
  readonly notices: readonly string[];
}

/**
 * The messages for a request about one exchange. Within a turn, those of each request begin with those of the
 * request before it.
 */
export function buildMessages(transcript: Transcript, options: MessageOptions): BuiltMessages {
  const { exchange, maxFullExchanges } = options;
  const above = transcript.exchanges.slice(0, exchange.index);
  const summaries = summarisedExchanges(above, maxFullExchanges);
  const callIds = createCallIds();
  const built = above.map((older) => {
    const summary = summaries.get(older.index);
    return summary === undefined
      ? (plainExchange(older) ?? fullExchange(older, options, callIds))
      : summarisedExchange(older, summary, options);
  });
  built.push(askedExchange(options, callIds));
  const messages = built.flatMap((part) => part.messages);
  const notices = [...new Set(built.flatMap((part) => part.notices))];
  if (messages.length === 0 || messages[0]?.role === "user") return { messages, notices };
  return { messages: [withoutQuestion, ...messages], notices };
}

/** Every provider wants the user to speak first, and a file can begin with an answer. */
const withoutQuestion: UserMessage = {
  role: "user",
  content: [{ type: "text", text: "(This conversation begins with an answer.)" }],
};

function askedExchange(options: MessageOptions, callIds: CallIds): BuiltMessages {
  const { exchange, files, openState } = options;
  const copies = options.copies ?? recordedCopies(exchange.answer);
  const tellsUnread = options.copies === undefined;
  const shown = { withImages: true, tellsUnread };
  const question = questionMessage(exchange.question, { copies, files }, shown);
  const steps = exchange.answer?.steps.slice(0, sentSteps(exchange, options.steps)) ?? [];
  const answer = steps.map((step) =>
    stepMessages(step, { files, callIds, state: openState?.(step), withCalls: true }),
  );
  return joined(question, answer);
}

/** What was built before; a parse keeps the exchanges above a change as the same objects. */
const plainExchanges = new WeakMap<Exchange, readonly Message[]>();
const none: readonly never[] = [];

/** An exchange that is sent as its own text and nothing else; null when there is more to it. */
function plainExchange(exchange: Exchange): BuiltMessages | null {
  if (exchange.question.references.length > 0 || hasCalls(exchange.answer)) return null;
  const known = plainExchanges.get(exchange);
  if (known !== undefined) return { messages: known, notices: none };
  const { messages } = fullExchange(exchange, { files: new Map() }, createCallIds());
  plainExchanges.set(exchange, messages);
  return { messages, notices: none };
}

/** Builds and keeps what requests about this text send of its exchanges, a little in each turn of the event loop. */
export async function buildAhead({ exchanges }: Transcript): Promise<void> {
  const others = createTurns();
  for (const exchange of exchanges) {
    plainExchange(exchange);
    await others();
  }
}

/** An exchange the person went on from: what broke off in it is sent as it stands, without its calls. */
function fullExchange(
  { question, answer }: Exchange,
  { files }: Pick<MessageOptions, "files">,
  callIds: CallIds,
): BuiltMessages {
  const copies = recordedCopies(answer);
  const shown = { withImages: true, tellsUnread: true };
  const asked = questionMessage(question, { copies, files }, shown);
  const unfinished = answer?.unfinished ? answer.steps.at(-1) : undefined;
  const answered = (answer?.steps ?? []).map((step) =>
    stepMessages(step, { files, callIds, state: undefined, withCalls: step !== unfinished }),
  );
  return joined(asked, answered);
}

function summarisedExchange(
  { question, answer }: Exchange,
  summary: string,
  { files }: MessageOptions,
): BuiltMessages {
  const copies = recordedCopies(answer);
  const shown = { withImages: false, tellsUnread: true };
  const asked = questionMessage(question, { copies, files }, shown);
  const answered: AssistantMessage = {
    role: "assistant",
    content: [{ type: "text", text: `📝: ${wellFormed(summary)}` }],
  };
  return joined(asked, [{ messages: [answered], notices: [] }]);
}

function joined(
  question: ReturnType<typeof questionMessage>,
  answer: readonly BuiltMessages[],
): BuiltMessages {
  const asked: readonly Message[] = question.message === null ? [] : [question.message];
  return {
    messages: asked.concat(answer.flatMap(({ messages }) => messages)),
    notices: [...question.notices, ...answer.flatMap(({ notices }) => notices)],
  };
}

/** Ids of tool calls on the wire. The transcript's own stay as they are; these are mapped for each request. */

/** OpenAI's chat completions refuse longer ones; the others take at least as many. */
const longestId = 40;

/** Gives the id on the wire of the next call, in the order of the request. */
export type CallIds = (transcriptId: string) => string;

/**
 * A mapping for one request: every call gets an id of its own of at most 40 characters `A-Za-z0-9_-`, its own
 * id where that is possible. It depends only on the calls above, so a request that goes on where another ended
 * has the same ids (format, section 10).
 */
export function createCallIds(): CallIds {
  const used = new Set<string>();
  const lastNumbers = new Map<string, number>();
  return (transcriptId) => {
    const plain = transcriptId.replace(/[^A-Za-z0-9_-]/gu, "_").slice(0, longestId) || "call";
    let id = plain;
    let number = lastNumbers.get(plain) ?? 1;
    while (used.has(id)) {
      number += 1;
      const suffix = `_${number}`;
      id = plain.slice(0, longestId - suffix.length) + suffix;
    }
    lastNumbers.set(plain, number);
    used.add(id);
    return id;
  };
}

export interface StepContext {
  readonly files: ReadonlyMap<string, LoadedFile>;
  readonly callIds: CallIds;
  /** Opaque data of the provider for this step, when it may go back. */
  readonly state: unknown;
  /** False for a step that broke off: its text counts, its calls were never offered. */
  readonly withCalls: boolean;
}

export interface BuiltStep {
  /** None, an assistant message, or one with a tool message after it. */
  readonly messages: readonly Message[];
  readonly notices: readonly string[];
}

type AnswerPart = TextPart | ToolCallPart;

function stepMessages(step: Step, context: StepContext): BuiltStep {
  const content: AnswerPart[] = [];
  const results: ToolResultPart[] = [];
  const notices: string[] = [];
  for (const block of step.blocks) {
    // What is of another kind is for the person, and stays here.
    if (block.kind === "text") addText(content, block.text);
    if (block.kind !== "call" || !context.withCalls || block.call === null) continue;
    const id = context.callIds(block.call.id);
    content.push(callPart(block.call, id));
    const { result, unloaded } = resultPart(block, block.call, id, context.files);
    results.push(result);
    notices.push(...unloaded);
  }
  if (content.length === 0) return { messages: [], notices };
  const said = { role: "assistant", content: content.slice() } as const;
  const assistant: AssistantMessage =
    context.state === undefined ? said : { ...said, state: context.state };
  const tool: Message[] = results.length > 0 ? [{ role: "tool", results }] : [];
  return { messages: [assistant, ...tool], notices };
}

/** Text without white space at its end, which some models refuse; a thought between two texts leaves one text. */
function addText(content: AnswerPart[], text: string): void {
  if (isUnseen(text)) return;
  const part = wellFormed(text).trimEnd();
  const before = content.at(-1);
  if (before?.type === "text") {
    content[content.length - 1] = { type: "text", text: `${before.text}\n\n${part}` };
  } else {
    content.push({ type: "text", text: part });
  }
}

function callPart(call: ToolCall, id: string): ToolCallPart {
  const name = wellFormed(call.name);
  return { type: "tool-call", id, name, arguments: objectJson(call.arguments) };
}

/** The arguments as they are when they are a JSON object, else kept as text in one (format, section 4). */
function objectJson(text: string): string {
  const reading = readJson(text);
  const isReadable = reading.ok && isObject(reading.value);
  return wellFormedJson(isReadable ? text : JSON.stringify({ raw: text }));
}

function resultPart(
  block: CallBlock,
  call: ToolCall,
  callId: string,
  files: ReadonlyMap<string, LoadedFile>,
): { readonly result: ToolResultPart; readonly unloaded: readonly string[] } {
  const head = { type: "tool-result", callId, name: wellFormed(call.name) } as const;
  const { result } = block;
  if (result === null) {
    const content = [{ type: "text", text: missingResult(block) }] as const;
    return { result: { ...head, isError: true, content }, unloaded: [] };
  }
  const images = result.attachments.filter(isSendable).map((attachment) => ({
    attachment,
    file: files.get(attachment.file),
  }));
  const loaded = images.flatMap(({ file }): ImagePart[] =>
    file?.kind === "image" ? [{ type: "image", mime: file.mime, data: file.data }] : [],
  );
  const unloaded = images.flatMap(({ attachment, file }) =>
    file?.kind === "image"
      ? []
      : [
          `The image ${attachment.file} of a result of ${call.name} could not be loaded from the files folder, so the model does not get it.`,
        ],
  );
  const text = resultText(result, loaded.length);
  const content = [...(text === null ? [] : [text]), ...loaded];
  return { result: { ...head, isError: result.status !== "ok", content }, unloaded };
}

/** Null when images say it all. */
function resultText(result: ResultBlock, images: number): TextPart | null {
  const left = result.attachments.length - images;
  const note =
    left === 0
      ? []
      : [`(${left === 1 ? "An attachment is" : `${left} attachments are`} not sent.)`];
  const said = isUnseen(result.text) ? [] : [wellFormed(result.text)];
  const lines = [...said, ...note];
  if (lines.length === 0 && images > 0) return null;
  return { type: "text", text: lines.length > 0 ? lines.join("\n\n") : emptyResult(result) };
}

function emptyResult({ status }: ResultBlock): string {
  return status === "declined" ? declinedText : "(no output)";
}

/** A call of an old `🔧:` pair was allowed when it was made, whatever is recorded. */
function missingResult({ decision, source }: CallBlock): string {
  if (source === "legacy") return interruptedText;
  if (decision === null) return notExecutedText;
  return isYes(decision) ? interruptedText : declinedText;
}
