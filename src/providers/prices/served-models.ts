/** Requests the list of models that a server has (`/models`). */

import type { Price } from "../../conversation/usage.ts";
import { bodyPieces } from "../../net/body-pieces.ts";
import type { HttpResponse } from "../../net/lasting-fetch.ts";
import { given } from "../../shared/given.ts";
import { isObject, type JsonObject, objectOf, parseJson } from "../../shared/json.ts";
import { olderKeyHeaders } from "../anthropic/key-headers.ts";
import type { Endpoint } from "../endpoint.ts";
import { countOf } from "../stream/decoder.ts";
import { createFetch } from "../vendor-fetch.ts";

export interface ServedModel {
  readonly id: string;
  /** In tokens; absent if the server does not say. */
  readonly context?: number;
  /** In US dollars per million tokens. */
  readonly price?: Price;
  /** Whether it supports native tools, and images; absent if the server does not say. */
  readonly tools?: boolean;
  readonly images?: boolean;
}

/** More than any server has; further models are ignored. */
const mostModels = 2000;
/** In bytes. */
const longestList = 16 * 1024 * 1024;

/** Rejects like `fetch`, and also if the server refuses the request. */
export async function askServedModels(
  { api, apiKey, baseUrl, ...endpoint }: Endpoint,
  signal: AbortSignal,
): Promise<readonly ServedModel[]> {
  const isAnthropic = api === "anthropic-messages";
  const key = isAnthropic
    ? { "anthropic-version": "2023-06-01", ...olderKeyHeaders({ apiKey, baseUrl }) }
    : { ...given({ authorization: apiKey === null ? null : `Bearer ${apiKey}` }) };
  const address = isAnthropic ? `${baseUrl}/v1/models?limit=1000` : `${baseUrl}/models`;
  const headers = { accept: "application/json", ...key };
  const response = await createFetch(endpoint)(address, { headers, signal });
  const models = readServedModels(parseJson(await boundedText(response)));
  if (models === null) throw new Error("what it gave is not a list of models");
  return models;
}

async function boundedText(response: HttpResponse): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  let length = 0;
  for await (const chunk of bodyPieces(response.body)) {
    length += chunk.byteLength;
    if (length > longestList) throw new Error("the list is longer than 16 MB");
    text += decoder.decode(chunk, { stream: true });
  }
  return text + decoder.decode();
}

/** The listed models that can write text; null if the value is not a list of models. */
export function readServedModels(value: unknown): readonly ServedModel[] | null {
  const data = isObject(value) ? (value.data ?? value.models) : value;
  // Ollama without any model sends null.
  if (isObject(value) && value.data === null) return [];
  if (!Array.isArray(data)) return null;
  const models = data.flatMap((entry) => {
    const model = isObject(entry) ? readModel(entry) : null;
    return model === null ? [] : [model];
  });
  const byId = new Map(models.map((model) => [model.id, model]));
  return [...byId.values()].slice(0, mostModels);
}

/** Names in vendors' lists that do not mean models with text answers. */
const otherKinds =
  /embed|whisper|tts|dall-e|moderation|transcribe|realtime|image|sora|babbage|davinci|rerank|guard|ocr|speech|veo|imagen|aqa|audio/i;

function readModel(entry: JsonObject): ServedModel | null {
  const named = [entry.id, entry.name, entry.model].find((name) => typeof name === "string");
  // Google's ids have a folder in front.
  const id = typeof named === "string" ? named.replace(/^models\//, "") : "";
  const { architecture } = entry;
  const output = isObject(architecture) ? architecture.output_modalities : undefined;
  const input = isObject(architecture) ? architecture.input_modalities : undefined;
  const writes = Array.isArray(output) ? output.includes("text") : !otherKinds.test(id);
  if (!/^[^\s\p{C}]{1,200}$/u.test(id) || !writes) return null;
  const { supported_parameters: parameters } = entry;
  return {
    id,
    ...given({
      context: contextOf(entry),
      price: priceOf(entry.pricing),
      tools: Array.isArray(parameters) ? parameters.includes("tools") : null,
      images: Array.isArray(input) ? input.includes("image") : null,
    }),
  };
}

/** The field's name differs: OpenRouter and Together, Groq, vLLM, LM Studio, llama.cpp and GitHub Copilot. */
function contextOf({ meta, capabilities, ...entry }: JsonObject): number | null {
  const found = [
    entry.context_length,
    entry.context_window,
    entry.max_model_len,
    entry.max_context_length,
    entry.max_input_tokens,
    // The window that the server was started with, else the one that the model was trained for.
    objectOf(meta).n_ctx,
    objectOf(meta).n_ctx_train,
    objectOf(objectOf(capabilities).limits).max_context_window_tokens,
  ].find((length) => typeof length === "number" && length > 0);
  return typeof found === "number" ? Math.round(found) : null;
}

/** In dollars per token; every real price per million tokens is higher than this. */
const mostPerToken = 0.001;

/** OpenRouter and Vercel's gateway give dollars per token, Together per million, with the same field names. */
function priceOf(pricing: unknown): Price | null {
  if (!isObject(pricing)) return null;
  const input = dollars(pricing.prompt) ?? dollars(pricing.input);
  const output = dollars(pricing.completion) ?? dollars(pricing.output);
  if (input === null || output === null) return null;
  if (Math.max(input, output) > mostPerToken) return { input, output };
  return { input: million(input), output: million(output) };
}

/** OpenRouter sends -1 if the price depends on the model that it chooses. */
function dollars(value: unknown): number | null {
  return countOf(typeof value === "string" && value !== "" ? Number(value) : value);
}

function million(perToken: number): number {
  return Math.round(perToken * 1e12) / 1e6;
}
