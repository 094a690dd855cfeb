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
 * Takes results as they are: the SDK's own checks throw and lose the text of a result that breaks a
 * rule.
 */
export const anyResult: StandardSchemaV1<unknown, unknown> = {
  "~standard": { version: 1, vendor: "parley", validate: (value) => ({ value }) },
};

export interface SessionOptions {
  /** Of this program. */
  readonly version: string;
  /** The server's key in the configuration. */
  readonly name: string;
  readonly startTimeoutMs: number;
  /** Ends the attempt, the process included. */
  readonly signal: AbortSignal;
  readonly capabilities: NonNullable<ClientOptions["capabilities"]>;
  /** Sets the handlers, before anything is sent. */
  readonly prepare: (session: ServerSession) => void;
}

/** Milliseconds that a server may be silent when it is asked for the newer revision; then it is an old one. */
const probeTimeoutMs = { stdio: 5000, http: 15_000, sse: 15_000 };

/** Reaches the server and shakes hands. Throws sentences, with what the server wrote to stderr last. */
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
      // The first answer is about what servers are asked for today.
      throw failure?.connection === "needs-login" ? toSentence(failed, second, options) : sentence;
    });
  }
}

/**
 * Servers and gateways of the older revision answer the newer one's question, which they do not know, in any way: with
 * a failure of their own, an empty success, a page, or never. That is no reason not to greet them as they know it, as
 * the SDK does itself after the refusals that the protocol names.
 */
function mayKnowOther(error: unknown, transport: HttpTransport): boolean {
  const connection = transport.explain(error)?.connection;
  return connection !== "needs-login" && connection !== "gone" && !isOlderServer(error);
}

/**
 * A process is asked for the newer revision in place, and answers that it does not know it, or nothing; then it is an
 * old one. Some end at what they do not know: these are started once more, with the older handshake.
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

/** With what a process may be tried once more; null: with nothing. */
function otherHandshake(
  error: unknown,
  tried: ProtocolChoice,
  { ending }: StdioTransport,
): ProtocolChoice | null {
  if (tried === "auto") return ending === null ? null : "legacy";
  // It knows no `initialize` any more.
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
    await client.connect(transport, { timeout: startTimeoutMs - probeMs, signal });
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
  // Nobody waits so long twice without having asked for it.
  const isSilent = isTimeout(error) && transport.kind === "stdio";
  return isSilent ? new CannotStartError(sentence) : new Error(sentence);
}

/** Servers of the older SSE know no POST at their address (MCP 2025-11-25, backwards compatibility). */
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
  /** Another session is in use: what was known of the server may be old. */
  readonly onReopened: () => void;
  /** No use for this connection any more. Gets the reason as the server's transport tells it. */
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
   * Makes one request. It is made a second time in one case: the server refused it because it has forgotten the
   * session (404 of MCP 2025-11-25, section "Session Management", or a 400 that names the session, as servers on the
   * SDK answer after a restart). Then it was looked at no further, so nothing is done twice and no approved call is
   * lost. After any other failure a call may have had its effect, and it is never made again.
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

  /** Several requests may find out at once. */
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
    // Requests under way may yet be answered; the last one closes.
    this.#isGone = true;
    this.#options.onGone(failure.sentence, failure.connection === "needs-login");
  }
}
