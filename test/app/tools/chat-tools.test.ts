import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { keepApproved } from "../../../src/app/state/approved-tools.ts";
import { createChatTools, type WantedTools } from "../../../src/app/tools/chat-tools.ts";
import { createToolChanges } from "../../../src/app/tools/tool-changes.ts";
import type { PolicyAnswer } from "../../../src/conversation/chat-tools.ts";
import { openCalls } from "../../../src/conversation/decide/next-step.ts";
import { toolIdentity } from "../../../src/conversation/decide/remembered.ts";
import { defaultKeys } from "../../../src/conversation/keys.ts";
import type { Tool } from "../../../src/conversation/ports.ts";
import { pressCallKey, respond } from "../../../src/conversation/turn/actions.ts";
import { parseTranscript } from "../../../src/transcript/parse.ts";
import { openMemoryChat } from "../../conversation/memory-chat.ts";
import { eventually } from "../../support/eventually.ts";

let stateFolder: string;
beforeEach(() => {
  stateFolder = mkdtempSync(join(tmpdir(), "parley-tools-"));
});
afterEach(() => rmSync(stateFolder, { recursive: true }));

const search: Tool = {
  name: "search",
  description: "Searches.",
  inputSchema: { type: "object" },
  server: "files",
};

function scene(answer: PolicyAnswer = "allow") {
  const listed: WantedTools[] = [];
  const offered: Tool[] = [search];
  const changes = createToolChanges();
  let isPassing = false;
  const tools = createChatTools({
    stateFolder,
    changes,
    tools: () => ({
      list: async (selection, model) => {
        listed.push({ selection, model });
        return {
          tools: [...offered],
          notices: [],
          isPassing,
          calls: { run: async () => ({ status: "ok", text: "found", media: [] }) },
        };
      },
      close: async () => {},
    }),
    wanted: ({ header }) => ({
      selection: header.entries.find(({ key }) => key === "tools")?.value ?? null,
      model: "mock/demo",
    }),
    policy: () => () => ({ answer, rule: answer, guard: null }),
    inChat: (how) => how,
    keep: (written) => written,
  });
  const passing = (now: boolean) => {
    isPassing = now;
  };
  return { tools, listed, offered, changes, passing };
}

const chat = parseTranscript("💬: hi\n");

it("lists again only when something changed: an event, or the header", async () => {
  const { tools, listed, changes } = scene();
  const first = await tools.current(chat);
  expect(await tools.current(chat)).toBe(first);
  expect(listed).toHaveLength(1);

  let heard = 0;
  const forget = tools.onChange(() => {
    heard += 1;
  });
  changes.changed();
  expect(heard).toBe(1);
  expect(await tools.current(chat)).not.toBe(first);
  expect(listed).toHaveLength(2);
  forget();
  changes.changed();
  expect(heard).toBe(1);

  await tools.current(parseTranscript("---\ntools: none\n---\n💬: hi\n"));
  expect(listed.at(-1)?.selection).toBe("none");
});

it("does not keep a list that was under way when something changed", async () => {
  const { tools, listed, changes } = scene();
  const under = tools.current(chat);
  changes.mayHaveChanged();
  await under;
  await tools.current(chat);
  expect(listed).toHaveLength(2);
});

it("a rule decides no tool that is another than when it was approved, until it is approved again", async () => {
  const { tools, listed, offered, changes } = scene();
  const call = { id: "1", name: "search", arguments: "{}" };
  await keepApproved(stateFolder, [search]);
  expect((await (await tools.look(chat)).judge(search, call)).answer).toBe("allow");

  const changed = { ...search, description: "Searches, and deletes." };
  offered.splice(0, 1, changed);
  changes.mayHaveChanged();
  const now = await tools.look(chat);
  expect(now.changes.get("search")).toContain("definition changed since");
  expect((await now.judge(changed, call)).answer).toBe("ask");

  await tools.approved([changed]);
  const after = await tools.current(chat);
  expect(after.changes.size).toBe(0);
  expect((await after.judge(changed, call)).answer).toBe("allow");
  expect(listed).toHaveLength(2);
});

it.each(["deny", "insist", "ask"] as const)(
  "a rule that says %s holds for a tool that is another by now, too",
  async (answer) => {
    const { tools, offered } = scene(answer);
    await keepApproved(stateFolder, [search]);
    const changed = { ...search, description: "Searches, and deletes." };
    offered.splice(0, 1, changed);
    const now = await tools.look(chat);
    expect(now.changes.has("search")).toBe(true);
    const call = { id: "1", name: "search", arguments: "{}" };
    expect((await now.judge(changed, call)).answer).toBe(answer);
  },
);

