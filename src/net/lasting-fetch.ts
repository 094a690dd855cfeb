/**
 * `fetch` whose connections outlive the pauses of a person. Node's own closes an idle connection after four seconds,
 * so nearly every question paid for TCP and TLS again: two round trips. And a connection can be opened ahead, while
 * the question is still being typed.
 */
import { connect as connectPlain, type Socket } from "node:net";
import { connect as connectSecure } from "node:tls";
import {
  type Agent,
  type AgentClass,
  type Connect,
  findAgentClass,
  type Target,
} from "./agent-class.ts";

export interface LastingFetch {
  /**
   * As of the standard. A request on a connection that served an earlier one, and that ended without one byte of an
   * answer, goes out once more on a new connection: the server had closed it meanwhile. `body` must be text or bytes
   * for that.
   */
  fetch(url: string | URL, init?: RequestInit): Promise<Response>;
  /** Opens TCP and TLS to the address's host and sends nothing; does nothing where a connection is likely open. */
  openAhead(url: string | URL): void;
  /** Loads Node's own `fetch`, which takes tens of milliseconds the first time. */
  warm(): Promise<void>;
  /** Closes what is idle. */
  close(): void;
}

export interface LastingFetchOptions {
  /** Milliseconds that an idle connection is kept. */
  readonly idleMs?: number;
  /** Milliseconds since 1970, and of a clock that stands still while the machine sleeps. */
  readonly clocks?: { now(): number; awake(): number };
}

/** Servers keep 400 s as a rule (Cloudflare, Anthropic); past 300 s resets become frequent. */
export const keptMs = 300_000;
/** Milliseconds; as in undici. */
const connectTimeoutMs = 10_000;
/** A jump of the clock by more than this, in milliseconds, means that the machine slept and connections are dead. */
const sleepMs = 20_000;
const systemClocks = { now: Date.now, awake: () => performance.now() };
export function createLastingFetch(options: LastingFetchOptions = {}): LastingFetch {
  const connections = new Connections(options);
  return {
    async fetch(url, init = {}) {
      connections.dropAfterSleep();
      const address = new URL(url);
      const before = connections.opened(address.origin);
      try {
        return await connections.send(address, init);
      } catch (error) {
        const isReused = before > 0 && before === connections.opened(address.origin);
        if (!isReused || !isBroken(error) || !isRepeatable(init)) throw error;
        // Others of the same age are as dead as this one.
        connections.drop();
        return connections.send(address, init);
      }
    },
    openAhead(url) {
      connections.dropAfterSleep();
      connections.openAhead(new URL(url));
    },
    async warm() {
      await connections.agent();
    },
    close: () => connections.close(),
  };
}

/** The connections of one process, with Node's agent over them. */
class Connections {
  readonly #idleMs: number;
  readonly #clocks: { now(): number; awake(): number };
  readonly #early = new Map<string, Promise<Socket>>();
  /** By origin: how many connections were opened, and when a request ended last. */
  readonly #opened = new Map<string, number>();
  readonly #used = new Map<string, number>();
  #agentClass: AgentClass | null | undefined;
  #agent: Agent | null = null;
  #seen: { readonly now: number; readonly awake: number };

  constructor({ idleMs = keptMs, clocks = systemClocks }: LastingFetchOptions) {
    this.#idleMs = idleMs;
    this.#clocks = clocks;
    this.#seen = { now: clocks.now(), awake: clocks.awake() };
  }

  opened(origin: string): number {
    return this.#opened.get(origin) ?? 0;
  }

