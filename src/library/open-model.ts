/** Models for programs without a chat: by name with the keys in the environment, or from a script. */

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

/** A model that answers requests. Its parts end with `finish` or `error`; a stream never throws. */
export interface Model {
  readonly name: ModelName;
  stream(
    request: ModelRequest,
    options: { readonly signal: AbortSignal },
  ): AsyncIterable<StreamPart>;
}

export interface ModelOptions {
  /** Used in place of the key in the environment. */
  readonly apiKey?: string;
  /** For compatible servers and proxies; required for a vendor that is not in the table. */
  readonly baseUrl?: string;
  /** Used in place of the vendor's first API. */
  readonly api?: WireApiName;
  /**
   * How often a request without any response is sent again; 3 when absent. Each retry is reported as a `retry` part.
   */
  readonly maxRetries?: number;
  /** Source of keys and addresses; the environment of the process when absent. */
  readonly environment?: Readonly<Record<string, string | undefined>>;
}

/**
 * Opens the model `provider/id`. Throws a TypeError when the text is not a model name; whether the model exists shows
 * only in a request.
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

/** The default model of the first vendor whose key is in the environment; null: there is no key. */
export function modelWithKey(environment: KeySources["environment"] = process.env): string | null {
  const found = usableModel({ configuration: { providers: {} }, environment });
  return found === null ? null : formatModelName(found);
}

/**
 * A model that plays a script (doc/scripted-model.md), without pauses: for tests and examples. Which turn it plays
 * depends only on the number of assistant messages in the request.
 */
export function scriptedModel(script: unknown): Model {
  const play: Model["stream"] = (request, { signal }) =>
    scriptedParts(script, request, { delayMs: 0, signal });
  return {
    name: { provider: "mock", id: "script" },
    stream: protocolStream(play, () => true),
  };
}
