/** One line of a server as a message. Servers by hand get the form of an answer wrong, and its words are none the less. */
import { type JSONRPCMessage, parseJSONRPCMessage } from "@modelcontextprotocol/client";
import { jsonText } from "../../shared/hash.ts";
import { isObject, objectOf, parseJson, textOf } from "../../shared/json.ts";

export interface ReadMessage {
  /** Null: the line is none. */
  readonly message: JSONRPCMessage | null;
  /** It is as the protocol wants it. */
  readonly isProper: boolean;
}

export function readMessage(line: string): ReadMessage {
  const value = parseJson(line);
  try {
    return { message: parseJSONRPCMessage(value), isProper: true };
  } catch {
    return { message: answerIn(value), isProper: false };
  }
}

/** JSON-RPC: the server failed. */
const internalError = -32_603;

/** An answer whose result or error is none of the protocol's, or that does not name the protocol. */
function answerIn(value: unknown): JSONRPCMessage | null {
  if (!isObject(value) || "method" in value) return null;
  const { id, result, error } = value;
  if (typeof id !== "number" && typeof id !== "string") return null;
  if (error !== undefined && error !== null) {
    const message = textOf(objectOf(error).message) || textOf(error) || jsonText(error);
    return { jsonrpc: "2.0", id, error: { code: internalError, message } };
  }
  if (result === undefined) return null;
  return { jsonrpc: "2.0", id, result: isObject(result) ? result : { content: blocksOf(result) } };
}

function blocksOf(result: unknown): readonly unknown[] {
  if (result === null) return [];
  return [{ type: "text", text: typeof result === "string" ? result : jsonText(result) }];
}
