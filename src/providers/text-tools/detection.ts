/** Tool calls that a model writes as plain text: what the detector takes in and gives out. */
import type { JsonSchema, Tool } from "../../conversation/ports.ts";

/** How an answer ended. Only `stop` says that the model was done. */
export type DetectorFinish = "stop" | "length" | "abort" | "error";

/** A call as the model wrote it. */
export interface TextToolCall {
  readonly name: string;
  /** JSON text of an object: the characters of the model wherever it wrote JSON. */
  readonly arguments: string;
}

/** The result of one call, on its way back to the model. */
export interface TextToolResult {
  readonly name: string;
  readonly text: string;
  readonly isError?: boolean;
}

/**
 * What `push` and `end` report, in the order of the text. The texts and the `raw` pieces together
 * are the input, unit for unit, however it was cut.
 */
export type DetectorEvent =
  | { readonly type: "text"; readonly text: string }
  /** Something that may become a call has begun; nothing of it is shown yet. */
  | { readonly type: "pending" }
  | {
      readonly type: "tool-call";
      readonly call: TextToolCall;
      readonly raw: string;
      readonly thoughts?: string;
      /** The text was not what the protocol asks for; a person has to look at the call. */
      readonly repaired?: true;
      /** Nobody asked for calls in this form; a person has to look at the call. */
      readonly salvaged?: true;
    }
  | {
      readonly type: "malformed";
      readonly raw: string;
      /** A sentence for the model. */
      readonly reason: string;
      /** Nobody asked for calls in this form. */
      readonly salvaged?: true;
      /** One more piece of the malformed block before it, which is larger than `maxCallBytes`. */
      readonly continued?: true;
    };

export interface Detector {
  push(chunk: string): DetectorEvent[];
  /** What is still held back; no call comes out of a block that is not closed. */
  end(finish: DetectorFinish): DetectorEvent[];
}

/** What the detector knows of a tool. */
export interface KnownTool {
  readonly name: string;
  readonly inputSchema?: JsonSchema;
}

export interface DetectorOptions {
  /** Ids of `detectableProtocols`. */
  readonly protocols: readonly string[];
  /** Empty: every name is taken for a tool. */
  readonly tools: readonly KnownTool[];
  /** Those of the protocols that the model was asked for; nobody asked it to write the others. */
  readonly asked: readonly string[];
  /** A block with more UTF-8 bytes is malformed; 1 MiB unless said otherwise. */
  readonly maxCallBytes?: number;
}

/** A form that a model is asked for by its system prompt. */
export interface TextToolProtocol {
  readonly id: string;
  /** Lists the tools and the rules. */
  systemPrompt(tools: readonly Pick<Tool, "name" | "description" | "inputSchema">[]): string;
  /** A call in exactly the form that the prompt asks for. */
  renderCall(call: TextToolCall): string;
  /** All results of one step, as the text of one user message. Openers in them are made harmless. */
  renderResults(results: readonly TextToolResult[]): string;
}
