/** All models behind one port: finds the vendor, its key and its wire API, which is loaded on first use. */
import { cwd } from "node:process";
import type {
  Failure,
  ModelName,
  ModelRequest,
  Models,
  StreamPart,
  WireRequest,
} from "../conversation/types.ts";
import { toAnthropicRequest } from "./anthropic-request.ts";
import { type Connection, defaultTimeouts, type Timeouts } from "./connection.ts";
import { createKeyring, type Keyring, type ProviderSettings } from "./keys.ts";
import { demoResponse } from "./mock-demo.ts";
import { streamMock } from "./mock-stream.ts";
import { toOpenAIRequest } from "./openai-request.ts";
import { type Vendor, vendors } from "./vendors.ts";

export interface ModelsOptions {
  /** By provider, as in the configuration. */
  readonly providers: Readonly<Record<string, ProviderSettings>>;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Lines for the log; never hold a secret. */
  readonly log?: (line: string) => void;
  readonly timeouts?: Partial<Timeouts>;
  /** Where a relative PATH of `mock/file:PATH` begins; the working folder of the process when left out. */
  readonly folder?: string;
}

const filePrefix = "file:";
const defaultMockDelayMs = 15;

export interface AllModels extends Models {
  /**
   * Loads the SDK of a model's provider, so that its first answer is quick; nothing is sent. Rejects when that
   * fails, as the answer would.
   */
  warm(model: ModelName): Promise<void>;
}

export function createModels(options: ModelsOptions): AllModels {
  const keyring = createKeyring(options.providers, options.environment);
  return {
    wire,
    warm,
    stream: (request, { signal }) => stream(request, options, keyring, signal),
  };
}

async function warm(model: ModelName): Promise<void> {
  const vendor = vendors.get(model.provider);
  if (vendor !== undefined) await loadWireApi(vendor);
}

function loadWireApi({ api }: Vendor) {
  switch (api) {
    case "openai-chat":
      return import("./openai-chat.ts").then(({ streamOpenAI }) => streamOpenAI);
    case "anthropic-messages":
      return import("./anthropic-messages.ts").then(({ streamAnthropic }) => streamAnthropic);
  }
}

function wire(request: ModelRequest): WireRequest | { readonly failure: Failure } {
  const { provider, id } = request.model;
  if (isMock(request.model)) {
    const { system, messages, tools } = request;
    return { provider, api: "mock", model: id, body: { system, messages, tools } };
  }
  const vendor = vendors.get(provider);
  if (vendor === undefined || id === "") return { failure: unknownModel(request.model) };
  return { provider, api: vendor.api, model: id, body: bodyOf(vendor, request) };
}

function bodyOf({ api }: Vendor, request: ModelRequest): unknown {
  switch (api) {
    case "openai-chat":
      return toOpenAIRequest(request);
    case "anthropic-messages":
      return toAnthropicRequest(request);
  }
}

function isMock({ provider, id }: ModelName): boolean {
  return provider === "mock" && (id === "demo" || id.startsWith(filePrefix));
}

function unknownModel({ provider, id }: ModelName): Failure {
  const known = [...vendors.keys()].map((vendor) => `${vendor}/MODEL`).join(", ");
  return {
    kind: "unknown-model",
    message: `There is no model “${provider}/${id}”. Write ${known}, mock/demo or mock/file:PATH after model: in the header or in the configuration, and respond again.`,
  };
}

async function* stream(
  request: ModelRequest,
  options: ModelsOptions,
  keyring: Keyring,
  signal: AbortSignal,
): AsyncGenerator<StreamPart> {
  if (isMock(request.model)) return yield* streamOffline(request, options, signal);
  const vendor = vendors.get(request.model.provider);
  if (vendor === undefined || request.model.id === "") {
    return yield { type: "error", failure: unknownModel(request.model) };
  }
  const connection = await connect(vendor, options, keyring);
  if ("failure" in connection) return yield { type: "error", failure: connection.failure };
  const streamWire = await loadWireApi(vendor).catch((error: unknown) => notLoaded(vendor, error));
  if (typeof streamWire !== "function") return yield { type: "error", failure: streamWire };
  for await (const part of streamWire(request, connection, signal)) {
    if (part.type === "error") {
      const { kind, message, status, requestId } = part.failure;
      if (kind === "auth") keyring.forget(vendor);
      const details = [status, requestId].filter((detail) => detail !== undefined).join(" ");
      options.log?.(`${vendor.id}/${request.model.id}: ${kind} ${details} ${message}`);
    }
    yield part;
  }
}

async function connect(
  vendor: Vendor,
  { providers, environment, timeouts }: ModelsOptions,
  keyring: Keyring,
): Promise<Connection | { readonly failure: Failure }> {
  const found = await keyring.find(vendor);
  if ("failure" in found) return found;
  const given = providers[vendor.id]?.base_url || environment[vendor.baseUrlVariable];
  return {
    vendor,
    apiKey: found.key,
    keySource: found.source,
    baseUrl: baseUrl(vendor, given?.trim() || vendor.baseUrl),
    environment,
    timeouts: { ...defaultTimeouts, ...timeouts },
  };
}

/** Anthropic's SDK adds the version itself; many people write it at the end of the address. */
function baseUrl({ api }: Vendor, url: string): string {
  const bare = url.replace(/\/+$/, "");
  return api === "anthropic-messages" ? bare.replace(/\/v1$/, "") : bare;
}

function notLoaded(vendor: Vendor, error: unknown): Failure {
  const reason = error instanceof Error ? error.message : String(error);
  return {
    kind: "internal",
    message: `The part of Parley that speaks with ${vendor.label} could not be loaded: ${reason}. Build it again with npm run build.`,
  };
}

async function* streamOffline(
  request: ModelRequest,
  { environment, folder }: ModelsOptions,
  signal: AbortSignal,
): AsyncGenerator<StreamPart> {
  const given = Number.parseFloat(environment.PARLEY_MOCK_DELAY_MS ?? "");
  const delayMs = given >= 0 ? given : defaultMockDelayMs;
  const { id } = request.model;
  if (!id.startsWith(filePrefix)) {
    return yield* streamMock(demoResponse(request), { delayMs, chunk: null }, signal);
  }
  const { streamScript } = await import("./mock-file.ts");
  const path = id.slice(filePrefix.length);
  yield* streamScript(path, request, { folder: folder ?? cwd(), delayMs, signal });
}
