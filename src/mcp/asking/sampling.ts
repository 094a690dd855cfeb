/**
 * Sampling (MCP): a server requests an answer from the user's model. The request is sent only after the user has seen
 * all of it and approved it, and the answer goes to the server only after a second approval.
 */
import type { ImagePart, Message, TextPart } from "../../conversation/ports.ts";
import { isObject, stringOf } from "../../shared/json.ts";
import { visible } from "../../shared/visible.ts";
import { dataSizeText } from "../catalog/content.ts";
import type { Asker } from "../running-calls.ts";
import type { Dialogue } from "./dialogue.ts";
import { introduction, quoted } from "./quoted-words.ts";

export interface SamplingRequest {
  /** Empty if there is none. */
  readonly system: string;
  readonly messages: readonly Message[];
  /** In tokens. */
  readonly maxOutputTokens: number;
}

/** The user's model. */
export interface Sampler {
  /** `provider/id`. */
  model(): string;
  /** Throws an error for the user if there is no answer. `isCut`: it ends at the token limit. */
  answer(
    request: SamplingRequest,
    signal: AbortSignal,
  ): Promise<{ readonly text: string; readonly isCut: boolean; readonly usage: string }>;
}

/** MCP's `CreateMessageResult`. */
export type SamplingResult = {
  readonly role: "assistant";
  readonly content: { readonly type: "text"; readonly text: string };
  readonly model: string;
  readonly stopReason: "endTurn" | "maxTokens";
};

/** The parts of the client that a sampling request uses. */
export interface SamplingPorts {
  readonly user: Dialogue;
  readonly sampler: Sampler;
  /** Runs one question at a time. */
  readonly inTurn: <T>(signal: AbortSignal, ask: () => Promise<T>) => Promise<T>;
}

/** Null if the user declined. Throws an error for the user if the request is not supported; rejects when aborted. */
export async function sample(
  params: unknown,
  asker: Asker,
  { user, sampler, inTurn }: SamplingPorts,
): Promise<SamplingResult | null> {
  const request = readRequest(params);
  const server = visible(asker.server);
  const model = sampler.model();
  const ask = (prompt: string, yes: string, details: readonly string[]) =>
    inTurn(asker.signal, async () => {
      if (!asker.mayAsk()) return false;
      // The question may interrupt the user's typing, so the item that Enter picks must not send anything.
      const items = ["Decline", yes];
      return (await user.select({ prompt, details, items }, asker.signal)) === 1;
    });
  const shown = [...introduction(asker, ""), ...requestLines(request, model)];
  if (!(await ask(`${server} wants an answer of ${model}`, `Send this to ${model}`, shown))) {
    return null;
  }
  if (!asker.spendModelCall()) {
    throw new Error(
      "The turn may make no more requests to a model (max_model_calls), so nothing was sent.",
    );
  }
  asker.progress(`${model} answers its server`);
  const { text, isCut, usage } = await sampler.answer(request, asker.signal);
  asker.progress("waits for your answer to its server");
  const cut = isCut ? ", cut at its limit" : "";
  const answer = [`${model} answered (${usage}${cut}):`, ...quoted(text, Number.POSITIVE_INFINITY)];
  if (!(await ask(`Give this answer to ${server}`, `Send it to ${server}`, answer))) return null;
  const stopReason = isCut ? "maxTokens" : "endTurn";
  return { role: "assistant", content: { type: "text", text }, model, stopReason };
}

function requestLines(
  { system, messages, maxOutputTokens }: SamplingRequest,
  model: string,
): readonly string[] {
  const whole = (text: string) => quoted(text, Number.POSITIVE_INFINITY);
  return [
    `It wants ${model} to answer this with at most ${maxOutputTokens} tokens; nothing else is sent.`,
    ...(system === "" ? [] : ["system:", ...whole(system)]),
    ...messages.flatMap((message) => {
      if (message.role === "tool") return [];
      const parts = message.content.flatMap((part) => {
        if (part.type === "text") return whole(part.text);
        return part.type === "image" ? [imageLine(part)] : [];
      });
      return [`${message.role}:`, ...parts];
    }),
  ];
}

function imageLine({ mime, data }: ImagePart): string {
  return `[image: ${visible(mime)}, ${dataSizeText(data)}]`;
}

function readRequest(params: unknown): SamplingRequest {
  const { messages, systemPrompt, maxTokens, tools, toolChoice } = isObject(params) ? params : {};
  if (tools !== undefined || toolChoice !== undefined) {
    throw new Error("It wants the model to call tools, which Parley does not support.");
  }
  const read = (Array.isArray(messages) ? messages : []).map(readMessage);
  if (read.length === 0) throw new Error("It contains no message.");
  const texts = [
    stringOf(systemPrompt) ?? "",
    ...read.flatMap(({ content }) => content).map(sized),
  ];
  const size = texts.reduce((sum, text) => sum + text.length, 0);
  if (size > longestRequest) {
    throw new Error(
      `It has ${size} characters, which is too much to review before you approve it.`,
    );
  }
  return {
    system: stringOf(systemPrompt) ?? "",
    messages: joined(read),
    maxOutputTokens: typeof maxTokens === "number" && maxTokens >= 1 ? Math.floor(maxTokens) : 1,
  };
}

/** In characters, without images. */
const longestRequest = 100_000;

const sized = (part: TextPart | ImagePart) => (part.type === "text" ? part.text : "");

interface Said {
  readonly role: "user" | "assistant";
  readonly content: readonly (TextPart | ImagePart)[];
}

function readMessage(message: unknown): Said {
  const { role, content } = isObject(message) ? message : {};
  if (role !== "user" && role !== "assistant")
    throw new Error("One of its messages is neither the user's nor the assistant's.");
  const blocks = Array.isArray(content) ? content : [content];
  return { role, content: blocks.map((block) => readBlock(block, role)) };
}

function readBlock(block: unknown, role: Said["role"]): TextPart | ImagePart {
  const { type, text, data, mimeType } = isObject(block) ? block : {};
  if (type === "text" && typeof text === "string") return { type, text };
  const isImage = type === "image" && typeof data === "string" && typeof mimeType === "string";
  if (isImage && role === "user") return { type, mime: mimeType, data };
  throw new Error(
    `One of its messages contains something that cannot be sent: ${visible(String(type))}.`,
  );
}

/** Merges messages of the same role: providers require the roles to alternate. */
function joined(messages: readonly Said[]): readonly Message[] {
  const turns: Said[] = [];
  for (const message of messages) {
    const last = turns.at(-1);
    if (last?.role !== message.role) turns.push(message);
    else turns[turns.length - 1] = { ...last, content: [...last.content, ...message.content] };
  }
  return turns.map(({ role, content }): Message => {
    if (role === "user") return { role, content };
    return { role, content: content.filter((part) => part.type === "text") };
  });
}
