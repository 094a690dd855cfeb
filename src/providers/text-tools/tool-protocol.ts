/** Chooses whether a request's calls are native or text, and adapts the request and its answer. */
import type {
  Failure,
  ModelName,
  ModelRequest,
  Models,
  StreamPart,
} from "../../conversation/ports.ts";
import { salvagedProtocols } from "./protocol-ids.ts";
import { textToolProtocols } from "./protocols.ts";
import { type TextCallOptions, withTextCalls } from "./text-calls.ts";
import { textRequest } from "./text-request.ts";

/** The default protocol for models without native tools. */
const defaultTextProtocol = "smiley";

/** Whether a model has native tools, for `auto`. */
type TakesTools = (model: ModelName) => boolean;

/** The same models, with requests adapted to their `toolProtocol`. */
export function withToolProtocols(models: Models, takesTools: TakesTools): Models {
  return {
    wire(request) {
      const plan = planOf(request, takesTools);
      return "failure" in plan ? plan : models.wire(plan.request);
    },
    stream: protocolStream(models.stream, takesTools),
  };
}

/** The same stream, with requests adapted to their `toolProtocol`. */
export function protocolStream(
  stream: Models["stream"],
  takesTools: TakesTools,
): (...given: Parameters<Models["stream"]>) => AsyncGenerator<StreamPart> {
  return async function* (request, how) {
    const plan = planOf(request, takesTools);
    if ("failure" in plan) return yield { type: "error", failure: plan.failure };
    const parts = stream(plan.request, how);
    yield* plan.finds === null ? parts : withTextCalls(parts, plan.finds);
  };
}

interface Plan {
  readonly request: ModelRequest;
  /** What to look for in the answer's text; null: nothing, and the stream is passed on unchanged. */
  readonly finds: TextCallOptions | null;
}

function planOf(
  request: ModelRequest,
  takesTools: TakesTools,
): Plan | { readonly failure: Failure } {
  const { model, messages, toolProtocol = "auto", toolChoice } = request;
  const tools = toolChoice === "none" ? [] : request.tools;
  const isNative = takesTools(model);
  const id = toolProtocol === "auto" && !isNative ? defaultTextProtocol : toolProtocol;
  const protocol = textToolProtocols.get(id);
  if (protocol !== undefined) {
    // Without tools any name would count as one, so only the requested form is looked for.
    const protocols = tools.length > 0 ? salvagedProtocols : [id];
    const isListening = tools.length > 0 || imitatesCalls(request, id);
    const finds: TextCallOptions = { protocols, asked: [id], tools, messages };
    return { request: textRequest(request, protocol), finds: isListening ? finds : null };
  }
  if (toolProtocol !== "auto" && !isNative && tools.length > 0) {
    return { failure: takesNone(model, toolProtocol) };
  }
  const salvages = toolProtocol !== "native-only" && tools.length > 0;
  const finds: TextCallOptions = { protocols: salvagedProtocols, asked: [], tools, messages };
  return { request, finds: salvages ? finds : null };
}

/**
 * Whether to look for calls although there are no tools: a model may imitate the calls in its history. These get an
 * error and are not shown. JSON without delimiters is excluded, since it could be anything.
 */
function imitatesCalls({ messages, toolChoice }: ModelRequest, protocol: string): boolean {
  return (
    protocol !== "json" &&
    toolChoice !== "none" &&
    messages.some((message) => message.role === "tool")
  );
}

function takesNone({ provider, id }: ModelName, toolProtocol: string): Failure {
  return {
    kind: "invalid-request",
    happened: `it does not accept tools through its API, and the tool protocol is ${toolProtocol}, so nothing was sent`,
    message: `${provider}/${id} does not accept tools through its API, and tool_protocol is ${toolProtocol}, so nothing was sent. Write tool_protocol: auto or smiley in the header or the configuration, or tools: none; if the model does accept tools, set providers.${provider}.compat.native_tools to true.`,
  };
}
