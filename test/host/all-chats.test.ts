/** The list of all chats, the next one that waits, and what is done to their files, in a real Neovim. */
import { existsSync } from "node:fs";
import { mkdir, readdir, readFile, utimes, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { oneNeovim, TestNeovim } from "../support/neovim.ts";

let editor: TestNeovim | undefined;
afterEach(async () => {
  await editor?.cleanUp();
  editor = undefined;
});

const waiting = `---
topic: Waits
---

💬: find it

🤖:[x]

❓: \`{"id":"1","type":"function","function":{"name":"f","arguments":"{}"}}\`
❓: \`{"id":"2","type":"function","function":{"name":"f","arguments":"{}"}}\`
`;

async function open(path: string, chats: Readonly<Record<string, string>>) {
  const nvim = await TestNeovim.start({
    path,
    chat: { text: "---\ntopic: Here\n---\n\n💬: hi\n" },
  });
  editor = nvim;
  for (const [name, text] of Object.entries(chats)) {
    await mkdir(dirname(join(dirname(nvim.chatPath), name)), { recursive: true });
    await writeFile(join(dirname(nvim.chatPath), name), text);
  }
  await nvim.ready();
  return nvim;
}

/** The lines of the floating windows, by what stands in their titles. */
async function list(nvim: TestNeovim): Promise<string> {
  return String(
    await nvim.lua(`local text = {}
      for _, win in ipairs(vim.api.nvim_list_wins()) do
        local config = vim.api.nvim_win_get_config(win)
        if config.relative ~= "" then
          for _, chunk in ipairs(config.title or {}) do text[#text + 1] = chunk[1] or chunk end
          vim.list_extend(text, vim.api.nvim_buf_get_lines(vim.api.nvim_win_get_buf(win), 0, -1, false))
        end
      end
      return table.concat(text, "\\n")`),
  );
}

/** Runs Lua code when the host has copied a chat to its new path, and before the editor hears of it. */
const whenCopied = (nvim: TestNeovim, code: string) =>
  nvim.lua(`local files = require("parley.pickers.chat_files")
    local moved = files.moved
    files.moved = function(...)
      ${code}
      return moved(...)
    end`);

/** The text of the deleted chat. */
async function inTrash(nvim: TestNeovim, deleted: string): Promise<string> {
  const trash = join(nvim.home, "state", "nvim", "parley", "trash");
  const entry = (await readdir(trash)).find((found) => found.endsWith(deleted)) ?? "";
  return readFile(join(trash, entry), "utf8");
}

const name = (nvim: TestNeovim) => nvim.lua("return vim.fn.expand('%:t')");

describe.each(oneNeovim)("in Neovim $version", ({ path }) => {
  it("leaves a blank between how many calls wait and the topic", async () => {
    const nvim = await open(path, {});
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
    const nvim = await open(path, {
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
    // Where the words stand, and not at the last question.
    await nvim.until("the first view", async () => nvim.lua("return vim.b.parley ~= nil"));
    expect(await nvim.lua("return vim.api.nvim_win_get_cursor(0)")).toEqual([9, 2]);
  });

  it("keeps the chat that is selected where it has another place, and forgets it for other words", async () => {
    const rows = Array.from({ length: 4 }, (_, index) => [`c${index}.md`, `💬: chat ${index}\n`]);
    const nvim = await open(path, Object.fromEntries(rows));
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
    const nvim = await open(path, {});
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
    const nvim = await open(path, Object.fromEntries(rows));
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
    const nvim = await open(path, { "w.md": waiting, "done.md": "💬: a\n🤖:\nb\n" });
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
    const nvim = await open(path, { "branch.md": "🌿: chat.md: Here\n💬: q\n[🌿:x](chat.md)\n" });
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
    expect(existsSync(nvim.chatPath)).toBe(false);
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

  const typed = "vim.api.nvim_buf_set_lines(0, -1, -1, false, { 'typed meanwhile' })";
  const within = "vim.api.nvim_buf_set_text(0, 4, 8, 4, 8, { ' typed meanwhile' })";
  it.each([
    ["rename other", "other.md", "in a line of its own", typed],
    ["rename other", "other.md", "in a line", within],
    ["rename other", "other.md", "and saved", `${typed} vim.cmd.write()`],
    ["move sub", "sub/chat.md", "in a line", within],
    ["move sub", "sub/chat.md", "and saved", `${typed} vim.cmd.write()`],
  ])("keeps, at :Parley %s to %s, what is typed meanwhile %s", async (command, to, _, typing) => {
    const nvim = await open(path, { "root.md": "💬: root\n\n🌿: chat.md: branch\n" });
    const folder = dirname(nvim.chatPath);
    await writeFile(
      nvim.chatPath,
      "---\ntopic: Here\n---\n🌿: root.md: Root\n💬: hi\n![](chat.md.files/a.png)\n",
    );
    await mkdir(`${nvim.chatPath}.files`);
    await writeFile(join(`${nvim.chatPath}.files`, "a.png"), "image");
    await nvim.command("edit!");
    await whenCopied(nvim, typing);
    await nvim.command(`cd ${folder}`);
    await nvim.command(`Parley ${command}`);
    const place = join(folder, to);
    await nvim.until("one chat", () => existsSync(place) && !existsSync(nvim.chatPath));
    const links = to.startsWith("sub") ? "🌿: ../root.md" : "🌿: root.md";
    const image = `![](${basename(to)}.files/a.png)`;
    await nvim.until("its text", async () => {
      const file = await readFile(place, "utf8");
      return ["typed meanwhile", links, image].every((part) => file.includes(part));
    });
    expect(await nvim.text()).toBe((await readFile(place, "utf8")).replace(/\n$/, ""));
    expect(await nvim.lua("return vim.api.nvim_buf_get_name(0)")).toBe(place);
    await nvim.until("the link to it", async () =>
      (await readFile(join(folder, "root.md"), "utf8")).includes(`🌿: ${to}: branch`),
    );
    await nvim.lua("vim.api.nvim_buf_set_lines(0, -1, -1, false, { 'later' })");
    expect(
      await nvim.lua(
        "return require('parley.text.file.save').save(vim.api.nvim_get_current_buf()).status",
      ),
    ).toBe("saved");
    expect(await nvim.messages()).not.toMatch(/changed on disk|E\d+:|another program/i);
  });

  it("keeps in the trash what is typed while a chat is deleted", async () => {
    const nvim = await open(path, {});
    await whenCopied(nvim, `${typed} vim.cmd.write() ${within}`);
    await nvim.lua("vim.ui.select = function(items, _, done) done(items[2]) end");
    await nvim.command("Parley delete");
    await nvim.until("the buffer gone", async () => (await name(nvim)) === "");
    await nvim.until("the file too", () => !existsSync(nvim.chatPath));
    expect((await inTrash(nvim, "chat.md")).match(/typed meanwhile/g)).toHaveLength(2);
  });

  it("leaves what another program writes while a chat is moved, and says so", async () => {
    const nvim = await open(path, {});
    await whenCopied(nvim, `vim.fn.writefile({ "from elsewhere" }, "${nvim.chatPath}")`);
    await nvim.command("Parley rename other");
    await nvim.until("the words", async () => /Another program wrote/.test(await nvim.messages()));
    expect(await readFile(nvim.chatPath, "utf8")).toBe("from elsewhere\n");
    expect(await readFile(join(dirname(nvim.chatPath), "other.md"), "utf8")).toContain("💬: hi");
    expect(await name(nvim)).toBe("other.md");
  });

  it.each([
    ["before it is written", ""],
    ["that its first write gives another name", "💬: what is the weather tomorrow"],
  ])("renames a new chat %s", async (_, typing) => {
    const nvim = await open(path, {});
    await nvim.command("Parley new");
    await nvim.until("a new chat", async () => (await name(nvim)) !== "chat.md");
    const folder = String(await nvim.lua("return vim.fn.expand('%:p:h')"));
    await nvim.lua(
      `local typing = ...
       vim.ui.input = function(_, done)
         if typing ~= "" then vim.api.nvim_buf_set_lines(0, -2, -1, false, { typing }) end
         done("other")
       end`,
      typing,
    );
    await nvim.command("Parley rename");
    await nvim.until("the new name", async () => (await name(nvim)) === "other.md");
    await nvim.until("no other file", async () => (await readdir(folder)).length === 2);
    expect(await readFile(join(folder, "other.md"), "utf8")).toContain(typing || "💬:");
    expect(await nvim.messages()).not.toContain("ENOENT");
  });

  it("answers the second of two moves at once in plain words, and loses nothing", async () => {
    const nvim = await open(path, {});
    await nvim.lua("vim.cmd('Parley rename one') vim.cmd('Parley rename two')");
    await nvim.until("an answer to both", async () =>
      /file was left alone|not there any more/.test(await nvim.messages()),
    );
    await nvim.until("the new name", async () => (await name(nvim)) === "one.md");
    expect(await nvim.messages()).not.toContain("ENOENT");
  });

  it("deletes after a yes, into the trash", async () => {
    const nvim = await open(path, {});
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
    const nvim = await open(path, { "a.md": "💬: one\n" });
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
