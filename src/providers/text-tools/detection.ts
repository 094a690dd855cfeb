/** Types of the detector, which finds tool calls that a model writes as plain text. */
import type { JsonSchema, Tool } from "../../conversation/ports.ts";

/** How an answer ended. Only with `stop` had the model finished. */
export type DetectorFinish = "stop" | "length" | "abort" | "error";

/** A call as the model wrote it. */
export interface TextToolCall {
  readonly name: string;
  /** JSON text of an object, in the model's own characters if it wrote JSON. */
  readonly arguments: string;
}

/** The result of one call, for sending back to the model. */
export interface TextToolResult {
  readonly name: string;
  readonly text: string;
  readonly isError?: boolean;
}

/**
 * What `push` and `end` return, in the order of the text. However the input was cut into chunks, the texts and the
 * `raw` pieces together are the input, code unit for code unit.
 */
export type DetectorEvent =
  | { readonly type: "text"; readonly text: string }
  /** Something that may become a call has begun; it is not shown yet. */
  | { readonly type: "pending" }
  | {
      readonly type: "tool-call";
      readonly call: TextToolCall;
      readonly raw: string;
      readonly thoughts?: string;
      /** The text deviated from the protocol, so the user has to review the call. */
      readonly repaired?: true;
      /** The model was not asked for calls in this form, so the user has to review the call. */
      readonly salvaged?: true;
    }
  | {
      readonly type: "malformed";
      readonly raw: string;
      /** A sentence for the model. */
      readonly reason: string;
      /** The model was not asked for calls in this form. */
      readonly salvaged?: true;
      /** Another piece of the malformed block before, which is larger than `maxCallBytes`. */
      readonly continued?: true;
    };

export interface Detector {
  push(chunk: string): DetectorEvent[];
  /** Returns what is still held back; a block that is not closed never becomes a call. */
  end(finish: DetectorFinish): DetectorEvent[];
  /** How much text, in code units, came before reasoning that has not ended; null if there is none. */
  openReasoning(): number | null;
}

/** The part of a tool that the detector uses. */
export interface KnownTool {
  readonly name: string;
  readonly inputSchema?: JsonSchema;
}

export interface DetectorOptions {
  /** Ids of `detectableProtocols`. */
  readonly protocols: readonly string[];
  /** Empty: every name counts as a tool. */
  readonly tools: readonly KnownTool[];
  /** Those of the protocols that the model was asked to use. */
  readonly asked: readonly string[];
  /** A block with more UTF-8 bytes is malformed; default: 1 MiB. */
  readonly maxCallBytes?: number;
}

/** A form of calls that the system prompt can ask a model for. */
export interface TextToolProtocol {
  readonly id: string;
  /** Returns the prompt with the tools and the rules. */
  systemPrompt(tools: readonly Pick<Tool, "name" | "description" | "inputSchema">[]): string;
  /** Returns a call in exactly the form that the prompt asks for. */
  renderCall(call: TextToolCall): string;
  /** Returns all results of one step as one user message's text, with openers in them made harmless. */
  renderResults(results: readonly TextToolResult[]): string;
}
