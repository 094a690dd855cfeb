/** Describes failures for a program: what happened, and what its caller can change. */
import type { Failure, FailureKind, ModelName } from "../conversation/ports.ts";
import { formatModelName } from "../conversation/settings/model-name.ts";

const words: Readonly<Record<FailureKind, string>> = {
  "missing-key":
    "there is no API key; set the vendor's variable in the environment, or give apiKey to openModel",
  auth: "the API key was refused",
  "rate-limit": "the vendor limits requests; wait and send it again",
  overloaded: "the vendor is overloaded; send it again later",
  "context-overflow": "the messages are longer than the model's context window",
  "invalid-request": "the vendor refused the request",
  "not-found": "there is no such model or address at the vendor",
  refused: "the model refused to answer",
  network: "the vendor could not be reached",
  idle: "the vendor sent nothing for too long",
  aborted: "the signal was aborted",
  "bad-stream": "the answer broke off, or could not be read",
  "unknown-model": "unknown vendor; give baseUrl to openModel for a server of your own",
  internal: "something went wrong before the request was sent",
  other: "the request failed",
};

/** The same failure with a message for programs; the providers' messages address the user of a chat. */
export function failureForProgram(failure: Failure, model: ModelName): Failure {
  const { kind, status, said, happened } = failure;
  const { happened: _, ...rest } = failure;
  if (happened !== undefined)
    return { ...rest, message: `${formatModelName(model)}: ${happened}.` };
  const code = status === undefined ? "" : ` (HTTP ${status})`;
  const own = kind === "internal" || kind === "other" ? failure.message : undefined;
  const detail = said ?? own;
  const message = `${formatModelName(model)}: ${words[kind]}${code}.${detail === undefined ? "" : ` ${detail}`}`;
  return { ...failure, message };
}
