/**
 * Claude on Amazon Bedrock and Google Vertex AI by Anthropic's own packages, which sign requests and know the logins
 * of each cloud. They are no dependencies: whoever wants one installs it into Parley's folder for packages.
 */
import { createRequire } from "node:module";
import { join } from "node:path";
import type { Failure } from "../../conversation/ports.ts";
import type { RequestExtras } from "../../conversation/settings/vendor-settings.ts";
import { given } from "../../shared/given.ts";
import { isObject, messageOf } from "../../shared/json.ts";
import type { Cloud } from "../endpoint.ts";

/** What is used of Anthropic's clients; they give what the cloud streams as server-sent events. */
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

/** The package's client, or what is to be done to have it. */
export function cloudClient({ name, folder }: Cloud): Client | { readonly failure: Failure } {
  const wanted = packages[name];
  const require = createRequire(join(folder, "package.json"));
  try {
    require.resolve(wanted.name);
  } catch {
    const happened = `Claude is reached there by ${wanted.name}, which is not installed`;
    const message = `${happened}. Run: npm install --prefix ${JSON.stringify(folder)} ${wanted.name}@1 — and respond again.`;
    return { failure: { kind: "other", message, happened } };
  }
  try {
    const found: unknown = require(wanted.name);
    // The packages give a function that carries their classes.
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
 * What the package asks for the headers of each request, in place of Google's own logins; its `accessToken` is kept and
 * not used.
 */
function bearer(token: string, projectId: string | null): object {
  return {
    projectId,
    getRequestHeaders: async () => new Headers({ authorization: `Bearer ${token}` }),
  };
}

/** The options of such a client; `shared` are those of every client. */
export function cloudOptions(
  { name, region, project, baseUrl }: Cloud,
  apiKey: string | null,
  { headers, query }: RequestExtras,
): object {
  const place =
    name === "bedrock"
      ? given({ awsRegion: region, apiKey })
      : given({ region, projectId: project, authClient: apiKey && bearer(apiKey, project) });
  // Requests are signed, so nothing may be added to them behind the client.
  return { ...place, ...given({ baseURL: baseUrl, defaultHeaders: headers, defaultQuery: query }) };
}
