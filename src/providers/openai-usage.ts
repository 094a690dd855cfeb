/** Usage as OpenAI counts it: the input includes what the cache gave, the output what was thought. Pure. */
import type { Usage } from "../conversation/types.ts";

/** In tokens; both APIs tell the same by other names. */
export interface OpenAIUsage {
  readonly input: number | null | undefined;
  readonly output: number | null | undefined;
  readonly inputDetails:
    | {
        readonly cached_tokens?: number | null | undefined;
        readonly cache_write_tokens?: number | null | undefined;
      }
    | null
    | undefined;
  readonly outputDetails:
    | { readonly reasoning_tokens?: number | null | undefined }
    | null
    | undefined;
}

export function openaiUsage({ input, output, inputDetails, outputDetails }: OpenAIUsage): Usage {
  const { cached_tokens: cacheRead, cache_write_tokens: cacheWrite } = inputDetails ?? {};
  const reasoning = outputDetails?.reasoning_tokens;
  return {
    input: input ?? 0,
    output: output ?? 0,
    ...(typeof cacheRead === "number" ? { cacheRead } : {}),
    ...(typeof cacheWrite === "number" ? { cacheWrite } : {}),
    ...(typeof reasoning === "number" ? { reasoning } : {}),
  };
}
