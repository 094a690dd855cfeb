/** Checks arguments and results of tools against schemas of servers: on a thread, within limits (`schema-judge.ts`). */

import type { JsonSchema, Tool } from "../conversation/ports.ts";
import { boundedJson } from "../shared/bounded-json.ts";
import { sha256 } from "../shared/hash.ts";
import { mismatchSentence, readArguments } from "./argument-text.ts";
import type { SchemaJudge, SchemaVerdict } from "./schema-judge.ts";
import { mismatchText } from "./tool-errors.ts";
import { isTypedTool, type TypedTool } from "./typed-tool.ts";

/** Limit for a schema, and for a result that it checks: length of the text, and number of values in it. */
const largestChecked = 1_000_000;

/** Why a value is not validated. */
type Unjudged = Exclude<SchemaVerdict, { type: "fits" | "misfit" }>;

/** Schemas that give no verdict for any value; they are not tried again. */
const unusable = new WeakMap<JsonSchema, Unjudged>();

/** The verdicts on the last values, by schema. */
const verdicts = new WeakMap<JsonSchema, Map<string, Promise<SchemaVerdict>>>();

/** A call is validated when it is proposed, and again when it runs: the second time the verdict is found here. */
const mostVerdicts = 32;
/** A longer text is stored under its hash. */
const longestKey = 200;

let judging: Promise<SchemaJudge> | null = null;

/** Loaded on first use, since most sessions begin without a tool. */
function theJudge(): Promise<SchemaJudge> {
  judging ??= import("./schema-judge.ts").then(({ createSchemaJudge }) => createSchemaJudge());
  return judging;
}

/** Whether a value fits a server's schema (2020-12, or the draft that it names). `value` is JSON. Never rejects. */
async function judge(
  server: string | null,
  schema: JsonSchema,
  value: string,
): Promise<SchemaVerdict> {
  const useless = unusable.get(schema);
  if (useless !== undefined) return useless;
  const said = verdicts.get(schema) ?? new Map<string, Promise<SchemaVerdict>>();
  verdicts.set(schema, said);
  const key = value.length <= longestKey ? value : sha256(value);
  const asked = said.get(key) ?? ask(server, schema, value);
  said.set(key, asked);
  const [oldest] = said.keys();
  if (said.size > mostVerdicts && oldest !== undefined) said.delete(oldest);
  const verdict = await asked;
  if (verdict.type === "broken" || verdict.type === "too-much") unusable.set(schema, verdict);
  else if (verdict.type === "spent" || verdict.type === "no-thread") said.delete(key);
  return verdict;
}

async function ask(
  server: string | null,
  schema: JsonSchema,
  value: string,
): Promise<SchemaVerdict> {
  const text = boundedJson(schema, largestChecked);
  if (text === null) return { type: "broken", reason: "it is too large, or nested too deeply" };
  return (await theJudge()).judge(server ?? "", { schema: text, value });
}

/**
 * Describes in sentences what in a value does not fit a server's schema; null when it fits. Throws the reason when
 * there is no verdict: the schema cannot be used, or takes too much.
 */
export async function schemaMismatch(
  server: string,
  schema: JsonSchema,
  value: unknown,
): Promise<string | null> {
  const text = boundedJson(value, largestChecked);
  if (text === null) throw new Error("The result is too large, or nested too deeply.");
  const verdict = await judge(server, schema, text);
  switch (verdict.type) {
    case "fits":
      return null;
    case "misfit":
      return verdict.reasons;
    case "broken":
    case "no-thread":
      throw new Error(verdict.reason);
    case "too-much":
      throw new Error(`It takes too ${amount(verdict)}.`);
    case "spent":
      throw new Error("Its server's schemas take too long.");
  }
}

/**
 * Null when the arguments are a JSON object that fits the tool's schema, else a sentence that lets a model correct
 * itself. A schema that cannot be used blocks nothing: only the object is checked then, and `log` says so once.
 */
export async function validateArguments(
  tool: Tool,
  argumentsText: string,
  log: (text: string) => void,
): Promise<string | null> {
  const read = readArguments(tool.name, argumentsText);
  if ("mistake" in read) return read.mistake;
  if (isTypedTool(tool)) return checkByTool(tool, read.value, log);
  const verdict = await judge(tool.server, tool.inputSchema, argumentsText);
  if (verdict.type === "fits") return null;
  if (verdict.type === "misfit") return mismatchSentence(tool.name, verdict.reasons);
  reportOnce(tool, verdict, log);
  return null;
}

/** What was already reported: about schemas, about servers, and about this machine. */
const reportedSchemas = new WeakSet<JsonSchema>();
const reportedServers = new Set<string | null>();
let isThreadReported = false;

function reportOnce(
  { name, server, inputSchema }: Tool,
  verdict: Unjudged,
  log: (text: string) => void,
): void {
  switch (verdict.type) {
    case "broken":
    case "too-much": {
      if (reportedSchemas.has(inputSchema)) return;
      reportedSchemas.add(inputSchema);
      const why =
        verdict.type === "broken"
          ? `cannot be used (${verdict.reason}); its`
          : `takes too ${amount(verdict)} to check, so its`;
      log(
        `The schema of the tool ${name} ${why} arguments are passed on unchecked as long as they are a JSON object.`,
      );
      return;
    }
    case "spent":
      if (reportedServers.has(server)) return;
      reportedServers.add(server);
      log(
        `The schemas of ${server === null ? "other tools" : `the MCP server ${server}`} take too long to check, so the arguments of its tools are passed on unchecked for some time as long as they are a JSON object.`,
      );
      return;
    case "no-thread":
      if (isThreadReported) return;
      isThreadReported = true;
      log(
        `Schemas of tools cannot be checked here (${verdict.reason}), so arguments are passed on unchecked as long as they are a JSON object.`,
      );
      return;
  }
}

function amount({ of }: Extract<SchemaVerdict, { type: "too-much" }>): string {
  return of === "time" ? "long" : "much memory";
}

/** A typed tool may demand more than JSON Schema can express, so the tool itself checks. */
async function checkByTool(
  tool: TypedTool,
  value: object,
  log: (text: string) => void,
): Promise<string | null> {
  try {
    await tool.parse(value);
    return null;
  } catch (error) {
    return mismatchText(tool.name, error, log);
  }
}
