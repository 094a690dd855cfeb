import { expect, test } from "vitest";
import { checkResponsesInput } from "../support/model-server-responses-rules.ts";

const question = { role: "user", content: "hi" };
const call = { type: "function_call", call_id: "c1", name: "f", arguments: "{}" };
const output = { type: "function_call_output", call_id: "c1", output: "ok" };
const thought = { type: "reasoning", id: "rs_1", summary: [], encrypted_content: "eA==" };
const tool = { type: "function", name: "f", parameters: { type: "object" }, strict: false };

test("a whole turn is accepted", () => {
  const input = [question, thought, call, output, { role: "assistant", content: "x" }, question];
  expect(checkResponsesInput({ store: false, input, tools: [tool] })).toBeNull();
});

test.each([
  ["P1", { store: true }, "store"],
  ["P2 unanswered", { input: [question, call] }, "No tool output found for function call c1"],
  ["P2 orphan", { input: [question, output] }, "No tool call found"],
  ["P2 twice", { input: [question, call, output, output] }, "No tool call found"],
  ["P2 duplicate", { input: [question, call, output, call, output] }, "Duplicate"],
  ["P3", { tools: [{ ...tool, strict: undefined }] }, "strict"],
  ["P4", { input: [{ ...call, call_id: "x".repeat(65) }] }, "maximum length 64"],
  ["P5", { input: [{ ...thought, encrypted_content: null }, call, output] }, "not found"],
  ["P6", { input: [thought, question] }, "without its required following item"],
  ["P6 at the end", { input: [question, thought] }, "without its required following item"],
  ["arguments", { input: [{ ...call, arguments: {} }] }, "expected a string"],
  ["name", { input: [{ ...call, name: "a b" }] }, "pattern"],
  ["empty", { input: [{ role: "user", content: " " }] }, "empty"],
  ["nothing", { input: [] }, "empty array"],
  ["image", { input: [{ role: "user", content: [{ type: "image_url" }] }] }, "image_url"],
  ["no tools", { tools: [] }, "empty array"],
  ["U1", { input: [{ role: "user", content: "a\uDE00" }] }, "failed to parse"],
] as const)("%s", (_, fields, sentence) => {
  expect(checkResponsesInput({ store: false, input: [question], ...fields })).toContain(sentence);
});
