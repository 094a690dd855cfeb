/** All models as one port: finds the vendor, its key and its wire API, which is loaded on first use. */

import { cwd } from "node:process";
import type {
  Failure,
  ModelName,
  ModelRequest,
  Models,
  StreamOptions,
  StreamPart,
  WireRequest,
} from "../conversation/ports.ts";
import type { ProposedCall } from "../conversation/proposed-call.ts";
import type { ProviderConfiguration } from "../conversation/settings/vendor-settings.ts";
import { unlessAborted } from "../shared/abort.ts";
import { given } from "../shared/given.ts";
import { isObject, messageOf } from "../shared/json.ts";
import { cloudClient } from "./anthropic/cloud-client.ts";
import { createKeyring, type Keyring } from "./api-keys.ts";
import { type Cloud, defaultTimeouts, type Endpoint, type Timeouts } from "./endpoint.ts";
import { noModelList } from "./failures/failure-sentence.ts";
import { classify } from "./failures/failures.ts";
import { notLoaded } from "./failures/not-loaded.ts";
import { keepLessons, learnFromRefusal, withLessons } from "./learn-from.ts";
import {
  createMemoryLessons,
  createTrial,
  type Lesson,
  type LessonStore,
} from "./learning/lessons.ts";
import { imagesRefused, withoutRefusedImages } from "./learning/refused-images.ts";
import { placeRefused, stateRefused, withoutRefusedState } from "./learning/refused-state.ts";
import { demoResponse } from "./mock/mock-demo.ts";
import { streamMock } from "./mock/mock-stream.ts";
import { askServedModels, type ServedModel } from "./prices/served-models.ts";

import { writeLists } from "./request/body-bytes.ts";
import { fitRequest, refusal } from "./request/fit-request.ts";
import { limitNotice } from "./request/model-limits.ts";
import { restoreArguments } from "./request/prepare-tool.ts";
import { withFields } from "./request/request-extras.ts";
import { defaultRetries, type RetryPolicy, withRetries } from "./retry.ts";
import { type Route, type RouteSources, routeOf, takesTools } from "./route.ts";
import { rehearse } from "./stream/rehearsal.ts";
import { stopped } from "./stream/stream.ts";
import { intendedCall } from "./text-tools/call-in-name.ts";
import { withToolProtocols } from "./text-tools/tool-protocol.ts";
import { openAhead } from "./vendor-fetch.ts";
import { effortFor } from "./vendors/reasoning.ts";
import { serverToolsFor } from "./vendors/server-tools.ts";
import type { Vendor } from "./vendors/vendor.ts";
import { type StreamWire, wireApis } from "./wire-apis.ts";

export interface ModelsOptions {
  /** Keyed by provider, as in the configuration. */
  readonly providers: Readonly<Record<string, ProviderConfiguration>>;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Receives lines for the log, which never contain a secret. */
  readonly log?: (line: string) => void;
  readonly timeouts?: Partial<Timeouts>;
  readonly retries?: Partial<RetryPolicy>;
  /** Lessons from refusals; absent: kept until the process ends. */
  readonly lessons?: LessonStore;
  /** The folder whose `node_modules` has packages for clouds; absent: the process's working directory. */
  readonly packageFolder?: string;
  /** The base of a relative PATH in `mock/file:PATH`; absent: the process's working directory. */
  readonly folder?: string;
}

const filePrefix = "file:";
const defaultMockDelayMs = 15;

export interface AllModels extends Models {
  /**
   * Loads the SDK of a model's provider and runs a request through it without sending anything, so that the first
   * answer comes quickly. Rejects if the SDK cannot be loaded, as the answer would.
   */
  warm(request: ModelRequest): Promise<void>;
  /** Builds and writes the request without sending it, for work that is done ahead. */
  write(request: ModelRequest): void;
  /**
   * Opens a connection (TCP and TLS) for the next request to this model without sending anything. `asked`: only if
   * this process has already sent that vendor a request. Never throws.
   */
  openAhead(model: ModelName, which: "asked" | "any"): void;
  /** Returns the models that a vendor's server lists, or why that failed. Never throws. */
  served(
    provider: string,
    signal: AbortSignal,
  ): Promise<{ readonly models: readonly ServedModel[] } | { readonly failure: Failure }>;
}

