/**
 * Finds the field, or the form of the history, that a refusal is about: one row for each thing that models refuse. A
 * row matches only if the request contained the thing, so that every lesson changes the next request. Pure.
 */
import type { ModelRequest } from "../../conversation/ports.ts";
import { type SamplingName, samplingNames } from "../../conversation/settings/chat-options.ts";
import type { WireApiName } from "../../conversation/settings/vendor-settings.ts";
import { isUnseen } from "../../shared/well-formed.ts";
import { hasLimits } from "../request/loose-schema.ts";
import { modernSchema } from "../request/modern-schema.ts";
import { effortsOf, fits } from "../vendors/compat.ts";
import type { Vendor } from "../vendors/vendor.ts";
import { isSampling, type Lesson, type RefusedFeature } from "./lessons.ts";

/** The refused request, and how it was sent. */
export interface SentRequest {
  /** Fitted to the vendor. */
  readonly request: ModelRequest;
  /** With the lessons so far applied. */
  readonly vendor: Vendor;
  readonly api: WireApiName;
  /** Whether the user chose the API. */
  readonly isApiChosen: boolean;
}

export interface Teaching {
  readonly lessons: readonly Lesson[];
  /** What Parley does about it, as the end of a sentence: `so it is asked by …`. */
  readonly remedy: string;
}

/** Texts saying that something is not supported at all, rather than that its value is wrong. */
const notTaken =
  /unsupported|not (?:yet )?supported|n[o']t support|unknown|unrecogni[sz]ed|unexpected|not (?:permitted|allowed|available|enabled|compatible|accepted)|extra (?:inputs|fields)|does not (?:take|accept)|no longer|deprecated|cannot (?:both )?be (?:used|set|specified)|invalid (?:message )?role|incompatible|only supported|that support|only \S+ is allowed|supported string values/i;

interface Row {
  readonly what: RefusedFeature;
  /** Matches texts about it. */
  readonly words: RegExp;
  /** Whether the request contained it. */
  isSent(sent: SentRequest): boolean;
  /** Whether such a text is enough, without one of `notTaken`. */
  readonly saysAll?: true;
  /** Matches texts about a particular value in this request, which say nothing about the next one. */
  readonly unless?: RegExp;
}

/** Models that accept images still refuse a broken, large or unusual one, or one too many. */
const oneImage =
  /multiple images|more than \w+ image|too many|image count|exceed|unsupported image|image (?:format|type|data|size)|media.?type|dimensions?|\bpixels?\b|base64|\burls?\b|following formats/i;

/** The text is too long, or it is about a tool's parameter of that name. */
const otherContent =
  /too long|\blength\b|properties['"]?[.,[/]|schema for (?:function|tool)|input_schema|\.parameters\b/i;

/** The server supports tool results, but one of them lacks something (Groq: “for 'role:tool' the following must …”). */
const aboutOneResult = /must be (?:a response|satisfied)|tool_call_id/i;

/** The server cannot turn a tool's schema into a grammar, but does not say whose. */
const noGrammar = /pars(?:e|ing) grammar|schema conversion failed/;

/** More specific rows come first. */
const rows: readonly Row[] = [
  {
    // Schemas become a grammar at llama.cpp and LM Studio (ggml-org/llama.cpp#26596) and at Google
    // (googleapis/python-genai#660), which limits of values make too large, or impossible.
    what: "schema_limits",
    words: new RegExp(`${noGrammar.source}|too many states`, "i"),
    isSent: ({ vendor, request, ...sent }) =>
      !vendor.compat.looseSchemas &&
      hasTools({ vendor, request, ...sent }) &&
      request.tools.some(({ inputSchema }) => hasLimits(modernSchema(inputSchema))),
    saysAll: true,
  },
  {
    what: "tools",
    words: new RegExp(
      `enable-auto-tool-choice|tool-call-parser|tools param requires|${noGrammar.source}`,
      "i",
    ),
    isSent: hasTools,
    saysAll: true,
  },
  {
    what: "tools",
    words:
      /(?:support|allow|enable)\w{0,10} (?:for )?(?:tools?\b(?! choice)|tool use|tool calling|functions?\b)|(?<!parallel )\b(?:tools?|tool.use|tool calls?|tool calling|function calling|functions)\b (?:is|are) (?:not|un)/i,
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
    isSent: ({ request: { sampling = {} } }: SentRequest) => Object.hasOwn(sampling, what),
  })),
  {
    what: "parallel_tool_calls",
    words: /parallel.(?:tool.calls?|function.calling)|disable_parallel_tool_use/i,
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
    words:
      /\b(?:system|developer)'? (?:role|instruction|prompt|message|with)|\brole:? ['"`]?system\b/i,
    isSent: ({ request }) => !isUnseen(request.system),
  },
  {
    what: "images",
    words: /\bimages?\b|image_url|vision|multi.?modal/i,
    isSent: hasImages,
    unless: oneImage,
  },
  {
    // Texts of vLLM and Ollama.
    what: "images",
    words: /at most 0 image|not a multi.?modal|missing data required for image/i,
    isSent: hasImages,
    saysAll: true,
  },
  {
    // Mistral's models behind other servers, from their chat template.
    what: "user_after_results",
    words:
      /roles? must alternate|role '?user'? after role '?tool|expected last role|tool result blocks cannot/i,
    isSent: (sent) => isChat(sent) && hasCalls(sent) && !sent.vendor.compat.assistantAfterResults,
    saysAll: true,
  },
  {
    // From Llama's chat template, Mistral's tokenizer, and Bedrock's Converse API for both.
    what: "joined_calls",
    words:
      /single tool.?calls? at once|only one tool.?call|parallel (?:tool|function).?call|tool_calls, but not both|tool use blocks cannot/i,
    isSent: (sent) => isChat(sent) && !sent.vendor.compat.callsAlone && hasJoinedCalls(sent),
    saysAll: true,
  },
  {
    // A chat template or a model without support for tool results, such as Gemma's.
    what: "tools",
    words:
      /roles? must alternate|should alternate|only user and assistant roles|(?:unexpected|invalid|unknown|unsupported) (?:message )?role|support 'tool'/i,
    isSent: (sent) => isChat(sent) && hasCalls(sent) && takesTools(sent),
    saysAll: true,
    unless: aboutOneResult,
  },
  {
    what: "tools",
    words: /\brole\W{1,3}tool\b/i,
    isSent: (sent) => isChat(sent) && hasCalls(sent) && takesTools(sent),
    unless: aboutOneResult,
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
    // Texts of LM Studio, Cloudflare, Mistral's own server, and others (earendil-works/pi#8118).
    what: "null_content",
    words:
      /\bcontent\b.{0,200}(?:<nil>|\bnull\b|\bNone\b|\bstring\b|required)|(?:\bnull\b|\bNone\b|\bstring\b).{0,200}\bcontent\b|str \(not "NoneType"\)/i,
    isSent: (sent) => isChat(sent) && sent.vendor.compat.noText === null && hasCallsAlone(sent),
    saysAll: true,
    unless: otherContent,
  },
  {
    // Servers that accept only plain text. If a step had only calls, the row above is tried first: it loses nothing.
    what: "images",
    words: /\bcontent\W{0,3} (?:field )?must be a string(?! or)/i,
    isSent: hasImages,
    saysAll: true,
  },
];

