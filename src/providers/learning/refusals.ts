/**
 * What a refusal teaches: one row for each thing that models refuse, read from the vendor's own words and the field
 * that it names. A row counts only when the request had the thing, so that a lesson always changes the next one. Pure.
 */
import {
  type Failure,
  type ModelRequest,
  type ReasoningEffort,
  reasoningEfforts,
  type Tool,
} from "../../conversation/ports.ts";
import { type SamplingName, samplingNames } from "../../conversation/settings/chat-options.ts";
import type { WireApiName } from "../../conversation/settings/vendor-settings.ts";
import { isUnseen } from "../../shared/well-formed.ts";
import { anthropicMaxTokens } from "../request/model-limits.ts";
import { toolHash } from "../request/tool-schema.ts";
import { effortsOf, fits } from "../vendors/compat.ts";
import type { Vendor } from "../vendors/vendor.ts";
import { blamedTools, withoutTools } from "./blamed-tools.ts";
import { isSampling, type Lesson, type Unwanted } from "./lessons.ts";
import { missesSignature, missesThoughts, otherApi } from "./refusal-words.ts";

/** What was sent, and how. */
interface Sent {
  /** As it fits the vendor. */
  readonly request: ModelRequest;
  /** With the lessons so far. */
  readonly vendor: Vendor;
  readonly api: WireApiName;
  /** Whether the person chose the API. */
  readonly isApiChosen: boolean;
}

export interface Teaching {
  readonly lessons: readonly Lesson[];
  /** What is done about it, as the end of a sentence: `so it is asked by …`. */
  readonly remedy: string;
}

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
      return { lessons, remedy: "so it is asked by the Responses API" };
    }
    const isEffort = /reasoning_effort/.test(words) && !vendor.compat.reasoning.noneWithTools;
    return isEffort && request.tools.length > 0 ? teach("effort_with_tools") : null;
  }
  const isMissing =
    [404, 405, 501].includes(status) && (words.trim() === "" || !/\bmodel\b/i.test(words));
  if (api === "openai-responses" && isMissing && !isApiChosen) {
    const lessons = [{ kind: "api", api: "openai-chat" } as const];
    return { lessons, remedy: "so it is asked by chat completions" };
  }
  return null;
}

