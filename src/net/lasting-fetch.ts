/**
 * Requests whose connections outlive the pauses of a person, as `fetch` makes them but for the body of the answer,
 * which comes as the connection gives it: a web stream around it costs as much again for each piece. Idle connections
 * are kept for minutes, or nearly every question would pay for TCP and TLS again: two round trips. And a connection can
 * be opened ahead, while the question is still being typed.
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

/** What is used of a `RequestInit`. */
export interface HttpRequest {
  readonly method?: string;
  readonly headers?: Headers;
  readonly body?: string | Uint8Array;
  readonly signal?: AbortSignal;
  /** Nothing is sent before it resolves, nor after it rejects; its connection is looked for, or opened, meanwhile. */
  readonly ready?: Promise<unknown>;
}

/** What is used of a `Response`. */
export interface HttpResponse {
  readonly status: number;
  /** The status is a success. */
  readonly ok: boolean;
  readonly headers: Headers;
  readonly body: AsyncIterable<Uint8Array> | null;
}

export interface LastingFetch {
  /**
   * Follows no redirect. A request on a connection that was idle before, and that ended without one byte of an
   * answer, goes out once more on a new connection: the server had closed it meanwhile. Rejects with Node's error of
   * the connection, or the signal's reason.
   */
  fetch(url: string | URL, request?: HttpRequest): Promise<HttpResponse>;
  /** Opens TCP and TLS to the address's host and sends nothing; does nothing where a connection is open and idle. */
  openAhead(url: string | URL): void;
  /** Closes what is idle. */
  close(): void;
}

export interface LastingFetchOptions {
  /** Milliseconds that an idle connection is kept. */
  readonly idleMs: number;
  /**
   * Milliseconds since 1970, and of a clock that stands still while the machine sleeps; where Node's goes on (macOS,
   * Windows), so does the time of idle connections, which end then by themselves.
   */
  readonly clocks?: { now(): number; awake(): number };
  /** What opens a connection; Node's own way when left out. */
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
  /** The path of a connection may be gone after a sleep, and nothing says so: a request would hang. */
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
      if (agent === null) throw new TypeError(`${address.protocol} is not a protocol for requests`);
      const first = await send(address, wanted, agent.agent);
      if (!("error" in first)) return responseOf(first.answer);
      const { reusedSocket, socket } = first.request;
      const wasIdle = reusedSocket || agent.isOpenedAhead(socket);
      if (!wasIdle || !isBroken(first.error) || wanted.signal?.aborted) throw first.error;
      // Others of the same age are as dead as this one.
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

/** Sends one request; resolves with the head of its answer, or why there is none. */
function send(
  address: URL,
  { method = "GET", headers = new HttpHeaders(), body, signal, ready }: HttpRequest,
  agent: Agent,
): Promise<Sent> {
  return new Promise((resolve) => {
    const own = {
      // Deltas that are packed arrive late, and packing them takes time on both sides.
      "accept-encoding": "identity",
      accept: "*/*",
      "user-agent": "node",
      ...Object.fromEntries(headers),
    };
    const options = { agent, method, headers: own, ...given({ signal }) };
    const request = (address.protocol === "https:" ? askSecurely : ask)(address, options);
    request.once("response", (answer) => resolve({ answer }));
    request.on("error", (error) => {
      const reason: unknown = signal?.aborted ? signal.reason : error;
      resolve({ error: reason instanceof Error ? reason : error, request });
    });
    // With its length told, and not in chunks, which some servers refuse.
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

/** Some servers pack what they were asked not to. */
function unpacked(answer: IncomingMessage): Readable {
  const encoding = answer.headers["content-encoding"]?.trim().toLowerCase();
  const unpacking =
    encoding === "br"
      ? createBrotliDecompress()
      : /^(?:x-)?(?:gzip|deflate)$/.test(encoding ?? "")
        ? createUnzip()
        : null;
  if (unpacking === null) return answer;
  // Whoever reads is told of a failure; of one that nobody reads any more there is nobody to tell.
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
    /** What a connection says when it can be used. */
    readonly ready: "connect" | "secureConnect";
  },
) {
  const agentsOwn = agent.createConnection.bind(agent);
  const early = new Map<string, Socket>();
  const ahead = new WeakSet<Duplex>();
  const open = (options: ClientRequestArgs): Socket => {
    // Node's own gives the connection back at once, too.
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
      // Whoever sends the request learns of a failure; here it only means that nothing is ready.
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

/** As a request names where its connection goes. */
function placeOf({ hostname, port, protocol }: URL) {
  const host = hostname.replace(/^\[|\]$/g, "");
  const isSecure = protocol === "https:";
  // An address is no name (RFC 6066, section 3).
  const name = isIP(host) !== 0 || !isSecure ? {} : { servername: host };
  return { host, port: Number(port) || (isSecure ? 443 : 80), ...name };
}

function limitConnecting(socket: Socket, ready: "connect" | "secureConnect"): void {
  const timer = setTimeout(() => {
    const error = new Error(`no connection within ${connectTimeoutMs / 1000} s`);
    // As undici says it, which connects by way of a proxy.
    socket.destroy(Object.assign(error, { code: "UND_ERR_CONNECT_TIMEOUT" }));
  }, connectTimeoutMs);
  for (const event of [ready, "close"]) socket.once(event, () => clearTimeout(timer));
}

/** The connection ended before an answer began. */
function isBroken(error: Error): boolean {
  return "code" in error && (error.code === "ECONNRESET" || error.code === "EPIPE");
}
