import { describe, expect, test } from "vitest";
import {
  definitionHash,
  memoriesOf,
  recordsFor,
  rememberedBy,
  scopeOf,
  staleRecords,
} from "../../../src/conversation/decide/remembered.ts";
import type { Transcript } from "../../../src/transcript/transcript.ts";
import { callLine, question, resultLines, scene, search, tools } from "../chats.ts";

const isRemembered = (...use: Parameters<typeof rememberedBy>) => rememberedBy(...use) !== null;

const path = "/chats/a.md";

const chat = (mark: string, query = "google") =>
  scene(
    `${question}\n🤖:\n\n${callLine("a", mark, query)}\n${resultLines("a")}\nDone.\n\n💬: \n`,
    0,
  );

function callsOf(transcript: Transcript) {
  return transcript.exchanges
    .flatMap(({ answer }) => answer?.steps ?? [])
    .flatMap((step) => step.calls);
}

describe("recordsFor", () => {
  const marked = callsOf(chat("yA").transcript);

  test("a remembering key leaves one record for each line it marked", () => {
    const both = callsOf(
      scene(`${question}\n🤖:\n\n${callLine("a")}\n${callLine("b", "", "msft")}\n`).transcript,
    );
    const records = recordsFor(path, both, tools, "yA");
    expect(records).toHaveLength(2);
    expect(new Set(records.map(({ lineHash }) => lineHash)).size).toBe(2);
    expect(records[0]).toMatchObject({
      transcriptPath: path,
      serverKey: "mock",
      definitionHash: definitionHash(search),
    });
  });

  test.each(["ya", "yo", "yn", "yN"] as const)("%s leaves none", (key) => {
    expect(recordsFor(path, marked, tools, key)).toEqual([]);
  });

  test("no file, or no such tool: no record", () => {
    expect(recordsFor(null, marked, tools, "yA")).toEqual([]);
    expect(recordsFor(path, marked, new Map(), "yA")).toEqual([]);
  });
});

describe("a tool is remembered", () => {
  const { transcript } = chat("yA");
  const records = recordsFor(path, callsOf(transcript), tools, "yA");

  test("while its line stands with its mark and the record is there", () => {
    expect(rememberedBy({ tool: search, changes: null }, transcript, records, path)).toBe("yA");
    expect(
      isRemembered({ tool: search, changes: null }, chat("yO").transcript, records, path),
    ).toBe(true);
  });

  test.each(["", "ya", "yo", "yn", "auto"])("not with the mark %j", (mark) => {
    expect(
      isRemembered({ tool: search, changes: null }, chat(mark).transcript, records, path),
    ).toBe(false);
  });

  test("not when the line was edited, and not by the text alone", () => {
    expect(
      isRemembered({ tool: search, changes: null }, chat("yA", "msft").transcript, records, path),
    ).toBe(false);
    expect(isRemembered({ tool: search, changes: null }, transcript, [], path)).toBe(false);
  });

  test("not in a copy, nor in a transcript without a file", () => {
    expect(
      isRemembered({ tool: search, changes: null }, transcript, records, "/chats/copy.md"),
    ).toBe(false);
    expect(isRemembered({ tool: search, changes: null }, transcript, records, null)).toBe(false);
  });

  test.each([
    { description: "other" },
    { inputSchema: { type: "object" } },
    { annotations: { readOnlyHint: true } },
    { server: "elsewhere" },
    { serverFile: "/another/project/.mcp.json" },
    { server: null },
    { name: "web_fetch" },
  ])("not when the tool is another: %j", (change) => {
    expect(
      isRemembered({ tool: { ...search, ...change }, changes: null }, transcript, records, path),
    ).toBe(false);
  });

  test("the order of keys in a schema is no change", () => {
    const { type, properties, required } = search.inputSchema;
    const turned = { ...search, inputSchema: { required, properties, type } };
    expect(isRemembered({ tool: turned, changes: null }, transcript, records, path)).toBe(true);
  });
});

describe("what a remembered yes holds for", () => {
  const paths = { folder: { written: ".", absolute: "/work", real: "/real/work" } };
  const subject = { arguments: {}, paths, changes: null };

  test("is a file that the call changes, a command in its folder, or the tool", () => {
    expect(scopeOf(null)).toBeNull();
    expect(scopeOf(subject)).toBeNull();
    expect(scopeOf({ ...subject, changes: "/real/a.ts" })).toBe("/real/a.ts");
    expect(scopeOf({ ...subject, command: "npm test" })).toBe("npm test\n/real/work");
  });

  test("is kept with the line, and nothing else is remembered by it", () => {
    const { transcript } = chat("yA");
    const calls = callsOf(transcript);
    const changes = new Map(calls.map(({ line }) => [line, "/real/a.ts"]));
    const records = recordsFor(path, calls, tools, "yA", changes);
    const by = (file: string | null) =>
      rememberedBy({ tool: search, changes: file }, transcript, records, path);
    expect(["/real/a.ts", "/real/b.ts", null].map(by)).toEqual(["yA", null, null]);
    const ofTool = recordsFor(path, calls, tools, "yA");
    expect(isRemembered({ tool: search, changes: "/real/a.ts" }, transcript, ofTool, path)).toBe(
      false,
    );
  });
});

test("records are stale when no line with their JSON and a remembering mark is left", () => {
  const { transcript } = chat("yA");
  const records = recordsFor(path, callsOf(transcript), tools, "yA");
  const foreign = records.map((record) => ({ ...record, transcriptPath: "/chats/b.md" }));
  const all = [...records, ...foreign];
  expect(staleRecords(transcript, all, path)).toEqual([]);
  expect(staleRecords(chat("ya").transcript, all, path)).toEqual(records);
  expect(staleRecords(chat("yA", "msft").transcript, all, path)).toEqual(records);
  expect(staleRecords(scene("💬: \n").transcript, all, path)).toEqual(records);
});

describe("what is remembered", () => {
  const { transcript } = scene(
    `${question}\n🤖:\n\n${callLine("a", "yA")}\n${callLine("b", "yO", "msft")}\n`,
    0,
  );
  const records = recordsFor(path, callsOf(transcript), tools, "yA");

  test("is one memory for each tool and what it holds for, since the first yes", () => {
    const [first, second] = records.map((record, index) => ({ ...record, since: 20 - index }));
    if (first === undefined || second === undefined) throw new Error("two records");
    expect(memoriesOf(transcript, [first, second], path)).toEqual([
      { tool: search.name, file: null, since: 19, records: [first, second] },
    ]);
    const forFile = { ...second, file: "/a.ts" };
    expect(memoriesOf(transcript, [first, forFile], path).map(({ file }) => file)).toEqual([
      null,
      "/a.ts",
    ]);
  });

  test("is nothing without a record, without its mark, or of another chat", () => {
    expect(memoriesOf(transcript, [], path)).toEqual([]);
    expect(memoriesOf(chat("ya").transcript, records, path)).toEqual([]);
    expect(memoriesOf(transcript, records, "/chats/b.md")).toEqual([]);
  });

  test("of records from before, nobody knows since when", () => {
    expect(memoriesOf(transcript, records, path)[0]?.since).toBeNull();
  });
});