it("a yes to one tool says nothing of another one that changed", async () => {
  const { tools, offered } = scene();
  const other = { ...search, name: "fetch" };
  await keepApproved(stateFolder, [search, other]);
  const changed = offered.map((tool) => ({ ...tool, description: "Deletes." }));
  offered.splice(0, 1, ...changed, { ...other, description: "Deletes." });
  expect([...(await tools.look(chat)).changes.keys()]).toEqual(["search", "fetch"]);
  await tools.approved(changed);
  const after = await tools.current(chat);
  expect([...after.changes.keys()]).toEqual(["fetch"]);
  expect(after.tools.size).toBe(2);
});

it("a rule decides no tool of a project's server before a key said yes to it", async () => {
  const { tools, offered } = scene();
  const call = { id: "1", name: "search", arguments: "{}" };
  // The user's own server of this name was approved; the project's is called like it.
  await keepApproved(stateFolder, [search]);
  const project = { ...search, serverFile: "/clone/.mcp.json" };
  offered.splice(0, 1, project);
  expect((await (await tools.look(chat)).judge(project, call)).answer).toBe("ask");
  await tools.approved([project]);
  expect((await (await tools.current(chat)).judge(project, call)).answer).toBe("allow");
});

it("looks at files, and lists again when one of them is another: written, gone or new", async () => {
  const { tools, listed, changes } = scene();
  const path = join(stateFolder, "mcp.json");
  const read = async () => {
    await changes.files.version(path);
    return tools.look(chat);
  };
  const first = await read();
  expect(await tools.look(chat)).toBe(first);
  expect(listed).toHaveLength(1);
  for (const change of [
    () => writeFileSync(path, "new"),
    () => writeFileSync(path, "longer"),
    () => rmSync(path),
  ]) {
    change();
    const before = listed.length;
    const now = await tools.look(chat);
    expect(listed).toHaveLength(before + 1);
    expect(await tools.look(chat)).toBe(now);
    expect(await tools.current(chat)).toBe(now);
  }
});

it("lists again at each look while a server starts, or is not there", async () => {
  const { tools, listed, passing } = scene();
  passing(true);
  await tools.look(chat);
  passing(false);
  const ready = await tools.look(chat);
  expect(await tools.look(chat)).toBe(ready);
  expect(listed).toHaveLength(2);
});

it("writes what was approved once a day, and lists nothing for that", async () => {
  const { tools, offered, listed } = scene();
  const folder = join(stateFolder, "approved-tools");
  await tools.look(chat);
  await tools.approved(offered);
  const now = await tools.look(chat);
  expect(listed).toHaveLength(1);
  expect(await tools.current(chat)).toBe(now);
  const [file = ""] = readdirSync(folder);
  expect(file).not.toBe("");
  rmSync(join(folder, file));
  await tools.approved(offered);
  expect(readdirSync(folder)).toEqual([]);
  // What another process does there is seen, if not in the very tick of the clock in which we wrote.
  await eventually(async () => {
    writeFileSync(join(folder, `${listed.length}-${Date.now()}`), "{}");
    expect(await tools.look(chat)).not.toBe(now);
  });
});

it.each([
  ["once when something changed", true],
  ["not at all when nothing did", false],
] as const)(
  "tools are listed between a key and the start of its tool: %s",
  async (_, isChanged) => {
    const { tools, listed, changes } = scene();
    const counts: number[] = [];
    const call = { id: "call_1", name: "search", arguments: '{"q":"it"}' };
    const memory = openMemoryChat("💬: find it\n", [{ calls: [call] }, { text: "Done." }], {
      tools,
      runTool: async () => {
        counts.push(listed.length);
        return { status: "ok", text: "found", media: [] };
      },
    });
    await respond(memory.chat, 0);
    const { transcript } = await memory.chat.read();
    const exchange = transcript.exchanges[0];
    if (exchange === undefined) throw new Error("the question is gone");
    const [open] = openCalls(transcript, exchange, memory.chat.session);
    if (open === undefined) throw new Error("no call is open");
    // As for the request.
    await tools.look(transcript);
    const before = listed.length;
    const { line, lineText } = open.call;
    const shown = [{ line, text: lineText, tool: toolIdentity(search), effect: "" }];
    const key = { key: "ya", cursorLine: line, shown, reason: null, keys: defaultKeys } as const;
    if (isChanged) changes.changed();
    const end = await pressCallKey(memory.chat, key);
    expect(end).toEqual({ type: "done" });
    expect(counts).toEqual([before + (isChanged ? 1 : 0)]);
  },
);
