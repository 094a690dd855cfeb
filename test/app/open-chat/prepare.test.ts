import { mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { ChatOptions } from "../../../src/app/open-chat/chat-ports.ts";
import { prepareRequest } from "../../../src/app/open-chat/prepare.ts";
import { parseTranscript } from "../../../src/transcript/parse.ts";
import { chatOptions, type Sources, sources, sourcesOf, webSearch } from "../sources.ts";

let root: string;
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "parley-prepare-")));
  mkdirSync(join(root, "work"));
  writeFileSync(join(root, "work", "a.ts"), "const a = 1;\n");
});
afterEach(() => rmSync(root, { recursive: true }));

async function prepare(
  text: string,
  {
    app = sources(),
    chat = chatOptions(),
    online = true,
    fresh = true,
  }: { app?: Sources; chat?: ChatOptions; online?: boolean; fresh?: boolean } = {},
) {
  const transcript = parseTranscript(text);
  const exchange = transcript.exchanges.at(-1);
  if (exchange === undefined) throw new Error("the text has no exchange");
  const signal = new AbortController().signal;
  return prepareRequest(sourcesOf(app, chat), transcript, exchange, { online, fresh, signal });
}

const inFolder = (extra: Partial<ChatOptions> = {}) =>
  chatOptions({ path: () => join(root, "chat.md"), ...extra });
const working = () => sources({ workingDirectory: join(root, "work") });

