/** Decodes the raw chunks of a chat completions stream into parts. Pure except for its own buffers. */

import type { StreamPart, Usage } from "../../conversation/ports.ts";
import { isObject, type JsonObject, objectOf, objectsOf, textOf } from "../../shared/json.ts";
import { isErrorEvent, StreamedError } from "../failures/error-body.ts";
import type { Lesson } from "../learning/lessons.ts";
import { type Decoder, endingOf, endParts, PartQueue, readEvent } from "../stream/decoder.ts";
import type { ReasoningRules } from "../vendors/compat.ts";
import { createCallReader } from "./call-deltas.ts";
import { callsOf, isText, oneOrMore, reasoningOf, textIn } from "./delta-fields.ts";
import { LastWord } from "./last-word.ts";
import { createStateGatherer, openaiUsage } from "./openai-state.ts";
import { ThoughtsInText } from "./thoughts-in-text.ts";

/** `learn` receives what the response reveals about the model. */
export function createOpenAIDecoder(
  { echo, thinksFirst }: Pick<ReasoningRules, "echo" | "thinksFirst">,
  learn: (lesson: Lesson) => void,
): Decoder {
  const queue = new PartQueue();
  const gatherer = createStateGatherer(echo);
  const readContent = createContentReader();
  const thinking = new ThoughtsInText(thinksFirst, learn);
  const calls = createCallReader(queue);
  let reason: string | null = null;
  let isDone = false;
  const lastWord = new LastWord();
  const heard = { content: false, thoughts: false };
  const pushDelta = (delta: JsonObject): readonly StreamPart[] => {
    const parts: StreamPart[] = [];
    const reasoning = reasoningOf(delta);
    heard.content ||= Boolean(delta.content || delta.refusal);
    heard.thoughts ||= reasoning !== "";
    for (const part of [...thoughts(reasoning), ...readContent(delta)]) {
      if (part.type === "reasoning-delta") thinking.thoughtsAreSeparate();
      parts.push(...queue.passAll(part.type === "text-delta" ? thinking.push(part.text) : [part]));
    }
    gatherer.delta(delta);
    for (const each of callsOf(delta)) {
      // Text that was held back comes before the call.
      parts.push(...queue.passAll(thinking.flush()));
      const { place, parts: grown } = calls.push(each);
      parts.push(...grown);
      gatherer.call(place, each);
    }
    return parts;
  };
  const pushChunk = (chunk: JsonObject): readonly StreamPart[] => {
    const choices = choicesOf(chunk);
    const { content, thoughts: hasThoughts } = heard;
    const hasCalls = queue.calls.length > 0;
    const parts: StreamPart[] = [];
    // One choice is requested, so several are parts of it (GitHub Copilot).
    for (const { delta, message, finish_reason } of choices) {
      reason = textOf(finish_reason) || reason;
      // `message` belongs to an answer that was not streamed.
      const before = { content, thoughts: hasThoughts, calls: hasCalls };
      parts.push(...pushDelta(objectOf(delta ?? unheard(objectOf(message), before))));
    }
    // Moonshot puts the usage into the choice.
    const usage = chunk.usage ?? choices[0]?.usage;
    if (reason !== null) lastWord.push(chunk);
    if (isObject(usage)) parts.push({ type: "usage", usage: toUsage(usage) });
    return parts;
  };
  return {
    push(data) {
      if (!data.startsWith("[DONE]")) return pushChunk(readEvent(data));
      isDone = true;
      return [];
    },
    pushWhole(answer) {
      const parts = pushChunk(answer);
      reason ??= "stop";
      return parts;
    },
    rawReason: () => reason,
    ending: () => (isDone ? "over" : lastWord.ending),
    finish() {
      const raw = reason ?? "";
      const isAnswer = endingOf(raw)?.reason === "stop" && queue.calls.length === 0;
      const last = queue.passAll(thinking.end({ isAnswer }));
      return [...last, ...endParts(queue, endingOf(raw), raw, gatherer.state(queue.calls.length))];
    },
    abandon: () => [...queue.passAll(thinking.flush()), ...queue.release({ calls: false })],
  };
}

/** @throws StreamedError for OpenRouter's choice with a failure of the vendor behind it */
function choicesOf(chunk: JsonObject): readonly JsonObject[] {
  const choices = objectsOf(chunk.choices);
  const failed = choices.find(({ error = null }) => error !== null && isErrorEvent({ error }));
  if (failed !== undefined) throw new StreamedError(failed);
  return choices;
}

interface Heard {
  readonly content: boolean;
  readonly thoughts: boolean;
  readonly calls: boolean;
}

/** The parts of a final message that were not streamed: MiniMax repeats all of it there (cline/cline#9215). */
function unheard(
  { content, refusal, tool_calls, function_call, ...thoughts }: JsonObject,
  before: Heard,
): JsonObject {
  return {
    ...(before.content ? {} : { content, refusal }),
    ...(before.calls ? {} : { tool_calls, function_call }),
    ...(before.thoughts ? {} : thoughts),
  };
}

/** Reads the content of successive deltas: the end of Google's thoughts is only visible in the text after them. */
function createContentReader(): (delta: JsonObject) => readonly StreamPart[] {
  let isThinking = false;
  return (delta) => {
    const parts = contentParts(delta.content || delta.refusal);
    const [first] = parts;
    if (first?.type !== "text-delta") return parts;
    const wasThinking = isThinking;
    isThinking = isGoogleThought(delta.extra_content);
    if (isThinking) {
      const text = wasThinking ? first.text : first.text.replace(/^<thought>/, "");
      return text === "" ? [] : [{ type: "reasoning-delta", text }];
    }
    const text = wasThinking ? first.text.replace(/^<\/thought>/, "") : first.text;
    return text === "" ? [] : [{ type: "text-delta", text }, ...parts.slice(1)];
  };
}

/** Google sends thoughts as text between tags, with a flag next to it (rule G5). */
function isGoogleThought(extra: unknown): boolean {
  return isObject(extra) && isObject(extra.google) && extra.google.thought === true;
}

/** A text, an object, or a list of these, some of them thoughts (Mistral, and Databricks: earendil-works/pi#7062). */
function contentParts(content: unknown): readonly StreamPart[] {
  if (isText(content)) return [{ type: "text-delta", text: content }];
  return oneOrMore(content).flatMap((part): StreamPart[] => {
    if (isObject(part) && part.type === "thinking") return thoughts(textIn(part.thinking));
    if (isObject(part) && part.type === "reasoning") return thoughts(textIn(part.summary));
    const text = textOf(isObject(part) ? part.text : part);
    return text === "" ? [] : [{ type: "text-delta", text }];
  });
}

function thoughts(text: string): StreamPart[] {
  return text === "" ? [] : [{ type: "reasoning-delta", text }];
}

function toUsage(usage: JsonObject): Usage {
  return openaiUsage({
    input: usage.prompt_tokens,
    output: usage.completion_tokens,
    // Moonshot puts the number of cached tokens next to the totals.
    inputDetails: usage.prompt_tokens_details ?? usage,
    outputDetails: usage.completion_tokens_details,
    total: usage.total_tokens,
    cost: usage.cost,
  });
}