export function createModels(wanted: ModelsOptions): AllModels {
  const options = { ...wanted, lessons: wanted.lessons ?? createMemoryLessons() };
  const keyring = createKeyring(options.providers, options.environment);
  const modelsBy = (sources: Options): Models => {
    const single: Models = {
      wire: (request) => wire(request, sources),
      stream: (request, how) => stream(request, sources, keyring, how),
    };
    return withToolProtocols(single, (model) => takesTools(model, sources));
  };
  return {
    wire: modelsBy(options).wire,
    stream: (asked, how) => {
      let request = asked;
      const lessons = createTrial(options.lessons);
      const sources = { ...options, lessons };
      const models = modelsBy(sources);
      return withLessons({
        ask: () => models.stream(request, how),
        accepted: lessons.prove,
        learn(failure, count) {
          const goOn = (changed: ModelRequest | null, said: string) => {
            request = changed ?? request;
            return changed === null ? null : said;
          };
          const isKept = wanted.lessons !== undefined;
          return (
            goOn(withoutRefusedState(failure, request), stateRefused) ??
            learnFromRefusal(failure, count, { request, options: sources, isKept }) ??
            goOn(withoutRefusedImages(failure, request), imagesRefused(isKept)) ??
            goOn(withoutRefusedState(failure, request, true), placeRefused)
          );
        },
      });
    },
    warm: async (request) => {
      const route = routeOf(request, options);
      if ("failure" in route) return;
      const streamWire = await wireApis[route.api].load();
      const asked = (endpoint: Endpoint) =>
        ask(request, { streamWire, endpoint, signal: new AbortController().signal, options });
      await rehearse(asked, route).catch((error: unknown) =>
        options.log?.(`rehearsal: ${messageOf(error)}`),
      );
    },
    write: (request) => {
      const wired = modelsBy(options).wire(request);
      if ("body" in wired && isObject(wired.body)) writeLists(wired.body);
    },
    openAhead: (model, which) => {
      const route = isMock(model) ? null : routeOf({ model }, options);
      if (route === null || "failure" in route || !URL.canParse(route.baseUrl)) return;
      // An invalid proxy setting is reported by the request itself.
      openAhead(route.baseUrl, which, options.environment).catch((error: unknown) =>
        options.log?.(`connect ahead: ${messageOf(error)}`),
      );
    },
    served: (provider, signal) => served(provider, options, keyring, signal),
  };
}

async function served(
  provider: string,
  options: Options,
  keyring: Keyring,
  signal: AbortSignal,
): ReturnType<AllModels["served"]> {
  // Without a particular model, only the vendor's own headers and parameters apply.
  const route = routeOf({ model: { provider, id: "*" } }, options);
  if ("failure" in route) return route;
  const endpoint = await endpointOf(route, options, keyring);
  if ("failure" in endpoint) return endpoint;
  try {
    return { models: await askServedModels(endpoint, signal) };
  } catch (error) {
    const asked = { ...endpoint, modelId: "its models" };
    const failure = classify(error, asked);
    if (failure.kind === "auth") keyring.forget(route.vendor, endpoint.apiKey);
    if (failure.kind !== "not-found") return { failure };
    return { failure: { ...failure, message: noModelList(asked) } };
  }
}

/** The options, with a store for lessons. */
type Options = ModelsOptions & RouteSources;

function wire(
  request: ModelRequest,
  options: Options,
): WireRequest | { readonly failure: Failure } {
  const { provider, id } = request.model;
  if (isMock(request.model)) {
    const { system, messages, tools } = request;
    return { provider, api: "mock", model: id, body: { system, messages, tools } };
  }
  const route = routeOf(request, options);
  if ("failure" in route) return route;
  const { vendor, api } = route;
  const refused = refusal(request, vendor);
  if (refused !== null) return { failure: refused };
  const fitted = fitRequest(request, vendor);
  const notices = [...fitted.notices, ...leftOut(fitted.request, route)];
  const body = withFields(wireApis[api].body(fitted.request, vendor), route.extras);
  return {
    provider,
    api,
    model: id,
    body,
    ...given({ notices: notices.length > 0 ? notices : null }),
  };
}

function isMock({ provider, id }: ModelName): boolean {
  return provider === "mock" && (id === "demo" || id.startsWith(filePrefix));
}

/** Sentences about settings that are not sent, or are sent differently. */
function leftOut(
  request: ModelRequest,
  { vendor, api }: Pick<Route, "vendor" | "api">,
): readonly string[] {
  const { notice: effort } = effortFor(request, vendor.compat);
  const limit = limitNotice(request, vendor.compat, api);
  const { notices } = serverToolsFor(request, vendor, api);
  return [effort, limit, ...notices].filter((notice) => notice !== null);
}

async function* stream(
  request: ModelRequest,
  options: Options,
  keyring: Keyring,
  how: StreamOptions,
): AsyncGenerator<StreamPart> {
  if (isMock(request.model)) return yield* streamOffline(request, options, how.signal);
  const wired = await openWire(request, options);
  if ("failure" in wired) return yield { type: "error", failure: wired.failure };
  const sources: AnswerSources = { ...wired, options, keyring, how };
  const isExpired = yield* answer(request, sources, false);
  // Tokens expire: try once more with what the command prints now.
  if (isExpired) yield* answer(request, sources, true);
}

interface Wired {
  readonly route: Route;
  readonly streamWire: StreamWire;
}

/** The route to the model and its loaded wire API, or a failure. */
async function openWire(
  request: ModelRequest,
  options: Options,
): Promise<Wired | { readonly failure: Failure }> {
  const route = routeOf(request, options);
  if ("failure" in route) return route;
  const { vendor, api } = route;
  const refused = refusal(request, vendor);
  if (refused !== null) return { failure: refused };
  const streamWire = await wireApis[api]
    .load()
    .catch((error: unknown) => notLoaded(`that speaks with ${vendor.label}`, error));
  return typeof streamWire === "function" ? { route, streamWire } : { failure: streamWire };
}

