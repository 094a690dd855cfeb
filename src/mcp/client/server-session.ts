/** One session with one server, from the handshake to its end. */

import {
  Client,
  type ClientOptions,
  ProtocolError,
  SdkError,
  SdkErrorCode,
  SdkHttpError,
  type StandardSchemaV1,
} from "@modelcontextprotocol/client";
import { rejectOnAbort } from "../../shared/abort.ts";
import { within } from "../../shared/waiting.ts";
import type { Grace } from "../../system/process-group.ts";
import type {
  ProtocolChoice,
  ServerConfiguration,
  StdioConfiguration,
} from "../configured/launch-configuration.ts";
import { HttpTransport } from "../transport/http-transport.ts";
import { StdioTransport } from "../transport/stdio-transport.ts";
import {
  CannotStartError,
  LoginNeededError,
  type ServerTransport,
} from "../transport/transport.ts";
import { takeAnswers } from "./handshake.ts";
import { handshakeFailure, isTimeout } from "./request-failures.ts";

export interface ServerSession {
  readonly client: Client;
  readonly transport: ServerTransport;
}

/**
 * Accepts any result: the SDK's own checks throw, and lose the text of a result that breaks a rule.
 */
export const anyResult: StandardSchemaV1<unknown, unknown> = {
  "~standard": { version: 1, vendor: "parley", validate: (value) => ({ value }) },
};

export interface SessionOptions {
  /** Parley's version. */
  readonly version: string;
  /** The server's key in the configuration. */
  readonly name: string;
  readonly startTimeoutMs: number;
  /** Aborts the attempt and ends the process. */
  readonly signal: AbortSignal;
  readonly capabilities: NonNullable<ClientOptions["capabilities"]>;
  /** Sets the handlers before anything is sent. */
  readonly prepare: (session: ServerSession) => void;
}

/** Milliseconds without a response to the newer revision's request; after that the server counts as an older one. */
const probeTimeoutMs = { stdio: 5000, http: 15_000, sse: 15_000 };

/** Connects and makes the handshake. Throws errors for the user, with the last lines of the server's stderr. */
export async function openSession(
  configuration: ServerConfiguration,
  options: SessionOptions,
): Promise<ServerSession> {
  if (!("url" in configuration)) return openProcess(configuration, options);
  const { protocol = "auto", transport: wanted } = configuration;
  const first = wanted === "sse" ? "legacy" : protocol;
  let transport = new HttpTransport(configuration, options.name, wanted);
  try {
    return await shakeHands(transport, first, options).catch((error: unknown) => {
      const isOver = first !== "auto" || options.signal.aborted;
      if (isOver || !mayKnowOther(error, transport)) throw error;
      transport = new HttpTransport(configuration, options.name, wanted);
      return shakeHands(transport, "legacy", options);
    });
  } catch (error) {
    const sentence = toSentence(error, transport, options);
    if (wanted === "sse" || protocol === "2026-07-28" || !isOlderServer(error)) throw sentence;
    const second = new HttpTransport(configuration, options.name, "sse");
    return shakeHands(second, "legacy", options).catch((failed) => {
      const failure = second.explain(failed);
      // The first failure is about Streamable HTTP, which servers are expected to support today.
      throw failure?.connection === "needs-login" ? toSentence(failed, second, options) : sentence;
    });
  }
}

/**
 * Whether the older handshake may still work. Servers and gateways of the older revision respond to the newer one's
 * unknown request in any way: with an error of their own, an empty success, a web page, or not at all. The SDK itself
 * only tries the older handshake after the refusals that the protocol defines.
 */
function mayKnowOther(error: unknown, transport: HttpTransport): boolean {
  const connection = transport.explain(error)?.connection;
  return connection !== "needs-login" && connection !== "gone" && !isOlderServer(error);
}

/**
 * A process first gets the newer revision's request. An older server responds that it does not know it, or not at all,
 * and the handshake goes on in the same process. Some exit instead: these are started again with the older handshake.
 */
async function openProcess(
  configuration: StdioConfiguration,
  options: SessionOptions,
): Promise<ServerSession> {
  const { protocol, isOlder = false } = configuration;
  const first = new StdioTransport(configuration);
  const wanted = protocol ?? (isOlder ? "legacy" : "auto");
  try {
    return await shakeHands(first, wanted, options);
  } catch (error) {
    const other = protocol === undefined ? otherHandshake(error, wanted, first) : null;
    if (other === null || options.signal.aborted) throw toSentence(error, first, options);
    const second = new StdioTransport(configuration);
    return shakeHands(second, other, options).catch((failed) => {
      throw toSentence(failed, second, options);
    });
  }
}

/** The handshake for a second start of the process; null: none. */
function otherHandshake(
  error: unknown,
  tried: ProtocolChoice,
  { ending }: StdioTransport,
): ProtocolChoice | null {
  if (tried === "auto") return ending === null ? null : "legacy";
  // The server no longer supports `initialize`.
  return error instanceof ProtocolError ? "auto" : null;
}

