/** Describes failures on the way to a remote server, as sentences. */

import {
  InsufficientScopeError,
  ProtocolError,
  SdkError,
  SdkErrorCode,
  SdkHttpError,
  SseError,
  UnauthorizedError,
} from "@modelcontextprotocol/client";
import { proxyFailureIn } from "../../net/proxy-failure.ts";
import { messageOf } from "../../shared/json.ts";
import { collapseWhitespace, ellipsize, visible } from "../../shared/visible.ts";
import { OversizedMessageError } from "./bounded-response.ts";
import type { TransportFailure } from "./transport.ts";

/** Our own JSON-RPC error code for a response whose stream broke off. */
export const brokenStreamCode = -32_099;

/** Characters of a server's text, which may be a whole HTML page. */
const longestText = 200;

export interface HttpContext {
  readonly origin: string;
  /** Whether the last handshake created a session. */
  readonly hasSession: boolean;
  /** Whether the user can log in to it. */
  readonly canLogIn: boolean;
  /** The server's key in the configuration. */
  readonly name: string;
  readonly hide: (text: string) => string;
}

/** Null if the error is not about HTTP. */
export function httpFailure(error: unknown, context: HttpContext): TransportFailure | null {
  if (error instanceof OversizedMessageError) return oversized;
  if (error instanceof InsufficientScopeError) return moreRights(context);
  if (error instanceof UnauthorizedError) return loginNeeded(context);
  if (error instanceof SdkHttpError) {
    return statusFailure(error.status, error.statusText ?? "", bodyText(error), context);
  }
  if (error instanceof SseError) return streamFailure(error, context);
  if (error instanceof ProtocolError) {
    return error.code === brokenStreamCode ? brokenStream : null;
  }
  if (error instanceof SdkError) return sdkFailure(error, context);
  // Not JSON, or not JSON-RPC: the SDK's message only lists what its schema expects.
  if (error instanceof SyntaxError || (error instanceof Error && "issues" in error)) return notMcp;
  // The SSE transport throws a plain Error for a refused request.
  const [, status] = /^Error POSTing to endpoint \(HTTP (\d{3})\)/.exec(messageOf(error)) ?? [];
  if (status !== undefined) {
    const text = messageOf(error).replace(/^.*?\): /s, "");
    return statusFailure(Number(status), "", text, context);
  }
  return error instanceof TypeError ? unreachable(error, context) : null;
}

/** A failure to open the SSE stream. Many servers that once had SSE now support only Streamable HTTP. */
function streamFailure(error: SseError, context: HttpContext): TransportFailure {
  if (error.code === undefined) return unreachable(error, context);
  const failure = statusFailure(error.code, "", "", context);
  if (![404, 405, 410].includes(error.code)) return failure;
  const way =
    "If it speaks Streamable HTTP now, write type http and the url from its documentation.";
  return { ...failure, sentence: `${failure.sentence} ${way}` };
}

const oversized: TransportFailure = {
  sentence: "It sent a message over 64 MB, which was not read.",
  mayHaveRun: true,
  connection: "as-before",
};

const brokenStream: TransportFailure = {
  sentence: "Its answer broke off and could not be resumed.",
  mayHaveRun: true,
  connection: "as-before",
};

const notMcp: TransportFailure = {
  sentence: "It answered with something that is not MCP.",
  mayHaveRun: true,
  connection: "as-before",
};

function sdkFailure(error: SdkError, context: HttpContext): TransportFailure | null {
  if (error.code === SdkErrorCode.ClientHttpUnexpectedContent) {
    const sentence = `It answered with something that is not MCP (${shown(error.message, context)}); check its url.`;
    return { sentence, mayHaveRun: true, connection: "as-before" };
  }
  // An error of the handshake; the reason is in its cause.
  const { cause } = error;
  return cause instanceof Error && cause !== error ? httpFailure(cause, context) : null;
}

function statusFailure(
  status: number,
  statusText: string,
  text: string,
  context: HttpContext,
): TransportFailure {
  if (status === 401) return loginNeeded(context);
  const said = shown(text, context);
  const name = statusText === "" ? "" : ` ${shown(statusText, context)}`;
  if (status >= 300 && status < 400) {
    const sentence = `It redirects to another address (HTTP ${status}). Nothing was sent there, because the configured headers would be sent, too. Write the right address into url. ${said}`;
    return { sentence: sentence.trim(), mayHaveRun: false, connection: "as-before" };
  }
  const sentence = `It refused the request with HTTP ${status}${name}${said === "" ? "." : `: ${said}`}`;
  const isForgotten =
    context.hasSession && (status === 404 || (status === 400 && /\bsession\b/i.test(text)));
  return {
    sentence,
    // A server refuses a request before it does anything; a proxy may send a 5xx after the server has acted.
    mayHaveRun: status >= 500,
    connection: isForgotten ? "unknown-session" : "as-before",
  };
}

function loginNeeded({ canLogIn, name }: HttpContext): TransportFailure {
  const sentence = canLogIn
    ? `It needs a login: :Parley mcp login ${name}`
    : "It needs a login (HTTP 401) and does not accept the configured headers. Correct them.";
  return { sentence, mayHaveRun: false, connection: "needs-login" };
}

function moreRights({ canLogIn, name }: HttpContext): TransportFailure {
  const sentence = canLogIn
    ? `It needs more rights than the login has: :Parley mcp login ${name}`
    : "It needs more rights than its configured headers give (HTTP 403).";
  return { sentence, mayHaveRun: false, connection: "as-before" };
}

/** Errors that occur before anything was sent. */
const neverSent =
  /^(ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|UND_ERR_CONNECT_TIMEOUT|CERT_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO|ERR_TLS|ERR_SSL)/;

function unreachable(error: Error, context: HttpContext): TransportFailure {
  const code = codeOfCause(error.cause) ?? codeOfCause(error) ?? shown(messageOf(error), context);
  const proxy = proxyFailureIn(error);
  if (proxy !== null) {
    const sentence = `It could not be reached at ${context.origin}. ${proxy.message}`;
    return { sentence, mayHaveRun: false, connection: "gone" };
  }
  const isUnsent = neverSent.test(code);
  const sentence = isUnsent
    ? `It could not be reached at ${context.origin} (${code}).`
    : `The connection to ${context.origin} broke off (${code}).`;
  return { sentence, mayHaveRun: !isUnsent, connection: "gone" };
}

/** If several addresses of one host fail, the error is an aggregate; its first part has the reason. */
function codeOfCause(cause: unknown): string | null {
  if (cause instanceof AggregateError && codeOfCause(cause.errors[0]) !== null) {
    return codeOfCause(cause.errors[0]);
  }
  const code = cause instanceof Error && "code" in cause ? cause.code : null;
  return typeof code === "string" ? code : null;
}

function bodyText({ message, data }: SdkHttpError): string {
  const text = data && "text" in data ? data.text : null;
  return typeof text === "string" ? text : message.replace(/^Error POSTing to endpoint: /, "");
}

/** A server's text on one line, shortened, with secrets and control characters hidden. */
function shown(text: string, { hide }: HttpContext): string {
  return visible(ellipsize(collapseWhitespace(hide(text)), longestText));
}
