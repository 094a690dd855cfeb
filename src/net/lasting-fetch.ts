/**
 * Requests whose connections outlive the pauses of a user, as `fetch` makes them, except that the body of the response
 * comes as the connection delivers it: a web stream around it would double the cost of each piece. Idle connections are
 * kept for minutes, since otherwise nearly every question would pay for TCP and TLS again: two round trips. And a
 * connection can be opened ahead, while the question is still being typed.
 */
import {
  Agent,
  type AgentOptions,
  request as ask,
  type ClientRequest,
  type ClientRequestArgs,
  type IncomingMessage,
} from "node:http";
import { request as askSecurely, Agent as SecureAgent } from "node:https";
import { isIP, type Socket } from "node:net";
import { type Duplex, pipeline, type Readable } from "node:stream";
import { createBrotliDecompress, createUnzip } from "node:zlib";
import { given } from "../shared/given.ts";
import { HttpHeaders } from "./http-headers.ts";

/** The used part of a `RequestInit`. */
export interface HttpRequest {
  readonly method?: string;
  readonly headers?: Headers;
  readonly body?: string | Uint8Array;
  readonly signal?: AbortSignal;
  /** Nothing is sent before this resolves, nor after it rejects; meanwhile a connection is found or opened. */
  readonly ready?: Promise<unknown>;
}

/** The used part of a `Response`. */
export interface HttpResponse {
  readonly status: number;
  /** Whether the status is a success. */
  readonly ok: boolean;
  readonly headers: Headers;
  readonly body: AsyncIterable<Uint8Array> | null;
}

export interface LastingFetch {
  /**
   * Follows no redirects. A request on a connection that had been idle, and that ended without a single byte of a
   * response, is sent once more on a new connection: the server had closed the old one meanwhile. Rejects with Node's
   * error of the connection, or with the signal's reason.
   */
  fetch(url: string | URL, request?: HttpRequest): Promise<HttpResponse>;
  /** Opens TCP and TLS to the address's host and sends nothing; does nothing if an idle connection is open. */
  openAhead(url: string | URL): void;
  /** Closes idle connections. */
  close(): void;
}

export interface LastingFetchOptions {
  /** Milliseconds that an idle connection is kept. */
  readonly idleMs: number;
  /**
   * Milliseconds since 1970, and of a clock that stops while the machine sleeps. Where Node's second clock goes on in
   * sleep (macOS, Windows), the timeout of idle connections does too and ends them.
   */
  readonly clocks?: { now(): number; awake(): number };
  /** Opens a connection; Node's own way when absent. */
  readonly connect?: (place: ClientRequestArgs) => Duplex;
}

/** Milliseconds. */
const connectTimeoutMs = 10_000;
/** A jump of the clock by more than this, in milliseconds, means that the machine slept and connections are dead. */
const sleepMs = 20_000;
const systemClocks = { now: Date.now, awake: () => performance.now() };

export function createLastingFetch({
  idleMs,
  clocks = systemClocks,
  ...how
}: LastingFetchOptions): LastingFetch {
  const kept = { keepAlive: true, noDelay: true, timeout: idleMs, scheduling: "lifo" } as const;
  const agents = {
    "http:": connectingAhead(new Agent(kept), { ...how, kept, ready: "connect" }),
    "https:": connectingAhead(new SecureAgent(kept), { ...how, kept, ready: "secureConnect" }),
  };
  const close = () => {
    for (const agent of Object.values(agents)) agent.closeIdle();
  };
  let seen = { now: clocks.now(), awake: clocks.awake() };
  /** A connection may be dead after a sleep without any sign of it: a request on it would hang. */
  const dropAfterSleep = () => {
    const [now, awake] = [clocks.now(), clocks.awake()];
    const jump = now - seen.now - (awake - seen.awake);
    seen = { now, awake };
    if (Math.abs(jump) > sleepMs) close();
  };
  const agentOf = ({ protocol }: URL) =>
    protocol === "http:" || protocol === "https:" ? agents[protocol] : null;
  return {
    async fetch(url, wanted = {}) {
      dropAfterSleep();
      const address = new URL(url);
      const agent = agentOf(address);
      if (agent === null) {
        const error = new TypeError(`${address.protocol} is not a protocol for requests`);
        throw Object.assign(error, { code: "ERR_INVALID_URL" });
      }
      const first = await send(address, wanted, agent.agent);
      if (!("error" in first)) return responseOf(first.answer);
      const { reusedSocket, socket } = first.request;
      const wasIdle = reusedSocket || agent.isOpenedAhead(socket);
      if (!wasIdle || !isBroken(first.error) || wanted.signal?.aborted) throw first.error;
      // Other connections of the same age are as dead as this one.
      close();
      const second = await send(address, wanted, agent.agent);
      if ("error" in second) throw second.error;
      return responseOf(second.answer);
    },
    openAhead(url) {
      dropAfterSleep();
      agentOf(new URL(url))?.openAhead(new URL(url));
    },
    close,
  };
}

type Sent =
  | { readonly answer: IncomingMessage }
  | { readonly error: Error; readonly request: ClientRequest };

