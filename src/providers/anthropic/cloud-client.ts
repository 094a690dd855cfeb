/**
 * Claude on Amazon Bedrock and Google Vertex AI, through Anthropic's own packages, which sign requests and handle each
 * cloud's logins. They are not dependencies: users who want one install it into Parley's folder for packages.
 */
import { createRequire } from "node:module";
import { join } from "node:path";
import type { Failure } from "../../conversation/ports.ts";
import type { RequestExtras } from "../../conversation/settings/vendor-settings.ts";
import { given } from "../../shared/given.ts";
import { isObject, messageOf } from "../../shared/json.ts";
import type { Cloud } from "../endpoint.ts";

/** The part of Anthropic's clients that is used; they convert the cloud's stream to server-sent events. */
export interface MessagesClient {
  readonly messages: {
    create(body: object, options: object): { asResponse(): Promise<Response> };
  };
}

const packages = {
  bedrock: { name: "@anthropic-ai/bedrock-sdk", client: "AnthropicBedrock" },
  vertex: { name: "@anthropic-ai/vertex-sdk", client: "AnthropicVertex" },
} as const;

type Client = new (options: object) => MessagesClient;

/** Returns the package's client class, or a failure that says how to install it. */
export function cloudClient({ name, folder }: Cloud): Client | { readonly failure: Failure } {
  const wanted = packages[name];
  const require = createRequire(join(folder, "package.json"));
  try {
    require.resolve(wanted.name);
  } catch {
    const happened = `Claude needs the package ${wanted.name} there, which is not installed`;
    const message = `${happened}. Run: npm install --prefix ${JSON.stringify(folder)} ${wanted.name}@1 — and respond again.`;
    return { failure: { kind: "other", message, happened } };
  }
  try {
    const found: unknown = require(wanted.name);
    // The packages export a function that has their classes as properties.
    const holder = typeof found === "function" || isObject(found) ? found : {};
    const client: unknown = Reflect.get(holder, wanted.client);
    if (typeof client !== "function") throw new Error(`it has no ${wanted.client}`);
    return client as Client;
  } catch (error) {
    const message = `${wanted.name} in ${folder} cannot be used: ${messageOf(error)}. Run: npm install --prefix ${JSON.stringify(folder)} ${wanted.name}@1`;
    return { failure: { kind: "other", message } };
  }
}

/**
 * Replaces Google's own logins: the package gets the headers of each request from it. The package stores an
 * `accessToken` but never uses it.
 */
function bearer(token: string, projectId: string | null): object {
  return {
    projectId,
    getRequestHeaders: async () => new Headers({ authorization: `Bearer ${token}` }),
  };
}

/** The client's options that depend on the cloud. */
export function cloudOptions(
  { name, region, project, baseUrl }: Cloud,
  apiKey: string | null,
  { headers, query }: RequestExtras,
): object {
  const place =
    name === "bedrock"
      ? given({ awsRegion: region, apiKey })
      : given({ region, projectId: project, authClient: apiKey && bearer(apiKey, project) });
  // Requests are signed, so everything must be added through the client.
  return { ...place, ...given({ baseURL: baseUrl, defaultHeaders: headers, defaultQuery: query }) };
}
