/** One session with one server, from the handshake to its end. */
import {
  Client,
  type ClientOptions,
  SdkError,
  SdkErrorCode,
  SdkHttpError,
} from "@modelcontextprotocol/client";
import type { ProtocolChoice, ServerConfiguration } from "./configuration.ts";
import { startFailure } from "./failures.ts";
import { HttpTransport } from "./http-transport.ts";
import { LoginNeededError } from "./login-needed.ts";
import { assumeComplete } from "./result-type.ts";
import type { ServerTransport } from "./server-transport.ts";
import { StdioTransport } from "./stdio-transport.ts";

export interface Session {
  readonly client: Client;
  readonly transport: ServerTransport;
}

export interface SessionOptions {
  /** Of this program. */
  readonly version: string;
  /** The server's key in the configuration. */
  readonly name: string;
  readonly connectTimeoutMs: number;
  /** Ends the attempt, the process included. */
  readonly signal: AbortSignal;
  readonly capabilities: NonNullable<ClientOptions["capabilities"]>;
  /** Sets the handlers, before anything is sent. */
  readonly prepare: (session: Session) => void;
}

/** Milliseconds that a process may be silent when it is asked for the newer revision; then it is an old one. */
const probeTimeoutMs = 5000;

/** Reaches the server and shakes hands. Throws sentences, with what the server wrote to stderr last. */
export async function openSession(
  configuration: ServerConfiguration,
  options: SessionOptions,
): Promise<Session> {
  if (!("url" in configuration)) {
    const transport = new StdioTransport(configuration);
    return shakeHands(transport, configuration.protocol ?? "legacy", options).catch((failed) => {
      throw toSentence(failed, transport, options);
    });
  }
  const { protocol = "auto", transport: wanted } = configuration;
  const first = new HttpTransport(configuration, options.name, wanted);
  try {
    return await shakeHands(first, wanted === "sse" ? "legacy" : protocol, options);
  } catch (error) {
    const sentence = toSentence(error, first, options);
    if (wanted === "sse" || protocol === "2026-07-28" || !isOlderServer(error)) throw sentence;
    const second = new HttpTransport(configuration, options.name, "sse");
    return shakeHands(second, "legacy", options).catch((failed) => {
      const failure = second.explain(failed);
      // The first answer is about what servers are asked for today.
      throw failure?.connection === "needs-login" ? toSentence(failed, second, options) : sentence;
    });
  }
}

async function shakeHands(
  transport: ServerTransport,
  protocol: ProtocolChoice,
  { version, connectTimeoutMs, signal, capabilities, prepare }: SessionOptions,
): Promise<Session> {
  const mode = protocol === "2026-07-28" ? { pin: protocol } : protocol;
  const probe = transport instanceof StdioTransport ? { timeoutMs: probeTimeoutMs } : {};
  const client = new Client(
    { name: "parley", version },
    { versionNegotiation: { mode, probe }, capabilities },
  );
  const session = { client, transport };
  assumeComplete(transport, () => client.getProtocolEra() === "modern");
  prepare(session);
  const abort = () => void transport.close();
  signal.addEventListener("abort", abort, { once: true });
  try {
    await client.connect(transport, { timeout: connectTimeoutMs, signal });
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
  { connectTimeoutMs }: SessionOptions,
): Error {
  const sentence = startFailure(error, connectTimeoutMs, transport);
  const isLogin = transport.explain(error)?.connection === "needs-login";
  return isLogin ? new LoginNeededError(sentence) : new Error(sentence);
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