describe("a request", () => {
  it("takes its settings from the header, over the configuration", async () => {
    const app = sources({ configuration: { system_prompt: "Be brief.", tools: "none" } });
    const header =
      "---\nmodel: openai/gpt-5\nsystem_prompt+: And kind.\ntools: mock\ntool_choice: required\nparallel_tool_calls: false\nmax_tokens: 7\n---\n";
    const prepared = await prepare(`${header}💬: hi\n`, { app });
    expect(prepared).toMatchObject({ label: "gpt-5", model: "openai/gpt-5", files: null });
    expect(prepared.request).toEqual({
      model: { provider: "openai", id: "gpt-5" },
      system: "Be brief.\nAnd kind.",
      messages: [{ role: "user", content: [{ type: "text", text: "hi" }] }],
      tools: [webSearch],
      toolChoice: "required",
      parallelToolCalls: false,
      maxOutputTokens: 7,
    });
    expect(app.asked).toEqual(["mock"]);
  });

  it("is refused where a chat gives one copy hundreds of names, and not where it repeats one name", async () => {
    const copy = `${"0".repeat(64)}.txt`;
    mkdirSync(join(root, "chat.md.files"));
    writeFileSync(join(root, "chat.md.files", copy), "word ".repeat(80_000));
    const chatWith = (references: readonly string[]) => {
      const record = {
        model: "mock/demo",
        files: Object.fromEntries(references.map((one) => [one, copy])),
      };
      return `💬: look ${references.join(" ")}\n\n🤖:[x]\n\nhm\n\n<!-- parley:step ${JSON.stringify(record)} -->\n\n💬: and?\n`;
    };
    const chat = inFolder();
    const names = Array.from({ length: 300 }, (_, at) => `@@./${at}.txt@@`);
    await expect(prepare(chatWith(names), { chat })).rejects.toThrow(
      "The files that this chat names have 120.0 MB of text, more than any model takes",
    );
    const { request } = await prepare(chatWith(names.map(() => "@@./a.txt@@")), { chat });
    expect(JSON.stringify(request.messages).length).toBeLessThan(1_000_000);
  });

  it("of a new chat with a real model and no tools says once how to get some", async () => {
    let hints = 1;
    const isFirstHint = () => hints-- > 0;
    const told: string[] = [];
    const chat = chatOptions({
      report: (event) => void (event.type === "notice" && told.push(event.message)),
    });
    const bare = { ...sources({ isFirstHint }), list: () => ({ tools: [], notices: [] }) };
    const openai = "---\nmodel: openai/gpt-5\n---\n";
    // A chat that chose, one that went on, one of the offline model, a preview, one with tools: nothing.
    const answer = async (...what: Parameters<typeof prepare>) =>
      (await prepare(...what)).answered?.();
    await answer("---\nmodel: openai/gpt-5\ntools: none\n---\n💬: hi\n", { app: bare, chat });
    await answer(`${openai}💬: hi\n🤖:\nHello.\n💬: and?\n`, { app: bare, chat });
    await answer("💬: hi\n", { app: bare, chat });
    await answer(`${openai}💬: hi\n`, { app: bare, chat, online: false });
    await answer(`${openai}💬: hi\n`, { app: sources({ isFirstHint }), chat });
    await answer(`${openai}💬: hi\n`, { app: { ...bare, servers: ["mock", "github"] }, chat });
    // Who has no answer yet, for want of a key or a line, needs another hint.
    await prepare(`${openai}💬: hi\n`, { app: bare, chat });
    expect(told).toEqual([]);
    await answer(`${openai}💬: hi\n`, { app: bare, chat });
    await answer(`${openai}💬: hi\n`, { app: bare, chat });
    expect(told).toEqual([
      "This chat has no tools. Write `tools: mock` in the header to try a whole turn; `:help parley-mcp` says how to add real tools.",
    ]);
  });

  it("forces a call in the first request of a turn only, and forbids calls in all", async () => {
    const call = `❓:[ya] \`{"id":"c","type":"function","function":{"name":"web_search","arguments":"{}"}}\``;
    const answered = `💬: hi\n🤖:\n${call}\n🛠️: [web_search][c]\n\n\`found\`\n`;
    const choice = async (word: string, text: string, fresh: boolean) => {
      const prepared = await prepare(`---\ntool_choice: ${word}\n---\n${text}`, { fresh });
      return prepared.request.toolChoice;
    };
    for (const [word, first, next] of [
      ["required", "required", "auto"],
      ["web_search", { tool: "web_search" }, "auto"],
      ["none", "none", "none"],
      ["auto", "auto", "auto"],
    ] as const) {
      expect(await choice(word, "💬: hi\n", false)).toEqual(first);
      expect(await choice(word, answered, false)).toEqual(next);
      expect(await choice(word, answered, true)).toEqual(first);
    }
  });

  it("takes model and tools of a command in place of those", async () => {
    const app = sources();
    const chat = chatOptions({ model: "mock/demo", tools: "none" });
    const prepared = await prepare("---\nmodel: openai/gpt-5\ntools: mock\n---\n💬: hi\n", {
      app,
      chat,
    });
    expect(prepared).toMatchObject({ model: "mock/demo", request: { tools: [] } });
    expect(app.asked).toEqual(["none"]);
  });

  it("reads what the question names, keeps a copy and tells so", async () => {
    const chat = inFolder();
    const prepared = await prepare("💬: look at @@./a.ts@@\n", { app: working(), chat });
    const [copy = ""] = readdirSync(join(root, "chat.md.files"));
    expect(prepared.files).toEqual({ "@@./a.ts@@": copy });
    expect(prepared.request.messages[0]).toEqual({
      role: "user",
      content: [
        { type: "text", text: "File: ./a.ts\n\n```\nconst a = 1;\n```" },
        { type: "text", text: "look at @@./a.ts@@" },
      ],
    });
    expect(chat.events).toEqual([
      expect.objectContaining({
        message: `Read for the question: ${join(root, "work", "a.ts")} (13 bytes), about 3 tokens`,
      }),
    ]);
    expect(prepared.notices).toEqual([]);
  });

  it("uses the copies of an answer that has them, and records none again", async () => {
    mkdirSync(join(root, "chat.md.files"));
    writeFileSync(join(root, "chat.md.files", "copy.txt"), "the copy");
    const text =
      '💬: look at @@./a.ts@@\n🤖:\n<!-- parley:step {"files":{"@@./a.ts@@":"copy.txt"}} -->\n\nSeen.\n\n<!-- parley:step {} -->\nmore\n<!-- parley:unfinished stopped -->\n';
    const prepared = await prepare(text, { app: working(), chat: inFolder(), fresh: false });
    expect(JSON.stringify(prepared.request.messages)).toContain("the copy");
    expect(JSON.stringify(prepared.request.messages)).not.toContain("const a");
    expect(prepared.files).toBeNull();
  });

  it("says what it could not read and sends it as written", async () => {
    const unnamed = await prepare("💬: look at @@./a.ts@@\n", { app: working() });
    expect(unnamed.notices).toEqual([expect.stringMatching(/no file yet.*respond again[.]$/)]);
    const outside = await prepare("💬: look at @@/etc/hostname@@\n", {
      app: working(),
      chat: inFolder(),
    });
    expect(outside.notices).toEqual([
      expect.stringMatching(/^Not read, so sent as written:\n.*was not read/),
    ]);
    expect(outside.files).toBeNull();
  });

  it("reads what is here for a preview, asks and writes nothing, and names what was left unread", async () => {
    const chat = inFolder({
      confirm: async () => {
        throw new Error("asked");
      },
    });
    const text = "💬: look at @@./a.ts@@ and @@https://example.com/@@\n";
    const prepared = await prepare(text, { app: working(), chat, online: false, fresh: false });
    expect(prepared.notices).toEqual([
      `Read for this preview: ${join(root, "work", "a.ts")} (13 bytes), about 3 tokens`,
      "Not read in this preview, so shown as written:\nhttps://example.com/ is read when you respond",
    ]);
    expect(JSON.stringify(prepared.request.messages)).toContain("const a = 1;");
    expect(readdirSync(root)).toEqual(["work"]);
    expect(chat.events).toEqual([]);
  });

  it("attaches resources of servers that are there, and leaves other text alone", async () => {
    const resources = {
      names: async () => ["docs"],
      read: async (_: string, uri: string) => [{ uri, text: `text of ${uri}` }],
    };
    const app = sources({ workingDirectory: join(root, "work"), resources });
    const question = "💬: @docs:note://a, a@docs:b, @media:print and @dcos:note://a\n";
    const prepared = await prepare(question, { app, chat: inFolder() });
    const [copy = ""] = readdirSync(join(root, "chat.md.files"));
    expect(prepared.files).toEqual({ "@docs:note://a": copy });
    expect(prepared.request.messages[0]).toEqual({
      role: "user",
      content: [
        { type: "text", text: "Resource: docs:note://a\n\n```\ntext of note://a\n```" },
        { type: "text", text: question.slice("💬: ".length).trim() },
      ],
    });
    expect(prepared.notices).toEqual([
      'There is no MCP server "dcos", so @dcos:note://a is sent as written.',
    ]);
    const offline = await prepare(question, { app, chat: inFolder(), online: false });
    expect(offline.notices[0]).toMatch(/: There is no|^There is no/);
    expect(offline.notices[1]).toMatch(
      /^Not read in this preview, .*\n@docs:note:\/\/a is read when/,
    );
  });

  it("tells of what only looks like a reference, with the first request alone", async () => {
    const text = "💬: look at @@src/a.ts@@\n";
    const asked = await prepare(text, { chat: inFolder() });
    expect(asked.notices).toEqual([
      "@@src/a.ts@@ names no file, so it is sent as written; @@./src/a.ts@@ would send one.",
    ]);
    expect(asked.files).toBeNull();
    const call = '{"id":"1","type":"function","function":{"name":"x","arguments":"{}"}}';
    const later = `${text}\n🤖:[x]\n\n❓:[ya] \`${call}\`\n\n🛠️: [x][1]\n\n\`y\`\n`;
    expect((await prepare(later, { chat: inFolder(), fresh: false })).notices).toEqual([]);
  });

  it("sends the rules of a project that the chat names, and says so", async () => {
    const work = join(root, "work");
    mkdirSync(join(work, "rules"));
    writeFileSync(join(work, "AGENTS.md"), "Use tabs.\n");
    writeFileSync(join(work, "rules", "style.md"), "Be brief.");
    writeFileSync(join(work, ".env"), "KEY=1");
    writeFileSync(join(root, "outside.md"), "Outside.");
    const header = "---\nrules_files: AGENTS.md rules gone.md .env ../outside.md\n---\n";
    const chat = inFolder();
    const { request } = await prepare(`${header}💬: hi\n`, { app: working(), chat });
    expect(request.system).toMatch(
      /# Rules of this project\n\n.*\n\n## AGENTS\.md\n\nUse tabs\.\n\n## rules\n\n.*style\.md\n\nBe brief\./,
    );
    for (const left of ["KEY", "Outside"]) expect(request.system).not.toContain(left);
    const told = chat.events.map((event) => (event.type === "notice" ? event.message : ""));
    expect(told[0]).toMatch(/^Rules sent with every request: AGENTS\.md, rules, about \d+ tokens$/);
    expect(told[1]).toMatch(
      /gone\.md was not found; \.env looks like a secret.*; \.\.\/outside\.md is outside/,
    );
    const app = sources({
      workingDirectory: work,
      configuration: { rules_files: ["../outside.md"] },
    });
    expect((await prepare("💬: hi\n", { app })).request.system).toContain("Outside.");
    const preview = await prepare(`${header}💬: hi\n`, { app: working(), online: false });
    expect(preview.notices).toContainEqual(
      expect.stringContaining("Rules sent with every request"),
    );
  });

  it("names each word of a tool selection that means nothing", async () => {
    const header = await prepare("---\ntools: mock, webb_search, -gone\n---\n💬: hi\n");
    expect(header.notices).toEqual([expect.stringContaining('"webb_search"')]);
    const configured = await prepare("💬: hi\n", {
      app: sources({ configuration: { tools: "files" }, notices: ["A server is down."] }),
    });
    expect(configured.notices).toEqual([expect.stringContaining('"files"'), "A server is down."]);
    const given = await prepare("💬: hi\n", { chat: chatOptions({ tools: "mock, so what" }) });
    expect(given.notices).toEqual([expect.stringContaining('no tool or server "so what" here')]);
    expect((await prepare("---\ntools: mock, web_*\n---\n💬: hi\n")).notices).toEqual([]);
  });
});
