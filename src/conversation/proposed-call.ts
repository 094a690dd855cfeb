/** How a model writes its calls, and what is known of a call when it arrives. */
import type { ToolCall } from "../transcript/transcript.ts";

/** The forms of a call in text that a model can be asked for (doc/text-tool-protocols.md), most recommended first. */
const askedForms = ["smiley", "delimited", "json", "hermes"] as const;
export type AskedForm = (typeof askedForms)[number];

/** How tool calls are written: by the API, or in the text. */
export const toolProtocols = ["auto", "native", "native-only", ...askedForms] as const;
export type ToolProtocol = (typeof toolProtocols)[number];

/** Why the user has to look at a call: its text had to be repaired, or calls as text were not requested. */
export type CallNote = "repaired" | "salvaged";

/** A call of a response. */
export interface ProposedCall extends ToolCall {
  /** For a call that was read from text; it can be decided only on its own line (format, section 4). */
  readonly notes?: readonly CallNote[];
  /** The text was meant as a call but cannot be read: the reason, as a sentence that the model gets as the result. */
  readonly unreadable?: string;
}
