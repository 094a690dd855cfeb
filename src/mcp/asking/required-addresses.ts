/** Handles the error with which a server refuses a call until the user has visited an address (MCP, error -32042). */
import { ProtocolError, ProtocolErrorCode } from "@modelcontextprotocol/client";
import { isObject } from "../../shared/json.ts";
import type { RunningCalls } from "../running-calls.ts";
import type { ClientFeatures } from "./client-features.ts";
import { elicit } from "./client-requests.ts";

/** Per refusal. */
const mostAddresses = 5;

/**
 * Asks the user about each address and returns a call result that says what came of it. The call is not repeated
 * automatically. Any other error is thrown again.
 */
export async function visitAddresses(
  error: unknown,
  {
    calls,
    signal,
    features,
  }: {
    readonly calls: RunningCalls;
    readonly signal: AbortSignal;
    readonly features: ClientFeatures;
  },
): Promise<unknown> {
  const addresses = requiredAddresses(error);
  if (addresses === null) throw error;
  let opened = 0;
  for (const params of addresses) {
    const { action } = await calls.ask(signal, (asker) => elicit(params, asker, features));
    if (action !== "accept") break;
    opened += 1;
  }
  signal.throwIfAborted();
  return refusal(opened === addresses.length ? openedText : notOpenedText);
}

const openedText =
  "The server did not make the call: the user has to do something in a browser first. It was opened there. " +
  "Make the call again when they say that it is done.";
const notOpenedText =
  "The server did not make the call: the user would have to do something in a browser first, and did not open it.";

function refusal(text: string): unknown {
  return { isError: true, content: [{ type: "text", text }] };
}

/** The addresses as parameters of `elicitation/create`; null for any other error. */
function requiredAddresses(error: unknown): readonly unknown[] | null {
  if (!(error instanceof ProtocolError)) return null;
  if (error.code !== ProtocolErrorCode.UrlElicitationRequired) return null;
  const listed = isObject(error.data) ? error.data.elicitations : null;
  if (!Array.isArray(listed) || listed.length === 0) return null;
  return listed
    .slice(0, mostAddresses)
    .map((one) => ({ ...(isObject(one) ? one : {}), mode: "url" }));
}