/** Sends one request; resolves with the head of its response, or with the reason why there is none. */
function send(
  address: URL,
  { method = "GET", headers = new HttpHeaders(), body, signal, ready }: HttpRequest,
  agent: Agent,
): Promise<Sent> {
  return new Promise((resolve) => {
    const own = {
      // Compressed deltas arrive late, and compression takes time on both sides.
      "accept-encoding": "identity",
      accept: "*/*",
      "user-agent": "node",
      ...Object.fromEntries(headers),
    };
    // The agent's timeout is for idle connections; in use, each piece of a response would restart its timer.
    const options = { agent, method, headers: own, timeout: 0, ...given({ signal }) };
    const request = (address.protocol === "https:" ? askSecurely : ask)(address, options);
    request.once("response", (answer) => resolve({ answer }));
    request.on("error", (error) => {
      const reason: unknown = signal?.aborted ? signal.reason : error;
      resolve({ error: reason instanceof Error ? reason : error, request });
    });
    // Sent with its length, and not in chunks, which some servers refuse.
    const leave = () => request.end(body);
    if (ready === undefined) leave();
    else ready.then(leave, (reason) => request.destroy(reason));
  });
}

function responseOf(answer: IncomingMessage): HttpResponse {
  const { statusCode: status = 0 } = answer;
  const headers = new HttpHeaders();
  for (let at = 0; at + 1 < answer.rawHeaders.length; at += 2) {
    headers.append(answer.rawHeaders[at] ?? "", answer.rawHeaders[at + 1] ?? "");
  }
  return { status, ok: status >= 200 && status < 300, headers, body: unpacked(answer) };
}

/** Some servers compress although they were asked not to. */
function unpacked(answer: IncomingMessage): Readable {
  const encoding = answer.headers["content-encoding"]?.trim().toLowerCase();
  const unpacking =
    encoding === "br"
      ? createBrotliDecompress()
      : /^(?:x-)?(?:gzip|deflate)$/.test(encoding ?? "")
        ? createUnzip()
        : null;
  if (unpacking === null) return answer;
  // The reader gets the error of a failure; once nothing reads any longer, the error has no receiver.
  return pipeline(answer, unpacking, () => {});
}

/** An agent that can be given connections before there is a request for them. */
function connectingAhead<Kind extends Agent>(
  agent: Kind,
  {
    kept,
    connect,
    ready,
  }: Pick<LastingFetchOptions, "connect"> & {
    readonly kept: AgentOptions;
    /** The event of a connection that can be used. */
    readonly ready: "connect" | "secureConnect";
  },
) {
  const agentsOwn = agent.createConnection.bind(agent);
  const early = new Map<string, Socket>();
  const ahead = new WeakSet<Duplex>();
  const open = (options: ClientRequestArgs): Socket => {
    // Node's own function also returns the connection at once.
    const socket = (connect?.(options) ?? agentsOwn(options)) as Socket;
    limitConnecting(socket, ready);
    return socket;
  };
  agent.createConnection = (options): Duplex => {
    const key = agent.getName(options);
    const waiting = early.get(key);
    early.delete(key);
    return waiting === undefined || waiting.destroyed ? open(options) : waiting.ref();
  };
  return {
    agent,
    openAhead(address: URL): void {
      const options = { ...kept, ...placeOf(address) };
      const key = agent.getName(options);
      if (early.has(key) || (agent.freeSockets[key]?.length ?? 0) > 0) return;
      const socket = open(options).unref();
      early.set(key, socket);
      ahead.add(socket);
      const isWaiting = () => early.get(key) === socket;
      // The request gets the error of a failure; here it only means that no connection is ready.
      socket.on("error", () => {});
      socket.once("timeout", () => isWaiting() && socket.destroy());
      socket.once("close", () => isWaiting() && early.delete(key));
    },
    isOpenedAhead: (socket: Duplex | null) => socket !== null && ahead.has(socket),
    closeIdle(): void {
      const idle = [...early.values(), ...Object.values(agent.freeSockets).flat()];
      early.clear();
      for (const socket of idle) socket?.destroy();
    },
  };
}

/** The destination of a connection, in the form in which a request names it. */
function placeOf({ hostname, port, protocol }: URL) {
  const host = hostname.replace(/^\[|\]$/g, "");
  const isSecure = protocol === "https:";
  // An IP address is not a server name (RFC 6066, section 3).
  const name = isIP(host) !== 0 || !isSecure ? {} : { servername: host };
  return { host, port: Number(port) || (isSecure ? 443 : 80), ...name };
}

function limitConnecting(socket: Socket, ready: "connect" | "secureConnect"): void {
  const timer = setTimeout(() => {
    const error = new Error(`no connection within ${connectTimeoutMs / 1000} s`);
    // The same code as undici, which connects through a proxy.
    socket.destroy(Object.assign(error, { code: "UND_ERR_CONNECT_TIMEOUT" }));
  }, connectTimeoutMs);
  for (const event of [ready, "close"]) socket.once(event, () => clearTimeout(timer));
}

/** Whether the connection ended before a response began. */
function isBroken(error: Error): boolean {
  return "code" in error && (error.code === "ECONNRESET" || error.code === "EPIPE");
}
