/** Claude in a cloud: the package that the user installed, on the wire, and the message if it is missing. */

import { mkdir, mkdtemp, writeFile } from "node:fs/promises";
import type { IncomingMessage, ServerResponse } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import type { ProviderConfiguration } from "../../../src/conversation/settings/vendor-settings.ts";
import { createModels } from "../../../src/providers/models.ts";
import { bodyOf, json, listen } from "../../support/http-server.ts";
import { ask, callsOf, failureOf, requestTo, textOf, user } from "../parts.ts";

interface Received {
  readonly path: string;
  readonly headers: IncomingMessage["headers"];
  readonly raw: string;
}

const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

/** A cloud, which keeps rules of its own. */
async function serve(answer: (response: ServerResponse) => void) {
  const requests: Received[] = [];
  const server = await listen(async (request, response) => {
    const { url: path = "", headers } = request;
    requests.push({ path, headers, raw: await bodyOf(request) });
    answer(response);
  });
  closing.push(server.close);
  return { url: server.origin, requests };
}

/** In the form of Anthropic's packages: a class with options, whose `messages.create` gives a response on request. */
const fake = (name: string) => `
exports = module.exports = function () {};
exports.${name} = class {
  constructor(options) { this.options = options; }
  get messages() {
    const { fetch, baseURL, defaultHeaders, ...rest } = this.options;
    return { create: ({ model, stream, ...body }, { signal }) => ({
      asResponse: () => fetch(baseURL + "/model/" + encodeURIComponent(model) + "/stream", {
        method: "POST", signal, body: JSON.stringify(body),
        headers: { ...defaultHeaders, "x-options": JSON.stringify({ ...rest, signed: JSON.stringify(body).length }) },
      }),
    }) };
  }
};`;

async function installed(name: string, source: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "parley-packages-"));
  const place = join(folder, "node_modules", "@anthropic-ai", name);
  await mkdir(place, { recursive: true });
  await writeFile(join(place, "package.json"), '{"main":"index.js"}');
  await writeFile(join(place, "index.js"), source);
  return folder;
}

const reply = [
  '{"type":"message_start","message":{"id":"m","usage":{"input_tokens":5,"output_tokens":1}}}',
  '{"type":"content_block_start","index":0,"content_block":{"type":"tool_use","id":"toolu_1","name":"web_search","input":{}}}',
  '{"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_json":"{\\"query\\":\\"x\\"}"}}',
  '{"type":"content_block_stop","index":0}',
  '{"type":"message_delta","delta":{"stop_reason":"tool_use"},"usage":{"output_tokens":9}}',
  '{"type":"message_stop"}',
]
  .map((event) => `data: ${event}\n\n`)
  .join("");

test.each([
  {
    provider: "bedrock",
    model: "us.anthropic.claude-sonnet-4-5-20250929-v1:0",
    client: "AnthropicBedrock",
    settings: { sdk: "bedrock", region: "eu-central-1", headers: { "x-team": "ours" } },
    options: { awsRegion: "eu-central-1" },
  },
  {
    provider: "vertex",
    model: "claude-sonnet-4-5@20250929",
    client: "AnthropicVertex",
    settings: { sdk: "vertex", region: "europe-west1", project: "my-project", api_key: "token-1" },
    options: {
      region: "europe-west1",
      projectId: "my-project",
      authClient: { projectId: "my-project" },
    },
  },
] as const)(
  "$provider is asked by its own package",
  async ({ provider, model, client, settings, options }) => {
    const server = await serve((response) => void response.end(reply));
    const packageFolder = await installed(`${provider}-sdk`, fake(client));
    const own: ProviderConfiguration = {
      ...settings,
      base_url: server.url,
      extra_body: { metadata: { user_id: "u" } },
    };
    const models = createModels({ providers: { [provider]: own }, environment: {}, packageFolder });
    const request = {
      ...requestTo(provider, model, [user("hi")]),
      reasoningEffort: "medium",
    } as const;
    const parts = await ask(models, request);
    expect(callsOf(parts)).toEqual([
      { id: "toolu_1", name: "web_search", arguments: '{"query":"x"}' },
    ]);
    const [sent] = server.requests;
    expect(sent?.path).toBe(`/model/${encodeURIComponent(model)}/stream`);
    // The id of the cloud means the model: its limits and its way of thinking.
    const body = JSON.parse(sent?.raw ?? "");
    expect(body).toMatchObject({
      max_tokens: 64_000,
      thinking: { type: "enabled", budget_tokens: 8192 },
      metadata: { user_id: "u" },
    });
    expect(body).not.toHaveProperty("cache_control");
    const given = JSON.parse(String(sent?.headers["x-options"]));
    expect(given).toMatchObject({ ...options, maxRetries: 0, logLevel: "off" });
    // Nothing was added to the body behind the client, which signs it.
    expect(given.signed).toBe(sent?.raw.length);
    if (provider === "bedrock") expect(sent?.headers["x-team"]).toBe("ours");
    expect(JSON.stringify(models.wire(request))).not.toContain("token-1");
  },
);

test("a package that is missing, or is another one, is reported with the one command that installs it", async () => {
  const empty = await mkdtemp(join(tmpdir(), "parley packages-"));
  const providers = { cloud: { sdk: "bedrock" } } as const;
  const failing = async (packageFolder: string) =>
    failureOf(
      await ask(
        createModels({ providers, environment: {}, packageFolder }),
        requestTo("cloud", "anthropic.claude-opus-5", [user("hi")]),
      ),
    );
  const missing = await failing(empty);
  expect(missing.message).toContain(
    `npm install --prefix ${JSON.stringify(empty)} @anthropic-ai/bedrock-sdk@1`,
  );
  expect(missing.kind).toBe("other");
  expect((await failing(await installed("bedrock-sdk", "exports.x = 1;"))).message).toContain(
    "it has no AnthropicBedrock",
  );
  expect(
    (await failing(await installed("bedrock-sdk", "throw new Error('odd');"))).message,
  ).toContain("odd");
});

test("a refusal of the cloud is reported with its words", async () => {
  const server = await serve((response) =>
    json(response, 403, { message: "no access to this model" }),
  );
  const packageFolder = await installed("vertex-sdk", fake("AnthropicVertex"));
  const providers = { v: { sdk: "vertex", base_url: server.url } } as const;
  const models = createModels({ providers, environment: {}, packageFolder });
  const parts = await ask(models, requestTo("v", "claude-opus-5", [user("hi")]));
  expect(failureOf(parts).message).toContain("no access to this model");
  expect(textOf(parts)).toBe("");
});
