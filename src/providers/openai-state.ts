/** What compatible vendors want back with the calls of a response, beside the calls themselves. Pure. */
import { type Compat, fits } from "./compat.ts";

type Fields = Readonly<Record<string, unknown>>;

/** Fields that go into an assistant's message, and into its first call. */
export interface Echo {
  readonly message: Fields;
  readonly firstCall: Fields;
}

const nothing: Echo = { message: {}, firstCall: {} };

/** Gemini's own word for calls that it did not make itself (rule G2). */
const unsigned = { google: { thought_signature: "skip_thought_signature_validator" } };

/** What stands in for the state of another model's response, for models that refuse calls without any. */
export function standIn({ reasoning }: Compat, modelId: string): Echo {
  if (!fits(reasoning.echoRequired, modelId)) return nothing;
  switch (reasoning.echo) {
    case "extra_content":
      return { message: {}, firstCall: { extra_content: unsigned } };
    case "reasoning_content":
      return { message: { reasoning_content: "" }, firstCall: {} };
    default:
      return nothing;
  }
}
