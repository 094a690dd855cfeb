/** Wraps the SDK's transports for remote servers and handles what the SDK leaves open. */

import {
  type AuthProvider,
  InsufficientScopeError,
  type JSONRPCMessage,
  SSEClientTransport,
  StreamableHTTPClientTransport,
  type Transport,
  type TransportSendOptions,
} from "@modelcontextprotocol/client";
import { proxiedFetch } from "../../net/proxied-fetch.ts";
import { given } from "../../shared/given.ts";
import { within } from "../../shared/waiting.ts";
import type { HttpConfiguration } from "../configured/launch-configuration.ts";
import { keysGiven, secretsGiven, withoutKeys, withoutSecrets } from "../configured/secrets.ts";
import { boundedResponse } from "./bounded-response.ts";
import { brokenStreamCode, httpFailure } from "./http-failures.ts";
import { properEvents, properText } from "./read-message.ts";
import type { ServerTransport, TransportFailure } from "./transport.ts";

/** How a broken stream is resumed: delays in milliseconds, and attempts until the call is lost. */
const reconnectionOptions = {
  initialReconnectionDelay: 500,
  maxReconnectionDelay: 4000,
  reconnectionDelayGrowFactor: 2,
  maxRetries: 3,
};

/** Milliseconds between the end of a stream and the next request, whatever the server sets (`retry: 0`). */
const reconnectionMs = { least: 500, most: 60_000 };

/** Clamps a delay that a server sets; a timer would treat an invalid number as no delay at all. */
export function reconnectionDelay(wanted: number): number {
  const { least, most } = reconnectionMs;
  return Number.isNaN(wanted) ? most : Math.min(most, Math.max(least, wanted));
}

/** Responses to a server's requests that may be under way at once: each is an HTTP request with a connection. */
const mostAnswers = 100;

/** Milliseconds for telling a server that its session is over. */
const farewellMs = 500;

/**
 * The SDK's transports for remote servers, changed so that every call ends: if a call's stream breaks off, the SDK
 * leaves the call without an answer until its timeout.
 */
