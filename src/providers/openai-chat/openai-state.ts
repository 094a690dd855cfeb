/**
 * State that vendors of chat completions require back inside an open tool loop, besides the calls: thought signatures
 * with the calls (rules G1–G3), the thoughts as text (D1), or their details (R1), exactly as received. It is opaque to
 * everything outside this folder. Pure.
 */

import type { Usage } from "../../conversation/ports.ts";
import { given } from "../../shared/given.ts";
import { isObject, objectOf, objectsOf, textOf } from "../../shared/json.ts";
import type { AssistantTurn } from "../request/history.ts";
import { countOf } from "../stream/decoder.ts";
import { type Compat, fits, type ReasoningRules } from "../vendors/compat.ts";

type Fields = Readonly<Record<string, unknown>>;

/** Fields for an assistant message, and for each of its calls. */
export interface Echo {
  readonly message: Fields;
  readonly calls: readonly Fields[];
}

interface ChatState extends Echo {
  readonly api: "openai-chat";
}

/** Collects the state of one response while it streams. */
export interface StateGatherer {
  /** Takes the fields of a delta other than text and calls. */
  delta(fields: Fields): void;
  /** Takes the fields of a piece of the call at this place, other than its arguments. */
  call(place: number, fields: Fields): void;
  /** Undefined if there is nothing to keep. */
  state(calls: number): ChatState | undefined;
}

export function createStateGatherer(echo: ReasoningRules["echo"]): StateGatherer {
  let thoughts: string | null = null;
  const details: Record<string, unknown>[] = [];
  const signed = new Map<number, unknown>();
  return {
    delta({ reasoning_content: content, reasoning_details: pieces }) {
      if (echo === "reasoning_content" && typeof content === "string") {
        thoughts = (thoughts ?? "") + content;
      }
      if (echo !== "reasoning_details" || !Array.isArray(pieces)) return;
      for (const piece of pieces.filter(isObject)) addDetail(details, piece);
    },
    call(place, { extra_content: extra }) {
      if (echo === "extra_content" && isObject(extra)) signed.set(place, extra);
    },
    state(calls) {
      const isSigned = signed.size > 0;
      if (thoughts === null && details.length === 0 && !isSigned) return undefined;
      return {
        api: "openai-chat",
        message: {
          ...given({
            reasoning_content: thoughts,
            reasoning_details: details.length === 0 ? null : details,
          }),
        },
        calls: Array.from({ length: calls }, (_, place) =>
          signed.has(place) ? { extra_content: signed.get(place) } : {},
        ),
      };
    },
  };
}

/** Fields of a detail that arrive in pieces; other fields arrive once. */
const growing = new Set(["text", "summary", "data"]);

/** Consecutive pieces with the same type and index belong to one detail. */
function addDetail(details: Record<string, unknown>[], piece: Fields): void {
  const last = details.at(-1);
  const isSame =
    last !== undefined &&
    piece.index !== undefined &&
    last.index === piece.index &&
    last.type === piece.type;
  if (!isSame) {
    details.push({ ...piece });
    return;
  }
  for (const [key, value] of Object.entries(piece)) {
    const known = last[key];
    if (growing.has(key) && typeof known === "string" && typeof value === "string") {
      last[key] = known + value;
    } else if (value !== null && value !== undefined) last[key] = value;
  }
}

/**
 * The fields that go back with a response: its own state if it fits and the vendor requires it, or else a placeholder.
 * Another vendor's fields would be refused.
 */
export function echoOf(turn: AssistantTurn, compat: Compat, modelId: string): Echo {
  const own = readState(turn.state);
  const calls = turn.content.filter((part) => part.type === "tool-call").length;
  const substitute = standIn(compat, modelId);
  if (own === null || own.calls.length !== calls) return substitute;
  const { echo } = compat.reasoning;
  const isSigned = own.calls.some((fields) => "extra_content" in fields);
  const thoughts = echo !== null && echo in own.message ? { [echo]: own.message[echo] } : {};
  return {
    message: { ...substitute.message, ...asText(own.message, substitute), ...thoughts },
    calls: echo === "extra_content" && isSigned ? own.calls : substitute.calls,
  };
}

/** The text of details, for models that also need thoughts back as text: DeepSeek's behind OpenRouter. */
function asText({ reasoning_details: details }: Fields, { message }: Echo): Fields {
  if (!("reasoning_content" in message)) return {};
  const texts = objectsOf(details).map(({ text, summary }) => textOf(text) || textOf(summary));
  const thoughts = texts.join("");
  return thoughts === "" ? {} : { reasoning_content: thoughts };
}

function readState(value: unknown): ChatState | null {
  if (!isObject(value) || value.api !== "openai-chat") return null;
  const { message, calls } = value;
  if (!isObject(message) || !Array.isArray(calls) || !calls.every(isObject)) return null;
  return { api: "openai-chat", message, calls };
}

/** Gemini's own placeholder for calls that it did not make itself (rule G2). */
const unsigned = { google: { thought_signature: "skip_thought_signature_validator" } };

/** A placeholder for the state of another model's response, for models that refuse calls without state. */
function standIn({ reasoning }: Compat, modelId: string): Echo {
  const isRequired = fits(reasoning.echoRequired, modelId);
  const isText = isRequired && reasoning.echo !== "extra_content";
  return {
    message: isText ? { reasoning_content: reasoning.noThoughts } : {},
    calls: isRequired && reasoning.echo === "extra_content" ? [{ extra_content: unsigned }] : [],
  };
}

/** Usage as the vendor sends it, in tokens; both APIs send the same numbers under other names. */
interface OpenAIUsage {
  readonly input: unknown;
  readonly output: unknown;
  readonly inputDetails: unknown;
  readonly outputDetails: unknown;
  /** Input plus output. */
  readonly total: unknown;
  /** In US dollars, if the vendor sends it. */
  readonly cost?: unknown;
}

export function openaiUsage({
  input,
  output,
  inputDetails,
  outputDetails,
  total,
  cost,
}: OpenAIUsage): Usage {
  const details = objectOf(inputDetails);
  const read = countOf(input);
  const written = countOf(output) ?? 0;
  const cacheRead = countOf(details.cached_tokens);
  const cacheWrite = countOf(details.cache_write_tokens);
  const reasoning = countOf(objectOf(outputDetails).reasoning_tokens);
  // A total without the input cannot be split.
  const rest = read === null ? 0 : (countOf(total) ?? 0) - read - written;
  const side = sideOf(rest, { cacheRead, cacheWrite, reasoning });
  return {
    input: (read ?? 0) + (side === "input" ? rest : 0),
    output: written + (side === "output" ? rest : 0),
    ...given({
      cacheRead,
      cacheWrite,
      reasoning,
      cost: countOf(cost),
    }),
  };
}

/**
 * The side to which a rest of the total belongs that neither side counts. xAI and Google omit reasoning from the
 * output; others omit cached tokens from the input. Null if there is no rest, or it belongs to neither.
 */
function sideOf(
  rest: number,
  { cacheRead, cacheWrite, reasoning }: Readonly<Record<string, number | null>>,
): "input" | "output" | null {
  if (rest <= 0) return null;
  if (rest === reasoning) return "output";
  const [read, written] = [cacheRead ?? 0, cacheWrite ?? 0];
  if ([read, written, read + written].includes(rest)) return "input";
  // If a vendor reports reasoning tokens, the output already includes them.
  return reasoning ? null : "output";
}
