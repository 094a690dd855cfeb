import { setTimeout as delay } from "node:timers/promises";
import type { ToolOutput } from "../conversation/types.ts";
import type { ServerConfiguration } from "./configuration.ts";
import type { CallOptions, Connection, ConnectOptions } from "./connection.ts";
import type { JsonObject } from "./json.ts";
import type { ToolList } from "./tool-list.ts";

export interface ServerOptions {
  /** Of this program; servers log it. */
  readonly version: string;
  /** Milliseconds for connecting; the first `npx` of a server downloads it. */
  readonly connectTimeoutMs: number;
  /** Milliseconds for a call, where the server's configuration has none. */
  readonly timeoutMs: number;
  readonly log: (text: string) => void;
}

/** From one start of the process to its end. */
interface Life {
  readonly connection: Promise<Connection>;
  /** Null until asked for, and again when the server says that its tools changed. */
  tools: Promise<ToolList> | null;
}

/**
 * One configured server: started when it is first needed, and again by the next need after it
 * ended.
 */
export class Server {
  readonly name: string;
  readonly #configuration: ServerConfiguration;
  readonly #options: ServerOptions;
  readonly #closing = new AbortController();
  #life: Life | null = null;
  #wasLate = false;

  constructor(name: string, configuration: ServerConfiguration, options: ServerOptions) {
    this.name = name;
    this.#configuration = configuration;
    this.#options = options;
  }

  /**
   * Never throws: what is wrong is in `problems`, as sentences. A server that needs longer than
   * `waitMs` (milliseconds) goes on starting, and until it has answered once nobody waits for it
   * again.
   */
  async tools(waitMs: number): Promise<ToolList> {
    const patience = new AbortController();
    const late = delay(this.#wasLate ? 0 : waitMs, null, { signal: patience.signal });
    try {
      const list = await Promise.race([this.#list(), late]);
      this.#wasLate = list === null;
      return list ?? { tools: [], problems: [notReady] };
    } catch (error) {
      return { tools: [], problems: [`It could not be used. ${messageOf(error)}`] };
    } finally {
      late.catch(() => "ended by us");
      patience.abort();
    }
  }

  /** Never throws. A call is made once: when the server ends during it, it is not made again. */
  async call(
    tool: string,
    args: JsonObject,
    call: Omit<CallOptions, "timeoutMs">,
  ): Promise<ToolOutput> {
    const timeoutMs = this.#configuration.timeoutMs ?? this.#options.timeoutMs;
    try {
      const connection = await untilAborted(this.#running().connection, call.signal);
      return await connection.callTool(tool, args, { ...call, timeoutMs });
    } catch (error) {
      const isStopped = call.signal.aborted || this.#closing.signal.aborted;
      if (isStopped) return { status: "cancelled", text: "Stopped before it was run.", media: [] };
      const text = `The call was not made: the MCP server ${this.name} could not be started. ${messageOf(error)}`;
      return { status: "error", text, media: [] };
    }
  }

  /** Ends the process and everything it started, within 800 ms. It does not start again. */
  async close(): Promise<void> {
    this.#closing.abort();
    const connection = await this.#life?.connection.catch(() => null);
    await connection?.close();
  }

  #running(): Life {
    if (this.#life) return this.#life;
    const forget = () => {
      if (this.#life === life) this.#life = null;
    };
    const life: Life = {
      connection: this.#connect({
        onEnded: forget,
        onToolsChanged: () => {
          life.tools = null;
        },
      }),
      tools: null,
    };
    life.connection.catch((error) => {
      forget();
      this.#log(messageOf(error));
    });
    this.#life = life;
    return life;
  }

  async #connect(on: Pick<ConnectOptions, "onEnded" | "onToolsChanged">): Promise<Connection> {
    // The SDK takes a tenth of a second to load: only when a server is really needed.
    const { connect } = await import("./connection.ts");
    const { signal } = this.#closing;
    if (signal.aborted) throw new Error("It was closed.");
    const { version, connectTimeoutMs } = this.#options;
    const log = (text: string) => this.#log(text);
    return connect(this.#configuration, { version, connectTimeoutMs, signal, log, ...on });
  }

  async #list(): Promise<ToolList> {
    const life = this.#running();
    life.tools ??= life.connection.then((connection) => connection.listTools());
    const { tools } = life;
    try {
      return await tools;
    } catch (error) {
      if (life.tools === tools) life.tools = null;
      throw error;
    }
  }

  #log(text: string): void {
    this.#options.log(`MCP server ${this.name}: ${text}`);
  }
}

const notReady =
  "It has not answered yet and is left out of this answer; " +
  "its tools are offered as soon as it is ready.";

async function untilAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  signal.throwIfAborted();
  let stop = () => {};
  const aborted = new Promise<never>((_, reject) => {
    stop = () => reject(signal.reason);
    signal.addEventListener("abort", stop, { once: true });
  });
  try {
    return await Promise.race([promise, aborted]);
  } finally {
    signal.removeEventListener("abort", stop);
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
