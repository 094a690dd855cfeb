/**
 * What refusals have taught about a model at an address, applied as changes to its vendor's row. fit-request.ts then
 * leaves out what the model refuses, and tells the user, as for any other vendor. Pure.
 */
import type { ReasoningEffort } from "../../conversation/ports.ts";
import type { SamplingName } from "../../conversation/settings/chat-options.ts";
import type { WireApiName } from "../../conversation/settings/vendor-settings.ts";
import { type CallIdRule, type Compat, ordinarySampling } from "../vendors/compat.ts";
import type { Vendor } from "../vendors/vendor.ts";

/** Something that a model turned out to refuse. */
export type RefusedFeature =
  | SamplingName
  | "parallel_tool_calls"
  | "tool_choice"
  | "reasoning_effort"
  /** A reasoning effort together with tools: with tools, the effort `none` is sent. */
  | "effort_with_tools"
  | "reasoning_summary"
  /** Visible thoughts of a model that thinks by default. */
  | "shown_thoughts"
  | "encrypted_reasoning"
  | "cache_control"
  | "prompt_cache_key"
  | "stream_options"
  | "developer_role"
  /** A system prompt, in any role. */
  | "system"
  /** `null` as the text of a response that has only calls. */
  | "null_content"
  /** A question or images directly after tool results. */
  | "user_after_results"
  /** Several calls in one step of the history, or text next to a call. */
  | "joined_calls"
  /** Earlier calls in a request without tools. */
  | "calls_without_tools"
  | "images"
  /** Limits of values in tool schemas. */
  | "schema_limits"
  /** Native tools: calls are written as text instead. */
  | "tools";

export type Lesson =
  | { readonly kind: "api"; readonly api: WireApiName }
  | { readonly kind: "without"; readonly what: RefusedFeature }
  | { readonly kind: "limit-field"; readonly field: Compat["maxTokensField"] }
  | { readonly kind: "efforts"; readonly efforts: readonly ReasoningEffort[] }
  /** The form of call ids that the model behind the address accepts. */
  | ({ readonly kind: "call-ids" } & Pick<CallIdRule, "length" | "isExact">)
  /** Thoughts must be sent back as text with the calls that followed them. */
  | { readonly kind: "thoughts-back" }
  /** Calls must be sent back with their thought signature, or with its placeholder (rules G1–G3). */
  | { readonly kind: "signatures-back" }
  /** The maximum of output tokens. */
  | { readonly kind: "max-output"; readonly tokens: number }
  /** Whether its text begins inside a thought whose opening tag is in the prompt. */
  | { readonly kind: "thinks-first"; readonly is: boolean }
  /** A refused tool; the hash is of its description and schema. */
  | { readonly kind: "tool"; readonly name: string; readonly hash: string };

/** A lesson, where it was learned and when. */
export interface LearnedLesson {
  readonly vendor: string;
  readonly model: string;
  readonly baseUrl: string;
  readonly lesson: Lesson;
  /** ISO 8601. */
  readonly date: string;
}

/** Stores lessons. Bounded: old lessons, and those beyond the limit, are dropped. */
export interface LessonStore {
  /** Oldest first. */
  all(): readonly LearnedLesson[];
  add(learned: readonly LearnedLesson[]): void;
}

/** In milliseconds. Vendors change what they accept, so a lesson is forgotten after this time. */
export const longestKeptMs = 30 * 24 * 3_600_000;
export const mostKept = 200;

/** The lessons that still count, without duplicates, the newest last. */
export function currentLessons(
  all: readonly LearnedLesson[],
  now: number,
): readonly LearnedLesson[] {
  const byKey = new Map<string, LearnedLesson>();
  for (const learned of all) {
    const age = now - Date.parse(learned.date);
    if (!(age <= longestKeptMs)) continue;
    const { vendor, model, baseUrl, lesson } = learned;
    const key = JSON.stringify([vendor, model, baseUrl, lesson]);
    byKey.delete(key);
    byKey.set(key, learned);
  }
  return [...byKey.values()].slice(-mostKept);
}

/** Keeps lessons until the process ends. */
export function createMemoryLessons(): LessonStore {
  let kept: readonly LearnedLesson[] = [];
  return {
    all: () => kept,
    add(learned) {
      kept = currentLessons([...kept, ...learned], Date.now());
    },
  };
}

export interface Trial extends LessonStore {
  /** The request was accepted: stores what was learned so far, and from now on every lesson at once. */
  prove(): void;
}

/** The lessons of one question. They apply to it at once, and to other questions only when proved. */
export function createTrial(store: LessonStore): Trial {
  let tried: readonly LearnedLesson[] = [];
  let isProved = false;
  return {
    all: () => [...store.all(), ...tried],
    add(learned) {
      if (isProved) store.add(learned);
      else tried = [...tried, ...learned];
    },
    prove() {
      isProved = true;
      if (tried.length > 0) store.add(tried);
      tried = [];
    },
  };
}

