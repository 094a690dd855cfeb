/** The advice for an invalid model name. */
import { expect, test } from "vitest";
import { modelNameAdvice, parseModelName } from "../../../src/conversation/settings/model-name.ts";

test.each([
  ["gpt-5.5", "openai/gpt-5.5"],
  ["o3", "openai/o3"],
  [" claude-sonnet-5-5 ", "anthropic/claude-sonnet-5-5"],
  ["anthropic:claude-sonnet-5-5", "anthropic/claude-sonnet-5-5"],
  ["gemini-2.5-pro", "google/gemini-2.5-pro"],
  ["deepseek-chat", "deepseek/deepseek-chat"],
  ["gpt-oss:20b", "ollama/gpt-oss:20b"],
  ["gpt-oss-120b", "mock/demo"],
  ["deepseek-r1:8b", "ollama/deepseek-r1:8b"],
  ["openai:gpt-4.1", "openai/gpt-4.1"],
  ["gpt", "mock/demo"],
  ["ollama", "mock/demo"],
  ["claude-\u001b[31m", "mock/demo"],
  ["", "mock/demo"],
])("modelNameAdvice answers the invalid name %j with the example %s", (text, example) => {
  expect(parseModelName(text)).toBeNull();
  expect(modelNameAdvice(text)).toBe(`write provider/model-id, such as ${example}`);
  expect(parseModelName(example)).not.toBeNull();
});
