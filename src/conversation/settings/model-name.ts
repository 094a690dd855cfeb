/** Names of models, `provider/id`. */
import type { ModelName } from "../ports.ts";

/** Reads `provider/id`; the id may hold more slashes (`mock/file:/tmp/turns.json`). Null when it is not one. */
export function parseModelName(text: string): ModelName | null {
  const match = /^([A-Za-z0-9_.-]+)\/(\S(?:.*\S)?)$/.exec(text.trim());
  const [, provider, id] = match ?? [];
  if (provider === undefined || id === undefined || /\p{Cc}/u.test(id)) return null;
  return { provider, id };
}

/** The older pair of `provider:` and `model:` as one name; null: there is no provider. */
export function pairedModelName(provider: string | null, model: string): string {
  return provider === null || model.startsWith(`${provider}/`) ? model : `${provider}/${model}`;
}

export function formatModelName({ provider, id }: ModelName): string {
  return `${provider}/${id}`;
}
