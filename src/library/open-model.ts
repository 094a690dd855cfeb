/** Models for programs without a chat: by name with the keys of the environment, or from a script. */

import type { ModelName, ModelRequest, StreamPart } from "../conversation/ports.ts";
import {
  formatModelName,
  modelNameAdvice,
  parseModelName,
} from "../conversation/settings/model-name.ts";
import type {
  ProviderConfiguration,
  WireApiName,
} from "../conversation/settings/vendor-settings.ts";
import { scriptedParts } from "../providers/mock/mock-file.ts";
import { createModels } from "../providers/models.ts";
import { protocolStream } from "../providers/text-tools/tool-protocol.ts";
import { type KeySources, usableModel } from "../providers/vendors/key-sources.ts";
import { given } from "../shared/given.ts";

/** Something that answers requests. The parts end with `finish` or `error`; a stream never throws. */
export interface Model {
  readonly name: ModelName;
  stream(
    request: ModelRequest,
    options: { readonly signal: AbortSignal },
  ): AsyncIterable<StreamPart>;
}

export interface ModelOptions {
  /** In place of the key in the environment. */
  readonly apiKey?: string;
  /** For compatible servers and proxies; a vendor that is not in the table needs it. */
  readonly baseUrl?: string;
  /** In place of the vendor's first. */
  readonly api?: WireApiName;
  /** How often a request that nothing came back for is sent again; 3 when absent, each told as a `retry` part. */
  readonly maxRetries?: number;
  /** Keys and addresses are looked for here; the environment of the process when absent. */
  readonly environment?: Readonly<Record<string, string | undefined>>;
}

/**
 * The model `provider/id`. Throws a TypeError when that is no model's name; whether there is such a model is seen when it
 * is asked.
 */
export function openModel(name: string, options: ModelOptions = {}): Model {
  const parsed = parseModelName(name);
  if (parsed === null) {
    throw new TypeError(
      `${JSON.stringify(name)} is not the name of a model: ${modelNameAdvice(name)}.`,
    );
  }
  const { apiKey, baseUrl, api, maxRetries, environment = process.env } = options;
  const settings: ProviderConfiguration = {
    ...given({ api_key: apiKey, base_url: baseUrl, api }),
  };
  const models = createModels({
    providers: { [parsed.provider]: settings },
    environment,
    ...given({ retries: maxRetries === undefined ? null : { maxRetries } }),
  });
  return { name: parsed, stream: models.stream };
}

/** The default model of the first vendor whose key is in the environment; null: no key is there. */
export function modelWithKey(environment: KeySources["environment"] = process.env): string | null {
  const found = usableModel({ configuration: { providers: {} }, environment });
  return found === null ? null : formatModelName(found);
}

/**
 * A model that says what it is told to (doc/scripted-model.md), without pauses: for tests and examples. Which turn is
 * played depends only on the number of the assistant's messages in the request.
 */
export function scriptedModel(script: unknown): Model {
  const play: Model["stream"] = (request, { signal }) =>
    scriptedParts(script, request, { delayMs: 0, signal });
  return {
    name: { provider: "mock", id: "script" },
    stream: protocolStream(play, () => true),
  };
}
