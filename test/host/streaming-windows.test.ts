/** Windows, several chats and everything else that happens to a buffer while an answer streams into it. */
import { readFile, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import {
  asked,
  type LiveChat,
  openLiveChat,
  openNextLiveChat,
  question,
} from "../support/live-chat.ts";
import type { Reply } from "../support/live-model.ts";
import { neovims, type TestNeovim } from "../support/neovim.ts";

async function openHalf(
  path: string,
  options: { readonly init?: string; readonly text?: string } = {},
): Promise<{ readonly live: LiveChat; readonly reply: Reply }> {
  const { init, text = asked } = options;
  const chat = { text };
  const live = await (init === undefined
    ? openNextLiveChat({ path, chat })
    : openLiveChat({ path, chat, init }));
  await live.nvim.input("G");
  const reply = await live.respond();
  reply.say("Half an ");
  await live.nvim.untilText(/Half an\n<!-- parley:unfinished open/);
  return { live, reply };
}

async function finish(live: LiveChat, reply: Reply): Promise<string> {
  reply.say("answer.");
  reply.end();
  expect(await live.ended()).toBe("ParleyDone");
  return live.nvim.text();
}

const finished = `${asked}\n🤖:[live]\n\nHalf an answer.\n\n💬: `;
const long = asked.replace("💬:", `💬: old\n\n🤖:[live]\n\n${"a line\n".repeat(100)}\n💬:`);
const views = z.array(z.object({ lnum: z.number(), topline: z.number() }));

async function isBlocking(nvim: TestNeovim): Promise<boolean> {
  return z.object({ blocking: z.boolean() }).parse(await nvim.client.request("nvim_get_mode", []))
    .blocking;
}

describe.each(neovims)("a buffer that an answer streams into, in Neovim $version", ({ path }) => {
  it("leaves windows alone that show another place, and scrolls those at the end", async () => {
    const live = await openLiveChat({ path, chat: { text: long } });
    const { nvim } = live;
    await nvim.command("split | normal! 60Gzt");
    await nvim.command("wincmd w | normal! Gzb");
    const read = async () =>
      views.parse(
        await nvim.lua(`return vim.tbl_map(function(win)
          return vim.api.nvim_win_call(win, vim.fn.winsaveview)
        end, vim.api.nvim_tabpage_list_wins(0))`),
      );
    const before = await read();
    const reply = await live.respond();
    reply.say(...("a word on a line\n".repeat(60).match(/\S+\s/g) ?? []));
    const text = await finish(live, reply);
    const [elsewhere, atEnd] = await read();
    expect(elsewhere).toEqual(before[0]);
    expect(atEnd?.lnum).toBe(text.split("\n").length);
    expect(atEnd?.topline).toBeGreaterThan(before[1]?.topline ?? 0);
  });

  it("keeps a cursor in the middle where the user put it", async () => {
    const { live, reply } = await openHalf(path, { text: long });
    await live.nvim.input("gg/old<CR>");
    await live.nvim.until(
      "the cursor",
      async () => (await live.nvim.client.call("line", ["."])) === 7,
    );
    reply.say(...("a word\n".repeat(40).match(/\S+\s/g) ?? []));
    await finish(live, reply);
    expect(await live.nvim.client.call("getpos", ["."])).toEqual([0, 7, 7, 0]);
  });

  it("answers several chats at once, each in its own buffer", async () => {
    const { live, reply } = await openHalf(path);
    const { nvim } = live;
    const second = join(nvim.home, "data", "nvim", "parley", "second.md");
    await writeFile(second, asked.replace(question, "second?"));
    await nvim.command(`edit ${second}`);
    await nvim.ready();
    await nvim.input("G");
    const other = await live.respond();
    other.say("Second ");
    reply.say("answer ");
    await nvim.untilText(/second\?[\s\S]*Second/);
    await nvim.command(`split | buffer ${basename(nvim.chatPath)}`);
    await nvim.untilText(/what is new[\s\S]*Half an answer/);
    other.say("of two.");
    reply.say("of one.");
    other.end();
    await live.ended();
    reply.end();
    await live.ended();
    expect(await nvim.text()).toBe(finished.replace("answer.", "answer of one."));
    await nvim.command("buffer second.md");
    expect(await nvim.text()).toBe(
      finished.replace(question, "second?").replace("Half an answer.", "Second of two."),
    );
  });

  it("goes on while its question is edited, also in a hidden buffer", async () => {
    const { live, reply } = await openHalf(path);
    await live.nvim.input("gg/^💬:<CR>A Or old?<Esc>gg/^💬:<CR>cc💬: what else?<Esc>");
    await live.nvim.untilText(/what else\?/);
    await live.nvim.command("set hidden | enew");
    reply.say("answer.");
    reply.end();
    await live.ended();
    await live.nvim.command(`buffer ${basename(live.nvim.chatPath)}`);
    expect(await live.nvim.text()).toBe(finished.replace(question, "what else?"));
    expect(await live.nvim.file()).toBe(`${await live.nvim.text()}\n`);
  });

  it("moves no word that the user completes below it, and loses no line", async () => {
    const { live, reply } = await openHalf(path);
    const { nvim } = live;
    await nvim.input("Goapple apricot ap<C-x><C-n>");
    await nvim.until("the menu", () => nvim.lua("return vim.fn.pumvisible() == 1"));
    reply.say("answer.");
    await nvim.untilText(/Half an answer\.\n/);
    reply.say("\nOne\nTwo");
    // Time enough for lines that come all the same.
    for (let tries = 0; tries < 20 && !(await nvim.text()).includes("Two"); tries += 1) {
      await nvim.lua("vim.wait(5)");
    }
    await nvim.input("<C-n>");
    await nvim.input("<C-n>");
    await nvim.input(" mine<Esc>");
    await nvim.untilText(/Two\n<!-- /);
    reply.end();
    await live.ended();
    expect(await nvim.text()).toMatch(
      /🤖:\[live\]\n\nHalf an answer\.\nOne\nTwo\n\n💬: \n?apple apricot ap\w* mine$/,
    );
  });

  it("waits above an operator for its motion, which deletes one line and nothing of the answer", async () => {
    const { live, reply } = await openHalf(path);
    const { nvim } = live;
    await nvim.input("Go<CR>one<CR>two<CR>three<Esc>kd");
    await nvim.until("the operator", () => nvim.lua("return vim.fn.mode(1) == 'no'"));
    reply.say("answer.");
    await nvim.untilText(/Half an answer\.\n/);
    reply.say("\nOne\nTwo");
    // Time enough for lines that come all the same.
    for (let tries = 0; tries < 20 && !(await nvim.text()).includes("Two"); tries += 1) {
      await nvim.lua("vim.wait(5)");
    }
    await nvim.input("d");
    await nvim.untilText(/Two\n<!-- /);
    reply.end();
    await live.ended();
    expect(await nvim.text()).toMatch(/Half an answer\.\nOne\nTwo\n\n💬: \n?one\nthree$/);
  });

  it("goes on above a menu that opened on its own, with nothing chosen", async () => {
    const { live, reply } = await openHalf(path);
    const { nvim } = live;
    // Neovim 0.12
    if ((await nvim.lua("return vim.fn.exists('+autocomplete')")) === 0) return;
    await nvim.command("setlocal autocomplete");
    await nvim.input("Goapple apricot ap");
    await nvim.until("the menu", () => nvim.lua("return vim.fn.pumvisible() == 1"));
    reply.say("answer.\nOne\nTwo");
    await nvim.untilText(/Two\n<!-- /);
    expect(await nvim.lua("return vim.fn.pumvisible()")).toBe(0);
    // One that a key asked for stays, however long ago the last character was.
    await nvim.lua(`vim.o.completeopt = "menuone,noselect"
      _G.words = function(find) return find == 1 and vim.fn.col(".") - 3 or { "apple", "apt" } end
      vim.bo.completefunc = "v:lua.words"`);
    for (const keys of ["<C-n>", "<C-e> ap<C-x><C-u>"]) {
      await nvim.input(keys);
      const isSeen = () => nvim.lua("return vim.fn.pumvisible() == 1");
      await nvim.until("the menu", isSeen);
      await nvim.lua(`local hrtime = vim.uv.hrtime
        vim.uv.hrtime = function() return hrtime() + 2e9 end`);
      reply.say("\nThree");
      for (let tries = 0; tries < 20 && (await isSeen()); tries += 1) {
        await nvim.lua("vim.wait(5)");
      }
      expect(await isSeen()).toBe(true);
    }
    await nvim.input("<C-n>");
    await nvim.until("a word", async () => /ap\w+$/.test(await nvim.text()));
    await nvim.input(" mine<Esc>");
    await nvim.untilText(/Three\n<!-- /);
    reply.end();
    await live.ended();
    expect(await nvim.text()).toMatch(
      /🤖:\[live\]\n\nHalf an answer\.\nOne\nTwo\nThree\nThree\n\n💬: \n?apple apricot ap ap\w+ mine$/,
    );
  });

  it.each([
    ["", "setlocal formatoptions+=a"],
    ["by a plugin, ", "autocmd InsertEnter * setlocal formatoptions+=a"],
  ])("is no part of the paragraph that is filled %swhile a user types", async (_, command) => {
    const live = await openNextLiveChat({ path });
    const { nvim } = live;
    await nvim.command(`setlocal textwidth=40 | ${command}`);
    const reply = await live.respond();
    reply.say("Half an ");
    await nvim.untilText(/Half an\n<!-- parley:unfinished open/);
    await nvim.input("A");
    for (const word of "these are words of more columns than forty".split(" ")) {
      await nvim.input(`${word} `);
    }
    await nvim.untilText(/than\s+forty/);
    expect(await nvim.lua("return vim.bo.formatoptions:find('a') == nil")).toBe(true);
    reply.say("answer.");
    reply.end();
    expect(await live.ended()).toBe("ParleyDone");
    expect(await nvim.text()).toMatch(
      /\n\nHalf an answer\.\n\n💬: \s*these are words of more columns\s+than\s+forty\s*$/,
    );
    expect(await nvim.lua("return vim.bo.formatoptions:find('a') ~= nil")).toBe(true);
  });

  it("loses no word to a substitution that asks about its line, nor the answers to that", async () => {
    const { live, reply } = await openHalf(path);
    const { nvim } = live;
    await nvim.input(":%s/a/A/gc<CR>yy");
    reply.say("answer\nand ");
    // Time enough for words that come all the same; the oldest Neovim answers nothing while it asks.
    for (let tries = 0; tries < 20 && !(await isBlocking(nvim)); tries += 1) {
      if ((await nvim.text()).includes("answer")) break;
      await nvim.lua("vim.wait(5)");
    }
    await nvim.input("yyq");
    reply.say("more.");
    reply.end();
    await live.ended();
    expect(await nvim.text()).toContain("\n\nHAlf An answer\nand more.\n\n💬: ");
    expect(await nvim.file()).toBe(`${await nvim.text()}\n`);
  });

  it("goes on when the buffer is read again with the same text", async () => {
    const { live, reply } = await openHalf(path);
    await live.nvim.command("write");
    await live.nvim.command("edit!");
    expect(await finish(live, reply)).toBe(finished);
    expect(await live.nvim.file()).toBe(`${finished}\n`);
  });

  it("stops when the buffer is read again without it; undo brings the text back", async () => {
    const { live, reply } = await openHalf(path);
    const { nvim } = live;
    const half = await nvim.text();
    await nvim.command("edit!");
    reply.say("lost");
    expect(await live.ended()).toBe("ParleyDone");
    await nvim.until("the closed socket", () => reply.isGone());
    expect(await nvim.text()).toBe(asked.trimEnd());
    await nvim.input("u");
    await nvim.until("the half answer", async () => (await nvim.text()) === half);
    const again = await live.respond();
    again.say("Half an ");
    expect(await finish(live, again)).toBe(finished);
  });

  it("is not unloaded without a bang; with one it stops, and the file has what came", async () => {
    const { live, reply } = await openHalf(path);
    const { nvim } = live;
    const half = await nvim.text();
    await expect(nvim.command("bdelete")).rejects.toThrow(/E89/);
    await nvim.command("bdelete!");
    reply.say("lost");
    await nvim.until("the closed socket", () => reply.isGone());
    expect(await live.ended()).toBe("ParleyDone");
    expect(await nvim.file()).toBe(`${half}\n`);
    await nvim.command(`edit ${nvim.chatPath}`);
    await nvim.ready();
    await nvim.input("G");
    const again = await live.respond();
    again.say("Half an ");
    expect(await finish(live, again)).toBe(finished);
    expect(await nvim.messages()).not.toContain("could not");
  });

  it("goes on under another name", async () => {
    const { live, reply } = await openHalf(path);
    await live.nvim.command("saveas %:h/renamed.md");
    expect(await finish(live, reply)).toBe(finished);
    const renamed = join(live.nvim.home, "data", "nvim", "parley", "renamed.md");
    expect(await readFile(renamed, "utf8")).toBe(`${finished}\n`);
    expect(await live.nvim.file()).toBe(asked);
  });
});

describe.each(neovims)("the file of a chat in Neovim $version", ({ path }) => {
  it("is written without the user's autocommands", async () => {
    const init = `for _, event in ipairs({ "BufWritePre", "BufWritePost", "BufWriteCmd", "TextChanged" }) do
      if event ~= "BufWriteCmd" then vim.api.nvim_create_autocmd(event, { pattern = "*", callback = function()
        vim.api.nvim_buf_set_lines(0, 0, 0, false, { "formatted" }) end }) end
    end`;
    const live = await openLiveChat({ path, init });
    await live.nvim.command("set eventignore=TextChanged");
    const reply = await live.respond();
    reply.say("Half an ");
    const text = await finish(live, reply);
    expect(text).toBe(finished);
    expect(await live.nvim.file()).toBe(`${finished}\n`);
  });

  it("does not overwrite what somebody else wrote; the user is asked once", async () => {
    const init = `Asked = {} vim.ui.select = function(items, options, choose)
      Asked[#Asked + 1] = options.prompt Choose = function(n) choose(items[n], n) end end`;
    const { live, reply } = await openHalf(path, { init });
    await writeFile(live.nvim.chatPath, "theirs\n");
    reply.say("answer.");
    reply.end();
    expect(await live.ended()).toBe("ParleyDone");
    await live.nvim.until("the question", async () => (await live.nvim.lua("return #Asked")) === 1);
    expect(await live.nvim.file()).toBe("theirs\n");
    expect(await live.nvim.text()).toContain("Half an answer.");
    await live.nvim.lua("Choose(2)");
    await live.nvim.until("our text", async () =>
      (await live.nvim.file()).includes("Half an answer."),
    );
  });

  it("keeps its line ends when they are CR LF", async () => {
    const { live, reply } = await openHalf(path, { text: asked.replaceAll("\n", "\r\n") });
    expect(await live.nvim.lua("return vim.bo.fileformat")).toBe("dos");
    expect(await finish(live, reply)).toBe(finished);
    expect(await live.nvim.file()).toBe(`${finished}\n`.replaceAll("\n", "\r\n"));
  });

  it("keeps bytes that are no UTF-8 as they are", async () => {
    const live = await openLiveChat({ path, chat: { text: asked } });
    const bytes = Buffer.concat([
      Buffer.from(`${asked}\nraw `),
      Buffer.from([0xff, 0xfe, 0x80, 0xc3]),
      Buffer.from(" bytes\n"),
    ]);
    await writeFile(live.nvim.chatPath, bytes);
    await live.nvim.command("edit! ++enc=utf-8 ++bad=keep | normal! G");
    const reply = await live.respond();
    reply.say("Half an ");
    await finish(live, reply);
    const written = await readFile(live.nvim.chatPath);
    expect(written.subarray(0, bytes.length)).toEqual(bytes);
    expect(written.subarray(bytes.length).toString()).toBe(
      "\n🤖:[live]\n\nHalf an answer.\n\n💬: \n",
    );
  });
});
