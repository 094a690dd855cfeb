/**
 * A model server on the loopback for all wire APIs, scripted turn by turn:
 *
 *     const server = await startModelServer({
 *       turns: [
 *         { text: "Sure, I need to search the web.", calls: [{ id: "call_1", name: "web_search", arguments: '{"query":"x"}' }] },
 *         { text: "It is $911." },
 *       ],
 *     });
 *     createModels({ providers: {}, environment: server.environment });   // or give it to Neovim's process
 *     server.requests[0].body;                                            // exactly what was sent
 *     await server.close();
 *
 * Every request takes the next turn, whichever API it speaks; `turns` may also be a function of the request. The
 * wire format is that of @copilotkit/aimock, behind a gate: the gate keeps the raw request, answers
 * a history that breaks the provider's rules with the provider's 400 (that takes no turn), and passes the rest
 * on. A turn with `raw` is written by the gate byte for byte as given. A turn with `status` is refused.
 */
import { once } from "node:events";
import { createServer, type IncomingMessage, request, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout } from "node:timers/promises";
import { LLMock } from "@copilotkit/aimock";
import { checkAnthropicMessages } from "./model-server-anthropic-rules.ts";
import { checkOpenAIMessages } from "./model-server-openai-rules.ts";
import { checkResponsesInput } from "./model-server-responses-rules.ts";
import { ruledVendors } from "./model-server-vendor-rules.ts";

export type Api = "openai" | "responses" | "anthropic";

export interface ScriptedCall {
  readonly id: string;
  readonly name: string;
  /** JSON text. */
  readonly arguments: string;
}

export interface ScriptedTurn {
  readonly text?: string;
  readonly thoughts?: string;
  readonly signature?: string;
  readonly redactedThinking?: string[];
  readonly calls?: readonly ScriptedCall[];
  /** OpenAI's word for the end (`stop`, `length`, `tool_calls`, `content_filter`), translated for Anthropic. */
  readonly finish?: string;
  readonly usage?: { readonly input: number; readonly output: number };
  /** Characters of one delta. */
  readonly chunkSize?: number;
  /** Between two deltas, in milliseconds. */
  readonly delayMs?: number;
  /** The socket is destroyed after so many deltas. */
  readonly cutAfterChunks?: number;
}

