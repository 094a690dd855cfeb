/** Names of models, `provider/id`. */
import type { ModelName } from "../ports.ts";

/** Reads `provider/id`; the id may hold more slashes (`mock/file:/tmp/turns.json`). Null when it is not one. */
export function parseModelName(text: string): ModelName | null {
  const match = /^([A-Za-z0-9_.-]+)\/(\S(?:.*\S)?)$/.exec(text.trim());
  const [, provider, id] = match ?? [];
  if (provider === undefined || id === undefined || /\p{Cc}/u.test(id)) return null;
  return { provider, id };
}

/** Who makes the models whose names begin so: most people know those by heart, and not `provider/id`. */
const makers: readonly (readonly [begins: RegExp, provider: string])[] = [
  // Who runs it names the size behind a colon; OpenAI's own API has no gpt-oss.
  [/:(?:latest$|\d[\d.]*[bm])/, "ollama"],
  [/^(?:gpt-(?!oss)|chatgpt-|o\d)/, "openai"],
  [/^claude-/, "anthropic"],
  [/^gemini-/, "google"],
  [/^grok-/, "xai"],
  [/^(?:mistral|codestral|devstral|magistral|ministral)-/, "mistral"],
  [/^deepseek-/, "deepseek"],
];

/** What to write in place of a text that is no name of a model, as the beginning of a sentence. */
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
