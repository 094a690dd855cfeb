/** What a failure is, and how long to wait, by the words of vendors that differ from those of OpenAI and Anthropic. */
import { createServer } from "node:http";
import { createServer as createSecureServer } from "node:https";
import { type AddressInfo, createServer as createSocketServer, type Server } from "node:net";
import { describe, expect, onTestFinished, test } from "vitest";
import {
  durationIn,
  networkReason,
  waitIn,
} from "../../../src/providers/failures/failure-words.ts";
import { createModels } from "../../../src/providers/models.ts";
import { selfSigned } from "../../support/self-signed.ts";
import { ask, failureOf, requestTo, user } from "../parts.ts";
import { modelsAt, serve } from "../served.ts";

async function failed(status: number, error: object, headers: Record<string, string> = {}) {
  const server = await serve({ status, raw: [JSON.stringify({ error })], headers });
  return failureOf(await ask(modelsAt(server), requestTo("deepseek", "m", [user("hi")])));
}

test.each([
  "This model's maximum prompt length is 131072 but the request contains 537812 tokens.",
  "prompt token count of 123456 exceeds the limit of 64000",
  "Your request exceeded model token limit: 262144 (requested: 291351)",
  "Prompt exceeds max length",
  "<400> InternalError.Algo.InvalidParameter: Range of input length should be [1, 129024]",
  "Input validation error: `inputs` tokens + `max_new_tokens` must be <= 8193.",
  "input length and `max_tokens` exceed context limit: 190000 + 20000 > 200000",
  "The decoder prompt (length 13000) is longer than the maximum model length of 8192.",
  "the request exceeds the available context size. try increasing the context size",
  "The input token count (1196265) exceeds the maximum number of tokens allowed (1048575).",
  "invalid params, context window exceeds limit (2013)",
  "The input (40000 tokens) is longer than the model's context length (32768 tokens).",
  "Input length 50000 exceeds the maximum length 40960",
  "Request too large: total tokens in the request exceed the token limit",
  "Input validation error: inputs must have less than 4096 tokens. Given: 5000",
])("the chat is too long: %s", async (message) => {
  const failure = await failed(400, { message });
  expect(failure.kind).toBe("context-overflow");
  expect(failure.message).toContain("max_full_exchanges");
});

test.each([
  "Invalid 'tools': array too long. Expected an array with maximum length 128, but got an array with length 200 instead.",
  "number of tools exceeds 64",
  "'tools' : maximum number of items is 128",
  "Too many tools: 150. Max 128",
])("there are too many tools: %s", async (message) => {
  expect((await failed(400, { message })).message).toContain("Choose fewer tools with tools: in");
});

test("a long description is not too many tools", async () => {
  const message = "Invalid 'tools[13].function.description': string too long.";
  expect((await failed(400, { message })).message).not.toContain("Choose fewer");
});

test.each(["localhost:8080/v1", "ftp://localhost/v1"])("%s is not an address", async (address) => {
  const environment = { OPENAI_API_KEY: "sk-test", OPENAI_BASE_URL: address };
  const models = createModels({ providers: {}, environment });
  const failure = failureOf(await ask(models, requestTo("openai", "m", [user("hi")])));
  expect(failure.kind).toBe("invalid-request");
  expect(failure.message).toContain("begins with http:// or https://");
});

test.each([
  "max_completion_tokens is too large: 200000. This model supports at most 16384 completion tokens",
  "image exceeds 5 MB maximum: 6291456 bytes > 5242880 bytes",
  "`max_tokens` must be less than or equal to `8192`, the maximum value for `max_tokens` is less than the `context_window` for this model",
])("the chat is not too long: %s", async (message) => {
  expect((await failed(400, { message })).kind).toBe("invalid-request");
});

test.each([
  "foo/bar is not a valid model ID",
  "Model Not Exist",
  "Invalid model: mistral-foo",
  "The model `llama3-70b-8192` has been decommissioned and is no longer supported.",
  "/chat/completions: Invalid model name passed in model=foo.",
])("a missing model is reported as such, whatever the status: %s", async (message) => {
  const failure = await failed(400, { message });
  expect(failure.kind).toBe("not-found");
  expect(failure.message).toContain("Correct model: in the header");
});

test.each([
  "`temperature` is deprecated for this model.",
  "The model does not support images.",
  "This model is not available for tool use with parallel_tool_calls.",
])("a model that is there and takes less is not: %s", async (message) => {
  expect((await failed(400, { message })).kind).toBe("invalid-request");
});

