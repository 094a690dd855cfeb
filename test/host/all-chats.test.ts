/** The list of all chats, the next one that waits, and what is done to their files, in a real Neovim. */
import { existsSync } from "node:fs";
import { mkdir, readFile, utimes, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { oneNeovim } from "../support/neovim.ts";
import { inTrash, list, name, openChats } from "./chat-folder.ts";

const waiting = `---
topic: Waits
---

💬: find it

🤖:[x]

❓: \`{"id":"1","type":"function","function":{"name":"f","arguments":"{}"}}\`
❓: \`{"id":"2","type":"function","function":{"name":"f","arguments":"{}"}}\`
`;

describe.each(oneNeovim)("in Neovim $version", ({ path }) => {
  it("leaves a blank between how many calls wait and the topic", async () => {
    const nvim = await openChats(path, {});
    const row = (sign: string) =>
      nvim.lua(
        `local row = { sign = ..., topic = "Topic", tags = "", model = "", cost = "", age = "now" }
        local words = vim.tbl_map(function(chunk) return chunk[1] end,
          require("parley.pickers.chat_row").chunks(row, 40))
        return table.concat(words)`,
        sign,
      );
    for (const sign of ["", "…", "❓2", "❓30", "❓300"]) {
      expect(await row(sign)).toMatch(/^.{3,5} Topic +now $/u);
    }
    expect(await nvim.lua("return vim.fn.strdisplaywidth(...)", await row("❓30"))).toBe(40);
  });

  it("finds a chat by its words and opens it", async () => {
    const nvim = await openChats(path, {
      "gold.md": "---\ntopic: Gold\n---\n\n💬: what is gold\n\n🤖:[x]\n\nA metal\n",
      "sub/other.md": "💬: something else\n",
    });
    await nvim.command("if exists('+autocomplete') | set autocomplete | endif | Parley chats");
    await nvim.until("all chats", async () => /Chats: 3 /.test(await list(nvim)));
    // Plugins complete no words in it.
    expect(await nvim.lua("return vim.bo.buftype")).toBe("prompt");
    await nvim.input("gold");
    await nvim.until("one chat", async () => /Chats: 1 of 3/.test(await list(nvim)));
    expect(await list(nvim)).toContain("💬: what is gold");
    expect(await nvim.lua("return vim.bo.modified")).toBe(false);
    await nvim.input("<C-w>metal");
    await nvim.until("none", async () => /these words; <C-f>/.test(await list(nvim)));
    await nvim.input("<C-f>");
    await nvim.until("one by its text", async () => /in the text: 1 of 3/.test(await list(nvim)));
    await nvim.input("<CR>");
    await nvim.until("the chat", async () => (await name(nvim)) === "gold.md");
    expect(await nvim.lua("return vim.fn.mode()")).toBe("n");
    expect(await list(nvim)).toBe("");
    // At the words, and not at the last question.
    await nvim.until("the first view", async () => nvim.lua("return vim.b.parley ~= nil"));
    expect(await nvim.lua("return vim.api.nvim_win_get_cursor(0)")).toEqual([9, 2]);
  });

  it("keeps the chat that is selected where it has another place, and forgets it for other words", async () => {
    const rows = Array.from({ length: 4 }, (_, index) => [`c${index}.md`, `💬: chat ${index}\n`]);
    const nvim = await openChats(path, Object.fromEntries(rows));
    const selected = async () =>
      String(
        await nvim.lua(`for _, win in ipairs(vim.api.nvim_list_wins()) do
          if vim.wo[win].cursorline then
            return vim.fn.line(".", win) .. " " .. vim.fn.getbufoneline(vim.fn.winbufnr(win), vim.fn.line(".", win))
          end
        end`),
      );
    await nvim.command("Parley chats");
    await nvim.until("the chats", async () => /Chats: 5 /.test(await list(nvim)));
    await nvim.input("<Down><Down>");
    await nvim.until("the third", async () => (await selected()).startsWith("3"));
    const chat = /chat \d/.exec(await selected())?.[0] ?? "";
    const file = join(dirname(nvim.chatPath), `c${chat.slice(-1)}.md`);
    await utimes(file, new Date(), new Date(Date.now() + 60_000));
    await nvim.lua("require('parley.pickers.chats').refresh()");
    // Its row has the name of the file until that is read again.
    const isFirst = (row: string) => row.startsWith("1") && row.includes(chat);
    await nvim.until("the same chat, first", async () => isFirst(await selected()));
    // With a menu of words open Neovim tells in another way that something was typed.
    await nvim.input("<Down>");
    await nvim.lua(`vim.api.nvim_create_autocmd("TextChangedP", { callback = function() Menu = true end })
      vim.keymap.set("i", "<F2>", function() vim.fn.complete(1, { "chat 12", "chat 13" }) end, { buffer = 0 })`);
    await nvim.input("<F2>");
    await nvim.until("the menu", () => nvim.lua("return Menu"));
    await nvim.until("none", async () => /these words/.test(await list(nvim)));
  });

  it("is closed by Escape, and says where chats would be", async () => {
    const nvim = await openChats(path, {});
    await nvim.command("Parley chats nothing like it");
    await nvim.until("none", async () => /No chat has these words/.test(await list(nvim)));
    const received = `local chats, reading = require("parley.pickers.chats"), ...
      Receive = Receive or chats.receive
      chats.receive = function(answer)
        local none = { rows = {}, found = 0, all = 0, reading = reading }
        Receive(vim.tbl_extend("force", answer, none))
      end
      chats.refresh()`;
    await nvim.lua(received, false);
    await nvim.until("none", async () => /There is no chat in .*parley/.test(await list(nvim)));
    await nvim.lua(received, true);
    await nvim.until("the reading", async () => / Reading .*parley/.test(await list(nvim)));
    expect(await list(nvim)).not.toMatch(/no chat/i);
    await nvim.input("<Esc><Esc>");
    await nvim.until("closed", async () => (await list(nvim)) === "");
    expect(await name(nvim)).toBe("chat.md");
  });

  it("is gone when another window is entered, and has the mouse's clicks for itself", async () => {
    const rows = Array.from({ length: 9 }, (_, index) => [`c${index}.md`, `💬: chat ${index}\n`]);
    const nvim = await openChats(path, Object.fromEntries(rows));
    await nvim.command("set mouse=a | vsplit | wincmd p");
    const before = await nvim.lua("return vim.api.nvim_get_current_win()");
    await nvim.command("Parley chats");
    await nvim.until("all chats", async () => /Chats: 10 /.test(await list(nvim)));
    const mouse = async (button: string, action: string, line: number) => {
      const at = await nvim.lua(`for _, win in ipairs(vim.api.nvim_list_wins()) do
          if vim.wo[win].cursorline then return vim.fn.screenpos(win, 1, 1) end
        end`);
      const { row, col } = at as { row: number; col: number };
      await nvim.client.request("nvim_input_mouse", [
        ...[button, action, "", 0],
        ...[row - 2 + line, col + 20],
      ]);
    };
    const selected = () =>
      nvim.lua(`for _, win in ipairs(vim.api.nvim_list_wins()) do
        if vim.wo[win].cursorline then
          return { vim.fn.line(".", win), vim.bo.buftype, vim.fn.mode() }
        end
      end`);
    const isSelected = (line: number) =>
      nvim.until(`row ${line}`, async () => {
        return JSON.stringify(await selected()) === JSON.stringify([line, "prompt", "i"]);
      });
    await isSelected(1);
    await mouse("left", "press", 4);
    await mouse("left", "release", 4);
    await isSelected(4);
    await mouse("wheel", "down", 2);
    await isSelected(7);
    await mouse("wheel", "up", 2);
    await isSelected(4);
    // Neovim puts floats elsewhere where the screen has no room for them any more.
    await nvim.client.request("nvim_ui_try_resize", [100, 24]);
    await nvim.until("a small screen", () => nvim.lua("return vim.o.lines == 24"));
    for (const button of ["right", "middle"]) await mouse(button, "press", 6);
    await mouse("left", "press", 3);
    await isSelected(3);
    await mouse("left", "release", 3);
    await mouse("left", "press", 3);
    await nvim.until("the chat", async () => (await list(nvim)) === "");
    expect(await name(nvim)).toMatch(/^c\d.md$/);
    expect(await nvim.lua("return vim.api.nvim_get_current_win()")).toBe(before);
    await nvim.command("Parley chats");
    await nvim.until("all chats", async () => /Chats: 10 /.test(await list(nvim)));
    await nvim.input("<Esc><C-w>t");
    await nvim.until("closed", async () => (await list(nvim)) === "");
    await nvim.input("<C-\\><C-n>");
    expect(await nvim.lua("return vim.api.nvim_get_current_win()")).not.toBe(before);
  });

  it("goes from one waiting call to the next, over all chats", async () => {
    const nvim = await openChats(path, { "w.md": waiting, "done.md": "💬: a\n🤖:\nb\n" });
    const place = () => nvim.lua("return { vim.fn.expand('%:t'), vim.fn.line('.') }");
    for (const expected of [
      ["w.md", 9],
      ["w.md", 10],
      ["w.md", 9],
    ]) {
      await nvim.command("Parley next");
      await nvim.until(`${expected}`, async () => {
        return JSON.stringify(await place()) === JSON.stringify(expected);
      });
      await nvim.until("the calls", async () => /2 calls/.test(await nvim.virtualText()));
    }
    await nvim.command(`edit ${nvim.chatPath}`);
    await nvim.input("G<C-g><C-g>:tabnew<CR>");
    const told = "Here: The answer has arrived. :Parley next goes there.";
    await nvim.until("what is told", async () => (await nvim.messages()).includes(told));
    await nvim.command("Parley next");
    await nvim.until("the chat", async () => (await name(nvim)) === "chat.md");
  });

  it("renames a chat with its text as it is on screen, and its undo", async () => {
    const nvim = await openChats(path, {
      "branch.md": "🌿: chat.md: Here\n💬: q\n[🌿:x](chat.md)\n",
    });
    for (const [command, said] of [
      ["rename .", "A name cannot begin with a dot"],
      ["rename chat", "The chat is already named chat.md."],
      [`move ${dirname(nvim.chatPath)}`, "The chat is already in that folder."],
    ] as const) {
      await nvim.command(`Parley ${command}`);
      await nvim.until(said, async () => (await nvim.messages()).includes(said));
    }
    expect(await nvim.messages()).not.toContain("Parley could not");
    await nvim.input("Goan unsaved line<Esc>");
    await nvim.lua("vim.ui.input = function(_, done) done('new name') end");
    await nvim.command("Parley rename");
    await nvim.until("the new name", async () => (await name(nvim)) === "new name.md");
    const file = join(dirname(nvim.chatPath), "new name.md");
    expect(await readFile(file, "utf8")).toContain("an unsaved line");
    await nvim.until("the old file gone", () => !existsSync(nvim.chatPath));
    await nvim.input("u");
    await nvim.until("undone", async () => !(await nvim.text()).includes("unsaved"));
    await nvim.command("write");
    expect(await readFile(file, "utf8")).not.toContain("unsaved");
    const branch = join(dirname(nvim.chatPath), "branch.md");
    await nvim.until("what is told of the links", async () =>
      (await nvim.messages()).includes("2 🌿 links in 1 chat name new name.md now."),
    );
    expect(await readFile(branch, "utf8")).toBe(
      "🌿: new name.md: Here\n💬: q\n[🌿:x](new name.md)\n",
    );
    await nvim.input("G<C-g><C-g>");
    await nvim.untilText(/🤖/);
    await nvim.until("the end", async () => /💬: $/.test(await nvim.text()));
    // Tags and a move from the list, of this chat as of any other; then what all that cost.
    await nvim.lua("vim.ui.input = function(_, done) done(_G.typed) end");
    await nvim.command("Parley tags #gold silver");
    await nvim.until("the tags", async () => (await nvim.text()).includes("tags: gold, silver"));
    await nvim.command("Parley chats branch");
    await nvim.until("the branch", async () => /Chats: 1 of 2/.test(await list(nvim)));
    await nvim.lua("_G.typed = 'green'");
    await nvim.input("<C-e>");
    await nvim.until("its tag", async () => (await list(nvim)).includes("#green"));
    const folder = join(dirname(nvim.chatPath), "moved");
    await nvim.lua("_G.typed = ...", folder);
    const undoOf = (path: string) => nvim.lua("return vim.fn.undofile(...)", path);
    await nvim.lua(
      `vim.o.undodir = ...
       vim.fn.mkdir(..., "p")`,
      join(nvim.home, "undo"),
    );
    await writeFile(String(await undoOf(branch)), "undo");
    await nvim.input("<C-o>");
    await nvim.until("another place", () => existsSync(join(folder, "branch.md")));
    await nvim.until("its message", async () =>
      (await nvim.messages()).includes("branch.md is now"),
    );
    expect(await readFile(String(await undoOf(join(folder, "branch.md"))), "utf8")).toBe("undo");
    expect(await readFile(join(folder, "branch.md"), "utf8")).toContain("🌿: ../new name.md: Here");
  });

  it("deletes after a yes, into the trash", async () => {
    const nvim = await openChats(path, {});
    await nvim.lua("vim.ui.select = function(items, _, done) done(_G.answer or items[1]) end");
    await nvim.command("Parley delete");
    expect(existsSync(nvim.chatPath)).toBe(true);
    await nvim.input("Goan unsaved line<Esc>");
    await nvim.lua("_G.answer = 'Yes'");
    await nvim.command("Parley delete");
    await nvim.until("gone", () => !existsSync(nvim.chatPath));
    await nvim.until("the buffer too", async () => (await name(nvim)) === "");
    expect(await inTrash(nvim, "chat.md")).toContain("an unsaved line");
  });

  it("gives other pickers all chats, those of an attached project too", async () => {
    const nvim = await openChats(path, { "a.md": "💬: one\n" });
    const project = join(nvim.home, "project", "chats");
    await mkdir(project, { recursive: true });
    await writeFile(join(project, "first.md"), "💬: first\n");
    await writeFile(join(project, "second.md"), "💬: second\n");
    await nvim.command(`edit ${join(project, "first.md")}`);
    await nvim.command("Parley attach folder");
    await nvim.lua("require('parley').chats(function(rows) _G.rows = rows end)");
    const rows = await nvim.until("the rows", () => nvim.lua("return _G.rows"));
    expect(rows).toEqual(expect.arrayContaining([expect.objectContaining({ topic: "one" })]));
    expect(rows).toContainEqual(expect.objectContaining({ topic: "second" }));
  });
});