interface AnswerSources extends Wired {
  readonly options: Options;
  readonly keyring: Keyring;
  readonly how: StreamOptions;
}

/** Streams an answer. Returns true if the key had expired; then nothing but notices came before. */
async function* answer(
  request: ModelRequest,
  { route, streamWire, options, keyring, how: { signal, ready } }: AnswerSources,
  isRepeated: boolean,
): AsyncGenerator<StreamPart, boolean> {
  const { vendor } = route;
  const isOld = keyring.keeps(vendor);
  // A password manager may be waiting for the user.
  const found = await unlessAborted(endpointOf(route, options, keyring), signal);
  if (found === null || "failure" in found) {
    yield { type: "error", failure: found?.failure ?? stopped };
    return false;
  }
  const learn = (lesson: Lesson) => {
    keepLessons([lesson], { model: request.model, address: route.address }, options);
  };
  const endpoint = { ...found, ...given({ ready }), learn };
  let hasBegun = false;
  for await (const part of ask(request, { streamWire, endpoint, signal, options })) {
    const isRefused = part.type === "error" && part.failure.kind === "auth";
    if (isRefused) keyring.forget(vendor, endpoint.apiKey);
    if (isRefused && isOld && !isRepeated && !hasBegun) return true;
    hasBegun ||= part.type !== "notice" && part.type !== "retry";
    // The first request has shown it.
    if (part.type === "notice" && isRepeated && !hasBegun) continue;
    yield part;
  }
  return false;
}

async function* ask(
  request: ModelRequest,
  {
    streamWire,
    endpoint,
    signal,
    options,
  }: {
    readonly streamWire: StreamWire;
    readonly endpoint: Endpoint;
    readonly signal: AbortSignal;
    readonly options: ModelsOptions;
  },
): AsyncGenerator<StreamPart> {
  const { vendor } = endpoint;
  const fitted = fitRequest(request, vendor);
  const notices = [...fitted.notices, ...leftOut(fitted.request, endpoint)];
  for (const message of notices) yield { type: "notice", message };
  const attempts = withRetries(
    () => streamWire(fitted.request, endpoint, signal),
    { ...defaultRetries, ...options.retries },
    signal,
  );
  for await (const part of attempts) {
    const line = logLine(part);
    if (line !== null) options.log?.(`${vendor.id}/${request.model.id}: ${line}`);
    yield part.type === "tool-call" ? { ...part, call: ownCall(part.call, request, vendor) } : part;
  }
}

/** The call with the tool's own name and argument names. */
function ownCall(call: ProposedCall, { tools }: ModelRequest, { compat }: Vendor): ProposedCall {
  const meant = intendedCall(call, tools);
  const tool = tools.find((each) => each.name === meant.name);
  return { ...meant, arguments: restoreArguments(meant.arguments, tool, compat) };
}

function logLine(part: StreamPart): string | null {
  if (part.type !== "error" && part.type !== "retry") return null;
  const { kind, message, said, status, requestId } = part.failure;
  const details = [status, requestId].filter((detail) => detail !== undefined).join(" ");
  const again =
    part.type === "retry"
      ? ` (attempt ${part.attempt} of ${part.attempts}; the next in ${part.waitMs} ms)`
      : "";
  // The screen shows the start of the vendor's message, the log all of it.
  const words = said === undefined || message.includes(`“${said}”`) ? "" : ` It said: ${said}`;
  return `${kind} ${details} ${message}${words}${again}`;
}

async function endpointOf(
  { vendor, api, baseUrl, extras }: Route,
  { environment, timeouts, providers, packageFolder }: ModelsOptions,
  keyring: Keyring,
): Promise<Endpoint | { readonly failure: Failure }> {
  const cloud = cloudOf(vendor, providers[vendor.id], packageFolder ?? cwd());
  const missing = cloud === null ? null : cloudClient(cloud);
  if (missing !== null && "failure" in missing) return missing;
  const found = await keyring.find(vendor);
  if ("failure" in found) return found;
  return {
    ...given({ cloud }),
    vendor,
    api,
    apiKey: found.key,
    keySource: found.source,
    baseUrl,
    extras,
    environment,
    timeouts: { ...defaultTimeouts, ...timeouts },
  };
}

/** Null: requests go to the vendor's own address. */
function cloudOf(
  { needsKey }: Vendor,
  settings: ProviderConfiguration | undefined,
  folder: string,
): Cloud | null {
  // Vendors of the built-in table ignore `sdk`.
  if (settings?.sdk === undefined || needsKey) return null;
  const { sdk: name, region = null, project = null, base_url: baseUrl = null } = settings;
  return { name, folder, region, project, baseUrl };
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
  const { streamScript } = await import("./mock/mock-file.ts");
  const path = id.slice(filePrefix.length);
  yield* streamScript(path, request, { folder: folder ?? cwd(), delayMs, signal });
}
