/** Turns what a tool returned into a result that can be written and sent. */

import type { ImagePart, TextPart, ToolOutput, ToolResultPart } from "../conversation/ports.ts";
import { noOutputText } from "../conversation/results.ts";
import { messageOf } from "../shared/json.ts";
import type { ToolCall } from "../transcript/transcript.ts";

/** A result with several parts, or one marked as an error. */
export interface ToolContent {
  readonly content: readonly (TextPart | ImagePart)[];
  readonly isError?: boolean;
}

/** The result of one call in the form that is sent to a model. */
export type ToolResult = ToolResultPart;

/** A text as it is, undefined as an empty text, parts as they are, all else as JSON. Throws when that is impossible. */
export function toToolOutput(value: unknown): ToolOutput {
  if (typeof value === "string") return { status: "ok", text: value, media: [] };
  if (value === undefined) return { status: "ok", text: "", media: [] };
  if (isToolContent(value)) {
    const texts = value.content.flatMap((part) => (part.type === "text" ? [part.text] : []));
    const media = value.content.flatMap((part) =>
      part.type === "image" ? [{ mime: part.mime, data: part.data }] : [],
    );
    return { status: value.isError === true ? "error" : "ok", text: texts.join("\n\n"), media };
  }
  return { status: "ok", text: toJson(value), media: [] };
}

/** The result of a call, from a text, any JSON, or `ToolContent`. Throws a TypeError for a value that is not JSON. */
export function toolResult(call: Pick<ToolCall, "id" | "name">, value: unknown): ToolResult {
  return outputResult(call, toToolOutput(value));
}

/** The result of a call that failed: the message of the error, never its stack. */
export function toolErrorResult(call: Pick<ToolCall, "id" | "name">, error: unknown): ToolResult {
  return outputResult(call, { status: "error", text: messageOf(error), media: [] });
}

export function outputResult(
  { id, name }: Pick<ToolCall, "id" | "name">,
  { status, text, media }: ToolOutput,
): ToolResult {
  const images = media.map(({ mime, data }): ImagePart => ({ type: "image", mime, data }));
  const said = text.trim() === "" ? [] : [{ type: "text" as const, text }];
  const content = [...said, ...images];
  return {
    type: "tool-result",
    callId: id,
    name,
    isError: status !== "ok",
    content: content.length > 0 ? content : [{ type: "text", text: noOutputText }],
  };
}

function toJson(value: unknown): string {
  const text = JSON.stringify(value);
  if (text === undefined) throw new TypeError(`It returned a ${typeof value}, which is not JSON.`);
  // The content of a Map, a returned Error or a stream would be lost silently.
  const kind = text === "{}" ? kindOf(value) : "Object";
  if (kind !== "Object") throw new TypeError(`It returned a ${kind}, which JSON cannot represent.`);
  return text;
}

/** The class of an object; an object without a prototype counts as a plain one. */
function kindOf(value: unknown): string {
  return Object(value).constructor?.name || "Object";
}

/** Requires exactly that form: a tool's own object that merely has a `content` is JSON. */
function isToolContent(value: unknown): value is ToolContent {
  if (typeof value !== "object" || value === null || !("content" in value)) return false;
  const { content } = value;
  const isOurs = Object.keys(value).every((key) => key === "content" || key === "isError");
  // An empty list on its own may mean anything.
  const isSaid = Array.isArray(content) && (content.length > 0 || "isError" in value);
  return isOurs && isSaid && content.every(isPart);
}

function isPart(part: unknown): boolean {
  if (typeof part !== "object" || part === null || !("type" in part)) return false;
  if (part.type === "text") return "text" in part && typeof part.text === "string";
  if (part.type !== "image") return false;
  return (
    "mime" in part &&
    typeof part.mime === "string" &&
    "data" in part &&
    typeof part.data === "string"
  );
}