test("of a template's exception, only the sentence is reported, and it is not sent again", async () => {
  const message =
    "\n------------\nWhile executing CallExpression at line 9, column 3 in source:\n...{{- raise_exception('No...\n   ^\nError: Jinja Exception: No user query found in messages.";
  for (const server of [
    { status: 500, raw: [JSON.stringify({ error: { message, type: "server_error" } })] },
    { raw: [`data: ${JSON.stringify({ error: { message, type: "server_error" } })}\n\n`] },
  ]) {
    const models = modelsAt(await serve(server));
    const failure = failureOf(await ask(models, requestTo("deepseek", "m", [user("hi")])));
    expect(failure.kind).toBe("invalid-request");
    expect(failure.retryReason).toBeUndefined();
    expect(failure.message).toContain("(“Jinja Exception: No user query found in messages.”)");
  }
});

test("more than a minute may have is too long, too many of a minute are not", async () => {
  const large =
    "Request too large for gpt-4o on tokens per min (TPM): Limit 30000, Requested 43000. The input or output tokens must be reduced.";
  expect(await failed(429, { message: large })).toMatchObject({ kind: "context-overflow" });
  const many = "Too many tokens, please wait before trying again.";
  const failure = await failed(429, { message: many });
  expect(failure.kind).toBe("rate-limit");
  expect(failure.retryReason).toBeDefined();
});

describe("how long to wait", () => {
  test.each([
    ["Please try again in 13.5s. Visit https://example.com/limits", 13_500],
    ["Please try again in 6m0s.", 360_000],
    ["try again in 250ms", 250],
    ["Please retry in 44.25s.", 44_250],
    ["Please retry after 26 seconds.", 26_000],
    [
      "Rate limit of 50 per 86400s exceeded. Please wait 43000 seconds before retrying.",
      43_000_000,
    ],
    ["You can try again in 5 days 7 hours.", 457_200_000],
    ["Resets in 2 hours and 1 minute", 7_260_000],
    ["Please wait 5 messages.", null],
    ["Slow down, then try again in a moment.", null],
  ])("%s", (said, wait) => {
    expect(waitIn(said)).toBe(wait);
  });

  test.each([
    ["20", 20_000],
    ["1.5", 1500],
    ["30s", 30_000],
    ["soon", null],
    ["", null],
  ])("a header of “%s”", (header, wait) => {
    expect(durationIn(header)).toBe(wait);
  });

  test("is reported in readable words, and an hour is not waited for", async () => {
    const failure = await failed(429, { message: "Please try again in 3h20m1s." });
    expect(failure).toMatchObject({ kind: "rate-limit", retryAfterMs: 12_001_000 });
    expect(failure.message).toContain("Wait 4 hours");
    const down = await failed(503, { message: "Maintenance" }, { "retry-after": "3000" });
    expect(down.message).toContain("(“Maintenance”). It asks to wait 50 minutes. Respond again");
  });

  test("of nothing says nothing", async () => {
    for (const value of ["0", "-1", "nonsense"]) {
      const headers = { "retry-after": value, "retry-after-ms": "0" };
      const failure = await failed(429, { message: "Slow" }, headers);
      expect(failure.retryAfterMs).toBeUndefined();
      expect(failure.message).toContain("Wait a moment");
    }
  });

  test("by a date is as long as until then", async () => {
    const date = new Date(Date.now() + 30_000).toUTCString();
    const { retryAfterMs = 0 } = await failed(429, { message: "Slow" }, { "retry-after": date });
    expect(retryAfterMs).toBeGreaterThan(20_000);
    expect(retryAfterMs).toBeLessThanOrEqual(30_000);
  });
});

test("an address without the version is reported with the right one", async () => {
  const server = await serve({ status: 404, raw: ["404 page not found"] });
  const own = { base_url: server.url };
  const models = createModels({ providers: { own }, environment: {} });
  const { message } = failureOf(await ask(models, requestTo("own", "m", [user("hi")])));
  expect(message).toContain(`(most servers use ${server.url}/v1)`);
});

test.each([
  [501, "Not Implemented"],
  [500, "image input is not supported - hint: you may need to provide the mmproj"],
])("what a server lacks is a refusal, and not asked for again: %i %s", async (status, message) => {
  const failure = await failed(status, { message, type: "server_error" });
  expect(failure.kind).toBe("invalid-request");
  expect(failure.retryReason).toBeUndefined();
});

