/**
 * What a refusal teaches, read from the vendor's own words and the field that it names: another API, a value, what has to
 * come back, a limit, ids, a field or a form (`refused-fields.ts`), tools. Pure.
 */
import {
  type Failure,
  type ReasoningEffort,
  reasoningEfforts,
  type Tool,
} from "../../conversation/ports.ts";
import { anthropicMaxTokens } from "../request/model-limits.ts";
import { toolHash } from "../request/tool-schema.ts";
import { effortsOf, fits } from "../vendors/compat.ts";
import { blamedTools, withoutTools } from "./blamed-tools.ts";
import { missesSignature, missesThoughts, otherApi } from "./refusal-words.ts";
import { fieldLesson, type Sent, type Teaching, teach } from "./refused-fields.ts";

/** Null: the refusal is about something that cannot be left out. */
export function lessonOf(failure: Failure, sent: Sent): Teaching | null {
  const { status = 0, said = "", parameter = "", kind } = failure;
  // Of what the model wrote, the request is not to blame.
  const isRefusal = [400, 404, 405, 422, 501].includes(status);
  // Without a status it came in the stream.
  const isTold = kind === "invalid-request" && (status === 500 || status === 0);
  if (kind === "bad-stream" || !(isRefusal || isTold)) return null;
  const words = `${parameter} ${said}`;
  return (
    apiLesson(status, words, sent) ??
    valueLesson(words, sent) ??
    thoughtsLesson(words, sent) ??
    limitLesson(words, sent) ??
    idLesson(words, sent) ??
    fieldLesson(status, `${parameter} ${withoutTools(said, sent.request.tools)}`, sent) ??
    toolLesson(status, words, sent)
  );
}

/** Another API has the model, or this one is not there. */
function apiLesson(status: number, words: string, sent: Sent): Teaching | null {
  const { api, vendor, isApiChosen, request } = sent;
  if (api === "openai-chat" && otherApi.test(words)) {
    if (!isApiChosen) {
      const lessons = [{ kind: "api", api: "openai-responses" } as const];
      return { lessons, remedy: "so it is asked through the Responses API" };
    }
    const isEffort = /reasoning_effort/.test(words) && !vendor.compat.reasoning.noneWithTools;
    return isEffort && request.tools.length > 0 ? teach("effort_with_tools") : null;
  }
  const isMissing =
    [404, 405, 501].includes(status) && (words.trim() === "" || !/\bmodel\b/i.test(words));
  if (api === "openai-responses" && isMissing && !isApiChosen) {
    const lessons = [{ kind: "api", api: "openai-chat" } as const];
    return { lessons, remedy: "so it is asked through chat completions" };
  }
  return null;
}

/** A value that the model does not know, where it names those that it knows, or says that it always thinks. */
function valueLesson(words: string, { request, vendor }: Sent): Teaching | null {
  const { reasoningEffort: wanted, model } = request;
  if (wanted === undefined) return null;
  const known = effortsOf(vendor.compat, model.id);
  const efforts = takenEfforts(words, wanted, known);
  if (efforts.length === 0 || isSame(efforts, known)) return null;
  // To think less than was asked for is one thing, not to think at all another.
  if (wanted !== "none" && efforts.every((effort) => effort === "none"))
    return teach("reasoning_effort");
  return { lessons: [{ kind: "efforts", efforts }], remedy: "so the nearest effort is asked for" };
}

/** OpenRouter's words of models that think always, and Google's. */
const alwaysThinks = /reasoning is mandatory|cannot be disabled|only works in thinking mode/i;

function takenEfforts(
  words: string,
  wanted: ReasoningEffort,
  known: readonly ReasoningEffort[],
): readonly ReasoningEffort[] {
  if (wanted === "none" && alwaysThinks.test(words))
    return known.filter((effort) => effort !== "none");
  if (!/effort/i.test(words)) return [];
  const list = /(?:supported values (?:are|is)|(?:must|should) be one of):?(.*)/i.exec(words)?.[1];
  const named = new Set(list?.match(/\b[a-z]+\b/g) ?? []);
  return reasoningEfforts.filter((effort) => named.has(effort));
}

/**
 * Kimi, DeepSeek, and others in front of models that think between calls: “reasoning_content is missing in assistant …”,
 * also of finished answers; Gemini behind a server of one's own, where calls of earlier steps have no signature.
 */
