/** What changes while a server runs: its tools, the folders to work in, and what it wants logged. */
import { mkdir, mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { projectRoots } from "../../src/app/files/repository.ts";
import { createClientFeatures } from "../../src/mcp/asking/client-features.ts";
import { toolChanges } from "../../src/mcp/catalog/listed-tools.ts";
import { createMcpHost } from "../../src/mcp/mcp-host.ts";
import { eventually } from "../support/eventually.ts";
import { asking, call, namesOf, noFeatures, noMemory, start } from "../support/mcp-server.ts";
import { everythingServer, filesystemServer } from "../support/real-servers.ts";

/** The machine may be busy. */

describe("a server that changes its tools", () => {
  it("is listed again at once, and what changed is reported once", async () => {
    const notify = vi.fn();
    const toolsChanged = vi.fn();
    const features = createClientFeatures({ ...noFeatures, notify, toolsChanged });
    const { server } = start(asking, { features });
    expect(await namesOf(server)).toEqual(["ask", "city", "poem", "change", "extra"]);
    await call(server, "change", { to: { ask: "does ask", city: "another" }, again: 5 });
    await eventually(() => expect(toolsChanged).toHaveBeenCalled());
    expect(server.status().tools).toEqual(["change", "ask", "city"]);
    await call(server, "change", { to: { ask: "does ask", city: "another" } });
    expect(await namesOf(server)).toEqual(["change", "ask", "city"]);
    expect(notify.mock.calls).toEqual([
      [
        "warn",
        "MCP server bad changed its tools: gone: poem, extra; changed: city. Parley asks again about remembered tools that changed.",
      ],
    ]);
  });

  it("while they are listed is listed again before they are offered", async () => {
    const notify = vi.fn();
    const features = createClientFeatures({ ...noFeatures, notify });
    const late = { ...asking, args: [...asking.args, "late"] };
    const { server } = start(late, { features });
    expect(await namesOf(server)).toContain("late");
    expect(server.status().tools).toContain("late");
    expect(notify).not.toHaveBeenCalled();
  });

  it("all the time is reported only a few times", async () => {
    const notify = vi.fn();
    const features = createClientFeatures({ ...noFeatures, notify });
    const { server, logged } = start(asking, { features });
    await namesOf(server);
    for (let index = 0; index < 7; index += 1) {
      await call(server, "change", { to: { ask: `text ${index}` } });
      await eventually(async () => {
        const { tools } = await server.tools(15_000);
        expect(tools[1]?.description).toBe(`text ${index}`);
      });
    }
    expect(notify).toHaveBeenCalledTimes(5);
    expect(logged.filter((text) => text.includes("changed its tools"))).toHaveLength(2);
  });

  it("is in doubt as soon as it says so, before it is listed again", async () => {
    const heard: string[] = [];
    const features = createClientFeatures({
      ...noFeatures,
      toolsChanged: () => heard.push("changed"),
      toolsMayHaveChanged: () => heard.push("in doubt"),
    });
    const { server } = start(asking, { features });
    await namesOf(server);
    heard.splice(0);
    await call(server, "change", { to: { ask: "another" } });
    await eventually(() => expect(heard).toContain("changed"));
    expect(heard[0]).toBe("in doubt");
  });

  it("may offer something else when it ends, when it is stopped and when it starts too late", async () => {
    const toolsChanged = vi.fn();
    const features = createClientFeatures({ ...noFeatures, toolsChanged });
    const { server } = start("good", { features });
    expect((await server.tools(0)).tools).toEqual([]);
    await eventually(() => expect(toolsChanged).toHaveBeenCalledTimes(1));
    expect((await server.tools(0)).tools).not.toEqual([]);
    await call(server, "crash");
    await eventually(() => expect(toolsChanged).toHaveBeenCalledTimes(2));
    await namesOf(server);
    expect(toolsChanged).toHaveBeenCalledTimes(2);
    await server.stop();
    expect(toolsChanged).toHaveBeenCalledTimes(3);
    await server.restart();
    expect(toolsChanged).toHaveBeenCalledTimes(4);
  });

  it("is described by what a user could know of its tools", () => {
    const tool = (name: string, more = {}) => ({ name, description: "", inputSchema: {}, ...more });
    const before = [tool("a"), tool("b", { inputSchema: { x: 1, y: 2 } })];
    const same = [tool("b", { inputSchema: { y: 2, x: 1 } }), tool("a")];
    expect(toolChanges("s", before, same)).toBeNull();
    const claims = [tool("a", { annotations: { readOnlyHint: true } }), before[1] ?? tool("b")];
    expect(toolChanges("s", before, claims)).toMatch(/changed: a\./);
    const many = Array.from({ length: 30 }, (_, index) => tool(`new\u202e${index}`));
    expect(toolChanges("s", [], many)).toMatch(/: new: new\\u\{202e\}0, .* and 20 more\.$/);
  });
});

describe("the folders to work in", () => {
  it("are not told to a server that is to keep to its own", async () => {
    const own = await realpath(await mkdtemp(join(tmpdir(), "parley-own-")));
    onTestFinished(() => rm(own, { recursive: true }));
    const features = createClientFeatures({ ...noFeatures, roots: async () => [tmpdir()] });
    const started = async (roots: boolean) => {
      const args = [filesystemServer, own];
      const { server } = start({ command: process.execPath, args, roots }, { features });
      await server.tools(15_000);
      await server.rootsChanged();
      return async () => (await call(server, "list_allowed_directories")).text;
    };
    expect(await (await started(false))()).toContain(own);
    // The server asks for the folders in its own time, also after it has listed its tools.
    const allowed = await started(true);
    await eventually(async () => expect(await allowed()).not.toContain(own));
  });

  async function host(folders: () => readonly string[]) {
    const made = createMcpHost({
      memory: noMemory,
      servers: async () => ({
        servers: [
          { name: "asking", version: "1", leftOut: null, start: asking },
          {
            name: "files",
            version: "1",
            leftOut: null,
            start: { command: process.execPath, args: [filesystemServer] },
          },
          {
            name: "everything",
            version: "1",
            leftOut: null,
            start: { command: process.execPath, args: [everythingServer] },
          },
        ],
        notices: [],
        remarks: [],
      }),
      mock: { enabled: false, command: "", args: [] },
      timeoutMs: 15_000,
      version: "0",
      log: () => {},
      features: { ...noFeatures, roots: async () => folders() },
    });
    onTestFinished(() => made.close());
    await made.list(null, "a/b");
    const run = async (name: string, args: object) => {
      const signal = new AbortController().signal;
      const one = { id: "c", name, arguments: JSON.stringify(args) };
      return (await made.run(one, { signal, progress: () => {} })).text;
    };
    return { made, run };
  }

  it("are given to servers that ask, and the new ones when they change", async () => {
    const base = await realpath(await mkdtemp(join(tmpdir(), "parley-roots-")));
    onTestFinished(() => rm(base, { recursive: true, force: true }));
    const [one, two] = [join(base, "one ä"), join(base, "two")];
    await mkdir(one);
    await mkdir(two);
    await writeFile(join(two, "note.txt"), "in the second folder");
    let folders = [one];
    const { made, run } = await host(() => folders);
    expect(await run("mcp__everything__get-roots-list", {})).toContain(pathToFileURL(one).href);
    await eventually(async () =>
      expect(await run("mcp__files__list_allowed_directories", {})).toContain(one),
    );
    expect(await run("mcp__files__read_text_file", { path: join(two, "note.txt") })).toMatch(
      /denied/i,
    );
    await made.rootsChanged();
    folders = [two];
    await made.rootsChanged();
    await made.rootsChanged();
    await eventually(async () =>
      expect(await run("mcp__files__read_text_file", { path: join(two, "note.txt") })).toContain(
        "in the second folder",
      ),
    );
  });

  it("are the working directory and the repositories of the chats, but never a home folder", async () => {
    const base = await realpath(await mkdtemp(join(tmpdir(), "parley-roots-")));
    onTestFinished(() => rm(base, { recursive: true, force: true }));
    await mkdir(join(base, "project", ".git"), { recursive: true });
    await mkdir(join(base, "project", "notes"));
    const chats = [join(base, "project", "notes", "a.md"), join(base, "lost", "b.md"), ""];
    const project = join(base, "project");
    expect(await projectRoots("/work", chats, homedir())).toEqual(["/work", project]);
    expect(await projectRoots(project, chats, homedir())).toEqual([project]);
    expect(await projectRoots("/work", chats, join(project, "home"))).toEqual(["/work"]);
  });
});

it("what a server wants logged is in the log, cut and counted", async () => {
  const { server, logged } = start(asking);
  await call(server, "log", { count: 300 });
  await eventually(() => expect(logged).toHaveLength(201));
  expect(logged[0]).toBe("MCP server bad: info: remark 0\\u{1b}[31m");
  expect(logged[200]).toContain("What follows of this kind is not logged.");
});
