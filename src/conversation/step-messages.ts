/** One step as the messages it is sent as: what the model said, and a result for each of its calls (format, section 10). */
import { isJsonObject, readJson } from "../transcript/json.ts";
import type { CallBlock, ResultBlock, Step, ToolCall } from "../transcript/types.ts";
import type { CallIds } from "./call-ids.ts";
import { isYes } from "./decisions.ts";
import { isSendable, type LoadedFile } from "./references.ts";
import { declinedText, interruptedText, notExecutedText } from "./results.ts";
import { isBlank, wellFormed, wellFormedJson } from "./sendable-text.ts";
import type {
  AssistantMessage,
  ImagePart,
  Message,
  TextPart,
  ToolCallPart,
  ToolResultPart,
} from "./types.ts";

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

export function stepMessages(step: Step, context: StepContext): BuiltStep {
  const content: AnswerPart[] = [];
  const results: ToolResultPart[] = [];
  const notices: string[] = [];
  for (const block of step.blocks) {
    switch (block.kind) {
      case "thought":
        break;
      case "text":
        addText(content, block.text);
        break;
      case "call": {
        if (!context.withCalls || block.call === null) break;
        const id = context.callIds(block.call.id);
        content.push(callPart(block.call, id));
        const { result, unloaded } = resultPart(block, block.call, id, context.files);
        results.push(result);
        notices.push(...unloaded);
        break;
      }
    }
  }
  if (content.length === 0) return { messages: [], notices };
  const assistant: AssistantMessage =
    context.state === undefined
      ? { role: "assistant", content }
      : { role: "assistant", content, state: context.state };
  const tool: Message[] = results.length > 0 ? [{ role: "tool", results }] : [];
  return { messages: [assistant, ...tool], notices };
}

/** Text without white space at its end, which some models refuse; a thought between two texts leaves one text. */
function addText(content: AnswerPart[], text: string): void {
  if (isBlank(text)) return;
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
  const isObject = reading.ok && isJsonObject(reading.value);
  return wellFormedJson(isObject ? text : JSON.stringify({ raw: text }));
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
  const said = isBlank(result.text) ? [] : [wellFormed(result.text)];
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