export interface RefusedTurn {
  readonly status: number;
  readonly message: string;
  /** The provider's word, such as `rate_limit_error`. */
  readonly type?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface RawTurn {
  /** 200 when left out. */
  readonly status?: number;
  /** An event stream when left out. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Written one by one, each as a piece of its own. */
  readonly raw: readonly (string | Uint8Array)[];
  readonly pauseMs?: number;
  /** What happens then; `end` when left out. */
  readonly ending?: "end" | "destroy" | "hang";
}

export type Turn = ScriptedTurn | RefusedTurn | RawTurn;

export interface ReceivedRequest {
  readonly api: Api;
  /** Whose address was asked; `own`: a server of one's own, which knows more than each vendor. */
  readonly vendor: string;
  /** With its parameters. */
  readonly path: string;
  readonly headers: IncomingMessage["headers"];
  readonly raw: string;
  // biome-ignore lint/suspicious/noExplicitAny: a test reads single fields of what went over the wire.
  readonly body: any;
  /** The rule that the history breaks, in the provider's words. */
  readonly violation: string | null;
  /** Whether the client went away before its answer had ended. */
  isGone(): boolean;
}

export interface ModelServer {
  readonly url: string;
  readonly requests: readonly ReceivedRequest[];
  /** Keys and addresses of all vendors. */
  readonly environment: Readonly<Record<string, string>>;
  close(): Promise<void>;
}

const checks: Readonly<Record<Api, (body: unknown, vendor: string) => string | null>> = {
  openai: checkOpenAIMessages,
  responses: checkResponsesInput,
  anthropic: checkAnthropicMessages,
};

/** Vendors of chat completions, each at an address of its own so that its own rules hold. */
export const compatibleVendors = ruledVendors.filter((vendor) => vendor !== "openai");

function vendorEnvironment(url: string): Record<string, string> {
  const entries = compatibleVendors.flatMap((vendor) => {
    const name = vendor === "google" ? "GEMINI" : vendor.toUpperCase();
    return [
      [`${name}_API_KEY`, `sk-test-${vendor}-key`],
      [`${name}_BASE_URL`, `${url}/${vendor}/v1`],
    ];
  });
  return Object.fromEntries(entries);
}

export async function startModelServer(options: {
  readonly turns: readonly Turn[] | ((received: ReceivedRequest, index: number) => Turn);
}): Promise<ModelServer> {
  const mock = new LLMock({ port: 0, logLevel: "silent", strict: true });
  await mock.start();
  const requests: ReceivedRequest[] = [];
  let taken = 0;
  const nextTurn = (received: ReceivedRequest): Turn | undefined => {
    const index = taken;
    taken += 1;
    return typeof options.turns === "function"
      ? options.turns(received, index)
      : options.turns[index];
  };
  const gate = createServer(async (incoming, response) => {
    // Lists of models are asked for, too.
    if (incoming.method !== "POST") return refuse(response, "openai", 404, "Not Found");
    const received = await receive(incoming, response);
    requests.push(received);
    if (received.violation !== null) return refuse(response, received.api, 400, received.violation);
    const turn = nextTurn(received);
    if (turn === undefined)
      return refuse(response, received.api, 400, "The script has no turn left.");
    if ("raw" in turn) return await writeRaw(response, turn);
    if ("status" in turn) {
      return refuse(response, received.api, turn.status, turn.message, turn.type, turn.headers);
    }
    const context = `turn-${requests.length}`;
    mock.on({ context }, toFixture(turn), toFixtureOptions(turn));
    pass(incoming, response, received.raw, { port: mock.port, context });
  });
  gate.listen(0, "127.0.0.1");
  await once(gate, "listening");
  const url = `http://127.0.0.1:${(gate.address() as AddressInfo).port}`;
  return {
    url,
    requests,
    environment: {
      OPENAI_API_KEY: "sk-test-openai-key",
      OPENAI_BASE_URL: `${url}/v1`,
      ANTHROPIC_API_KEY: "sk-ant-test-anthropic-key",
      ANTHROPIC_BASE_URL: url,
      ...vendorEnvironment(url),
    },
    async close() {
      gate.closeAllConnections();
      gate.close();
      await mock.stop();
    },
  };
}

async function receive(
  incoming: IncomingMessage,
  response: ServerResponse,
): Promise<ReceivedRequest> {
  let isGone = false;
  response.on("close", () => {
    isGone = !response.writableFinished;
  });
  const pieces: Buffer[] = [];
  for await (const piece of incoming) pieces.push(piece);
  const raw = Buffer.concat(pieces).toString("utf8");
  const api = apiOf(incoming.url ?? "");
  const body: unknown = raw === "" ? null : JSON.parse(raw);
  const named = compatibleVendors.find((vendor) => incoming.url?.startsWith(`/${vendor}/`));
  const vendor = named ?? (incoming.url?.startsWith("/own/") ? "own" : api);
  const violation = checks[api](body, vendor);
  const path = incoming.url ?? "";
  return {
    api,
    vendor,
    path,
    headers: incoming.headers,
    raw,
    body,
    violation,
    isGone: () => isGone,
  };
}

function apiOf(address: string): Api {
  const url = address.replace(/\?.*$/, "");
  if (url.endsWith("/messages")) return "anthropic";
  return url.endsWith("/responses") ? "responses" : "openai";
}

function refuse(
  response: ServerResponse,
  api: Api,
  status: number,
  message: string,
  type = "invalid_request_error",
  headers: Readonly<Record<string, string>> = {},
): void {
  const error = { type, message };
  const body =
    api !== "anthropic"
      ? { error: { ...error, param: null, code: type } }
      : { type: "error", error, request_id: "req_test" };
  response.writeHead(status, {
    "content-type": "application/json",
    "request-id": "req_test",
    ...headers,
  });
  response.end(JSON.stringify(body));
}

async function writeRaw(
  response: ServerResponse,
  { raw, pauseMs = 0, ending, status = 200, headers = {} }: RawTurn,
): Promise<void> {
  response.writeHead(status, { "content-type": "text/event-stream", ...headers });
  for (const piece of raw) {
    if (response.destroyed) return;
    // Without waiting, pieces would be joined on their way.
    await new Promise((written) => response.write(piece, written));
    if (pauseMs > 0) await setTimeout(pauseMs);
  }
  if (ending === "destroy") response.destroy();
  else if (ending !== "hang") response.end();
}

function toFixture({
  text,
  thoughts,
  signature,
  redactedThinking,
  calls,
  finish,
  usage,
}: ScriptedTurn) {
  const content = text ?? "";
  const toolCalls = (calls ?? []).map((call) => ({ ...call }));
  return {
    ...(toolCalls.length > 0 ? { content, toolCalls } : { content }),
    ...(thoughts === undefined ? {} : { reasoning: thoughts }),
    ...(signature === undefined ? {} : { reasoningSignature: signature }),
    ...(redactedThinking === undefined ? {} : { redactedThinking }),
    ...(finish === undefined ? {} : { finishReason: finish }),
    ...(usage === undefined
      ? {}
      : {
          usage: {
            prompt_tokens: usage.input,
            completion_tokens: usage.output,
            input_tokens: usage.input,
            output_tokens: usage.output,
          },
        }),
  };
}

function toFixtureOptions({ chunkSize, delayMs, cutAfterChunks }: ScriptedTurn) {
  return {
    ...(chunkSize === undefined ? {} : { chunkSize }),
    ...(delayMs === undefined ? {} : { latency: delayMs }),
    ...(cutAfterChunks === undefined ? {} : { truncateAfterChunks: cutAfterChunks }),
  };
}

/** Passes a request on to aimock, and its answer back as it comes, a broken connection included. */
function pass(
  incoming: IncomingMessage,
  response: ServerResponse,
  raw: string,
  to: { readonly port: number; readonly context: string },
): void {
  const headers = { ...incoming.headers, "x-aimock-context": to.context };
  const { method } = incoming;
  const path = incoming.url?.replace(/^\/[a-z]+(?=\/v1\/)/, "");
  const onward = request({ host: "127.0.0.1", port: to.port, method, path, headers }, (answer) => {
    response.writeHead(answer.statusCode ?? 500, answer.headers);
    answer.on("data", (piece) => response.write(piece));
    answer.on("end", () => response.end());
    answer.on("error", () => response.destroy());
  });
  onward.on("error", () => response.destroy());
  response.on("close", () => onward.destroy());
  onward.end(raw);
}