async function shakeHands(
  transport: ServerTransport,
  protocol: ProtocolChoice,
  { version, startTimeoutMs, signal, capabilities, prepare }: SessionOptions,
): Promise<ServerSession> {
  const mode = protocol === "2026-07-28" ? { pin: protocol } : protocol;
  const isProbed = protocol === "auto";
  const probeMs = isProbed ? Math.min(probeTimeoutMs[transport.kind], startTimeoutMs / 2) : 0;
  const probe = isProbed ? { timeoutMs: probeMs } : {};
  const client = new Client(
    { name: "parley", version },
    { versionNegotiation: { mode, probe }, capabilities },
  );
  const session = { client, transport };
  takeAnswers(transport, {
    isModern: () => client.getProtocolEra() === "modern",
    isKnown: () => client.getServerVersion() !== undefined,
  });
  prepare(session);
  const abort = () => void transport.close();
  signal.addEventListener("abort", abort, { once: true });
  try {
    const timeout = startTimeoutMs - probeMs;
    const connected = client.connect(transport, { timeout, signal }).then(() => true);
    // The SDK limits only requests: opening the older SSE waits for an event, even after the transport was closed.
    if ((await within(rejectOnAbort(connected, signal), startTimeoutMs)) === null) {
      throw new SdkError(SdkErrorCode.RequestTimeout, "The transport was not open in time.");
    }
    return session;
  } catch (error) {
    await transport.close();
    throw error;
  } finally {
    signal.removeEventListener("abort", abort);
  }
}

function toSentence(
  error: unknown,
  transport: ServerTransport,
  { startTimeoutMs }: SessionOptions,
): Error {
  const sentence = handshakeFailure(error, startTimeoutMs, transport);
  const isLogin = transport.explain(error)?.connection === "needs-login";
  if (isLogin) return new LoginNeededError(sentence);
  if (error instanceof CannotStartError) return error;
  // A silent process is not started again automatically, so that the user never waits this long twice unasked.
  const isSilent = isTimeout(error) && transport.kind === "stdio";
  return isSilent ? new CannotStartError(sentence) : new Error(sentence);
}

/** Servers with only the older SSE accept no POST at their address (MCP 2025-11-25, backwards compatibility). */
function isOlderServer(error: unknown): boolean {
  const cause = error instanceof SdkError && error.cause instanceof Error ? error.cause : error;
  if (!(cause instanceof SdkHttpError)) return false;
  return (
    cause.code === SdkErrorCode.ClientHttpNotImplemented &&
    [400, 404, 405, 406, 410, 415].includes(cause.status)
  );
}

export interface SessionsOptions {
  readonly open: () => Promise<ServerSession>;
  /** A new session is in use: cached lists may be out of date. */
  readonly onReopened: () => void;
  /** The connection can no longer be used. Gets the transport's reason. */
  readonly onGone: (sentence: string, needsLogin: boolean) => void;
}

export class ServerSessions {
  readonly #options: SessionsOptions;
  #current: ServerSession;
  #reopening: Promise<ServerSession> | null = null;
  #isGone = false;
  #isClosed = false;
  #uses = 0;

  constructor(first: ServerSession, options: SessionsOptions) {
    this.#current = first;
    this.#options = options;
  }

  current(): ServerSession {
    return this.#current;
  }

  isClosed(): boolean {
    return this.#isClosed;
  }

  /**
   * Makes one request. It is repeated in one case only: the server refused it because it has forgotten the session (404
   * in MCP 2025-11-25, section "Session Management", or a 400 that names the session, as servers on the SDK respond
   * after a restart). Such a server has not processed the request, so nothing is done twice and no approved call is
   * lost. After any other failure a call may have had its effect, and it is never repeated.
   */
  async use<T>(
    signal: AbortSignal | null,
    request: (session: ServerSession) => Promise<T>,
  ): Promise<T> {
    const session = this.#current;
    this.#uses += 1;
    try {
      return await request(session).catch(async (error: unknown) => {
        if (session.transport.explain(error)?.connection !== "unknown-session") throw error;
        const reopened = this.#reopened(session);
        const next = await (signal === null ? reopened : rejectOnAbort(reopened, signal));
        return request(next);
      });
    } catch (error) {
      this.#look(error);
      throw error;
    } finally {
      this.#uses -= 1;
      if (this.#isGone && this.#uses === 0) await this.#current.transport.close();
    }
  }

  async close(grace: Grace): Promise<void> {
    this.#isClosed = true;
    await this.#reopening?.catch(() => "there is nothing to close");
    await this.#current.transport.close(grace);
  }

  /** Opens one new session even if several requests notice the loss at once. */
  #reopened(old: ServerSession): Promise<ServerSession> {
    if (this.#current !== old) return Promise.resolve(this.#current);
    this.#reopening ??= this.#reopen(old).finally(() => {
      this.#reopening = null;
    });
    return this.#reopening;
  }

  async #reopen(old: ServerSession): Promise<ServerSession> {
    const next = await this.#options.open();
    this.#current = next;
    old.transport.ending = "It has forgotten its session; most likely it was restarted.";
    await old.transport.close();
    if (this.#isClosed) {
      await next.transport.close();
      throw new Error("The server was closed.");
    }
    this.#options.onReopened();
    return next;
  }

  #look(error: unknown): void {
    const failure =
      error instanceof LoginNeededError
        ? ({ sentence: error.message, connection: "needs-login" } as const)
        : this.#current.transport.explain(error);
    if (failure?.connection !== "gone" && failure?.connection !== "needs-login") return;
    // Other open requests may still be answered; the last one closes the transport.
    this.#isGone = true;
    this.#options.onGone(failure.sentence, failure.connection === "needs-login");
  }
}
