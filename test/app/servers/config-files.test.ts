import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { createServerFiles } from "../../../src/app/servers/config-files.ts";
import { createServers } from "../../../src/app/servers/servers.ts";
import { createToolChanges } from "../../../src/app/tools/tool-changes.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "parley-files-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

function counting() {
  const reads: string[] = [];
  const seen = createToolChanges().files;
  const files = createServerFiles(seen, async (path) => {
    reads.push(path);
    return readFileSync(path, "utf8");
  });
  return { files, reads, seen };
}

const config = (...names: readonly string[]) =>
  JSON.stringify({ mcpServers: Object.fromEntries(names.map((name) => [name, { command: "x" }])) });

it("reads the configuration when it changed, and not whenever it is asked for", async () => {
  const path = join(folder, "mcp.json");
  writeFileSync(path, config("one"));
  const { files, reads, seen } = counting();
  const servers = createServers({
    stateFolder: join(folder, "state"),
    environment: {},
    user: null,
    seen,
    files,
    trustChanged: () => {},
    keep: (written) => written,
    keyVariables: () => new Set(),
    sources: () => ({
      configurationFolder: folder,
      configured: {},
      namedFile: null,
      workingDirectory: folder,
    }),
  });
  const names = async () => (await servers.find()).servers.map(({ name }) => name);
  // All that a question, a key and a run ask.
  await servers.agree(null);
  for (let asked = 0; asked < 4; asked += 1) expect(await names()).toEqual(["one"]);
  await servers.launch("one");
  expect(reads).toEqual([path]);

  writeFileSync(path, config("one", "another"));
  expect(await names()).toEqual(["one", "another"]);
  await names();
  expect(reads).toEqual([path, path]);

  rmSync(path);
  expect(await names()).toEqual([]);
  writeFileSync(path, config("back"));
  expect(await names()).toEqual(["back"]);
});

it("tries again what could not be read, and tells it", async () => {
  const path = join(folder, "mcp.json");
  let isBroken = true;
  writeFileSync(path, config("one"));
  const changes = createToolChanges();
  const files = createServerFiles(changes.files, async (asked) => {
    if (isBroken) throw new Error("the disk is away");
    return readFileSync(asked, "utf8");
  });
  expect((await files.read(path, false)).mistakes).toEqual([
    expect.stringContaining("the disk is away"),
  ]);
  // Whoever asks what is offered looks at it again, though the file is the same.
  const { times } = changes;
  await changes.look();
  expect(changes.times).toBeGreaterThan(times);
  isBroken = false;
  expect((await files.read(path, false)).entries).toHaveLength(1);
  expect((await files.read(join(folder, "none.json"), false)).mistakes).toEqual([]);
  const none = createServerFiles(createToolChanges().files);
  expect((await none.read(join(folder, "none.json"), true)).mistakes).toEqual([
    expect.stringMatching(
      /none\.json could not be read: there is no such file or folder \(ENOENT\)\./,
    ),
  ]);
});

it("is not there below a file, where a folder was expected", async () => {
  writeFileSync(join(folder, ".vscode"), "");
  const { files, reads } = counting();
  const below = join(folder, ".vscode", "mcp.json");
  expect(await files.read(below, false)).toMatchObject({ entries: [], mistakes: [] });
  expect(reads).toEqual([]);
});
