/**
 * One connection to one server. This module loads the MCP SDK, so it is only imported when the first server starts.
 */

import { ProtocolError, ProtocolErrorCode } from "@modelcontextprotocol/client";
import type { ToolOutput } from "../../conversation/ports.ts";
import { given } from "../../shared/given.ts";
import type { JsonObject } from "../../shared/json.ts";
import { clip, visible } from "../../shared/visible.ts";
import type { Grace } from "../../system/process-group.ts";
import type { ClientFeatures } from "../asking/client-features.ts";
import {
  answerRequests,
  clientCapabilities,
  logMessages,
  onChanges,
  reportCompleted,
  reportRootsChanged,
} from "../asking/client-requests.ts";
import { type Catalog, createCatalog } from "../catalog/catalog.ts";
import { hideKeysInTools, readToolList, type ToolList } from "../catalog/tool-list.ts";
import type { ServerConfiguration } from "../configured/launch-configuration.ts";
import { secretsGiven, withoutSecrets } from "../configured/secrets.ts";
import { type CallOptions, RunningCalls } from "../running-calls.ts";
import { LoginNeededError, type ServerTransport } from "../transport/transport.ts";
import { callTool } from "./call-tool.ts";
import { listenForChanges } from "./listening.ts";
import { createOutputChecks } from "./output-check.ts";
import { ToolHeaders } from "./parameter-headers.ts";
import { requestFailure, startFailure } from "./request-failures.ts";
import { anyResult, openSession, type ServerSession, ServerSessions } from "./server-session.ts";

/** Logs only the first `most` texts: a server that repeats a harmless mistake would fill the disk. */
function limitedLog(log: (text: string) => void, most: number): (text: string) => void {
  let count = 0;
  return (text) => {
    count += 1;
    if (count <= most) log(text);
    if (count === most) log("What follows of this kind is not logged.");
  };
}

export interface ConnectOptions {
  /** Parley's version, which servers log. */
  readonly version: string;
  /** Timeout in milliseconds of a request other than a call. */
  readonly connectTimeoutMs: number;
  /** Timeout in milliseconds of the start and the handshake. */
  readonly startTimeoutMs: number;
  /** Aborts the attempt and ends the process. */
  readonly signal: AbortSignal;
  /** The server's key in the configuration. */
  readonly name: string;
  readonly features: ClientFeatures;
  readonly onToolsChanged: () => void;
  /** Receives a function that returns the last lines of the server's stderr, now and after its end. */
  readonly onStderr: (read: () => string) => void;
  /** Called with a sentence when the connection ends for any reason, before the open calls fail. */
  readonly onEnded: (reason: Error) => void;
  readonly log: (text: string) => void;
}

export interface ServerConnectionFacts {
  readonly transport: ServerTransport["kind"];
  /** Of the protocol, such as `2025-11-25`. */
  readonly revision: string;
  /** The version that the server reports about itself; null if none. */
  readonly software: string | null;
}

export interface Connection {
  /** Throws an error for the user. */
  listTools(): Promise<ToolList>;
  /** Never throws: a failure is an output with its status. */
  callTool(name: string, args: JsonObject, options: CallOptions): Promise<ToolOutput>;
  /** Tells the server that the working folders changed. */
  rootsChanged(): Promise<void>;
  readonly catalog: Catalog;
  reached(): ServerConnectionFacts;
  /** The server's own text on how to use its tools; empty if there is none. */
  instructions(): string;
  /** Ends the server and everything it started, or the session with it: within 800 ms, or patiently. */
  close(grace: Grace): Promise<void>;
}

/** Limits per connection: the server's mistakes, and its log messages. */
const mostLogged = { errors: 20, messages: 200 };

/**
 * Connects to the server, starting it if it is a process, and makes the handshake. Throws errors for the user, with
 * the last lines of the server's stderr.
 */
export async function connect(
  configuration: ServerConfiguration,
  options: ConnectOptions,
): Promise<Connection> {
  const { name, connectTimeoutMs, features, onToolsChanged } = options;
  const capabilities = clientCapabilities(configuration, features);
  const calls = new RunningCalls(name);
  const logs = logsFor(configuration, options.log);
  const hide = (text: string) => sessions.current().transport.hide(text);
  const { catalog, forgetResources, forgetPrompts } = createCatalog({
    capabilities: () => ({ ...sessions.current().client.getServerCapabilities() }),
    hide,
    ask: async (method, params, signal) => {
      try {
        return await ask(sessions, { method, params }, connectTimeoutMs, signal);
      } catch (error) {
        if (!alive.signal.aborted) throw error;
        throw new Error("The server was closed before it answered.");
      }
    },
  });
  const forget = { resources: forgetResources, prompts: forgetPrompts, tools: onToolsChanged };
  const alive = new AbortController();
  const wiring = { alive: alive.signal, capabilities, calls, forget, logs };
  const sessions = await openSessions(configuration, options, wiring);
  const headers = "url" in configuration ? new ToolHeaders() : null;
  const outputs = createOutputChecks(name, features, logs.error);
  const listAll = async () => {
    const list = await listTools(sessions, connectTimeoutMs);
    outputs.take(list);
    const isModern = sessions.current().client.getProtocolEra() === "modern";
    return headers !== null && isModern ? headers.learn(list) : list;
  };
  const sending = headers === null ? null : { headers, listAll };
  return {
    listTools: async () => hideKeysInTools(await listAll(), hide),
    callTool: (tool, args, call) =>
      callTool(sessions, { tool, args, call, calls, features, sending, outputs }),
    rootsChanged: () => reportRootsChanged(sessions.current().client, capabilities),
    catalog,
    reached: () => reachedBy(sessions.current()),
    instructions: () => hide(sessions.current().client.getInstructions() ?? ""),
    close: (grace) => {
      alive.abort();
      return sessions.close(grace);
    },
  };
}

