/** Explains why a request, a start or a call failed, as sentences for the user and for models. */
import {
  ProtocolError,
  ProtocolErrorCode,
  SdkError,
  SdkErrorCode,
} from "@modelcontextprotocol/client";
import * as z from "zod";
import type { ToolOutput } from "../../conversation/ports.ts";
import { messageOf, parseJson } from "../../shared/json.ts";
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
  const failure = trace.explain(error);
  if (failure?.mayHaveRun === false) {
    return output("error", `The call was not made. ${failure.sentence}`);
  }
  if (trace.ending !== null) {
    const text = `The server ended during the call, which was not repeated. ${unknownEffect}`;
    return output("error", withStderr(`${text} ${trace.ending}`, trace));
  }
  if (isTimeout(error)) {
    const text = `No result within ${seconds(timeoutMs)}; the call was cancelled. ${unknownEffect}`;
    return output("timeout", text);
  }
  if (failure) return output("error", withoutResult(failure.sentence));
  if (!(error instanceof ProtocolError)) return output("error", withoutResult(reason(error)));
  const isRefusal = refusals.has(error.code);
  const what = isRefusal ? "The server did not accept the call" : "The server failed in the call";
  return output("error", `${what}: ${reason(error)}`);
}

const withoutResult = (why: string) =>
  `There is no result, and the call was not repeated. ${unknownEffect} ${why}`;

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
  const message = messageOf(error);
  const isInvalid = error instanceof SdkError && error.code === SdkErrorCode.InvalidResult;
  return isInvalid ? invalidResult(message) : message.replace(/^MCP error -?\d+: /, "");
}

/** A schema's complaint without its idioms. */
const plain = (complaint: string) =>
  complaint.replace(/^Invalid input: /, "").replace(/, received undefined$/, ", but it is missing");

const complaints = z.array(
  z.object({ path: z.array(z.union([z.string(), z.number()])), message: z.string() }),
);

/** The SDK's `Invalid result for METHOD: REASON`, where the reason can be the complaints of a schema as JSON. */
function invalidResult(message: string): string {
  const [, method = "the request", why = message] =
    /^Invalid result for (\S+): (.*)$/s.exec(message) ?? [];
  const read = complaints.safeParse(parseJson(why));
  const words = read.success
    ? read.data.map((each) => [each.path.join("."), plain(each.message)].filter(Boolean).join(": "))
    : [why];
  return `Its answer to ${method} is not as MCP requires: ${words.join("; ")}.`;
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
