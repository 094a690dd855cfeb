import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { Message, StreamPart } from "../../../src/conversation/ports.ts";
import { createModels } from "../../../src/providers/models.ts";
import { ask, callsOf, failureOf, outline, requestTo, thoughtsOf, user } from "../parts.ts";

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "parley-script-"));
});

afterEach(() => rm(folder, { recursive: true, force: true }));

async function play(
  script: unknown,
  messages: readonly Message[] = [user("hi")],
): Promise<StreamPart[]> {
  const text = typeof script === "string" ? script : JSON.stringify(script);
  await writeFile(join(folder, "script.json"), text);
  const models = createModels({
    providers: {},
    environment: { PARLEY_MOCK_DELAY_MS: "0" },
    folder,
  });
  return ask(models, requestTo("mock", "file:script.json", messages));
}

const answered: Message = { role: "assistant", content: [{ type: "text", text: "First." }] };

test("plays the turn whose number is that of the answers so far", async () => {
  const script = { turns: [{ text: "First." }, { text: "Second." }] };
  expect(outline(await play(script))).toEqual(["text First.", "finish stop"]);
  const next = await play(script, [user("hi"), answered, user("and?")]);
  expect(outline(next)).toEqual(["text Second.", "finish stop"]);
});

test("says when it has no turn left", async () => {
  const failure = failureOf(
    await play({ turns: [{ text: "First." }] }, [user("hi"), answered, user("?")]),
  );
  expect(failure.message).toContain("has 1 turn, and the chat asks for number 2");
});

test("plays thoughts, text, parts and calls in that order", async () => {
  const call = (id: string, value: unknown) => ({ id, name: "web_search", arguments: value });
  const parts = await play({
    turns: [
      {
        thoughts: "Hm.",
        text: "One",
        parts: [{ call: call("a", { x: 1 }) }, { text: "two" }],
        calls: [call("b", '{"broken": ')],
        state: { any: "thing" },
        usage: { input: 7, output: 3 },
      },
    ],
  });
  expect(thoughtsOf(parts)).toBe("Hm.");
  expect(outline(parts)).toEqual([
    "text One",
    'call a {"x":1}',
    "text two",
    'call b {"broken": ',
    "finish tool-calls",
  ]);
  expect(parts.at(-2)).toEqual({ type: "usage", usage: { input: 7, output: 3 } });
  expect(parts.at(-1)).toMatchObject({ state: { any: "thing" } });
});

test("cuts text into pieces of the size asked for", async () => {
  const parts = await play({ turns: [{ text: "a📈cde", chunk: 2 }] });
  const pieces = parts.flatMap((part) => (part.type === "text-delta" ? [part.text] : []));
  expect(pieces).toEqual(["a📈", "cd", "e"]);
});

test.each([
  [{ finish: "length" }, "finish length"],
  [{ error: { kind: "network", message: "The line broke." } }, "error network"],
])("offers no call with %j", async (ending, last) => {
  const calls = [{ id: "a", name: "web_search", arguments: {} }];
  const parts = await play({ turns: [{ text: "One", calls, ...ending }] });
  expect(callsOf(parts)).toEqual([]);
  expect(outline(parts)).toEqual(["text One", last]);
});

test.each([
  ["not JSON", "{", "not one: the whole"],
  ["a misspelt key", { turns: [{ txt: "x" }] }, "turns.0"],
  ["a bad reason", { turns: [{ finish: "maybe" }] }, "turns.0.finish"],
])("names the place of %s", async (_, script, place) => {
  const failure = failureOf(await play(script));
  expect(failure.message).toContain(join(folder, "script.json"));
  expect(failure.message).toContain(place);
});

test("names a file that is not there", async () => {
  const models = createModels({ providers: {}, environment: {}, folder });
  const failure = failureOf(
    await ask(models, requestTo("mock", "file:missing.json", [user("hi")])),
  );
  expect(failure).toMatchObject({ kind: "not-found" });
  expect(failure.message).toContain(join(folder, "missing.json"));
});
