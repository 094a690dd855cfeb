/**
 * One connection to one server. This module loads the MCP SDK, so it is imported when the
 * first server starts and not before.
 */

import {
  ProtocolError,
  ProtocolErrorCode,
  type RequestOptions,
  type StandardSchemaV1,
} from "@modelcontextprotocol/client";
import type { ToolOutput } from "../../conversation/ports.ts";
import { given } from "../../shared/given.ts";
import type { JsonObject } from "../../shared/json.ts";
import type { Grace } from "../../system/process-group.ts";
import type { ClientFeatures } from "../asking/client-features.ts";
import {
  answerRequests,
  clientCapabilities,
  logMessages,
  onChanges,
  tellCompleted,
  tellRootsChanged,
} from "../asking/client-requests.ts";
import { visitAddresses } from "../asking/required-addresses.ts";
import { type Catalog, createCatalog } from "../catalog/catalog.ts";
import { readToolList, type ToolList } from "../catalog/tool-list.ts";
import type { ServerConfiguration } from "../configured/launch-configuration.ts";
import { secretsGiven, withoutSecrets } from "../configured/secrets.ts";
import { type CallOptions, OpenCalls, progressText } from "../open-calls.ts";
import { LoginNeededError, type ServerTransport } from "../transport/transport.ts";
import { outputOfResult } from "./call-results.ts";
import { listenForChanges } from "./listening.ts";
import { createOutputChecks, type OutputChecks } from "./output-check.ts";
import { ToolHeaders } from "./parameter-headers.ts";
import { closedCall, failedCall, requestFailure, startFailure } from "./request-failures.ts";
import { openSession, type ServerSession, ServerSessions } from "./server-session.ts";

/**
 * What a server says or does wrong without harm, a few times: the rest would fill the disk. Each text is cut.
 */
function limitedLog(log: (text: string) => void, most: number): (text: string) => void {
  let count = 0;
  return (text) => {
    count += 1;
    if (count <= most) log(text.slice(0, 500));
    if (count === most) log("What follows of this kind is not logged.");
  };
}

export interface ConnectOptions {
  /** Of this program; servers log it. */
  readonly version: string;
  /** Milliseconds for one request that is no call. */
  readonly connectTimeoutMs: number;
  /** Milliseconds for the start of the process and the handshake. */
  readonly startTimeoutMs: number;
  /** Ends the attempt, the process included. */
  readonly signal: AbortSignal;
  /** The server's key in the configuration. */
  readonly name: string;
  readonly features: ClientFeatures;
  readonly onToolsChanged: () => void;
  /** Gives what reads the last lines that the server wrote to stderr, now and after its end. */
  readonly onStderr: (read: () => string) => void;
  /** The connection has ended, for whatever reason; called before the calls in flight fail. Gets a sentence. */
  readonly onEnded: (reason: Error) => void;
  readonly log: (text: string) => void;
}

export interface Reached {
  readonly transport: ServerTransport["kind"];
  /** Of the protocol, as `2025-11-25`. */
  readonly revision: string;
  /** The version that the server tells of itself; null: none. */
  readonly software: string | null;
}

export interface Connection {
  /** Throws a sentence. */
  listTools(): Promise<ToolList>;
  /** Never throws: a failure is an output with its status. */
  callTool(name: string, args: JsonObject, options: CallOptions): Promise<ToolOutput>;
  /** Tells the server that the folders to work in are others. */
  rootsChanged(): Promise<void>;
  readonly catalog: Catalog;
  reached(): Reached;
  /** How its tools are used, in its words; empty when it says nothing. */
  instructions(): string;
  /** Ends the server and everything it started, or the session with it: within 800 ms, or patiently. */
  close(grace: Grace): Promise<void>;
}

/** Milliseconds; the longest that a timer takes. The time of a call is kept by `OpenCalls`, which can stop it. */
const noTimeout = 2 ** 31 - 1;

/** Per connection: mistakes of the server, and what it wants logged. */
const mostLogged = { errors: 20, messages: 200 };

/**
 * Takes results as they are: the SDK's own checks throw and lose the text of a result that breaks a
 * rule.
 */
const anyResult: StandardSchemaV1<unknown, unknown> = {
  "~standard": { version: 1, vendor: "parley", validate: (value) => ({ value }) },
};

const headerMismatch = -32_020;

/**
 * Reaches the server, starting it where it is a process, and shakes hands. Throws sentences, with what the server
 * wrote to stderr last.
 */
