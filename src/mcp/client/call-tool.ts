/** Makes one tool call in the current session, with the headers that its parameters require, and reads the result. */
import { ProtocolError, type RequestOptions } from "@modelcontextprotocol/client";
import type { ToolOutput } from "../../conversation/ports.ts";
import { given } from "../../shared/given.ts";
import type { JsonObject } from "../../shared/json.ts";
import { longestTimer } from "../../shared/waiting.ts";
import type { ClientFeatures } from "../asking/client-features.ts";
import { visitAddresses } from "../asking/required-addresses.ts";
import type { ToolList } from "../catalog/tool-list.ts";
import { type CallOptions, progressText, type RunningCalls } from "../running-calls.ts";
import type { ServerTransport } from "../transport/transport.ts";
import { outputOfResult } from "./call-results.ts";
import type { OutputChecks } from "./output-check.ts";
import type { ToolHeaders } from "./parameter-headers.ts";
import { closedCall, failedCall } from "./request-failures.ts";
import { anyResult, type ServerSessions } from "./server-session.ts";

/** MCP 2026-07-28. */
const headerMismatch = -32_020;

interface CallRequest {
  readonly tool: string;
  readonly args: JsonObject;
  readonly call: CallOptions;
  readonly calls: RunningCalls;
  readonly features: ClientFeatures;
  readonly outputs: OutputChecks;
  /** Null for a process, which takes no headers. */
  readonly sending: Sending | null;
}

/** What a remote server gets along with the call. */
interface Sending {
  readonly headers: ToolHeaders;
  readonly listAll: () => Promise<ToolList>;
}

/** Never throws: a failure is an output with its status. */
export async function callTool(
  sessions: ServerSessions,
  { tool, args, call, calls, features, sending, outputs }: CallRequest,
): Promise<ToolOutput> {
  const request = { method: "tools/call", params: { name: tool, arguments: args } };
  let used = sessions.current();
  const hidden = (output: ToolOutput) => hideKeysInOutput(output, used.transport);
  try {
    const result = await calls.run(tool, call, (end, progress) =>
      sessions
        .use(end, (session) => {
          used = session;
          const send = (headers: Record<string, string>) =>
            session.client.request(request, anyResult, {
              ...requestOptions(end, progress),
              headers,
            });
          return sending === null ? send({}) : withHeaders(sending, tool, args, send);
        })
        .catch((error: unknown) => visitAddresses(error, { calls, signal: end, features })),
    );
    await outputs.check(tool, result);
    return hidden(outputOfResult(result));
  } catch (error) {
    return sessions.isClosed() ? closedCall : hidden(failedCall(error, call, used.transport));
  }
}

/** Hides keys in a result: a server may repeat what it was given, as in the error of a service behind it. */
function hideKeysInOutput(output: ToolOutput, transport: ServerTransport): ToolOutput {
  const { text, personal } = output;
  return {
    ...output,
    text: transport.hide(text),
    ...given({ personal: personal ? { ...personal, text: transport.hide(personal.text) } : null }),
  };
}

/**
 * A server whose tool has changed refuses the old tool's headers before it does anything (MCP 2026-07-28, -32020), so
 * the call is made once more with the new tool's headers.
 */
async function withHeaders(
  { headers, listAll }: Sending,
  tool: string,
  args: JsonObject,
  send: (headers: Record<string, string>) => Promise<unknown>,
): Promise<unknown> {
  try {
    return await send(headers.of(tool, args));
  } catch (error) {
    if (!(error instanceof ProtocolError) || error.code !== headerMismatch) throw error;
    await listAll();
    return send(headers.of(tool, args));
  }
}

function requestOptions(signal: AbortSignal, progress: (text: string) => void): RequestOptions {
  // The longest possible timeout: `RunningCalls` has the call's own deadline, which can be paused.
  return { signal, timeout: longestTimer, onprogress: (report) => progress(progressText(report)) };
}
