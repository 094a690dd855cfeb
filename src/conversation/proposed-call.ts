/** How a model writes its calls, and what is known of one when it comes. */
import type { ToolCall } from "../transcript/transcript.ts";

/** The forms of a call in the text that a model can be asked for (doc/text-tool-protocols.md), in the order in which they are recommended. */
const askedForms = ["smiley", "delimited", "json", "hermes"] as const;
export type AskedForm = (typeof askedForms)[number];

/** How tool calls are written: by the API, or in the text. */
export const toolProtocols = ["auto", "native", "native-only", ...askedForms] as const;
export type ToolProtocol = (typeof toolProtocols)[number];

/** Why a person has to look at a call: its text needed help, or nobody had asked for calls as text. */
export type CallNote = "repaired" | "salvaged";

/** A call of a response. */
export interface ProposedCall extends ToolCall {
  /** For a call that was read from text; decided only on its own line (format, section 4). */
  readonly notes?: readonly CallNote[];
  /** The text was meant as a call and cannot be read: why, as a sentence that the model gets as the result. */
  readonly unreadable?: string;
}
