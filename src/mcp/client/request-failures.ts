/** Explains why a request, a start or a call failed, as sentences for the user and for models. */
import {
  ProtocolError,
  ProtocolErrorCode,
  SdkError,
  SdkErrorCode,
} from "@modelcontextprotocol/client";
import type { ToolOutput } from "../../conversation/ports.ts";
import { messageOf } from "../../shared/json.ts";
import type { ServerTransport } from "../transport/transport.ts";

/** What a transport knows about its server after a failure. */
type ServerTrace = Pick<ServerTransport, "ending" | "stderr" | "explain" | "hint">;

const unknownEffect = "It is not known whether it had an effect.";

/** Returns why the handshake failed; if the server ended, also what the reason may be. */
export function handshakeFailure(error: unknown, timeoutMs: number, trace: ServerTrace): string {
  const { ending, hint } = trace;
  if (ending === null || hint === "" || isTimeout(error)) {
    return startFailure(error, timeoutMs, trace);
  }
  return withStderr(`${ending} ${hint}`, trace);
}

/** Returns why a request before any call got no response within `timeoutMs` milliseconds. */
export function startFailure(error: unknown, timeoutMs: number, trace: ServerTrace): string {
  // Checked first: the SDK ends a server that is too slow, and that end is not the reason.
  if (isTimeout(error)) {
    return withStderr(`It did not answer within ${seconds(timeoutMs)}.`, trace);
  }
  const failure = trace.explain(error);
  return withStderr(trace.ending ?? failure?.sentence ?? shortReason(error), trace);
}

/** Returns why a request to a connected server failed. */
export function requestFailure(error: unknown, timeoutMs: number, trace: ServerTrace): string {
  if (!(error instanceof ProtocolError) || trace.explain(error) !== null)
    return startFailure(error, timeoutMs, trace);
  return `It answered: ${shortReason(error)}`;
}

/** The output of a call during which we closed the server. */
export const closedCall: ToolOutput = {
  status: "cancelled",
  text: `The server was closed before there was a result. ${unknownEffect}`,
  media: [],
};

/** The output of a call that ended without a result. */
export function failedCall(
  error: unknown,
  { signal, timeoutMs }: { readonly signal: AbortSignal; readonly timeoutMs: number },
  trace: ServerTrace,
): ToolOutput {
  const output = (status: ToolOutput["status"], text: string) => ({ status, text, media: [] });
  // The SDK uses the same error code for a stop and a timeout.
  if (signal.aborted) {
    return output("cancelled", `Stopped before there was a result. ${unknownEffect}`);
  }
  if (trace.ending !== null) {
    const text = `The server ended during the call, which was not repeated. ${unknownEffect}`;
    return output("error", withStderr(`${text} ${trace.ending}`, trace));
  }
  if (isTimeout(error)) {
    const text = `No result within ${seconds(timeoutMs)}; the call was cancelled. ${unknownEffect}`;
    return output("timeout", text);
  }
  const failure = trace.explain(error);
  if (failure?.mayHaveRun) {
    const text = `There is no result, and the call was not repeated. ${unknownEffect}`;
    return output("error", `${text} ${failure.sentence}`);
  }
  if (failure) return output("error", `The call was not made. ${failure.sentence}`);
  const isFailure = error instanceof ProtocolError && !refusals.has(error.code);
  const what = isFailure ? "The server failed in the call" : "The server did not accept the call";
  return output("error", `${what}: ${reason(error)}`);
}

/** Errors before anything was done. Servers use any other code for a tool that failed while it ran. */
const refusals: ReadonlySet<number> = new Set([
  ProtocolErrorCode.ParseError,
  ProtocolErrorCode.InvalidRequest,
  ProtocolErrorCode.MethodNotFound,
  ProtocolErrorCode.InvalidParams,
]);

export function isTimeout(error: unknown): boolean {
  return error instanceof SdkError && error.code === SdkErrorCode.RequestTimeout;
}

/** The message without the prefix that older SDKs add to a server's own text. */
function reason(error: unknown): string {
  return messageOf(error).replace(/^MCP error -?\d+: /, "");
}

/** Shortened for the user. In a call the reason is the result, which is cut like all long results. */
function shortReason(error: unknown): string {
  return reason(error).slice(0, 1000);
}

function withStderr(sentence: string, { stderr }: ServerTrace): string {
  const tail = stderr.text();
  return tail === "" ? sentence : `${sentence} Its last lines on stderr:\n${tail}`;
}

function seconds(milliseconds: number): string {
  return `${Math.round(milliseconds / 100) / 10} s`;
}
