/** Names of models, `provider/id`. */
import type { ModelName } from "../ports.ts";

/**
 * Parses `provider/id`; the id may hold more slashes (`mock/file:/tmp/turns.json`). Null when the text is no such name.
 */
export function parseModelName(text: string): ModelName | null {
  const match = /^([A-Za-z0-9_.-]+)\/(\S(?:.*\S)?)$/.exec(text.trim());
  const [, provider, id] = match ?? [];
  if (provider === undefined || id === undefined || /\p{Cc}/u.test(id)) return null;
  return { provider, id };
}

/** The vendors of models whose names begin like this: most people know model names by heart, but not `provider/id`. */
const makers: readonly (readonly [begins: RegExp, provider: string])[] = [
  // Ollama puts the size after a colon; OpenAI's own API has no gpt-oss.
  [/:(?:latest$|\d[\d.]*[bm])/, "ollama"],
  [/^(?:gpt-(?!oss)|chatgpt-|o\d)/, "openai"],
  [/^claude-/, "anthropic"],
  [/^gemini-/, "google"],
  [/^grok-/, "xai"],
  [/^(?:mistral|codestral|devstral|magistral|ministral)-/, "mistral"],
  [/^deepseek-/, "deepseek"],
];

/** What to write in place of a text that is not a model name, as the beginning of a sentence. */
export function modelNameAdvice(text: string): string {
  const name = text.trim();
  const id = name.replace(/^[a-z]+:(?!\d)/, "");
  const maker = makers.find(([begins]) => begins.test(id))?.[1];
  const example = maker === undefined || /[^\w.:-]/.test(id) ? "mock/demo" : `${maker}/${id}`;
  return `write provider/model-id, such as ${example}`;
}

/** The older pair of `provider:` and `model:` as one name; null: there is no provider. */
export function pairedModelName(provider: string | null, model: string): string {
  return provider === null || model.startsWith(`${provider}/`) ? model : `${provider}/${model}`;
}

export function formatModelName({ provider, id }: ModelName): string {
  return `${provider}/${id}`;
}
