/**
 * What refusals have taught about a model at an address, as changes to its vendor's row: so that what is not taken
 * is left out, and said, where everything else is (fit-request.ts). Pure.
 */
import type { ReasoningEffort } from "../../conversation/ports.ts";
import type { SamplingName } from "../../conversation/settings/chat-options.ts";
import type { WireApiName } from "../../conversation/settings/vendor-settings.ts";
import { type CallIdRule, type Compat, ordinarySampling } from "../vendors/compat.ts";
import type { Vendor } from "../vendors/vendor.ts";

/** What a model was found not to take. */
export type Unwanted =
  | SamplingName
  | "parallel_tool_calls"
  | "tool_choice"
  | "reasoning_effort"
  /** An effort beside tools: there, none at all is asked for. */
  | "effort_with_tools"
  | "reasoning_summary"
  /** Thoughts of a model that thinks unasked. */
  | "shown_thoughts"
  | "encrypted_reasoning"
  | "cache_control"
  | "prompt_cache_key"
  | "stream_options"
  | "developer_role"
  /** A system text, whatever its role. */
  | "system"
  /** Null for the text of a response that is calls alone. */
  | "null_content"
  /** A question, or images, directly behind results. */
  | "user_after_results"
  /** Several calls in one step of the history, or a text beside one. */
  | "joined_calls"
  /** Earlier calls in a request without tools. */
  | "calls_without_tools"
  | "images"
  /** Tools by the API: calls are written as text. */
  | "tools";

export type Lesson =
  | { readonly kind: "api"; readonly api: WireApiName }
  | { readonly kind: "without"; readonly what: Unwanted }
  | { readonly kind: "limit-field"; readonly field: Compat["maxTokensField"] }
  | { readonly kind: "efforts"; readonly efforts: readonly ReasoningEffort[] }
  /** Ids of calls as the model behind the address takes them. */
  | ({ readonly kind: "call-ids" } & Pick<CallIdRule, "length" | "isExact">)
  /** Thoughts have to come back as text with the calls that followed them. */
  | { readonly kind: "thoughts-back" }
  /** Calls have to come back with their thought signature, or the word that stands for one (rules G1–G3). */
  | { readonly kind: "signatures-back" }
  /** Most tokens of output. */
  | { readonly kind: "max-output"; readonly tokens: number }
  /** Its text begins within a thought, whose opening tag stands in the prompt; or no longer. */
  | { readonly kind: "thinks-first"; readonly is: boolean }
  /** A tool that was refused, as it was: a hash of its description and schema. */
  | { readonly kind: "tool"; readonly name: string; readonly hash: string };

/** A lesson, where it was learned and when. */
export interface Learned {
  readonly vendor: string;
  readonly model: string;
  readonly baseUrl: string;
  readonly lesson: Lesson;
  /** ISO 8601. */
  readonly date: string;
}

/** Where lessons are kept. Bounded: what is old or too much is dropped. */
export interface LessonStore {
  /** Oldest first. */
  all(): readonly Learned[];
  add(learned: readonly Learned[]): void;
}

/** Vendors change what they take, so a lesson is tried again after so long, in milliseconds. */
export const longestKeptMs = 30 * 24 * 3_600_000;
export const mostKept = 200;

/** The lessons that still count, each once and the newest last. */
export function currentLessons(all: readonly Learned[], now: number): readonly Learned[] {
  const byKey = new Map<string, Learned>();
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

/** For the life of the process alone. */
export function createMemoryLessons(): LessonStore {
  let kept: readonly Learned[] = [];
  return {
    all: () => kept,
    add(learned) {
      kept = currentLessons([...kept, ...learned], Date.now());
    },
  };
}

export interface Trial extends LessonStore {
  /** The request was accepted: what was learned so far goes into the store, and so does what comes later. */
  prove(): void;
}

/** What one question teaches: it counts for that question at once, and for others when it is proved. */
export function createTrial(store: LessonStore): Trial {
  let tried: readonly Learned[] = [];
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
  about: Pick<Learned, "vendor" | "model" | "baseUrl">,
): readonly Lesson[] {
  return currentLessons(store.all(), Date.now())
    .filter(
      ({ vendor, model, baseUrl }) =>
        vendor === about.vendor && model === about.model && baseUrl === about.baseUrl,
    )
    .map(({ lesson }) => lesson);
}

/** The API that was learned last; null: none was. */
export function learnedApi(lessons: readonly Lesson[]): WireApiName | null {
  return lessons.findLast((lesson) => lesson.kind === "api")?.api ?? null;
}

/** The vendor as the lessons say that it is. */
export function taughtVendor(vendor: Vendor, lessons: readonly Lesson[]): Vendor {
  if (lessons.length === 0) return vendor;
  const compat = lessons.reduce(applyLesson, vendor.compat);
  const isSentBack =
    learnedApi(lessons) === "openai-chat" &&
    lessons.some((lesson) => lesson.kind === "api" && lesson.api === "openai-responses");
  // It asked for the API that takes an effort beside tools, and the address has no such API.
  return { ...vendor, compat: isSentBack ? without(compat, "effort_with_tools") : compat };
}

/** Moonshot takes no empty text for thoughts, and a blank one (earendil-works/pi#4179, theopenco/llmgateway#2093). */
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

/** Whether it is one of the numbers that a request's `sampling` may hold. */
export function isSampling(what: Unwanted): what is SamplingName {
  return Object.hasOwn(ordinarySampling, what);
}

function without(compat: Compat, what: Unwanted): Compat {
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
    case "images":
      return { ...compat, vision: false };
    case "tools":
      return { ...compat, nativeTools: false };
    default:
      // Of a later version of the program.
      return compat;
  }
}