/** What every session of a connection receives. */
interface Wiring {
  /** Aborted when the connection is closed. */
  readonly alive: AbortSignal;
  readonly capabilities: ReturnType<typeof clientCapabilities>;
  readonly calls: RunningCalls;
  /** Drop cached lists that are out of date. */
  readonly forget: Readonly<Record<"resources" | "prompts" | "tools", () => void>>;
  readonly logs: Logs;
}

/** Opens the first session, and a new one whenever the server has forgotten it. */
async function openSessions(
  configuration: ServerConfiguration,
  { name, version, startTimeoutMs, features, signal, onStderr, onEnded }: ConnectOptions,
  { alive, capabilities, calls, forget, logs }: Wiring,
): Promise<ServerSessions> {
  let sessions: ServerSessions | null = null;
  const prepare = (session: ServerSession) => {
    const { client, transport } = session;
    answerRequests(client, calls, features, capabilities);
    reportCompleted(client, name, features);
    logMessages(client, logs.message);
    client.onerror = ({ message }) => logs.error(message);
    transport.onnoise = logs.error;
    onChanges(client, forget);
    onStderr(() => transport.stderr.text());
    client.onclose = () => {
      if (sessions !== null && sessions.current() !== session) return;
      onEnded(new Error(transport.ending ?? "The connection ended."));
    };
  };
  const open = (until: AbortSignal) =>
    openSession(configuration, {
      version,
      name,
      startTimeoutMs,
      signal: until,
      capabilities,
      prepare,
    });
  const forgetAll = () => {
    for (const each of Object.values(forget)) each();
  };
  sessions = new ServerSessions(await open(signal), {
    open: () => open(alive),
    onReopened: forgetAll,
    onGone: (sentence, needsLogin) =>
      onEnded(needsLogin ? new LoginNeededError(sentence) : new Error(sentence)),
  });
  // A session of the newer revision is never opened again, so this runs only once.
  const { client } = sessions.current();
  void listenForChanges(client, { signal: alive, onMissed: forgetAll, log: logs.error });
  return sessions;
}

function reachedBy({ client, transport }: ServerSession): ServerConnectionFacts {
  return {
    transport: transport.kind,
    revision: client.getNegotiatedProtocolVersion() ?? "unknown",
    software: client.getServerVersion()?.version ?? null,
  };
}

interface Logs {
  /** The server's mistakes. */
  readonly error: (text: string) => void;
  /** The server's log messages. */
  readonly message: (text: string) => void;
}

/** In characters: the length of a logged text, and how much of the original is searched for secrets. */
const [longestLogged, longestRead] = [500, 20_000];

/** Hides secrets in logged texts: a server may print or log those that it was started with. */
function logsFor(configuration: ServerConfiguration, write: (text: string) => void): Logs {
  const secrets = secretsGiven(configuration);
  const log = (text: string) => {
    // Half a secret would not be recognised, so the text is cut after its secrets are hidden.
    const known = withoutSecrets(text.slice(0, longestRead), secrets);
    write(visible(clip(known, longestLogged).text));
  };
  return {
    error: limitedLog(log, mostLogged.errors),
    message: limitedLog(log, mostLogged.messages),
  };
}

async function ask(
  sessions: ServerSessions,
  request: { readonly method: string; readonly params: JsonObject },
  timeout: number,
  signal: AbortSignal | undefined,
): Promise<unknown> {
  const how = { timeout, ...given({ signal }) };
  try {
    return await sessions.use(signal ?? null, ({ client }) =>
      client.request(request, anyResult, how),
    );
  } catch (error) {
    throw new Error(requestFailure(error, timeout, sessions.current().transport));
  }
}

async function listTools(sessions: ServerSessions, timeout: number): Promise<ToolList> {
  try {
    return await readToolList((cursor) => {
      const request = {
        method: "tools/list",
        ...given({ params: cursor === undefined ? null : { cursor } }),
      };
      return sessions.use(null, ({ client }) => client.request(request, anyResult, { timeout }));
    });
  } catch (error) {
    // A server with only prompts or resources need not support the method.
    const isUnknown =
      error instanceof ProtocolError && error.code === ProtocolErrorCode.MethodNotFound;
    if (isUnknown) return { tools: [], problems: [] };
    throw new Error(
      `Its tools could not be listed. ${startFailure(error, timeout, sessions.current().transport)}`,
    );
  }
}