export class HttpTransport implements ServerTransport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: JSONRPCMessage) => void;

  readonly kind: "http" | "sse";
  ending: string | null = null;
  readonly hint = "";
  readonly stderr = { text: () => "" };
  /** Read by the SDK: each request has its own stream, and in the newer revision closing it cancels the request. */
  readonly hasPerRequestStream: boolean;

  readonly #configuration: HttpConfiguration;
  readonly #name: string;
  readonly #inner: StreamableHTTPClientTransport | SSEClientTransport;
  readonly #secrets: Set<string>;
  readonly #keys: Set<string>;
  /** Ids of requests without a response. */
  readonly #open = new Set<string | number>();
  #answers = 0;
  #isReady = false;
  #isClosed = false;

  /** `name` is the server's key in the configuration. */
  constructor(configuration: HttpConfiguration, name: string, kind: "http" | "sse") {
    this.#configuration = configuration;
    this.#name = name;
    this.#secrets = new Set(secretsGiven(configuration));
    this.#keys = new Set(keysGiven(configuration));
    this.kind = kind;
    this.hasPerRequestStream = kind === "http";
    const { url, headers, login } = configuration;
    const common = {
      fetch: async (address: string | URL, init?: RequestInit) =>
        readable(boundedResponse(await proxiedFetch(address, init))),
      requestInit: { headers: { ...headers } },
      // Only redirects within the same origin are followed, so that no header goes to another one.
      redirectPolicy: "same-origin" as const,
      ...given({ authProvider: login === null ? null : this.#hiding(login.authProvider) }),
    };
    this.#inner =
      kind === "sse"
        ? new SSEClientTransport(url, common)
        : new StreamableHTTPClientTransport(url, {
            ...common,
            reconnectionOptions,
            reconnectionScheduler: (reconnect, delay) => {
              const timer = setTimeout(reconnect, reconnectionDelay(delay));
              return () => clearTimeout(timer);
            },
            // Only the user can grant more scopes, and that may be much later.
            onInsufficientScope: "throw",
          });
  }

  async start(): Promise<void> {
    const inner: Transport = this.#inner;
    inner.onmessage = (message) => {
      if (!("method" in message) && message.id !== undefined) this.#open.delete(message.id);
      this.onmessage?.(message);
    };
    inner.onerror = (error) => this.#onError(error);
    inner.onclose = () => this.#finish();
    await inner.start();
    this.#isReady = true;
  }

  async send(message: JSONRPCMessage, options?: TransportSendOptions): Promise<void> {
    const inner: Transport = this.#inner;
    if (!("method" in message)) return this.#answer(message, options);
    if (inner instanceof SSEClientTransport) return inner.send(message);
    if (!("id" in message)) return inner.send(message, options);
    const { id } = message;
    const onRequestStreamEnd = () => {
      options?.onRequestStreamEnd?.();
      if (!this.#open.delete(id)) return;
      this.onmessage?.({
        jsonrpc: "2.0",
        id,
        error: { code: brokenStreamCode, message: "The stream broke off." },
      });
    };
    this.#open.add(id);
    try {
      await inner.send(message, { ...options, onRequestStreamEnd });
    } catch (error) {
      this.#open.delete(id);
      if (error instanceof InsufficientScopeError) {
        await this.#configuration.login?.wantsScope(error.requiredScope ?? "");
      }
      throw error;
    }
  }

  /** Limits the responses: a server that keeps sending requests would use up all connections of this process. */
  async #answer(message: JSONRPCMessage, options?: TransportSendOptions): Promise<void> {
    if (this.#answers === mostAnswers) {
      this.ending ??= `It sent more than ${mostAnswers} requests at once, so its connection was closed.`;
      await this.#inner.close();
      throw new Error(this.ending);
    }
    this.#answers += 1;
    const inner: Transport = this.#inner;
    try {
      await inner.send(message, options);
    } finally {
      this.#answers -= 1;
    }
  }

  setProtocolVersion(version: string): void {
    this.#inner.setProtocolVersion(version);
  }

  explain(error: unknown): TransportFailure | null {
    const { url, login } = this.#configuration;
    return httpFailure(error, {
      origin: url.origin,
      hasSession: this.#sessionId() !== undefined,
      canLogIn: login !== null,
      name: this.#name,
      hide: (text) => this.#hide(text),
    });
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    if (this.#inner instanceof StreamableHTTPClientTransport && this.ending === null) {
      const farewell = this.#inner.terminateSession().catch(() => "it ends without us");
      await within(farewell, farewellMs);
    }
    await this.#inner.close();
    this.#finish();
  }

  #sessionId(): string | undefined {
    return this.#inner instanceof StreamableHTTPClientTransport ? this.#inner.sessionId : undefined;
  }

  #onError(error: Error): void {
    const failure = this.explain(error);
    this.onerror?.(new Error(failure?.sentence ?? this.#hide(error.message).slice(0, 500)));
    // The SDK reconnects an SSE stream again and again, but each new stream is a session without a handshake.
    if (!this.#isReady || !(this.#inner instanceof SSEClientTransport)) return;
    if (failure === null || failure.connection !== "gone" || !isStreamError(error)) return;
    this.ending ??= `Its stream of events ended. ${failure.sentence}`;
    this.#inner.close().catch(() => "it is closed");
  }

  hide(text: string): string {
    return withoutKeys(text, this.#keys);
  }

  #hide(text: string): string {
    return withoutSecrets(text, this.#secrets);
  }

  /** Adds each token to the hidden texts, since a server may repeat the token that it was sent. */
  #hiding(provider: AuthProvider): AuthProvider {
    return {
      ...provider,
      token: async () => {
        const token = await provider.token();
        if (token !== undefined) for (const set of [this.#secrets, this.#keys]) set.add(token);
        return token;
      },
    };
  }

  #finish(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.onclose?.();
  }
}

/** Repairs a response for the SDK: hand-written servers get its form wrong, or do not declare it as JSON. */
async function readable(response: Response): Promise<Response> {
  const { status, statusText, headers } = response;
  const type = headers.get("content-type") ?? "";
  if (response.body !== null && /^text\/event-stream\b/i.test(type)) {
    const events = response.body
      .pipeThrough(new TextDecoderStream())
      .pipeThrough(properEvents())
      .pipeThrough(new TextEncoderStream());
    return new Response(events, { status, statusText, headers });
  }
  if (status !== 200 || !/^$|^(application\/json|text\/plain)\b/i.test(type)) return response;
  const text = await response.text();
  const body = properText(text);
  const isJson = /^\s*[[{]/.test(body);
  if (!isJson) return new Response(body, { status, statusText, headers });
  const named = new Headers(headers);
  named.set("content-type", "application/json");
  return new Response(body, { status, statusText, headers: named });
}

function isStreamError(error: Error): boolean {
  return error.message.startsWith("SSE error");
}