  /** Null where this Node has no agent to be found: then its own `fetch` does all. */
  async agent(): Promise<Agent | null> {
    this.#agentClass ??= await findAgentClass();
    if (this.#agentClass === null) return null;
    const keep = this.#idleMs;
    this.#agent ??= new this.#agentClass({
      keepAliveTimeout: keep,
      keepAliveMaxTimeout: keep,
      connect: this.#connect,
    });
    return this.#agent;
  }

  async send(url: URL, init: RequestInit): Promise<Response> {
    const dispatcher = await this.agent();
    if (dispatcher === null) return fetch(url, init);
    const response = await fetch(url, { ...init, dispatcher } as RequestInit);
    this.#used.set(url.origin, this.#clocks.now());
    return response;
  }

  openAhead({ origin, protocol, hostname, port }: URL): void {
    const last = this.#used.get(origin);
    const isOpen = last !== undefined && this.#clocks.now() - last < this.#idleMs;
    if (isOpen || this.#early.has(origin)) return;
    const target = { protocol, hostname: hostname.replace(/^\[|\]$/g, ""), port };
    const socket = this.#open(origin, target);
    this.#early.set(origin, socket);
    const forget = () => {
      if (this.#early.get(origin) === socket) this.#early.delete(origin);
    };
    // Whoever sends the request learns of a failure; here it only means that nothing is ready.
    socket.then((ready) => ready.once("close", forget).unref(), forget);
  }

  /** Requests under way end on the old agent. */
  drop(): void {
    const old = this.#agent;
    this.#agent = null;
    this.#used.clear();
    // A failure to close has nobody to tell.
    old?.close().catch(() => {});
  }

  /** The path of a connection may be gone after a sleep, and nothing says so: a request would hang. */
  dropAfterSleep(): void {
    const [now, awake] = [this.#clocks.now(), this.#clocks.awake()];
    const jump = now - this.#seen.now - (awake - this.#seen.awake);
    this.#seen = { now, awake };
    if (Math.abs(jump) > sleepMs) this.close();
  }

  close(): void {
    for (const socket of this.#early.values()) {
      socket.then((ready) => ready.destroy()).catch(() => {});
    }
    this.#early.clear();
    this.drop();
  }

  #open(origin: string, target: Target): Promise<Socket> {
    this.#opened.set(origin, this.opened(origin) + 1);
    return openSocket(target);
  }

  readonly #connect: Connect = (target, done) => {
    const origin = originOf(target);
    const waiting = this.#early.get(origin);
    this.#early.delete(origin);
    const fresh = () => this.#open(origin, target);
    const socket =
      waiting === undefined
        ? fresh()
        : waiting.then((ready) => (ready.destroyed ? fresh() : ready.ref()), fresh);
    socket.then(
      (ready) => done(null, ready),
      (error: Error) => done(error, null),
    );
  };
}

function originOf({ protocol, hostname, port }: Target): string {
  const host = hostname.includes(":") ? `[${hostname}]` : hostname;
  return new URL(`${protocol}//${host}${port === "" ? "" : `:${port}`}`).origin;
}

function openSocket({ protocol, hostname, port, servername }: Target): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const isSecure = protocol === "https:";
    const place = { host: hostname, port: Number(port) || (isSecure ? 443 : 80) };
    const name = isIp(hostname) ? {} : { servername: servername || hostname };
    const socket = isSecure
      ? connectSecure({ ...place, ...name, ALPNProtocols: ["http/1.1"] })
      : connectPlain(place);
    const timer = setTimeout(() => socket.destroy(timedOut(hostname)), connectTimeoutMs);
    socket.setNoDelay(true);
    socket.once("error", reject);
    socket.once("close", () => clearTimeout(timer));
    socket.once(isSecure ? "secureConnect" : "connect", () => {
      clearTimeout(timer);
      socket.off("error", reject);
      // Until a request takes it over, an error means only that it is gone.
      socket.on("error", () => {});
      resolve(socket);
    });
  });
}

function isIp(hostname: string): boolean {
  return hostname.includes(":") || /^[\d.]+$/.test(hostname);
}

function timedOut(hostname: string): Error {
  const error = new Error(
    `${hostname} did not accept a connection in ${connectTimeoutMs / 1000} s`,
  );
  return Object.assign(error, { code: "UND_ERR_CONNECT_TIMEOUT" });
}

/** The connection ended before an answer began. */
function isBroken(error: unknown): boolean {
  const cause: unknown = error instanceof TypeError ? error.cause : null;
  const code: unknown =
    typeof cause === "object" && cause !== null && "code" in cause ? cause.code : null;
  return code === "UND_ERR_SOCKET" || code === "ECONNRESET" || code === "EPIPE";
}

function isRepeatable({ body, signal }: RequestInit): boolean {
  if (signal?.aborted) return false;
  return body == null || typeof body === "string" || body instanceof Uint8Array;
}
