import type { ModelRequest } from "../../src/conversation/ports.ts";
import { type Model, scriptedModel } from "../../src/library/open-model.ts";

/** A model that plays the script and records its requests. */
export function playing(
  ...turns: readonly unknown[]
): Model & { readonly asked: readonly ModelRequest[] } {
  const { name, stream } = scriptedModel({ turns });
  const asked: ModelRequest[] = [];
  return {
    name,
    asked,
    stream: (request, options) => {
      asked.push(request);
      return stream(request, options);
    },
  };
}
