/** What a key costs up to the start of its tool, counted: lists of tools, looks at files, reads of them, parses. */
import { mkdir, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { projectRoot } from "../../../scripts/lib/paths.mjs";
import type { App } from "../../../src/app/app.ts";
import { openApp } from "../../../src/app/open-app.ts";
import { openChat } from "../../../src/app/open-chat/chat-ports.ts";
import { writeOwn } from "../../../src/app/state/own-files.ts";
import type { OfferedTools } from "../../../src/conversation/chat-tools.ts";
import { openCalls } from "../../../src/conversation/decide/next-step.ts";
import { toolIdentity } from "../../../src/conversation/decide/remembered.ts";
import { defaultKeys } from "../../../src/conversation/keys.ts";
import { pressCallKey } from "../../../src/conversation/turn/actions.ts";
import { Chat } from "../../../src/conversation/turn/chat.ts";
import { createAwaitedServers } from "../../../src/host/chat/await-servers.ts";
import { MemoryEditor } from "../../conversation/memory-chat.ts";
import { eventually } from "../../support/eventually.ts";
import { badServer } from "../../support/mcp-server.ts";

/** Paths that were looked at, or read, in their order. */
const files = vi.hoisted(() => ({ looked: [] as string[], read: [] as string[], parses: 0 }));

vi.mock("node:fs", async (original) => {
  const real = await original<typeof import("node:fs")>();
  const statSync = (...args: Parameters<typeof real.statSync>) => {
    files.looked.push(String(args[0]));
    return real.statSync(...args);
  };
  return { ...real, statSync };
});

vi.mock("node:fs/promises", async (original) => {
  const real = await original<typeof import("node:fs/promises")>();
  const counted =
    <A extends readonly unknown[], R>(list: string[], act: (...args: A) => R) =>
    (...args: A): R => {
      list.push(String(args[0]));
      return act(...args);
    };
  return {
    ...real,
    readFile: counted(files.read, real.readFile),
    readdir: counted(files.read, real.readdir),
    open: counted(files.read, real.open),
  };
});

vi.mock("../../../src/transcript/parse.ts", async (original) => {
  const real = await original<typeof import("../../../src/transcript/parse.ts")>();
  const parseLines: typeof real.parseLines = (...args) => {
    files.parses += 1;
    return real.parseLines(...args);
  };
  return { ...real, parseLines };
});

let home: string;
let app: App;
const place = (...parts: string[]) => join(home, ...parts);

beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), "parley-key-"));
  for (const folder of ["config/parley", "state/parley", "project/src", "project/.git"]) {
    await mkdir(place(folder), { recursive: true });
  }
  const good = { command: process.execPath, args: [badServer, "good"] };
  await writeJson("config/parley/mcp.json", { mcpServers: { own: good } });
  await writeFile(place("project/server.mjs"), "export {};");
  const script = { command: process.execPath, args: ["server.mjs"] };
  await writeJson("project/.mcp.json", { mcpServers: { here: { ...script, disabled: true } } });
  app = await openApp({
    root: projectRoot,
    paths: {
      config: place("config"),
      data: place("data"),
      state: place("state"),
      log: place("log"),
    },
    workingDirectory: place("project/src"),
    user: {
      confirm: async () => true,
      secret: async () => null,
      select: async () => null,
      input: async () => null,
      fill: async () => null,
      openAddress: async () => null,
    },
    serversFile: null,
    log: () => {},
    notify: () => {},
  });
});
afterEach(async () => {
  await app.close();
  await rm(home, { recursive: true });
});

async function writeJson(path: string, value: unknown): Promise<void> {
  await writeFile(place(path), JSON.stringify(value));
}

const call = `❓: \`{"id":"one","type":"function","function":{"name":"mcp__own__echo","arguments":"{\\"text\\":\\"one\\"}"}}\``;

