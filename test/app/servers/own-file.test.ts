// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the variables of configurations look like this
/** The user's own mcp.json, written by commands. */
import { chmod, mkdtemp, readFile, rm, stat, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { otherPrograms } from "../../../src/app/servers/other-programs.ts";
import { addServers } from "../../../src/app/servers/own-file.ts";
import { rawServers } from "../../../src/mcp/configured/add-entry.ts";
import { parseServerFile } from "../../../src/mcp/configured/config-file.ts";

async function place(text?: string) {
  const folder = await mkdtemp(join(tmpdir(), "parley-own-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const path = join(folder, "mcp.json");
  if (text !== undefined) await writeFile(path, text);
  return { folder, path, text: () => readFile(path, "utf8") };
}

const one = { servers: { a: { command: "npx", args: ["-y", "x"] } }, inputs: [] };

it("begins a file that only the user can read", async () => {
  const { path, text } = await place();
  expect(await addServers(path, one)).toEqual({ added: ["a"], kept: [], mistakes: [] });
  expect(parseServerFile(path, await text())).toMatchObject({
    entries: [{ name: "a", launch: { command: "npx" } }],
    mistakes: [],
    remarks: [],
  });
  expect((await stat(path)).mode & 0o777).toBe(0o600);
});

it("keeps comments, order, rights and links, and overwrites nothing", async () => {
  const before =
    '{\n  // mine\n  "mcpServers": {\n    "a": { "command": "old" }, // as it is\n  },\n}\n';
  const { folder, path, text } = await place(before);
  await chmod(path, 0o640);
  const link = join(folder, "link.json");
  await symlink(path, link);
  const given = { ...one, servers: { ...one.servers, b: { url: "https://b/" } } };
  expect(await addServers(link, given)).toMatchObject({ added: ["b"], kept: ["a"] });
  const now = await text();
  expect(now).toContain("// mine");
  expect(now).toContain('"a": { "command": "old" }, // as it is');
  expect(parseServerFile(path, now).entries.map(({ name }) => name)).toEqual(["b", "a"]);
  expect((await stat(path)).mode & 0o777).toBe(0o640);
});

it("accepts no invalid entry, and writes nothing into what cannot be read", async () => {
  const { path, text } = await place("{}");
  const { added, mistakes } = await addServers(path, { servers: { a: {} }, inputs: [] });
  expect(added).toEqual([]);
  expect(mistakes).toEqual([expect.stringContaining("command or url is missing")]);
  expect(await text()).toBe("{}");
  await writeFile(path, "{mcpServers: {}}");
  await expect(addServers(path, one)).rejects.toThrow(/JSON5.*nothing was written/);
  await writeFile(path, '{"mcpServers": {');
  await expect(addServers(path, one)).rejects.toThrow(/not valid JSON.*nothing was written/);
  expect(await text()).toBe('{"mcpServers": {');
  for (const held of ['{"mcpServers": null}', '{"mcpServers": ""}', '{"mcpServers": []}']) {
    await writeFile(path, held);
    await expect(addServers(path, one)).rejects.toThrow(/nothing was written/);
    expect(await text()).toBe(held);
  }
});

it.each([
  ["Claude", { mcpServers: { a: { command: "x" } } }],
  ["VS Code", { servers: { a: { type: "stdio", command: "x" } } }],
  ["opencode", { $schema: "s", mcp: { a: { type: "local", command: ["x"] } } }],
  ["Zed", { context_servers: { a: { command: { path: "x" } } }, theme: "t" }],
])("takes the servers of %s", async (_, file) => {
  const { path, text } = await place();
  await addServers(path, rawServers(JSON.stringify(file)));
  expect(parseServerFile(path, await text())).toMatchObject({
    entries: [{ name: "a", launch: { type: "stdio", command: "x" } }],
    mistakes: [],
  });
});

it("takes along the inputs that the servers ask for, and no others", async () => {
  const inputs = [
    { id: "key", type: "promptString" },
    { id: "other", type: "promptString" },
  ];
  const { path, text } = await place();
  const servers = { a: { command: "x", args: ["${input:key}"] } };
  await addServers(path, { servers, inputs });
  await addServers(path, { servers: { b: { command: "y", args: ["${input:key}"] } }, inputs });
  expect(rawServers(await text()).inputs).toEqual([inputs[0]]);
});

it("knows where other programs keep theirs", () => {
  const files = (platform: NodeJS.Platform, env = {}) =>
    otherPrograms({ home: "/h", platform, env }).flatMap((program) => program.files);
  expect(files("linux")).toContain("/h/.config/Claude/claude_desktop_config.json");
  expect(files("darwin")).toContain(
    "/h/Library/Application Support/Claude/claude_desktop_config.json",
  );
  expect(files("win32", { APPDATA: "C:\\a" })).toContain("C:\\a\\Code\\User\\mcp.json");
});
