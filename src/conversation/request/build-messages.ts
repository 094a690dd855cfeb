/**
 * The one builder of what is sent to a model: for the first request of a turn, every continuation, the preview and the
 * command line (format, section 10). It reads no files.
 */

import { boundedSize } from "../../shared/bounded-json.ts";
import { isObject } from "../../shared/json.ts";
import { convert, createKept } from "../../shared/kept.ts";
import { isUnseen, wellFormed, wellFormedJson } from "../../shared/well-formed.ts";
import { isYes } from "../../transcript/decisions.ts";
import { declinedText, interruptedText } from "../../transcript/edits/call-edits.ts";
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
  ImagePart,
  Message,
  TextPart,
  ToolCallPart,
  ToolResultPart,
  UserMessage,
} from "../ports.ts";
import { noOutputText, notExecutedText } from "../results.ts";
import {
  type Copies,
  isSendable,
  type LoadedFile,
  recordedCopies,
  sentSteps,
  summarisedExchanges,
} from "./needed-files.ts";
import { type BuiltQuestion, questionMessage } from "./question-message.ts";

export interface MessageOptions {
  /** The exchange asked about; nothing below it is sent. */
  readonly exchange: Exchange;
  /** By plain name in the files folder: those of `neededFiles` that could be loaded. */
  readonly files: ReadonlyMap<string, LoadedFile>;
  /** How many exchanges are sent in full before the oldest are sent as their summaries. */
  readonly maxFullExchanges: number;
  /** Steps of the asked exchange's answer to send; by default all complete ones. 0 asks the question again. */
  readonly steps?: number;
  /**
   * Copies of the asked question's references, in place of those its answer records: for the first request that answers
   * it, when no step line records them yet. References without a copy are then not reported: whoever read the files has
   * already reported them.
   */
  readonly copies?: Copies;
  /** The provider state of a step of the asked exchange, when it may be sent back to the requested model. */
  readonly openState?: (step: Step) => unknown;
}

export interface BuiltMessages {
  /** The first is a user message; every call is answered directly below; roles may repeat. */
  readonly messages: readonly Message[];
  /** Sentences about what the transcript names but is not sent. */
  readonly notices: readonly string[];
}

/**
 * Builds the messages for a request about one exchange. Within a turn, the messages of each request begin with those of
 * the request before it.
 */
export function buildMessages(transcript: Transcript, options: MessageOptions): BuiltMessages {
  const { exchange, maxFullExchanges } = options;
  const above = transcript.exchanges.slice(0, exchange.index);
  const summaries = summarisedExchanges(above, maxFullExchanges);
  const notices = new Set<string>();
  const built = { messages: olderMessages(above, summaries, options.files, notices), notices };
  addAsked(built, options);
  const { messages } = built;
  if (messages[0]?.role === "assistant") messages.unshift(withoutQuestion);
  return { messages, notices: [...notices] };
}

const keptMessages = createKept<Exchange, readonly Message[]>();

/**
 * The messages of the exchanges above the asked one. All exchanges share one list: an old chat has ten thousand of them,
 * of two messages each. Work ahead must not include exchanges that name files.
 * @param summaries what is sent in place of an answer, by the index of its exchange
 * @param notices gets sentences about files that are not sent
 */
export function olderMessages(
  above: readonly Exchange[],
  summaries: ReadonlyMap<number, string>,
  files: ReadonlyMap<string, LoadedFile>,
  notices: Set<string>,
): Message[] {
  const add = (messages: Message[], older: Exchange) => {
    const built = { messages, notices };
    const summary = summaries.get(older.index);
    if (summary === undefined) addFull(built, older, files);
    else addSummarised(built, older, summary, files);
  };
  // The oldest exchanges are those with summaries, so their number says which ones.
  return convert(keptMessages, above, { add }, summaries.size);
}

/** What was built so far. */
interface Building {
  readonly messages: Message[];
  readonly notices: Set<string>;
}

/** Every provider requires the user to speak first, but a file can begin with an answer. */
const withoutQuestion: UserMessage = {
  role: "user",
  content: [{ type: "text", text: "(This conversation begins with an answer.)" }],
};

function addAsked(built: Building, options: MessageOptions): void {
  const { exchange, files, openState } = options;
  const copies = options.copies ?? recordedCopies(exchange.answer);
  const reportsUnread = options.copies === undefined;
  const shown = { withImages: true, reportsUnread: reportsUnread };
  addQuestion(built, questionMessage(exchange.question, { copies, files }, shown));
  const steps = exchange.answer?.steps.slice(0, sentSteps(exchange, options.steps)) ?? [];
  const sealed = new Set<string>();
  for (const step of steps) {
    const { state: own = "" } = step.record;
    // This step was copied by the user: a state holds ids, and none may be sent twice.
    const isCopy = own !== "" && sealed.has(own);
    sealed.add(own);
    const state = isCopy ? undefined : openState?.(step);
    addStep(built, step, { files, state, withCalls: true });
  }
}

