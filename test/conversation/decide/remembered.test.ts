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

  test("returns one record for each line that a remembering key marked", () => {
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

  test.each(["ya", "yo", "yn", "yN"] as const)("returns no record for %s", (key) => {
    expect(recordsFor(path, marked, tools, key)).toEqual([]);
  });

  test("returns no record without a file or for an unknown tool", () => {
    expect(recordsFor(null, marked, tools, "yA")).toEqual([]);
    expect(recordsFor(path, marked, new Map(), "yA")).toEqual([]);
  });
});

describe("a tool is remembered", () => {
  const { transcript } = chat("yA");
  const records = recordsFor(path, callsOf(transcript), tools, "yA");

  test("while its marked line and its record exist", () => {
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

  test("not when the line was edited or the record is missing", () => {
    expect(
      isRemembered({ tool: search, changes: null }, chat("yA", "msft").transcript, records, path),
    ).toBe(false);
    expect(isRemembered({ tool: search, changes: null }, transcript, [], path)).toBe(false);
  });

  test("not in a copy or in a transcript without a file", () => {
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
  ])("not when the tool has changed: %j", (change) => {
    expect(
      isRemembered({ tool: { ...search, ...change }, changes: null }, transcript, records, path),
    ).toBe(false);
  });

  test("even when the keys of its schema are in another order", () => {
    const { type, properties, required } = search.inputSchema;
    const turned = { ...search, inputSchema: { required, properties, type } };
    expect(isRemembered({ tool: turned, changes: null }, transcript, records, path)).toBe(true);
  });
});

describe("the scope of a remembered approval", () => {
  const paths = { folder: { written: ".", absolute: "/work", real: "/real/work" } };
  const subject = { arguments: {}, paths, changes: null };

  test("is the file that the call changes, a command in its folder, or the whole tool", () => {
    expect(scopeOf(null)).toBeNull();
    expect(scopeOf(subject)).toBeNull();
    expect(scopeOf({ ...subject, changes: "/real/a.ts" })).toBe("/real/a.ts");
    expect(scopeOf({ ...subject, command: "npm test" })).toBe("npm test\n/real/work");
  });

  test("is stored with the record, and covers nothing else", () => {
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

test("staleRecords returns records whose line or remembering mark is gone", () => {
  const { transcript } = chat("yA");
  const records = recordsFor(path, callsOf(transcript), tools, "yA");
  const foreign = records.map((record) => ({ ...record, transcriptPath: "/chats/b.md" }));
  const all = [...records, ...foreign];
  expect(staleRecords(transcript, all, path)).toEqual([]);
  expect(staleRecords(chat("ya").transcript, all, path)).toEqual(records);
  expect(staleRecords(chat("yA", "msft").transcript, all, path)).toEqual(records);
  expect(staleRecords(scene("💬: \n").transcript, all, path)).toEqual(records);
});

describe("memoriesOf", () => {
  const { transcript } = scene(
    `${question}\n🤖:\n\n${callLine("a", "yA")}\n${callLine("b", "yO", "msft")}\n`,
    0,
  );
  const records = recordsFor(path, callsOf(transcript), tools, "yA");

  test("returns one memory for each tool and scope, since the first approval", () => {
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

  test("returns nothing without a record, without its mark, or for another chat", () => {
    expect(memoriesOf(transcript, [], path)).toEqual([]);
    expect(memoriesOf(chat("ya").transcript, records, path)).toEqual([]);
    expect(memoriesOf(transcript, records, "/chats/b.md")).toEqual([]);
  });

  test("returns no date for records without one", () => {
    expect(memoriesOf(transcript, records, path)[0]?.since).toBeNull();
  });
});
