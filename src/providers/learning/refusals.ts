/**
 * Derives lessons from a refusal's text and the field that it names: another API, another value, what must be sent
 * back, a limit, ids, a field or a form of the history (`refused-fields.ts`), tools. Pure.
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
import { fieldLesson, type SentRequest, type Teaching, teach } from "./refused-fields.ts";

/** Null if the refusal is about something that cannot be left out. */
export function lessonOf(failure: Failure, sent: SentRequest): Teaching | null {
  const { status = 0, said = "", parameter = "", kind } = failure;
  // `bad-stream` is about the model's own output, for which the request is not to blame.
  const isRefusal = [400, 404, 405, 422, 501].includes(status);
  // Without a status, the refusal arrived within the stream.
  const isReportedError = kind === "invalid-request" && (status === 500 || status === 0);
  if (kind === "bad-stream" || !(isRefusal || isReportedError)) return null;
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

/** The model is only available through another API, or the address does not have this one. */
function apiLesson(status: number, words: string, sent: SentRequest): Teaching | null {
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

/** The effort was refused, and the text lists the accepted ones or says that the model always thinks. */
function valueLesson(words: string, { request, vendor }: SentRequest): Teaching | null {
  const { reasoningEffort: wanted, model } = request;
  if (wanted === undefined) return null;
  const known = effortsOf(vendor.compat, model.id);
  const efforts = takenEfforts(words, wanted, known);
  if (efforts.length === 0 || isSame(efforts, known)) return null;
  // A lower effort replaces the requested one, but `none` would be no replacement.
  if (wanted !== "none" && efforts.every((effort) => effort === "none"))
    return teach("reasoning_effort");
  return { lessons: [{ kind: "efforts", efforts }], remedy: "so the nearest effort is requested" };
}

/** OpenRouter's and Google's texts about models that always think. */
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
 * Kimi, DeepSeek and other servers for models that think between calls say “reasoning_content is missing in
 * assistant …”, also about finished answers. Gemini behind a self-hosted server misses the signatures of earlier calls.
 */
function thoughtsLesson(words: string, { api, vendor, request }: SentRequest): Teaching | null {
  const { echo, echoRequired } = vendor.compat.reasoning;
  const isRequired = fits(echoRequired, request.model.id);
  if (missesThoughts.test(words) && (!isRequired || echo === "extra_content")) {
    const lessons = [{ kind: "thoughts-back" } as const];
    return { lessons, remedy: "so its thoughts are sent back with its calls" };
  }
  const isKnown = api !== "openai-chat" || (echo === "extra_content" && isRequired);
  if (isKnown || !missesSignature.test(words)) return null;
  const lessons = [{ kind: "signatures-back" } as const];
  return { lessons, remedy: "so calls are sent back with Gemini's thought signatures" };
}

/**
 * Anthropic's API requires an output limit, and other models behind it accept less than our default (“Range of
 * max_tokens should be [1, 8192]”). A limit that the user chose is left for the user to change.
 */
function limitLesson(words: string, { api, vendor, request }: SentRequest): Teaching | null {
  if (api !== "anthropic-messages" || request.maxOutputTokens !== undefined) return null;
  // Texts about the context window count the input, too, so their numbers are not output limits.
  if (!/\bmax_tokens\b/.test(words) || /at least|minimum|context|input|prompt/i.test(words))
    return null;
  const sent = anthropicMaxTokens(request, vendor.compat);
  // Removes the comma from `8,192`, but not from a list such as `[256,512]`.
  const whole = words.replace(/(?<!\[)\b\d{1,3}(?:,\d{3}){1,2}\b/g, (number) =>
    number.replaceAll(",", ""),
  );
  // Skips words with letters: names of models contain numbers, too.
  const plain = whole.match(/\w+(?:[.-]\w+)*/g)?.filter((word) => !/[a-z]/i.test(word)) ?? [];
  const numbers = plain.join(" ").match(/\d+/g) ?? [];
  const tokens = Math.max(0, ...numbers.map(Number).filter((number) => number < sent));
  if (tokens < fewestTokens) return null;
  const lessons = [{ kind: "max-output", tokens } as const];
  return { lessons, remedy: `so at most ${tokens} output tokens are requested` };
}

/** In output tokens; a smaller number means something else. */
const fewestTokens = 256;

/**
 * Mistral's models require ids of nine letters behind any server, because of its API and their chat templates
 * (rule M1); gateways to Claude allow only letters (“tool_use.id: String should match pattern”); others limit the
 * length. The Responses API has one rule for all models (rule P4).
 */
function idLesson(words: string, { api, vendor: { compat } }: SentRequest): Teaching | null {
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
  return { lessons, remedy: "so its calls are sent back with other ids" };
}

/** In characters: with fewer, too many calls would share an id. */
const shortestId = 8;

function isSame(a: readonly ReasoningEffort[], b: readonly ReasoningEffort[]): boolean {
  return a.length === b.length && a.every((effort) => b.includes(effort));
}

function toolLesson(
  status: number,
  words: string,
  { request, vendor }: SentRequest,
): Teaching | null {
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
