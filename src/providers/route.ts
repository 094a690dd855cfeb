/** Finds where and how a request goes: its API, address, and vendor with configuration and lessons applied. */

import type { Failure, ModelName, ModelRequest } from "../conversation/ports.ts";
import type {
  ProviderConfiguration,
  RequestExtras,
  WireApiName,
} from "../conversation/settings/vendor-settings.ts";
import { ownValue } from "../shared/json.ts";
import { withoutEnd } from "../shared/without-end.ts";
import {
  type Lesson,
  type LessonStore,
  learnedApi,
  lessonsFor,
  taughtVendor,
} from "./learning/lessons.ts";
import { extrasFor } from "./request/request-extras.ts";
import type { Vendor } from "./vendors/vendor.ts";
import { apiOf, findVendor, hasNativeTools, vendors } from "./vendors/vendors.ts";

export interface RouteSources {
  /** Keyed by provider, as in the configuration. */
  readonly providers: Readonly<Record<string, ProviderConfiguration>>;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly lessons: LessonStore;
}

export interface Route {
  readonly vendor: Vendor;
  readonly api: WireApiName;
  /** Whether the user chose the API. */
  readonly isApiChosen: boolean;
  /** Without query parameters, in the form that the API's SDK takes. */
  readonly baseUrl: string;
  /** The address that lessons are stored under, for any API. */
  readonly address: string;
  readonly extras: RequestExtras;
}

export function routeOf(
  request: Pick<ModelRequest, "model" | "serverTools">,
  { providers, environment, lessons: store }: RouteSources,
): Route | { readonly failure: Failure } {
  const { provider, id } = request.model;
  const settings = ownValue(providers, provider);
  const row = findVendor(provider, settings);
  if (row === null || id === "") return { failure: unknownModel(request.model) };
  const given = vendorAddress(row, settings, environment);
  const address = withoutEnd(given.replace(/\?.*$/s, ""), "/");
  const lessons = lessonsFor(store, { vendor: provider, model: id, baseUrl: address });
  const api = apiFor(request, { row, settings, address, lessons });
  return {
    vendor: taughtVendor(row, lessons),
    api,
    isApiChosen: settings?.api !== undefined,
    baseUrl: baseUrl(api, address),
    address,
    extras: extrasFor(settings, id, given),
  };
}

/** The configured API, else the learned one, else that of the table. */
function apiFor(
  request: Pick<ModelRequest, "model" | "serverTools">,
  {
    row,
    settings,
    address,
    lessons,
  }: {
    readonly row: Vendor;
    readonly settings: ProviderConfiguration | undefined;
    readonly address: string;
    readonly lessons: readonly Lesson[];
  },
): WireApiName {
  const learned = settings?.api === undefined ? learnedApi(lessons) : null;
  return learned ?? apiOf(row, request, { ...settings, base_url: address });
}

/** The configured address, else that of the environment, else the vendor's own; without trailing slashes. */
export function vendorAddress(
  { baseUrl: own, baseUrlVariable }: Vendor,
  settings: ProviderConfiguration | undefined,
  environment: RouteSources["environment"],
): string {
  const given = (settings?.base_url || environment[baseUrlVariable])?.trim();
  return withoutEnd(given || own, "/");
}

/** Whether a model takes native tools. True for an unknown model, so that the request itself reports the failure. */
export function takesTools(model: ModelName, sources: RouteSources): boolean {
  const route = routeOf({ model }, sources);
  return "failure" in route || hasNativeTools(route.vendor, model.id);
}

function unknownModel({ provider, id }: ModelName): Failure {
  const known = [...vendors.keys()].map((vendor) => `${vendor}/MODEL`).join(", ");
  const own =
    vendors.has(provider) || provider === "mock"
      ? ""
      : ` For a server of your own set providers.${provider}.base_url in the configuration.`;
  return {
    kind: "unknown-model",
    message: `There is no model “${provider}/${id}”. Write ${known}, mock/demo or mock/file:PATH after model: in the header or in the configuration, and respond again.${own}`,
  };
}

/** Path endings that the SDKs add themselves, but that users copy from vendors' pages. */
const endpoint = /\/(?:chat\/completions|responses|messages)$/;

/** Anthropic's SDK adds the version itself, but many users write it at the end of the address. */
function baseUrl(api: WireApiName, url: string): string {
  const bare = withoutEnd(withoutEnd(url, "/").replace(endpoint, ""), "/");
  return api === "anthropic-messages" ? bare.replace(/\/v1$/, "") : bare;
}
