/**
 * What vendors of chat completions want back inside an open tool loop, beside the calls themselves: thought
 * signatures with the calls (rules G1–G3), the thoughts as text (D1), or their details (R1), exactly as they came.
 * It is opaque to everything outside this room. Pure.
 */

import type { Usage } from "../../conversation/ports.ts";
import { given } from "../../shared/given.ts";
import { isObject, objectOf, objectsOf, textOf } from "../../shared/json.ts";
import type { AssistantTurn } from "../request/history.ts";
import { countOf } from "../stream/decoder.ts";
import { type Compat, fits, type ReasoningRules } from "../vendors/compat.ts";

type Fields = Readonly<Record<string, unknown>>;

/** Fields that go into an assistant's message, and into its calls, one for each. */
export interface Echo {
  readonly message: Fields;
  readonly calls: readonly Fields[];
}

interface ChatState extends Echo {
  readonly api: "openai-chat";
}

/** Gathers the state of one response while it streams. */
export interface StateGatherer {
  /** What a delta has beside text and calls. */
  delta(fields: Fields): void;
  /** What a piece of the call at this place has beside its arguments. */
  call(place: number, fields: Fields): void;
  /** Undefined when there was nothing to keep. */
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

/** Fields of a detail that come in pieces; the others come once. */
const growing = new Set(["text", "summary", "data"]);

/** Pieces of one detail have its type and its index; they follow each other. */
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
 * What goes back with a response: its own state where it fits and the vendor asks for it, else what stands in for
 * one. Another vendor's field would be refused.
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

/** The text of details, where thoughts have to come back as text beside them: DeepSeek's models behind OpenRouter. */
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

/** Gemini's own word for calls that it did not make itself (rule G2). */
const unsigned = { google: { thought_signature: "skip_thought_signature_validator" } };

/** What stands in for the state of another model's response, for models that refuse calls without any. */
function standIn({ reasoning }: Compat, modelId: string): Echo {
  const isRequired = fits(reasoning.echoRequired, modelId);
  const isText = isRequired && reasoning.echo !== "extra_content";
  return {
    message: isText ? { reasoning_content: reasoning.noThoughts } : {},
    calls: isRequired && reasoning.echo === "extra_content" ? [{ extra_content: unsigned }] : [],
  };
}

/** What a vendor tells, as it came; both APIs tell the same by other names. In tokens. */
interface OpenAIUsage {
  readonly input: unknown;
  readonly output: unknown;
  readonly inputDetails: unknown;
  readonly outputDetails: unknown;
  /** Of both together. */
  readonly total: unknown;
  /** In US dollars, where the vendor tells it. */
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
  // Of a total alone nobody knows what it is of.
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
 * What a rest of the total is that neither side counts. xAI and Google leave what was thought out of the output; others
 * leave what went through a cache out of the input. Null: nothing, or neither.
 */
function sideOf(
  rest: number,
  { cacheRead, cacheWrite, reasoning }: Readonly<Record<string, number | null>>,
): "input" | "output" | null {
  if (rest <= 0) return null;
  if (rest === reasoning) return "output";
  const [read, written] = [cacheRead ?? 0, cacheWrite ?? 0];
  if ([read, written, read + written].includes(rest)) return "input";
  // Where a vendor tells what was thought, it is in the output already.
  return reasoning ? null : "output";
}
