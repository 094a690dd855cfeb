/** Mistakes in config.json and in setup() as a user meets them: named, harmless, and still there in checkhealth. */
import { mkdir, mkdtemp, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { z } from "zod";
import { type LiveChat, openLiveChat } from "../support/live-chat.ts";
import { itInTurn, neovims, TestNeovim } from "../support/neovim.ts";

let editor: TestNeovim | undefined;
afterEach(async () => {
  await editor?.cleanUp();
  editor = undefined;
});

const file = `{
  "keys": { "respond": 5, "stpo": "<C-s>" },
  "fold_results": "no",
  "modle": "mock/demo", // a comment
}`;

const sentences = [
  "config.json:2: keys.respond: write a key such as",
  "config.json:2: keys.stpo: there is no such key; did you mean stop?",
  "config.json:3: fold_results: write a number of lines, or false",
  "config.json:4: modle: there is no such key; did you mean model?",
  "setup: keys: write a table",
];

describe.each(neovims)("a wrong configuration in Neovim $version", ({ path }) => {
  it("costs what is wrong and nothing else, and is named until it is mended", async () => {
    const home = await mkdtemp(join(tmpdir(), "parley-test-"));
    await mkdir(join(home, "config", "nvim", "parley"), { recursive: true });
    await writeFile(join(home, "config", "nvim", "parley", "config.json"), file);
    const init = 'require("parley").setup({ keys = "oops", model = "mock/demo" })';
    const chat = { text: "---\ntopic: x\n---\n\n💬: hello\n" };
    const nvim = await TestNeovim.start({ path, home, init, chat });
    editor = nvim;
    await nvim.ready();
    await nvim.until("every sentence", async () => {
      const said = (await nvim.messages()).replaceAll(/\s+/g, " ");
      return sentences.every((sentence) => said.includes(sentence));
    });
    await nvim.input("G<C-g><C-g>");
    await nvim.untilText(/^🤖:/m);
    expect(await nvim.messages()).not.toMatch(/traceback|E5108/);
    await nvim.command("checkhealth parley");
    const report = (await nvim.untilText(/chats followed/)).replaceAll(/\s+/g, " ");
    for (const sentence of sentences) expect(report).toContain(sentence);
  });
});

/** Edits config.json in a window beside the chat, as a user does, and writes it. */
async function write({ nvim }: LiveChat, text: string): Promise<void> {
  await nvim.lua(
    `local folder = vim.fs.joinpath(vim.fn.stdpath("config"), "parley")
    vim.fn.mkdir(folder, "p")
    vim.cmd("messages clear")
    vim.cmd.split(vim.fn.fnameescape(vim.fs.joinpath(folder, "config.json")))
    vim.api.nvim_buf_set_lines(0, 0, -1, false, vim.split(..., "\\n"))
    vim.cmd("silent write | quit")`,
    text,
  );
}

async function keyOf({ nvim }: LiveChat, key: string): Promise<string> {
  return z.string().parse(await nvim.lua("return vim.fn.maparg(..., 'n')", key));
}

const said = async ({ nvim }: LiveChat) => (await nvim.messages()).replaceAll(/\s+/g, " ");

/** What the model gets before the question when it is asked now. */
async function systemPrompt(live: LiveChat): Promise<unknown> {
  await live.nvim.input("Go<Esc>cc💬: and now?<Esc>");
  const reply = await live.respond();
  reply.say("Well.");
  reply.end();
  await live.ended();
  return reply.messages[0]?.content;
}

const denied = '"rules": { "deny": [{ "tool": "web_search" }] }';

describe.each(neovims)("config.json that is written in Neovim $version", ({ path }) => {
  const it = itInTurn(path);
  it("applies to what comes next, and leaves a call alone that runs", async () => {
    const live = await openLiveChat({ path });
    await live.nvim.input("G");
    const first = await live.respond();
    first.call({ id: "call_1", query: "hold:found" });
    first.end("tool_calls");
    await live.ended();
    await live.nvim.input("ya");
    await live.nvim.until("the call", () => live.runs().length > 0);
    await write(
      live,
      '{ "system_prompt": "Be brief.", "keys": { "stop": "<C-s>" }, "global_keys": { "new": "<F5>" } }',
    );
    await live.nvim.until("the key", async () => (await keyOf(live, "<C-s>")) !== "");
    expect(await keyOf(live, "<C-g>x")).toBe("");
    expect(await keyOf(live, "<F5>")).toBe("<Plug>(parley-new)");
    await live.nvim.until("the key that stops it", async () =>
      /<C-s> stops/.test(await live.nvim.virtualText()),
    );
    await live.release("found", "It is here.");
    const second = await live.reply();
    expect(JSON.stringify(second.messages.at(-1))).toContain("It is here.");
    second.say("Done.");
    second.end();
    await live.ended();
    expect(await systemPrompt(live)).toBe("Be brief.");
    await write(live, '{ "system_prompt": "Be brief.", "keys": { "preset": "markdown" }, }');
    await live.nvim.until("the old key", async () => (await keyOf(live, "<C-g>x")) !== "");
    expect(await keyOf(live, "<F5>")).toBe("");
  });

  it("ends a call whose server starts again with other options, and the answer goes on", async () => {
    const live = await openLiveChat({ path });
    await live.nvim.input("G");
    const first = await live.respond();
    first.call({ id: "call_1", query: "hold:found" });
    first.end("tool_calls");
    await live.ended();
    await live.nvim.input("ya");
    await live.nvim.until("the call", () => live.runs().length > 0);
    await write(live, '{ "tool_timeout": 50 }');
    const second = await live.reply();
    expect(second.messages.at(-1)?.role).toBe("tool");
    second.end();
    await live.ended();
  });

  it("forbids from then on, and does not allow again because it is broken", async () => {
    const live = await openLiveChat({ path });
    await write(live, `{ "system_prompt": "One.", ${denied} }`);
    await live.nvim.until("the prompt", async () => (await systemPrompt(live)) === "One.");
    for (const broken of [
      `{ "system_prompt": "Two." ${denied.slice(0, -1)}`,
      "[1]",
      "",
      '{ "rules": {',
    ]) {
      await write(live, broken);
      await live.nvim.until("a message", async () =>
        /Parley keeps the options that it has until this is mended/.test(await said(live)),
      );
      expect(await systemPrompt(live)).toBe("One.");
    }
    await live.nvim.command("checkhealth parley");
    const report = (await live.nvim.untilText(/chats followed/)).replaceAll(/\s+/g, " ");
    expect(report).toContain("not valid JSON here");
    await live.nvim.command("bwipeout");
    await live.nvim.input("Go<Esc>cc💬: search<Esc>");
    const proposing = await live.respond();
    proposing.call({ id: "call_1", query: "anything" });
    proposing.end("tool_calls");
    const after = await live.reply();
    expect(JSON.stringify(after.messages.at(-1))).toMatch(/denied|rule/i);
    after.say("I see.");
    after.end();
    await live.ended();
    expect(live.runs()).toEqual([]);
    await write(live, '{ "system_prompt": "Three." }');
    await live.nvim.until("the prompt", async () => (await systemPrompt(live)) === "Three.");
  });

  it("applies to the next question and the next key if another program has written it", async () => {
    const live = await openLiveChat({ path });
    const folder = join(live.nvim.home, "config", "nvim", "parley");
    const writeElsewhere = async (text: string) => {
      await mkdir(folder, { recursive: true });
      await writeFile(join(folder, "config.json"), text);
    };
    expect(await systemPrompt(live)).not.toBe("One.");
    await writeElsewhere('{ "system_prompt": "One.", "keys": { "stop": "<C-s>" } }');
    expect(await systemPrompt(live)).toBe("One.");
    expect(await keyOf(live, "<C-s>")).not.toBe("");
    await live.nvim.input("Go<Esc>cc💬: search<Esc>");
    const proposing = await live.respond();
    proposing.call({ id: "call_1", query: "anything" });
    proposing.end("tool_calls");
    await live.ended();
    await writeElsewhere(`{ ${denied} }`);
    await live.nvim.input("ya");
    const after = await live.reply();
    expect(JSON.stringify(after.messages.at(-1))).toMatch(/denied|rule/i);
    after.end();
    await live.ended();
    expect(live.runs()).toEqual([]);
  });

  it("applies to questions where Neovim still has the Lua half of an earlier version", async () => {
    const live = await openLiveChat({ path });
    await live.nvim.lua(`local rpc = require("parley.rpc")
      local call = rpc.call
      rpc.call = function(name, ...)
        if name == "configured" then error("there is no function configured", 0) end
        return call(name, ...)
      end`);
    await write(live, '{ "system_prompt": "One.", "keys": { "stop": "<C-s>" } }');
    await live.nvim.until("a message", async () =>
      /keys and colours of config.json apply when you restart Neovim/.test(await said(live)),
    );
    expect(await systemPrompt(live)).toBe("One.");
    expect(await keyOf(live, "<C-g>x")).not.toBe("");
  });

  it("yields to setup, which applies at once, too", async () => {
    const live = await openLiveChat({ path });
    // The host may have read this when it started, and the Lua half what was there before.
    await write(live, '{ "system_prompt": "One.", "keys": { "stop": "<C-s>" } }');
    await live.nvim.until("the key", async () => (await keyOf(live, "<C-s>")) !== "");
    await live.nvim.lua('require("parley").setup({ system_prompt = "Two." })');
    await live.nvim.until("the prompt", async () => (await systemPrompt(live)) === "Two.");
    await live.nvim.lua('require("parley").setup({ temprature = 1 })');
    await live.nvim.until("a message", async () => /setup: temprature/.test(await said(live)));
    expect(await systemPrompt(live)).toBe("One.");
  });
});