export async function connect(
  configuration: ServerConfiguration,
  options: ConnectOptions,
): Promise<Connection> {
  const { name, version, connectTimeoutMs, startTimeoutMs, features } = options;
  const capabilities = clientCapabilities(configuration, features);
  const calls = new OpenCalls(name);
  const onEnded = (error: Error) => options.onEnded(error);
  const { catalog, forgetResources, forgetPrompts } = createCatalog({
    capabilities: () => ({ ...sessions.current().client.getServerCapabilities() }),
    ask: (method, params, signal) => ask(sessions, { method, params }, connectTimeoutMs, signal),
  });
  const forget = { resources: forgetResources, prompts: forgetPrompts };
  const forgetAll = () => {
    forgetResources();
    forgetPrompts();
    options.onToolsChanged();
  };
  const prepare = (session: ServerSession) => {
    const { client, transport } = session;
    answerRequests(client, calls, features, capabilities);
    tellCompleted(client, name, features);
    logMessages(client, logMessage);
    client.onerror = ({ message }) => logError(message);
    transport.onnoise = logError;
    onChanges(client, { ...forget, tools: options.onToolsChanged });
    options.onStderr(() => transport.stderr.text());
    client.onclose = () => {
      if (opened !== null && opened.current() !== session) return;
      onEnded(new Error(transport.ending ?? "The connection ended."));
    };
  };
  const { logError, logMessage } = logsFor(configuration, options.log);
  const open = (signal: AbortSignal) =>
    openSession(configuration, { version, name, startTimeoutMs, signal, capabilities, prepare });
  let opened: ServerSessions | null = null;
  const alive = new AbortController();
  const sessions = new ServerSessions(await open(options.signal), {
    open: () => open(alive.signal),
    onReopened: forgetAll,
    onGone: (sentence, needsLogin) =>
      onEnded(needsLogin ? new LoginNeededError(sentence) : new Error(sentence)),
  });
  opened = sessions;
  // A session of the newer revision is never opened anew, so it is listened to once.
  void listenForChanges(sessions.current().client, {
    signal: alive.signal,
    onMissed: forgetAll,
    log: logError,
  });
  const headers = "url" in configuration ? new ToolHeaders() : null;
  const outputs = createOutputChecks(name, features, logError);
  const listAll = async () => {
    const list = await listTools(sessions, connectTimeoutMs);
    outputs.take(list);
    const isModern = sessions.current().client.getProtocolEra() === "modern";
    return headers !== null && isModern ? headers.learn(list) : list;
  };
  const sending = headers === null ? null : { headers, listAll };
  return {
    listTools: listAll,
    callTool: (tool, args, call) =>
      callTool(sessions, { tool, args, call, calls, features, sending, outputs }),
    rootsChanged: () => tellRootsChanged(sessions.current().client, capabilities),
    catalog,
    reached: () => reachedBy(sessions.current()),
    instructions: () => sessions.current().client.getInstructions() ?? "",
    close: (grace) => {
      alive.abort();
      return sessions.close(grace);
    },
  };
}

function reachedBy({ client, transport }: ServerSession): Reached {
  return {
    transport: transport.kind,
    revision: client.getNegotiatedProtocolVersion() ?? "unknown",
    software: client.getServerVersion()?.version ?? null,
  };
}

/** A server may print or have logged the secrets that it was started with. */
function logsFor(configuration: ServerConfiguration, write: (text: string) => void) {
  const secrets = secretsGiven(configuration);
  const log = (text: string) => write(withoutSecrets(text, secrets));
  return {
    logError: limitedLog(log, mostLogged.errors),
    logMessage: limitedLog(log, mostLogged.messages),
  };
}

interface ToolCall {
  readonly tool: string;
  readonly args: JsonObject;
  readonly call: CallOptions;
  readonly calls: OpenCalls;
  readonly features: ClientFeatures;
  readonly outputs: OutputChecks;
  /** Null for a process: it takes no headers. */
  readonly sending: Sending | null;
}

interface Sending {
  readonly headers: ToolHeaders;
  readonly listAll: () => Promise<ToolList>;
}

async function callTool(
  sessions: ServerSessions,
  { tool, args, call, calls, features, sending, outputs }: ToolCall,
): Promise<ToolOutput> {
  const request = { method: "tools/call", params: { name: tool, arguments: args } };
  let used = sessions.current();
  try {
    const result = await calls.run(tool, call, (end, progress) =>
      sessions
        .use(end, (session) => {
          used = session;
          const send = (headers: Record<string, string>) =>
            session.client.request(request, anyResult, {
              ...requestOptions(end, progress),
              headers,
            });
          return sending === null ? send({}) : withHeaders(sending, tool, args, send);
        })
        .catch((error: unknown) => visitAddresses(error, { calls, signal: end, features })),
    );
    await outputs.check(tool, result);
    return outputOfResult(result);
  } catch (error) {
    return sessions.isClosed() ? closedCall : failedCall(error, call, used.transport);
  }
}

/**
 * A server that has changed its tool refuses headers of the old one before it does anything (MCP 2026-07-28,
 * -32020), so the call is made once more, with those of the new one.
 */
async function withHeaders(
  { headers, listAll }: Sending,
  tool: string,
  args: JsonObject,
  send: (headers: Record<string, string>) => Promise<unknown>,
): Promise<unknown> {
  try {
    return await send(headers.of(tool, args));
  } catch (error) {
    if (!(error instanceof ProtocolError) || error.code !== headerMismatch) throw error;
    await listAll();
    return send(headers.of(tool, args));
  }
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

function requestOptions(signal: AbortSignal, progress: (text: string) => void): RequestOptions {
  return { signal, timeout: noTimeout, onprogress: (report) => progress(progressText(report)) };
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
    // A server of prompts or resources alone need not know the method.
    const isUnknown =
      error instanceof ProtocolError && error.code === ProtocolErrorCode.MethodNotFound;
    if (isUnknown) return { tools: [], problems: [] };
    throw new Error(
      `Its tools could not be listed. ${startFailure(error, timeout, sessions.current().transport)}`,
    );
  }
}