/** The lessons about one model at one address. */
export function lessonsFor(
  store: LessonStore,
  about: Pick<LearnedLesson, "vendor" | "model" | "baseUrl">,
): readonly Lesson[] {
  return currentLessons(store.all(), Date.now())
    .filter(
      ({ vendor, model, baseUrl }) =>
        vendor === about.vendor && model === about.model && baseUrl === about.baseUrl,
    )
    .map(({ lesson }) => lesson);
}

/** The API that was learned last; null if none was. */
export function learnedApi(lessons: readonly Lesson[]): WireApiName | null {
  return lessons.findLast((lesson) => lesson.kind === "api")?.api ?? null;
}

/** The vendor with the lessons applied. */
export function taughtVendor(vendor: Vendor, lessons: readonly Lesson[]): Vendor {
  return lessons.length === 0
    ? vendor
    : { ...vendor, compat: taughtCompat(vendor.compat, lessons) };
}

/** By the vendor's own: what was made ahead of a request is for one object. */
const taught = new WeakMap<Compat, { readonly by: string; readonly compat: Compat }>();

function taughtCompat(own: Compat, lessons: readonly Lesson[]): Compat {
  const by = JSON.stringify(lessons);
  const known = taught.get(own);
  if (known?.by === by) return known.compat;
  const applied = lessons.reduce(applyLesson, own);
  const isSentBack =
    learnedApi(lessons) === "openai-chat" &&
    lessons.some((lesson) => lesson.kind === "api" && lesson.api === "openai-responses");
  // A refusal pointed to the Responses API, for an effort with tools, but the address does not have that API.
  const compat = isSentBack ? without(applied, "effort_with_tools") : applied;
  taught.set(own, { by, compat });
  return compat;
}

/** Moonshot refuses empty thoughts but accepts a blank (earendil-works/pi#4179, theopenco/llmgateway#2093). */
const thoughtsBack = { echoRequired: true, noThoughts: " " } as const;

function applyLesson(compat: Compat, lesson: Lesson): Compat {
  switch (lesson.kind) {
    case "api":
      return compat;
    case "without":
      return without(compat, lesson.what);
    case "limit-field":
      return { ...compat, maxTokensField: lesson.field };
    case "efforts":
      return { ...compat, reasoning: { ...compat.reasoning, efforts: [[/^/, lesson.efforts]] } };
    case "call-ids": {
      const { length, isExact } = lesson;
      return { ...compat, callIds: { length, isExact, keepsMeaning: false } };
    }
    case "thoughts-back": {
      const { reasoning } = compat;
      const isOwn = reasoning.echo === "reasoning_details" || reasoning.echo === "thinking-blocks";
      const echo = isOwn ? reasoning.echo : "reasoning_content";
      return { ...compat, reasoning: { ...reasoning, ...thoughtsBack, echo } };
    }
    case "signatures-back": {
      const back = { echo: "extra_content", echoRequired: true } as const;
      return { ...compat, reasoning: { ...compat.reasoning, ...back } };
    }
    case "max-output":
      return { ...compat, maxOutput: lesson.tokens };
    case "thinks-first":
      return { ...compat, reasoning: { ...compat.reasoning, thinksFirst: lesson.is } };
    case "tool":
      return { ...compat, refusedTools: [...compat.refusedTools, lesson] };
  }
}

/** Whether it is one of the parameters in a request's `sampling`. */
export function isSampling(what: RefusedFeature): what is SamplingName {
  return Object.hasOwn(ordinarySampling, what);
}

function without(compat: Compat, what: RefusedFeature): Compat {
  if (isSampling(what)) return { ...compat, sampling: { ...compat.sampling, [what]: false } };
  const { reasoning } = compat;
  switch (what) {
    case "parallel_tool_calls":
      return { ...compat, parallelField: null };
    case "tool_choice":
      return { ...compat, toolChoices: [] };
    case "reasoning_effort":
      return { ...compat, reasoning: { ...reasoning, efforts: [], shownUnasked: false } };
    case "effort_with_tools":
      return { ...compat, reasoning: { ...reasoning, noneWithTools: true } };
    case "reasoning_summary":
      return { ...compat, reasoning: { ...reasoning, summary: false } };
    case "shown_thoughts":
      return { ...compat, reasoning: { ...reasoning, shownUnasked: false } };
    case "encrypted_reasoning":
      return { ...compat, reasoning: { ...reasoning, encrypted: false } };
    case "cache_control":
    case "prompt_cache_key":
      return { ...compat, caching: "automatic", cacheMark: false };
    case "stream_options":
      return { ...compat, usageInStream: false };
    case "developer_role":
      return { ...compat, developerRole: false };
    case "system":
      return { ...compat, takesSystem: false };
    case "null_content":
      return { ...compat, noText: "" };
    case "user_after_results":
      return { ...compat, assistantAfterResults: true };
    case "joined_calls":
      return { ...compat, callsAlone: true };
    case "calls_without_tools":
      return { ...compat, standInTool: true };
    case "schema_limits":
      return { ...compat, looseSchemas: true };
    case "images":
      return { ...compat, vision: false };
    case "tools":
      return { ...compat, nativeTools: false };
    default:
      // Stored by a later version of Parley.
      return compat;
  }
}