/** Adds an exchange that the user continued from: an unfinished step in it is sent as it is, without its calls. */
function addFull(
  built: Building,
  { question, answer }: Exchange,
  files: ReadonlyMap<string, LoadedFile>,
): void {
  const copies = recordedCopies(answer);
  const shown = { withImages: true, reportsUnread: true };
  addQuestion(built, questionMessage(question, { copies, files }, shown));
  if (answer === null) return;
  const unfinished = answer.unfinished ? answer.steps.at(-1) : undefined;
  for (const step of answer.steps) {
    addStep(built, step, { files, state: undefined, withCalls: step !== unfinished });
  }
}

function addSummarised(
  built: Building,
  { question, answer }: Exchange,
  summary: string,
  files: ReadonlyMap<string, LoadedFile>,
): void {
  const copies = recordedCopies(answer);
  const shown = { withImages: false, reportsUnread: true };
  addQuestion(built, questionMessage(question, { copies, files }, shown));
  const text = `📝: ${wellFormed(summary)}`;
  built.messages.push({ role: "assistant", content: [{ type: "text", text }] });
}

function addQuestion(built: Building, { message, notices }: BuiltQuestion): void {
  if (message !== null) built.messages.push(message);
  for (const notice of notices) built.notices.add(notice);
}

interface StepContext {
  readonly files: ReadonlyMap<string, LoadedFile>;
  /** Opaque data of the provider for this step, when it may be sent back. */
  readonly state: unknown;
  /** False for an unfinished step: its text counts, but its calls were never put to the user. */
  readonly withCalls: boolean;
}

type AnswerPart = TextPart | ToolCallPart;

/** Adds nothing, an assistant message, or one with a tool message after it. */
function addStep(built: Building, step: Step, context: StepContext): void {
  const content: AnswerPart[] = [];
  const results: ToolResultPart[] = [];
  for (const block of step.blocks) {
    // Blocks of any other kind are for the user and are not sent.
    if (block.kind === "text") addText(content, block.text);
    if (block.kind !== "call" || !context.withCalls || block.call === null) continue;
    content.push(callPart(block.call));
    const { result, unloaded } = resultPart(block, block.call, context.files);
    results.push(result);
    for (const notice of unloaded) built.notices.add(notice);
  }
  if (content.length === 0) return;
  const said = { role: "assistant", content } as const;
  const { state } = context;
  built.messages.push(state === undefined ? said : { ...said, state });
  if (results.length > 0) built.messages.push({ role: "tool", results });
}

/** Adds text without trailing white space, which some models refuse; texts before and after a thought become one. */
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

function callPart({ id, name, arguments: text }: ToolCall): ToolCallPart {
  return { type: "tool-call", id, name: wellFormed(name), arguments: objectJson(text) };
}

/** Some vendors get arguments as values, and extremely deep nesting would overflow the stack of any writer. */
const isWritable = (value: unknown) => boundedSize(value, Number.POSITIVE_INFINITY) !== null;

/** The arguments unchanged when they are a JSON object, else as a text inside one (format, section 4). */
function objectJson(text: string): string {
  const reading = readJson(text);
  const isReadable = reading.ok && isObject(reading.value) && isWritable(reading.value);
  return wellFormedJson(isReadable ? text : JSON.stringify({ raw: text }));
}

function resultPart(
  block: CallBlock,
  call: ToolCall,
  files: ReadonlyMap<string, LoadedFile>,
): { readonly result: ToolResultPart; readonly unloaded: readonly string[] } {
  const { id: callId, name } = call;
  const head = { type: "tool-result", callId, name: wellFormed(name) } as const;
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
          `The image ${attachment.file} of a result of ${name} could not be loaded from the files folder, so the model does not get it.`,
        ],
  );
  const text = resultText(result, loaded.length);
  const content = [...(text === null ? [] : [text]), ...loaded];
  return { result: { ...head, isError: result.status !== "ok", content }, unloaded };
}

/** Null when the images are the whole result. */
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
  return status === "declined" ? declinedText : noOutputText;
}

/** A call of an old `🔧:` pair was approved when it was made, whatever is recorded. */
function missingResult({ decision, source }: CallBlock): string {
  if (source === "legacy") return interruptedText;
  if (decision === null) return notExecutedText;
  return isYes(decision) ? interruptedText : declinedText;
}
