import {
  chmod,
  cp,
  mkdtemp,
  readdir,
  readFile,
  rm,
  stat,
  symlink,
  writeFile,
} from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { addRecords, dropRecords, loadRecords } from "../../../src/app/state/remembered-store.ts";
import type { RememberedRecord } from "../../../src/conversation/decide/remembered.ts";

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "parley-remembered-"));
});

afterEach(async () => {
  await rm(folder, { recursive: true, force: true });
});

const chat = "/chats/a.md";

function record(lineHash: string, transcriptPath = chat): RememberedRecord {
  return { transcriptPath, lineHash, serverKey: "mock", definitionHash: "d", file: null };
}

const byLine = (records: readonly RememberedRecord[]) =>
  records.map(({ lineHash }) => lineHash).sort();

async function recordFiles(): Promise<string[]> {
  const names = await readdir(folder, { recursive: true });
  return names.filter((name) => name.endsWith(".json")).map((name) => join(folder, name));
}

test("a transcript that nobody remembers has no records, and no folder is made for it", async () => {
  expect(await loadRecords(folder, chat)).toEqual({ records: [], notices: [] });
  expect(await readdir(folder)).toEqual([]);
});

test("records come back for their transcript only, once, until they are dropped", async () => {
  const ours = { ...record("two"), serverKey: null };
  await addRecords(folder, [record("one"), ours, record("one"), record("one", "/chats/b.md")]);
  const { records, notices } = await loadRecords(folder, chat);
  expect(notices).toEqual([]);
  expect(records).toHaveLength(2);
  expect(records).toContainEqual(record("one"));
  expect(records).toContainEqual(ours);
  await dropRecords(folder, [record("one"), record("never")]);
  expect((await loadRecords(folder, chat)).records).toEqual([ours]);
  expect((await loadRecords(folder, "/chats/b.md")).records).toHaveLength(1);
});

test("records that differ in one thing are two, and come back as they were", async () => {
  const one = record("one");
  const all: RememberedRecord[] = [
    one,
    { ...one, serverKey: null },
    { ...one, definitionHash: "other" },
    { ...one, file: "/project/a.ts" },
    { ...one, file: "/project/b.ts", since: 1_700_000_000_000 },
  ];
  await addRecords(folder, all);
  const { records } = await loadRecords(folder, chat);
  expect(records).toHaveLength(all.length);
  for (const each of all) expect(records).toContainEqual(each);
  await dropRecords(folder, [one]);
  expect((await loadRecords(folder, chat)).records).not.toContainEqual(one);
  expect((await loadRecords(folder, chat)).records).toHaveLength(all.length - 1);
});

test("several writers at once lose nothing", async () => {
  const lines = Array.from({ length: 40 }, (_, index) => String(index).padStart(2, "0"));
  await Promise.all(lines.map((line) => addRecords(folder, [record(line)])));
  await Promise.all([
    ...lines.slice(0, 20).map((line) => dropRecords(folder, [record(line)])),
    loadRecords(folder, chat),
  ]);
  expect(byLine((await loadRecords(folder, chat)).records)).toEqual(lines.slice(20));
});

test("only the owner can read them, and no draft is left", async () => {
  await addRecords(folder, [record("one")]);
  const [file = ""] = await recordFiles();
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  expect((await stat(dirname(file))).mode & 0o777).toBe(0o700);
  expect(await readdir(dirname(file))).toHaveLength(1);
});

test.each([
  ["cut off", async (file: string) => writeFile(file, '{"transcriptPath":"/chats')],
  ["not a record", async (file: string) => writeFile(file, '{"transcriptPath":"/chats/a.md"}')],
  [
    "of another line than its name says",
    async (file: string) => writeFile(file, JSON.stringify(record("other"))),
  ],
  ["writable by others", async (file: string) => chmod(file, 0o666)],
  [
    "a link",
    async (file: string) => {
      const target = `${file}.target`;
      await writeFile(target, await readFile(file));
      await rm(file);
      await symlink(target, file);
    },
  ],
])("a file that is %s is set aside and told, not trusted", async (_, spoil) => {
  await addRecords(folder, [record("one"), record("two")]);
  const { records: all } = await loadRecords(folder, chat);
  expect(all).toHaveLength(2);
  const [file = ""] = await recordFiles();
  await spoil(file);
  const { records, notices } = await loadRecords(folder, chat);
  expect(records).toHaveLength(1);
  expect(notices).toHaveLength(1);
  expect(notices[0]).toContain(`${file}.broken`);
  expect(await loadRecords(folder, chat)).toEqual({ records, notices: [] });
});

test("a record that was put into the folder of another transcript counts for neither", async () => {
  await addRecords(folder, [record("one"), record("two", "/chats/b.md")]);
  const [first = "", second = ""] = await recordFiles();
  const isForB = (await readFile(first, "utf8")).includes("/chats/b.md");
  const [ofA, ofB] = isForB ? [second, first] : [first, second];
  await cp(ofB, join(dirname(ofA), basename(ofB)));
  const { records, notices } = await loadRecords(folder, chat);
  expect(byLine(records)).toEqual(["one"]);
  expect(notices).toHaveLength(1);
});
