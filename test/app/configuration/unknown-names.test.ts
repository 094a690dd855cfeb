/** Unknown names of vendors, models and agents are reported, because their settings have no effect. */
import { expect, it } from "vitest";
import { checkSetup, mergeConfiguration } from "../../../src/app/configuration/config.ts";
import { unknownNames } from "../../../src/app/configuration/unknown-names.ts";

const folders = { home: "/home/p", environment: {}, chats: "/chats", config: "/config" };

/** The messages for the values of a file and those of `setup`. */
function said(file: object, setup: object = {}): readonly string[] {
  const [below, above] = [checkSetup(file), checkSetup(setup)];
  expect([...below.mistakes, ...above.mistakes]).toEqual([]);
  return unknownNames(mergeConfiguration(below.values, above.values, folders));
}

const address = { base_url: "http://127.0.0.1:8000/v1" };
const price = { input: 1, output: 2 };

it.each([
  [{ providers: { antropic: { api_key: "k" } } }, /^providers\.antropic: .*mean anthropic\?$/],
  [{ providers: { opneai: {} } }, /^providers\.opneai: .*mean openai\?$/],
  [{ providers: { vllm: { api_key: "k" } } }, /^providers\.vllm: .* so it needs a base_url$/],
  [{ prices: { "gpt-5.5": price } }, /^prices\.gpt-5\.5: write VENDOR\/MODEL/],
  [{ prices: { "opneai/gpt-5.5": price } }, /^prices\.opneai\/gpt-5\.5: .*mean openai\?$/],
  [{ agent: "tset", agents: { test: {} } }, /^agent: there is no agent "tset".*mean test\?$/],
])("unknownNames reports %j with a suggestion", (file, words) => {
  expect(said(file)).toEqual([expect.stringMatching(words)]);
});

it.each([
  [{ providers: { openai: { api_key: "k" }, google: {} } }, {}],
  [{ providers: { vllm: address } }, {}],
  // The address and the key of one vendor can be in two places.
  [{ providers: { vllm: address } }, { providers: { vllm: { api_key: "k" } } }],
  [{ providers: { vllm: { api_key: "k" } } }, { providers: { vllm: address } }],
  [{ providers: { bedrock: { sdk: "bedrock", region: "eu-west-1" } } }, {}],
  [{ providers: { vllm: address }, prices: { "vllm/Qwen/Qwen3-8B": price } }, {}],
  [{ prices: { "openai/gpt-5.5": price, "mock/demo": price } }, {}],
  [{ agent: "test" }, { agents: { test: {} } }],
])("unknownNames reports nothing for %j and %j", (file, setup) => {
  expect(said(file, setup)).toEqual([]);
});
