/**
 * One connection to one server process. This module loads the MCP SDK, so it is imported when the
 * first server starts and not before.
 */
import {
  Client,
  ProtocolError,
  ProtocolErrorCode,
  type RequestOptions,
  type StandardSchemaV1,
} from "@modelcontextprotocol/client";
import type { ToolOutput } from "../conversation/types.ts";
import type { ClientFeatures } from "./client-features.ts";
import {
  answerRequests,
  clientCapabilities,
  logMessages,
  tellCompleted,
  tellRootsChanged,
} from "./client-requests.ts";
import type { ServerConfiguration } from "./configuration.ts";
import { closedCall, failedCall, requestFailure, startFailure } from "./failures.ts";
import type { JsonObject } from "./json.ts";
import { limitedLog } from "./limited-log.ts";
import { createOffers, type Offers } from "./offers.ts";
import { type CallOptions, OpenCalls } from "./open-calls.ts";
import { progressText } from "./progress.ts";
import { withRequiredAddresses } from "./required-addresses.ts";
import { toToolOutput } from "./results.ts";
import { StdioTransport } from "./stdio-transport.ts";
import { readToolList, type ToolList } from "./tool-list.ts";

export interface ConnectOptions {
  /** Of this program; servers log it. */
  readonly version: string;
  /** Milliseconds for the start of the process, the handshake, and each page of the tool list. */
  readonly connectTimeoutMs: number;
  /** Ends the attempt, the process included. */
  readonly signal: AbortSignal;
  /** The server's key in the configuration. */
  readonly name: string;
  readonly features: ClientFeatures;
  readonly onToolsChanged: () => void;
  /** Gives what reads the last lines that the server wrote to stderr, now and after its end. */
  readonly onStderr: (read: () => string) => void;
  /** The connection has ended, for whatever reason; called before the calls in flight fail. Gets a sentence. */
  readonly onEnded: (reason: string) => void;
  readonly log: (text: string) => void;
}

export interface Connection {
  /** Throws a sentence. */
  listTools(): Promise<ToolList>;
  /** Never throws: a failure is an output with its status. */
  callTool(name: string, args: JsonObject, options: CallOptions): Promise<ToolOutput>;
  /** Tells the server that the folders to work in are others. */
  rootsChanged(): Promise<void>;
  readonly offers: Offers;
  /** Ends the server and everything it started, within 800 ms. */
  close(): Promise<void>;
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

/**
 * Starts the server and shakes hands. Throws sentences, with what the server wrote to stderr last.
 */
export async function connect(
  configuration: ServerConfiguration,
  options: ConnectOptions,
): Promise<Connection> {
  const { version, connectTimeoutMs, signal, log } = options;
  const transport = new StdioTransport(configuration);
  const capabilities = clientCapabilities(configuration, options.features);
  // `legacy`: probing for the newer revision would start the command a second time.
  const client = new Client(
    { name: "parley", version },
    { versionNegotiation: { mode: "legacy" }, capabilities },
  );
  const calls = new OpenCalls(options.name);
  answerRequests(client, calls, options.features, capabilities);
  tellCompleted(client, options.name, options.features);
  const logError = limitedLog(log, mostLogged.errors);
  client.onerror = ({ message }) => logError(message);
  logMessages(client, limitedLog(log, mostLogged.messages));
  client.setNotificationHandler("notifications/tools/list_changed", options.onToolsChanged);
  const { offers, forgetResources, forgetPrompts } = createOffers({
    capabilities: () => ({ ...client.getServerCapabilities() }),
    ask: async (method, params, signal) => {
      const how = { timeout: connectTimeoutMs, ...(signal === undefined ? {} : { signal }) };
      try {
        return await client.request({ method, params }, anyResult, how);
      } catch (error) {
        throw new Error(requestFailure(error, connectTimeoutMs, transport));
      }
    },
  });
  client.setNotificationHandler("notifications/resources/list_changed", forgetResources);
  client.setNotificationHandler("notifications/prompts/list_changed", forgetPrompts);
  let isClosing = false;
  options.onStderr(() => transport.stderr.text());
  client.onclose = () => options.onEnded(transport.ending ?? "The connection ended.");
  const abort = () => void transport.close();
  signal.addEventListener("abort", abort, { once: true });
  try {
    await client.connect(transport, { timeout: connectTimeoutMs, signal });
  } catch (error) {
    await transport.close();
    throw new Error(startFailure(error, connectTimeoutMs, transport));
  } finally {
    signal.removeEventListener("abort", abort);
  }
  return {
    listTools: () => listTools(client, transport, connectTimeoutMs),
    callTool: async (name, args, call) => {
      const request = { method: "tools/call", params: { name, arguments: args } };
      try {
        const result = await calls.run(name, call, (end, progress) =>
          withRequiredAddresses(
            () => client.request(request, anyResult, requestOptions(end, progress)),
            { calls, signal: end, features: options.features },
          ),
        );
        return toToolOutput(result);
      } catch (error) {
        return isClosing ? closedCall : failedCall(error, call, transport);
      }
    },
    rootsChanged: () => tellRootsChanged(client),
    offers,
    close: async () => {
      isClosing = true;
      await transport.close();
    },
  };
}

function requestOptions(signal: AbortSignal, progress: (text: string) => void): RequestOptions {
  return { signal, timeout: noTimeout, onprogress: (report) => progress(progressText(report)) };
}

async function listTools(
  client: Client,
  transport: StdioTransport,
  timeout: number,
): Promise<ToolList> {
  try {
    return await readToolList((cursor) => {
      const request = {
        method: "tools/list",
        ...(cursor === undefined ? {} : { params: { cursor } }),
      };
      return client.request(request, anyResult, { timeout });
    });
  } catch (error) {
    // A server of prompts or resources alone need not know the method.
    const isUnknown =
      error instanceof ProtocolError && error.code === ProtocolErrorCode.MethodNotFound;
    if (isUnknown) return { tools: [], problems: [] };
    throw new Error(`Its tools could not be listed. ${startFailure(error, timeout, transport)}`);
  }
}