/** A value that the model does not know, where it names those that it knows. */
function valueLesson(words: string, { request, vendor }: Sent): Teaching | null {
  if (request.reasoningEffort === undefined || !/effort/i.test(words)) return null;
  const list = /supported values (?:are|is):?(.*)/i.exec(words)?.[1] ?? "";
  const named = new Set(list.match(/\b[a-z]+\b/g) ?? []);
  const efforts = reasoningEfforts.filter((effort) => named.has(effort));
  const known = effortsOf(vendor.compat, request.model.id);
  if (efforts.length === 0 || isSame(efforts, known)) return null;
  return { lessons: [{ kind: "efforts", efforts }], remedy: "so the nearest effort is asked for" };
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
 * Mistral's models want ids of nine letters behind any server (rule M1), gateways to Claude want letters alone
 * (“tool_use.id: String should match pattern”), others fewer. The Responses API has one rule for all (rule P4).
 */
function idLesson(words: string, { api, vendor: { compat } }: Sent): Teaching | null {
  if (api === "openai-responses") return null;
  if (!/\btool.?(?:call|use)s?\b.{0,30}\bid\b|tool_call_id/i.test(words)) return null;
  const exact = Number(/length of (\d{1,2})\b/i.exec(words)?.[1]);
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

/** Words that say that a thing is not taken at all, not that its value is wrong. */
const notTaken =
  /unsupported|not (?:yet )?supported|n[o']t support|unknown|unrecogni[sz]ed|unexpected|not (?:permitted|allowed|available|enabled|compatible|accepted)|extra (?:inputs|fields)|does not (?:take|accept)|no longer|deprecated|cannot (?:both )?be (?:used|set|specified)|incompatible|only supported|that support|only \S+ is allowed|supported string values/i;

interface Row {
  readonly what: Unwanted;
  /** Whether the words are about it. */
  readonly words: RegExp;
  /** Whether the request had it. */
  isSent(sent: Sent): boolean;
  /** Whether the words say enough without those of `notTaken`. */
  readonly saysAll?: true;
  /** Words that are about what this request had of it, and say nothing of the next one's. */
  readonly unless?: RegExp;
}

/** A broken, large or odd image, or one more than it takes, is refused by models that see others. */
const oneImage =
  /multiple images|more than \w+ image|too many|image count|exceed|unsupported image|image (?:format|type|data|size)|media.?type|dimensions?|\bpixels?\b|base64|\burls?\b|following formats/i;

/** A text that is too long, or what a tool takes under that name. */
const otherContent =
  /too long|\blength\b|properties['"]?[.,[/]|schema for (?:function|tool)|input_schema|\.parameters\b/i;

/** The more exact ones first. */
const rows: readonly Row[] = [
  {
    what: "tools",
    words: /enable-auto-tool-choice|tool-call-parser|tools param requires/i,
    isSent: hasTools,
    saysAll: true,
  },
  {
    what: "tools",
    words:
      /(?:support|allow|enable)\w{0,10} (?:for )?(?:tools?\b(?! choice)|tool use|tool calling|functions?\b)|\b(?:tools?|tool use|tool calling|function calling|functions)\b (?:is|are) (?:not|un)/i,
    isSent: hasTools,
  },
  {
    what: "reasoning_summary",
    words: /reasoning.?summar/i,
    isSent: ({ api, vendor, request }) =>
      api === "openai-responses" &&
      request.reasoningEffort !== undefined &&
      fits(vendor.compat.reasoning.summary, request.model.id),
    saysAll: true,
  },
  {
    what: "encrypted_reasoning",
    words: /encrypted.?content|\binclude\b/i,
    isSent: ({ api, vendor, request }) =>
      api === "openai-responses" && fits(vendor.compat.reasoning.encrypted, request.model.id),
  },
  ...samplingNames.map((what) => ({
    what,
    words: new RegExp(`\\b${what.replaceAll("_", "_?")}\\b`, "i"),
    isSent: ({ request: { sampling = {} } }: Sent) => Object.hasOwn(sampling, what),
  })),
  {
    what: "parallel_tool_calls",
    words: /parallel_(?:tool_calls|function_calling)|disable_parallel_tool_use/i,
    isSent: ({ request }) => request.parallelToolCalls !== undefined,
  },
  {
    what: "tool_choice",
    words: /tool_?choice/i,
    isSent: ({ request }) => request.toolChoice !== undefined,
  },
  {
    what: "reasoning_effort",
    words: /reasoning|effort|thinking|output_config|extra_body/i,
    isSent: ({ request, vendor }) =>
      request.reasoningEffort !== undefined &&
      effortsOf(vendor.compat, request.model.id).length > 0,
  },
  {
    what: "shown_thoughts",
    words: /thinking/i,
    isSent: ({ request, vendor }) =>
      request.reasoningEffort === undefined &&
      fits(vendor.compat.reasoning.shownUnasked, request.model.id),
  },
  {
    what: "cache_control",
    words: /cache_control|ephemeral/i,
    isSent: ({ vendor, request }) =>
      vendor.compat.caching === "cache_control" || fits(vendor.compat.cacheMark, request.model.id),
  },
  {
    what: "prompt_cache_key",
    words: /prompt_cache_key/i,
    isSent: ({ vendor }) => vendor.compat.caching === "prompt_cache_key",
  },
  {
    what: "stream_options",
    words: /stream_options|include_usage/i,
    isSent: ({ vendor }) => vendor.compat.usageInStream,
  },
  {
    what: "developer_role",
    words: /\bdeveloper\b/i,
    isSent: ({ vendor, request }) => fits(vendor.compat.developerRole, request.model.id),
    saysAll: true,
  },
  {
    what: "system",
    words: /\b(?:system|developer)'? (?:role|instruction|prompt|message|with)/i,
    isSent: ({ request }) => !isUnseen(request.system),
  },
  {
    what: "images",
    words: /\bimages?\b|image_url|vision|multi.?modal/i,
    isSent: hasImages,
    unless: oneImage,
  },
  {
    // Mistral's models behind other servers, by their template.
    what: "user_after_results",
    words: /roles? must alternate|role '?user'? after role '?tool|expected last role/i,
    isSent: (sent) => isChat(sent) && hasCalls(sent) && !sent.vendor.compat.assistantAfterResults,
    saysAll: true,
  },
  {
    // A template that knows no results at all, such as Gemma's.
    what: "tools",
    words: /roles? must alternate/i,
    isSent: (sent) => isChat(sent) && hasCalls(sent) && takesTools(sent),
    saysAll: true,
  },
  {
    what: "calls_without_tools",
    words: /\btoolConfig\b|tools?=?`? (?:param|field)\w* (?:must be|is required|specified)/i,
    isSent: ({ vendor, request, ...sent }) =>
      hasCalls({ vendor, request, ...sent }) &&
      request.tools.length === 0 &&
      !vendor.compat.standInTool,
    saysAll: true,
  },
  {
    // LM Studio, Cloudflare, Mistral's own server, and others (earendil-works/pi#8118).
    what: "null_content",
    words:
      /\bcontent\b.{0,200}(?:<nil>|\bnull\b|\bNone\b|\bstring\b|required)|(?:\bnull\b|\bNone\b|\bstring\b).{0,200}\bcontent\b|str \(not "NoneType"\)/i,
    isSent: (sent) => isChat(sent) && sent.vendor.compat.noText === null && hasCallsAlone(sent),
    saysAll: true,
    unless: otherContent,
  },
];

function isChat({ api }: Sent): boolean {
  return api === "openai-chat";
}

function hasCalls({ request }: Sent): boolean {
  return request.messages.some(({ role }) => role === "tool");
}

function hasCallsAlone({ request }: Sent): boolean {
  return request.messages.some(
    (message) =>
      message.role === "assistant" && message.content.every(({ type }) => type === "tool-call"),
  );
}

function hasTools(sent: Sent): boolean {
  return sent.request.tools.length > 0 && takesTools(sent);
}

/** Otherwise calls went as text. */
function takesTools({ request, vendor }: Sent): boolean {
  return fits(vendor.compat.nativeTools, request.model.id);
}

function hasImages({ request }: Sent): boolean {
  return request.messages.some((message) => {
    if (message.role === "user") return message.content.some(({ type }) => type === "image");
    if (message.role !== "tool") return false;
    return message.results.some(({ content }) => content.some(({ type }) => type === "image"));
  });
}

function fieldLesson(status: number, words: string, sent: Sent): Teaching | null {
  // OpenRouter says 404 where no server has what is asked for; else that is a model or an address.
  if (status === 404 && !/support/i.test(words)) return null;
  const isRefused = notTaken.test(words);
  const field = sent.vendor.compat.maxTokensField;
  if (isRefused && sent.api === "openai-chat" && sent.request.maxOutputTokens !== undefined) {
    if (new RegExp(`\\b${field}\\b`).test(words)) {
      const other = field === "max_tokens" ? "max_completion_tokens" : "max_tokens";
      const lessons = [{ kind: "limit-field", field: other } as const];
      return { lessons, remedy: `so the limit goes as ${other}` };
    }
  }
  const row = rows.find(
    ({ words: about, isSent, saysAll, unless }) =>
      (isRefused || saysAll) && about.test(words) && !unless?.test(words) && isSent(sent),
  );
  return row === undefined ? null : teach(row.what);
}

const remedies: Readonly<Record<Exclude<Unwanted, SamplingName>, string>> = {
  parallel_tool_calls: "so nothing is said of parallel calls",
  tool_choice: "so the model chooses its tools itself",
  reasoning_effort: "so it is asked without a reasoning effort",
  effort_with_tools: "so beside tools it is asked to answer without reasoning",
  reasoning_summary: "so its thoughts are not shown",
  shown_thoughts: "so its thoughts are not shown",
  encrypted_reasoning: "so its thoughts are not kept between calls",
  cache_control: "so nothing is said of caching",
  prompt_cache_key: "so nothing is said of caching",
  stream_options: "so usage is not asked for",
  developer_role: "so the system prompt goes as system",
  system: "so the system prompt goes with the first question",
  null_content: "so a step without words goes with an empty text",
  user_after_results: "so a word of the assistant goes between results and what follows",
  calls_without_tools: "so a tool that does nothing is offered beside earlier calls",
  images: "so images are left out",
  tools: "so calls go as text",
};

function teach(what: Unwanted): Teaching {
  const remedy = isSampling(what) ? `so it is asked without ${what}` : remedies[what];
  return { lessons: [{ kind: "without", what }], remedy };
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
