/** One request to a model, for programs without a chat. */

import type {
  AssistantMessage,
  Failure,
  FinishReason,
  ModelName,
  ModelRequest,
  StreamPart,
  Usage,
} from "../conversation/ports.ts";
import type { ProposedCall } from "../conversation/proposed-call.ts";
import { given } from "../shared/given.ts";
import { checkMessages, checkModel } from "./check-input.ts";
import { failureForProgram } from "./failure-words.ts";
import { type Model, openModel } from "./open-model.ts";

/** A request without its model; absent parts are empty. */
export type TextRequest = Omit<ModelRequest, "model" | "system" | "tools"> &
  Partial<Pick<ModelRequest, "system" | "tools">>;

/** One complete response. */
export interface StepResult {
  /** Text and calls in the order in which they came; adjacent texts are joined. */
  readonly content: readonly (string | ProposedCall)[];
  readonly text: string;
  /** Shown, but never sent back. */
  readonly reasoning: string;
  /** Only complete ones. */
  readonly calls: readonly ProposedCall[];
  readonly usage: Usage | null;
  /** Null when it failed. */
  readonly finish: FinishReason | null;
  /** Opaque; sent back with `toAssistantMessage`, only to the model that returned it. */
  readonly state?: unknown;
  /** The requested model. */
  readonly model: ModelName;
  readonly failure: Failure | null;
}

/** The parts as they come. They can be read once; `result` reads the rest. */
export interface TextStream extends AsyncIterable<StreamPart> {
  /** The whole response; never rejects, since a failure is part of it. */
  result(): Promise<StepResult>;
}

/**
 * Sends a request to a model, given as `provider/id` or already opened. Throws a TypeError for an invalid name or
 * invalid messages; every other failure is a part.
 */
export function streamText(
  model: string | Model,
  request: TextRequest,
  options: { readonly signal?: AbortSignal } = {},
): TextStream {
  checkMessages(request.messages, { orTexts: false });
  checkModel(model);
  const { name, stream } = typeof model === "string" ? openModel(model) : model;
  // A separate signal for each request: Node warns about more than ten listeners on one signal.
  const signal = AbortSignal.any(options.signal === undefined ? [] : [options.signal]);
  const parts: StreamPart[] = [];
  const whole: ModelRequest = { system: "", tools: [], ...request, model: name };
  const reading = gather(stream(whole, { signal }), parts, name);
  return {
    [Symbol.asyncIterator]: () => reading,
    async result() {
      let next = await reading.next();
      while (next.done !== true) next = await reading.next();
      return toStepResult(parts, name);
    },
  };
}

async function* gather(
  stream: AsyncIterable<StreamPart>,
  parts: StreamPart[],
  model: ModelName,
): AsyncGenerator<StreamPart> {
  for await (const said of stream) {
    const part =
      said.type === "error" || said.type === "retry"
        ? { ...said, failure: failureForProgram(said.failure, model) }
        : said;
    parts.push(part);
    yield part;
  }
}

const brokenOff: Failure = {
  kind: "bad-stream",
  message: "The answer was not read to its end, so it may be incomplete.",
};

function toStepResult(parts: readonly StreamPart[], model: ModelName): StepResult {
  const content = contentOf(parts);
  const last = parts.at(-1);
  const usage = parts.findLast((part) => part.type === "usage");
  return {
    content,
    text: content.filter((part) => typeof part === "string").join("\n\n"),
    reasoning: parts.map((part) => (part.type === "reasoning-delta" ? part.text : "")).join(""),
    calls: content.filter((part) => typeof part !== "string"),
    usage: usage?.usage ?? null,
    finish: last?.type === "finish" ? last.reason : null,
    ...given({ state: last?.type === "finish" && last.state !== undefined ? last.state : null }),
    model,
    failure: last?.type === "finish" ? null : last?.type === "error" ? last.failure : brokenOff,
  };
}

function contentOf(parts: readonly StreamPart[]): readonly (string | ProposedCall)[] {
  const content: (string | ProposedCall)[] = [];
  for (const part of parts) {
    if (part.type === "tool-call") content.push(part.call);
    if (part.type !== "text-delta") continue;
    const before = content.at(-1);
    if (typeof before === "string") content[content.length - 1] = before + part.text;
    else content.push(part.text);
  }
  return content;
}

/** The response as a message of the history; the results of its calls belong directly after it. */
export function toAssistantMessage({ content, state, model }: StepResult): AssistantMessage {
  return {
    role: "assistant",
    content: content.flatMap((part): AssistantMessage["content"] => {
      if (typeof part !== "string") {
        const { id, name, arguments: text } = part;
        return [{ type: "tool-call", id, name, arguments: text }];
      }
      return part.trim() === "" ? [] : [{ type: "text", text: part }];
    }),
    ...(state === undefined ? {} : { state, model }),
  };
}