function isChat({ api }: SentRequest): boolean {
  return api === "openai-chat";
}

function hasCalls({ request }: SentRequest): boolean {
  return request.messages.some(({ role }) => role === "tool");
}

function hasCallsAlone({ request }: SentRequest): boolean {
  return request.messages.some(
    (message) =>
      message.role === "assistant" && message.content.every(({ type }) => type === "tool-call"),
  );
}

/** Several calls in one step, or text next to a call. */
function hasJoinedCalls({ request }: SentRequest): boolean {
  return request.messages.some(
    (message) =>
      message.role === "assistant" &&
      message.content.length > 1 &&
      message.content.some(({ type }) => type === "tool-call"),
  );
}

function hasTools(sent: SentRequest): boolean {
  return sent.request.tools.length > 0 && takesTools(sent);
}

/** False if calls were sent as text. */
function takesTools({ request, vendor }: SentRequest): boolean {
  return fits(vendor.compat.nativeTools, request.model.id);
}

function hasImages({ request }: SentRequest): boolean {
  return request.messages.some((message) => {
    if (message.role === "user") return message.content.some(({ type }) => type === "image");
    if (message.role !== "tool") return false;
    return message.results.some(({ content }) => content.some(({ type }) => type === "image"));
  });
}

/** Null if the refusal is about none of these. */
export function fieldLesson(status: number, words: string, sent: SentRequest): Teaching | null {
  // OpenRouter sends 404 if no server supports the request; any other 404 is about a model or an address.
  if (status === 404 && !/support/i.test(words)) return null;
  const isRefused = notTaken.test(words);
  const field = sent.vendor.compat.maxTokensField;
  if (isRefused && sent.api === "openai-chat" && sent.request.maxOutputTokens !== undefined) {
    if (new RegExp(`\\b${field}\\b`).test(words)) {
      const other = field === "max_tokens" ? "max_completion_tokens" : "max_tokens";
      const lessons = [{ kind: "limit-field", field: other } as const];
      return { lessons, remedy: `so the limit is sent as ${other}` };
    }
  }
  const row = rows.find(
    ({ words: about, isSent, saysAll, unless }) =>
      (isRefused || saysAll) && about.test(words) && !unless?.test(words) && isSent(sent),
  );
  return row === undefined ? null : teach(row.what);
}

const remedies: Readonly<Record<Exclude<RefusedFeature, SamplingName>, string>> = {
  parallel_tool_calls: "so the request does not mention parallel calls",
  tool_choice: "so the model chooses its tools itself",
  reasoning_effort: "so it is asked without a reasoning effort",
  effort_with_tools: "so with tools it is asked to answer without reasoning",
  reasoning_summary: "so its thoughts are not shown",
  shown_thoughts: "so its thoughts are not shown",
  encrypted_reasoning: "so its thoughts are not kept between calls",
  cache_control: "so the request does not mention caching",
  prompt_cache_key: "so the request does not mention caching",
  stream_options: "so usage is not requested",
  developer_role: "so the system prompt is sent as system",
  system: "so the system prompt is sent with the first question",
  null_content: "so a step without text is sent with an empty one",
  user_after_results: "so a short answer is put between results and the next message",
  joined_calls: "so each earlier call is sent separately",
  calls_without_tools: "so a tool that does nothing is offered, since the chat has earlier calls",
  images: "so images are left out",
  schema_limits: "so the schemas of tools are sent without limits such as patterns and lengths",
  tools: "so calls are sent as text",
};

/** The lesson that something must be left out. */
export function teach(what: RefusedFeature): Teaching {
  const remedy = isSampling(what) ? `so it is asked without ${what}` : remedies[what];
  return { lessons: [{ kind: "without", what }], remedy };
}