function thoughtsLesson(words: string, { api, vendor, request }: Sent): Teaching | null {
  const { echo, echoRequired } = vendor.compat.reasoning;
  if (api === "openai-responses") return null;
  const isRequired = fits(echoRequired, request.model.id);
  if (missesThoughts.test(words) && (!isRequired || echo === "extra_content")) {
    const lessons = [{ kind: "thoughts-back" } as const];
    return { lessons, remedy: "so its thoughts go back to it with its calls" };
  }
  const isKnown = api !== "openai-chat" || (echo === "extra_content" && isRequired);
  if (isKnown || !missesSignature.test(words)) return null;
  const lessons = [{ kind: "signatures-back" } as const];
  return { lessons, remedy: "so calls go back to it with Gemini's thought signatures" };
}

/**
 * Anthropic's API wants a limit of the output, and other models behind it take less than ours (“Range of max_tokens
 * should be [1, 8192]”). A limit that the person chose is theirs to change.
 */
function limitLesson(words: string, { api, vendor, request }: Sent): Teaching | null {
  if (api !== "anthropic-messages" || request.maxOutputTokens !== undefined) return null;
  // Words about the window count what is asked, too: that it does not fit is no limit of the output.
  if (!/\bmax_tokens\b/.test(words) || /at least|minimum|context|input|prompt/i.test(words))
    return null;
  const sent = anthropicMaxTokens(request, vendor.compat);
  // Not `[256,512]`, which are two.
  const whole = words.replace(/(?<!\[)\b\d{1,3}(?:,\d{3}){1,2}\b/g, (number) =>
    number.replaceAll(",", ""),
  );
  // Names of models have numbers, too.
  const plain = whole.match(/\w+(?:[.-]\w+)*/g)?.filter((word) => !/[a-z]/i.test(word)) ?? [];
  const numbers = plain.join(" ").match(/\d+/g) ?? [];
  const tokens = Math.max(0, ...numbers.map(Number).filter((number) => number < sent));
  if (tokens < fewestTokens) return null;
  const lessons = [{ kind: "max-output", tokens } as const];
  return { lessons, remedy: `so ${tokens} tokens of output are asked for at most` };
}

/** Of output; what is less is a number of something else. */
const fewestTokens = 256;

/**
 * Mistral's models want ids of nine letters behind any server, by its API and by their templates (rule M1), gateways to Claude want letters alone
 * (“tool_use.id: String should match pattern”), others fewer. The Responses API has one rule for all (rule P4).
 */
function idLesson(words: string, { api, vendor: { compat } }: Sent): Teaching | null {
  if (api === "openai-responses") return null;
  if (!/\btool.?(?:call|use)s?\b.{0,30}\bids?\b|tool_call_id/i.test(words)) return null;
  const exact = Number(
    /(?:length of|alphanumeric strings with length) (\d{1,2})\b/i.exec(words)?.[1],
  );
  const most = Number(/maximum length (\d{1,3})\b/i.exec(words)?.[1]);
  const isExact = exact >= shortestId;
  const length = isExact ? exact : most >= shortestId ? most : 40;
  const { callIds: known } = compat;
  const isNew = known.keepsMeaning || length < known.length || (isExact && !known.isExact);
  if (!isNew || !(isExact || most >= shortestId || /pattern/i.test(words))) return null;
  const lessons = [{ kind: "call-ids", length, isExact } as const];
  return { lessons, remedy: "so its calls go back under ids that it takes" };
}

/** In characters: of fewer, too many calls would share one. */
const shortestId = 8;

function isSame(a: readonly ReasoningEffort[], b: readonly ReasoningEffort[]): boolean {
  return a.length === b.length && a.every((effort) => b.includes(effort));
}

function toolLesson(status: number, words: string, { request, vendor }: Sent): Teaching | null {
  if (status !== 400 && status !== 422) return null;
  const blamed = blamedTools(words, request.tools, vendor.compat);
  if (blamed.length === 0) return null;
  const names = blamed.map(describe).join(", ");
  return {
    lessons: blamed.map((tool) => ({ kind: "tool", name: tool.name, hash: toolHash(tool) })),
    remedy: `so it is asked without the ${blamed.length === 1 ? "tool" : "tools"} ${names}`,
  };
}

function describe({ name, server }: Tool): string {
  return server === null ? name : `${name} of the server ${server}`;
}