/** A call that waits for a key, and a model that answers each result with the next one. */
async function scene() {
  const path = place("chat.md");
  const text = ["💬: say it", "", "🤖:[m]", call, ""].join("\n");
  await writeFile(path, text);
  const editor = new MemoryEditor(text);
  const opened = openChat(app, {
    editor,
    path: () => path,
    confirm: async () => true,
    report: () => {},
  });
  await opened.origin.loaded((await new Chat(opened.ports).read()).transcript);
  const list = vi.spyOn(app.now.tools, "list");
  const atStart: ReturnType<typeof counts>[] = [];
  const counts = () => ({
    lists: list.mock.calls.length,
    looked: [...files.looked],
    read: [...files.read],
    parses: files.parses,
  });
  const { tools } = opened.ports;
  const watched = async (offered: Promise<OfferedTools>): Promise<OfferedTools> => {
    const all = await offered;
    return {
      ...all,
      run(...args) {
        atStart.push(counts());
        return all.run(...args);
      },
    };
  };
  const chat = new Chat({
    ...opened.ports,
    tools: {
      ...tools,
      look: (transcript) => watched(tools.look(transcript)),
      current: (transcript) => watched(tools.current(transcript)),
    },
    async *stream() {
      yield { type: "text-delta", text: "Once more." };
      const json = '{"text":"more"}';
      yield { type: "tool-call", call: { id: "", name: "mcp__own__echo", arguments: json } };
      yield { type: "finish", reason: "tool-calls", rawReason: "" };
    },
  });
  const servers = createAwaitedServers({ chat, agree: async () => {}, draw: () => {} });
  /** A key on the open call as it is drawn: what it costs from the key to the start of the tool. */
  const key = async () => {
    const { transcript } = await chat.read();
    const exchange = transcript.exchanges.at(-1);
    const [open] = exchange ? openCalls(transcript, exchange, chat.session) : [];
    if (open?.call.call == null) throw new Error("No call is open.");
    const { line, lineText: text } = open.call;
    const drawn = (await tools.remembered(transcript)).tools.get(open.call.call.name);
    const shown = [{ line, text, tool: toolIdentity(drawn), effect: "" }];
    list.mockClear();
    Object.assign(files, { parses: 0 });
    files.looked.splice(0);
    files.read.splice(0);
    atStart.splice(0);
    const unready = await servers.forKey({ key: "ya", line, shown }, new AbortController().signal);
    const pressed = {
      key: "ya",
      cursorLine: line,
      shown,
      reason: null,
      keys: defaultKeys,
    } as const;
    const end = unready ?? (await pressCallKey(chat, pressed, { isListed: true }));
    return { end, ...(atStart[0] ?? counts()) };
  };
  /** What is offered, when nothing that is written for a key is so new that it may be written again unseen. */
  const settled = () =>
    eventually(async () => {
      const { transcript } = await chat.read();
      const offered = await opened.ports.tools.look(transcript);
      expect(await opened.ports.tools.look(transcript)).toBe(offered);
      return offered;
    });
  return { chat, tools, settled, key, isConfig: (path: string) => /mcp\.json$|\.mjs$/.test(path) };
}

it("lists nothing and reads no configuration when nothing changed, and parses what it wrote", async () => {
  const { key, settled, isConfig } = await scene();
  // The server had never run, so no tool of it was drawn.
  expect(await key()).toMatchObject({ end: { type: "refused" }, lists: 1 });
  // The first yes of the day is kept.
  expect(await key()).toMatchObject({ end: { type: "await-approval" }, lists: 0 });
  await settled();
  const agree = vi.spyOn(app.servers, "agree");
  const { lists, looked, read, parses, end } = await key();
  expect(end).toMatchObject({ type: "await-approval" });
  expect(lists).toBe(0);
  expect(read.filter(isConfig)).toEqual([]);
  expect(read.filter((path) => path.includes("approved-tools"))).toEqual([]);
  const own = looked.filter((path) => path === place("config/parley/mcp.json"));
  expect(own).toHaveLength(1);
  expect(looked.length).toBeLessThanOrEqual(16);
  expect(parses).toBe(1);
  // Nor does the request after it look for servers that nobody was asked about.
  expect(agree).not.toHaveBeenCalled();
});

it.each<[string, () => Promise<unknown>]>([
  [
    "its own configuration written",
    () => writeJson("config/parley/mcp.json", { mcpServers: {}, inputs: [] }),
  ],
  ["the project's configuration written", () => writeJson("project/.mcp.json", { mcpServers: {} })],
  ["a nearer configuration made", () => writeJson("project/src/.mcp.json", { mcpServers: {} })],
  ["a file of tools made", () => writeFile(place("config/parley/tools.mjs"), "export default 1")],
  ["a yes of another Neovim", () => writeOwn(place("state/parley/approved-tools"), "x.json", "{}")],
  ["the top of the repository moved", () => mkdir(place("project/src/.git"))],
])("lists once between a key and its tool with %s", async (_, change) => {
  const { key, settled, tools, chat } = await scene();
  await key();
  await key();
  const before = await settled();
  await change();
  const { lists } = await key();
  expect(lists).toBe(1);
  expect(await tools.current((await chat.read()).transcript)).not.toBe(before);
});

it("sees that a script of the project changed which a yes was about, and that a yes was taken back", async () => {
  const { tools, chat } = await scene();
  const script = { command: process.execPath, args: ["server.mjs"] };
  await writeJson("project/.mcp.json", { mcpServers: { here: script } });
  const standing = async () => {
    const { unlisted } = await tools.look((await chat.read()).transcript);
    return unlisted.find(({ server }) => server === "here")?.state;
  };
  expect(await standing()).toBe("unasked");
  await app.servers.agree("here");
  expect(await standing()).not.toBe("unasked");
  await writeFile(place("project/server.mjs"), "export const other = 1;");
  expect(await standing()).toBe("unasked");
  await app.servers.agree("here");
  expect(await standing()).not.toBe("unasked");
  const trust = place("state/parley/mcp-trust");
  for (const name of await readdir(trust)) await rm(join(trust, name));
  expect(await standing()).toBe("unasked");
});
