import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { keepApproved } from "../../../src/app/state/approved-tools.ts";
import { createChatTools, type WantedTools } from "../../../src/app/tools/chat-tools.ts";
import { openCalls } from "../../../src/conversation/decide/next-step.ts";
import { toolIdentity } from "../../../src/conversation/decide/remembered.ts";
import { defaultKeys } from "../../../src/conversation/keys.ts";
import type { Tool } from "../../../src/conversation/ports.ts";
import { press, respond } from "../../../src/conversation/turn/actions.ts";
import { createListeners } from "../../../src/shared/listeners.ts";
import { parseTranscript } from "../../../src/transcript/parse.ts";
import { openMemoryChat } from "../../conversation/memory-chat.ts";

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

function scene() {
  const listed: WantedTools[] = [];
  const offered: Tool[] = [search];
  const toolsChanged = createListeners();
  const tools = createChatTools({
    stateFolder,
    toolsChanged,
    tools: () => ({
      list: async (selection, model) => {
        listed.push({ selection, model });
        return { tools: [...offered], notices: [] };
      },
      run: async () => ({ status: "ok", text: "found", media: [] }),
      close: async () => {},
    }),
    wanted: ({ header }) => ({
      selection: header.entries.find(({ key }) => key === "tools")?.value ?? null,
      model: "mock/demo",
    }),
    subject: async () => null,
    plans: async (calls) => calls.map(() => null),
    verdict: () => ({ answer: "allow", rule: "allow" }),
  });
  return { tools, listed, offered, toolsChanged };
}

const chat = parseTranscript("💬: hi\n");

it("lists again only when something changed: an event, or the header", async () => {
  const { tools, listed, toolsChanged } = scene();
  const first = await tools.current(chat);
  expect(await tools.current(chat)).toBe(first);
  expect(listed).toHaveLength(1);

  let heard = 0;
  const forget = tools.onChange(() => {
    heard += 1;
  });
  toolsChanged.tell();
  expect(heard).toBe(1);
  expect(await tools.current(chat)).not.toBe(first);
  expect(listed).toHaveLength(2);
  forget();
  toolsChanged.tell();
  expect(heard).toBe(1);

  await tools.current(parseTranscript("---\ntools: none\n---\n💬: hi\n"));
  expect(listed.at(-1)?.selection).toBe("none");
});

it("does not keep a list that was under way when something changed", async () => {
  const { tools, listed, toolsChanged } = scene();
  const under = tools.current(chat);
  toolsChanged.tell();
  await under;
  await tools.current(chat);
  expect(listed).toHaveLength(2);
});

it("a rule decides no tool that is another than when it was approved, until it is approved again", async () => {
  const { tools, listed, offered } = scene();
  const call = { id: "1", name: "search", arguments: "{}" };
  await keepApproved(stateFolder, [search]);
  expect((await (await tools.list(chat)).judge(search, call)).answer).toBe("allow");

  const changed = { ...search, description: "Searches, and deletes." };
  offered.splice(0, 1, changed);
  const now = await tools.list(chat);
  expect(now.changes.get("search")).toContain("definition changed since");
  expect((await now.judge(changed, call)).answer).toBe("ask");

  await tools.approved([changed]);
  const after = await tools.current(chat);
  expect(after.changes.size).toBe(0);
  expect((await after.judge(changed, call)).answer).toBe("allow");
  expect(listed).toHaveLength(2);
});

it.each([
  ["by it", false],
  ["before it, to see whether their servers are there", true],
] as const)(
  "tools are listed once between a key and the start of its tool: %s",
  async (_, isListed) => {
    const { tools, listed } = scene();
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
    const before = listed.length;
    const { line, lineText } = open.call;
    const shown = [{ line, text: lineText, tool: toolIdentity(search), effect: "" }];
    const key = { key: "ya", cursorLine: line, shown, reason: null, keys: defaultKeys } as const;
    if (isListed) await tools.list(transcript);
    const end = await press(memory.chat, key, { isListed });
    expect(end).toEqual({ type: "done" });
    expect(counts).toEqual([before + 1]);
  },
);