test.each([
  ["<html><title>Just a moment...</title></html>", /network or country, .* key from DEEPSEEK/],
  ['{"error":{"message":"Country, region, or territory not supported"}}', /network or country/],
  ['{"error":{"message":"This API key may not use m"}}', /refused the API key from DEEPSEEK/],
])("403 with %s is about what it says", async (body, sentence) => {
  const server = await serve({ status: 403, raw: [body] });
  const asked = ask(modelsAt(server), requestTo("deepseek", "m", [user("hi")]));
  expect(failureOf(await asked).message).toMatch(sentence);
});

test("a chat that is too long with what the answer may have says so", async () => {
  const message =
    "'max_tokens' is too large: 32000. This model's maximum context length is 32768 tokens and your request has 4000 input tokens";
  expect((await failed(400, { message })).message).toContain("max_full_exchanges or max_tokens");
});

test("an account without quota is reported as such", async () => {
  const message = "You exceeded your current token quota: 0, please check your account balance";
  const failure = await failed(429, { message, type: "exceeded_current_quota_error" });
  expect(failure.message).toContain("Look at the account's billing");
});

test.each([
  ["invalid_prompt", "Your prompt was flagged", "invalid-request"],
  ["image_too_large", "The image is too large", "invalid-request"],
  ["server_error", "The server had an error", "overloaded"],
  ["rate_limit_exceeded", "Slow down", "rate-limit"],
])("%s of a failed response is what it says", async (code, message, kind) => {
  const response = { status: "failed", error: { code, message } };
  const event = { type: "response.failed", response };
  const server = await serve({ raw: [`data: ${JSON.stringify(event)}\n\n`] });
  const failure = failureOf(
    await ask(modelsAt(server), requestTo("openai", "gpt-5.2-pro", [user("hi")])),
  );
  expect(failure.kind).toBe(kind);
  expect(failure.retryReason === undefined).toBe(kind === "invalid-request");
});

describe("a connection that cannot be used is reported as what it is:", () => {
  const failing = async (server: Server, scheme: string) => {
    await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
    onTestFinished(() => void server.close());
    const { port } = server.address() as AddressInfo;
    const own = { base_url: `${scheme}://localhost:${port}/v1` };
    const models = createModels({ providers: { own }, environment: {} });
    return failureOf(await ask(models, requestTo("own", "m", [user("hi")]))).message;
  };

  test("https where plain HTTP is spoken", async () => {
    expect(await failing(createServer(), "https")).toContain(
      "could not be secured: the server does not use TLS. Write http:// in its address, if that is right",
    );
  });

  test("TLS that this machine does not speak", async () => {
    const old = createSecureServer({ ...selfSigned, minVersion: "TLSv1", maxVersion: "TLSv1.1" });
    const message = await failing(old, "https");
    expect(message).toContain("could not be secured: the server uses TLS in an incompatible way");
    expect(message).not.toContain("http://");
  });

  test("something that speaks no HTTP", async () => {
    const other = createSocketServer((socket) => socket.end("SSH-2.0-OpenSSH_9.6\r\n"));
    expect(await failing(other, "http")).toContain("does not speak HTTP");
  });

  test("a certificate that nobody signed", async () => {
    expect(await failing(createSecureServer(selfSigned), "https")).toContain(
      "$NODE_EXTRA_CA_CERTS names",
    );
  });

  test.each([
    ["CERT_HAS_EXPIRED", "Check the clock of this machine"],
    ["CERT_NOT_YET_VALID", "Check the clock of this machine"],
    ["ERR_TLS_CERT_ALTNAME_INVALID", "is for another name"],
    ["ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED", "requires a client certificate"],
  ])("%s", (code, words) => {
    expect(networkReason([code])).toContain(words);
  });
});

test("a page in place of an answer may be the login of a network", async () => {
  const page = "<html><title>Hotel WiFi</title><body>Please log in</body></html>";
  const server = await serve({ raw: [page], headers: { "content-type": "text/html" } });
  const asked = ask(modelsAt(server), requestTo("deepseek", "m", [user("hi")]));
  expect(failureOf(await asked).message).toMatch(
    /“a web page: Hotel WiFi”.*A login page of the network may be in between/,
  );
});

test.each(["99999999999999999999", "1e400"])("takes no wait of centuries: %s", async (value) => {
  const failure = await failed(
    429,
    { message: "Slow" },
    { "retry-after": value, "x-should-retry": "false" },
  );
  expect(failure.retryAfterMs).toBeUndefined();
  expect(failure.message).toContain("Wait a moment");
});
