/** Parses a server's messages. Repairs malformed ones of hand-written servers, so that nothing they say is lost. */
import { type JSONRPCMessage, parseJSONRPCMessage } from "@modelcontextprotocol/client";
import { jsonText } from "../../shared/hash.ts";
import { isObject, type JsonObject, objectOf, parseJson, textOf } from "../../shared/json.ts";

export interface ReadMessage {
  /** Null: the line is not a message. */
  readonly message: JSONRPCMessage | null;
  /** It conforms to the protocol. */
  readonly isProper: boolean;
}

/** Maximum number of messages in one batch, since all of them are parsed without yielding to the event loop. */
const mostAtOnce = 1000;
const none: ReadMessage = { message: null, isProper: false };

/** Parses one line, which may be a batch of several messages (MCP 2025-03-26). */
export function readMessages(line: string): readonly ReadMessage[] {
  const value = parseJson(line);
  if (!Array.isArray(value)) return [readValue(value)];
  return value.length > mostAtOnce ? [none] : value.map(readValue);
}

function readValue(value: unknown): ReadMessage {
  const proper = properMessage(value);
  return proper === null
    ? { message: answerIn(value) ?? requestIn(value), isProper: false }
    : { message: proper, isProper: true };
}

function properMessage(value: unknown): JSONRPCMessage | null {
  // Checked first: the schema is slow to reject a line, and a server may print millions of lines.
  if (!isObject(value) || value.jsonrpc !== "2.0") return null;
  try {
    return parseJSONRPCMessage(value);
  } catch {
    return null;
  }
}

/** The body of an HTTP response with malformed messages repaired; unchanged if there are none. */
export function properText(text: string): string {
  const value = parseJson(text);
  const messages: readonly unknown[] = Array.isArray(value) ? value : [value];
  // We never send batches, so none of these messages can be a response to us.
  if (messages.length > mostAtOnce) return "null";
  const read = messages.map((each) => readValue(each));
  if (messages.length === 0 || read.every(({ isProper }) => isProper)) return text;
  const known = read.flatMap(({ message }) => message ?? []);
  if (known.length === 0) return text;
  return JSON.stringify(Array.isArray(value) ? known : known[0]);
}

/** Does the same for an event stream, whose messages are one line each; everything else passes unchanged. */
export function properEvents(): TransformStream<string, string> {
  /** The start of a line whose end has not arrived. */
  let pieces: string[] = [];
  return new TransformStream({
    transform(piece, controller) {
      pieces.push(piece);
      if (!/[\r\n]/.test(piece)) return;
      const text = pieces.join("");
      const end = Math.max(text.lastIndexOf("\n"), text.lastIndexOf("\r")) + 1;
      pieces = [text.slice(end)];
      controller.enqueue(
        text
          .slice(0, end)
          .replace(/((?:^|[\r\n])data: ?)([^\r\n]+)/g, (_, name, data) => name + properText(data)),
      );
    },
    flush: (controller) => controller.enqueue(pieces.join("")),
  });
}

/** JSON-RPC's code for an internal error of the server. */
const internalError = -32_603;

/** Repairs a response whose result or error has a wrong form, or that lacks `jsonrpc`; null for anything else. */
function answerIn(value: unknown): JSONRPCMessage | null {
  if (!isObject(value) || "method" in value) return null;
  const { id, result, error } = value;
  if (typeof id !== "number" && typeof id !== "string") return null;
  if (error !== undefined && error !== null) {
    const { code, message: said } = objectOf(error);
    const message = textOf(said) || textOf(error) || jsonText(error);
    const isCode = typeof code === "number" && Number.isInteger(code);
    return { jsonrpc: "2.0", id, error: { code: isCode ? code : internalError, message } };
  }
  if (result === undefined) return null;
  if (!isObject(result)) return { jsonrpc: "2.0", id, result: { content: blocksOf(result) } };
  return { jsonrpc: "2.0", id, result: properMeta(result) };
}

/** Repairs a request or a notification whose `id`, `params` or `_meta` is null; null for anything else. */
function requestIn(value: unknown): JSONRPCMessage | null {
  if (!isObject(value) || value.jsonrpc !== "2.0") return null;
  const { id, method, params } = value;
  if (typeof method !== "string") return null;
  return {
    jsonrpc: "2.0",
    method,
    ...(typeof id === "number" || typeof id === "string" ? { id } : {}),
    ...(isObject(params) ? { params: properMeta(params) } : {}),
  };
}

function properMeta(object: JsonObject): JsonObject {
  const { _meta: meta, ...others } = object;
  return isObject(meta) ? object : others;
}

function blocksOf(result: unknown): readonly unknown[] {
  if (result === null) return [];
  return [{ type: "text", text: typeof result === "string" ? result : jsonText(result) }];
}
