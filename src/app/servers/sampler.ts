/** Gives servers access to the configured model, for sampling. */

import type { ModelName, Models } from "../../conversation/ports.ts";
import { formatModelName } from "../../conversation/settings/model-name.ts";
import type { Sampler } from "../../mcp/asking/sampling.ts";

export interface SamplerSources {
  /** The model of a chat that does not name one. */
  model(): ModelName;
  stream: Models["stream"];
  /** The configured limit of an answer in tokens; null: the model's own limit. */
  maxTokens(): number | null;
}

export function createSampler(sources: SamplerSources): Sampler {
  return {
    model: () => formatModelName(sources.model()),
    async answer({ system, messages, maxOutputTokens }, signal) {
      const { streamText } = await import("../../library/stream-text.ts");
      const most = Math.min(maxOutputTokens, sources.maxTokens() ?? maxOutputTokens);
      const model = { name: sources.model(), stream: sources.stream };
      const request = { system, messages, maxOutputTokens: most };
      const { text, finish, failure, usage } = await streamText(model, request, {
        signal,
      }).result();
      signal.throwIfAborted();
      if (failure !== null) throw new Error(failure.message);
      if (text.trim() === "") throw new Error("The model gave an empty answer.");
      const counted =
        usage === null ? "tokens not counted" : `${usage.input} tokens in, ${usage.output} out`;
      return { text, isCut: finish === "length", usage: counted };
    },
  };
}
