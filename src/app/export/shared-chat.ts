/**
 * A chat as it is shown to others: questions, answers and calls. Thoughts, notes (`📝:`), states, private parts and text
 * that was never sent are left out. Pure.
 */
import { type Copies, copyName, recordedCopies } from "../../conversation/request/needed-files.ts";
import { markerAt } from "../../transcript/markers.ts";
import { referencesIn } from "../../transcript/references.ts";
import type {
  Answer,
  Block,
  CallBlock,
  Exchange,
  ResultStatus,
  Transcript,
} from "../../transcript/transcript.ts";
import { chatName } from "../chats/chat-file-name.ts";
import { headerTopic } from "../chats/summary.ts";
import { fileInFilesFolder } from "../references/files-link.ts";

export type SharedPart =
  /** Markdown, from an untrusted source. */
  | { readonly type: "text"; readonly text: string }
  /** `file` is a plain name in the chat's files folder. */
  | { readonly type: "image"; readonly file: string; readonly alt: string }
  | SharedCall;

export interface SharedCall {
  readonly type: "call";
  readonly name: string;
  /** The model's JSON, pretty-printed where it can be parsed. */
  readonly arguments: string;
  /** `waiting`: the call has no result yet. */
  readonly status: ResultStatus | "waiting";
  /** Null when there is no result. */
  readonly result: string | null;
  readonly images: readonly Extract<SharedPart, { type: "image" }>[];
}

export interface SharedTurn {
  /** Empty where a chat begins with an answer. */
  readonly question: readonly SharedPart[];
  /** Null when there is no answer. */
  readonly answer: { readonly label: string; readonly parts: readonly SharedPart[] } | null;
}

export interface SharedChat {
  readonly title: string;
  readonly turns: readonly SharedTurn[];
}

/** `path` is the path of the chat; its name is the title of a chat without a topic. */
export function sharedChat(transcript: Transcript, path: string): SharedChat {
  const turns = transcript.exchanges.map((exchange) => sharedTurn(transcript, exchange, path));
  return {
    title: headerTopic(transcript.header) ?? chatName(path),
    turns: turns.filter(({ question, answer }) => question.length > 0 || answer !== null),
  };
}

/** The plain names of all images that the chat shows, each once. */
export function imagesOf({ turns }: SharedChat): readonly string[] {
  const parts = turns.flatMap(({ question, answer }) => [...question, ...(answer?.parts ?? [])]);
  const files = parts.flatMap((part) => {
    if (part.type === "call") return part.images.map(({ file }) => file);
    return part.type === "image" ? [part.file] : [];
  });
  return [...new Set(files)];
}

function sharedTurn(transcript: Transcript, { question, answer }: Exchange, path: string) {
  const parts = answer === null ? [] : answerParts(transcript, answer);
  return {
    question: questionParts(question.text, recordedCopies(answer), path),
    answer:
      answer === null || parts.length === 0 ? null : { label: answer.label ?? "Answer", parts },
  };
}

/** Lines of images that were kept become images; everything else is text. */
function questionParts(text: string, copies: Copies, path: string): readonly SharedPart[] {
  const parts: SharedPart[] = [];
  let lines: string[] = [];
  const flush = () => {
    const joined = lines.join("\n").trim();
    if (joined !== "") parts.push({ type: "text", text: joined });
    lines = [];
  };
  for (const line of text.split("\n")) {
    const [reference] = referencesIn(line, 0);
    const file = reference?.kind === "image" ? keptImage(reference.source, copies, path) : null;
    if (reference === undefined || file === null) lines.push(line);
    else {
      flush();
      parts.push({ type: "image", file, alt: reference.label });
    }
  }
  flush();
  return parts;
}

/** The copy that the answer recorded; for a question without an answer, a file that is already in the files folder. */
function keptImage(source: string, copies: Copies, path: string): string | null {
  const copy = copyName(copies, source);
  if (copy !== null) return copy;
  return fileInFilesFolder(path, source);
}

function answerParts(transcript: Transcript, answer: Answer): readonly SharedPart[] {
  const blocks = answer.steps.flatMap((step) => step.blocks);
  return blocks.flatMap((block) => answerPart(transcript, block));
}

function answerPart(transcript: Transcript, block: Block): readonly SharedPart[] {
  if (block.kind === "call") return [sharedCall(block)];
  // Thoughts and other parts meant only for the user are not shown.
  if (block.kind !== "text") return [];
  const isNote = (at: number) =>
    markerAt(transcript.lines[block.range.start + at] ?? "")?.name === "summary";
  const lines = block.text.split("\n").filter((_, at) => !isNote(at));
  const text = lines.join("\n").trim();
  return text === "" ? [] : [{ type: "text", text }];
}

function sharedCall({ call, result, lineText }: CallBlock): SharedCall {
  const attached = result?.attachments ?? [];
  return {
    type: "call",
    name: call?.name ?? "a call that cannot be read",
    arguments: call === null ? lineText : spread(call.arguments),
    status: result?.status ?? "waiting",
    result: result?.text ?? null,
    images: attached
      .filter(({ mime }) => mime.startsWith("image/"))
      .map(({ file }) => ({ type: "image", file, alt: "" })),
  };
}

/** Pretty-prints JSON, unless that would change the text of a number or lose a repeated key. */
function spread(json: string): string {
  try {
    const value: unknown = JSON.parse(json);
    const text = JSON.stringify(value, null, 2);
    const isSame = JSON.stringify(value) === json.replaceAll(/("(?:[^"\\]|\\.)*")|\s+/g, "$1");
    return isSame ? text : json;
  } catch {
    return json;
  }
}

export const statusWords: Readonly<Record<SharedCall["status"], string>> = {
  ok: "done",
  error: "failed",
  declined: "declined",
  cancelled: "cancelled",
  timeout: "timed out",
  waiting: "no result",
};
