import { mkdtemp, readFile, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createLessonStore } from "../../../src/app/state/lesson-store.ts";
import type { LearnedLesson, Lesson } from "../../../src/providers/learning/lessons.ts";
import { eventually } from "../../support/eventually.ts";

const folder = () => mkdtemp(join(tmpdir(), "parley-lessons-"));
const silent = () => {};

function learned(model: string, date = new Date().toISOString()): LearnedLesson {
  return {
    vendor: "v",
    model,
    baseUrl: "http://u",
    lesson: { kind: "without", what: "temperature" },
    date,
  };
}

const modelsIn = (all: readonly LearnedLesson[]) => all.map(({ model }) => model);

test("a later start of the program knows what was learned, and drops what is old", async () => {
  const state = await folder();
  createLessonStore(state, silent).add([learned("old", "2020-01-01T00:00:00Z"), learned("new")]);
  await eventually(async () => {
    expect(await readFile(join(state, "lessons.json"), "utf8")).toContain('"new"');
  });
  expect(modelsIn(createLessonStore(state, silent).all())).toEqual(["new"]);
});

test.each<Lesson>([
  { kind: "api", api: "openai-responses" },
  { kind: "without", what: "temperature" },
  { kind: "limit-field", field: "max_tokens" },
  { kind: "efforts", efforts: ["low"] },
  { kind: "call-ids", length: 9, isExact: true },
  { kind: "thoughts-back" },
  { kind: "signatures-back" },
  { kind: "max-output", tokens: 8192 },
  { kind: "tool", name: "a", hash: "b" },
])("a lesson of the kind $kind is kept", async (lesson) => {
  const state = await folder();
  createLessonStore(state, silent).add([{ ...learned("m"), lesson }]);
  await eventually(() => {
    expect(createLessonStore(state, silent).all()).toMatchObject([{ lesson }]);
  });
});

test("two programs keep each other's lessons", async () => {
  const state = await folder();
  const [one, two] = [createLessonStore(state, silent), createLessonStore(state, silent)];
  expect([one.all(), two.all()]).toEqual([[], []]);
  one.add([learned("a")]);
  await eventually(async () => {
    expect(await readFile(join(state, "lessons.json"), "utf8")).toContain('"a"');
  });
  two.add([learned("b")]);
  await eventually(() => {
    expect(modelsIn(createLessonStore(state, silent).all())).toEqual(["a", "b"]);
  });
});

test.each([
  "nonsense",
  "{}",
  '[1, null, {"vendor": "v"}]',
  '[{"vendor":"v","model":"m","baseUrl":"u","date":"2999-01-01","lesson":{"kind":"api","api":"evil"}}]',
])("a file that holds %s teaches nothing", async (text) => {
  const state = await folder();
  await writeFile(join(state, "lessons.json"), text);
  expect(createLessonStore(state, silent).all()).toEqual([]);
});

test("a folder that cannot be written is reported in the log and costs nothing else", async () => {
  const state = join(await folder(), "file");
  await writeFile(state, "");
  const lines: string[] = [];
  const store = createLessonStore(state, (line) => lines.push(line));
  store.add([learned("a")]);
  expect(modelsIn(store.all())).toEqual(["a"]);
  await eventually(() => expect(lines.join("\n")).toContain("could not be written"));
});
