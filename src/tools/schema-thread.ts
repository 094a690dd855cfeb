/**
 * The program of the thread that validates values against schemas of servers; `schema-judge.ts` starts it from its
 * text. It may run forever or use all its memory: the caller then ends it.
 */
import { parentPort } from "node:worker_threads";
import type { ValidateFunction } from "ajv";
import type { JsonSchema } from "../conversation/ports.ts";
import { messageOf } from "../shared/json.ts";
import { clip } from "../shared/visible.ts";
import { compileSchema, findMistakes } from "./schema-compiler.ts";

/** Both as JSON. */
export interface SchemaQuestion {
  readonly schema: string;
  readonly value: string;
}

export type SchemaAnswer =
  | { readonly type: "fits" }
  /** Sentences about what does not fit. */
  | { readonly type: "misfit"; readonly reasons: string }
  /** Why the schema cannot be used. */
  | { readonly type: "broken"; readonly reason: string };

/** How many compiled schemas are kept, by their text. */
const mostKept = 100;
/** In characters of the reason given for one schema. */
const longestReason = 300;

const compiled = new Map<string, ValidateFunction>();

function validatorOf(text: string): ValidateFunction {
  const known = compiled.get(text);
  if (known !== undefined) return known;
  const schema: JsonSchema = JSON.parse(text);
  const validate = compileSchema(schema);
  if (compiled.size >= mostKept) compiled.clear();
  compiled.set(text, validate);
  return validate;
}

function judge({ schema, value }: SchemaQuestion): SchemaAnswer {
  try {
    const reasons = findMistakes(validatorOf(schema), JSON.parse(value));
    return reasons === null ? { type: "fits" } : { type: "misfit", reasons };
  } catch (error) {
    // A pattern may also turn out to be too large at its first use.
    return { type: "broken", reason: clip(messageOf(error), longestReason).text };
  }
}

parentPort?.on("message", (question: SchemaQuestion) => parentPort?.postMessage(judge(question)));
// Loading and first compiling must not count as time of the first schema.
compileSchema({ type: "object" });
parentPort?.postMessage("ready");
