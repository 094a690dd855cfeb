/** Chats that are renamed, moved and deleted while their text changes, in a real Neovim. */
import { existsSync } from "node:fs";
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { oneNeovim, type TestNeovim } from "../support/neovim.ts";
import { bufferName, inTrash, list, name, openChats } from "./chat-folder.ts";

/** Runs Lua code when the host has copied a chat to its new path, and before the editor hears of it. */
const whenCopied = (nvim: TestNeovim, code: string) =>
  nvim.lua(`local files = require("parley.pickers.chat_files")
    local moved = files.moved
    files.moved = function(...)
      ${code}
      return moved(...)
    end`);

describe.each(oneNeovim)("in Neovim $version", ({ path }) => {
  const typed = "vim.api.nvim_buf_set_lines(0, -1, -1, false, { 'typed meanwhile' })";
  const within = "vim.api.nvim_buf_set_text(0, 4, 8, 4, 8, { ' typed meanwhile' })";
  it.each([
    ["rename other", "other.md", "in a line of its own", typed],
    ["rename other", "other.md", "in a line", within],
    ["rename other", "other.md", "and saved", `${typed} vim.cmd.write()`],
    ["move sub", "sub/chat.md", "in a line", within],
    ["move sub", "sub/chat.md", "and saved", `${typed} vim.cmd.write()`],
  ])("keeps, at :Parley %s to %s, what is typed meanwhile %s", async (command, to, _, typing) => {
    const nvim = await openChats(path, { "root.md": "💬: root\n\n🌿: chat.md: branch\n" });
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
    expect(await nvim.lua(bufferName)).toBe(place);
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

  it("deletes the chat below the list of chats", async () => {
    const nvim = await openChats(path, { "a.md": "💬: a\n" });
    await nvim.lua("vim.ui.select = function(items, _, done) done(items[2]) end");
    await nvim.command("Parley chats Here");
    await nvim.until("the chat", async () => /Chats: 1 of 2/.test(await list(nvim)));
    await nvim.input("<C-d>");
    await nvim.until("its file gone", () => !existsSync(nvim.chatPath));
    const listed = "return vim.fn.execute('buffers')";
    await nvim.until("no buffer", async () => !/chat\.md/.test(String(await nvim.lua(listed))));
    expect(await nvim.messages()).toContain("chat.md is in the trash now");
  });

  it("keeps in the trash what is typed while a chat is deleted", async () => {
    const nvim = await openChats(path, {});
    await whenCopied(nvim, `${typed} vim.cmd.write() ${within}`);
    await nvim.lua("vim.ui.select = function(items, _, done) done(items[2]) end");
    await nvim.command("Parley delete");
    await nvim.until("the buffer gone", async () => (await name(nvim)) === "");
    await nvim.until("the file too", () => !existsSync(nvim.chatPath));
    expect((await inTrash(nvim, "chat.md")).match(/typed meanwhile/g)).toHaveLength(2);
  });

  it("is seen by a chat that was opened while the links in its file were renewed", async () => {
    const nvim = await openChats(path, { "a.md": "💬: a\n🌿: chat.md\n" });
    const linking = join(dirname(nvim.chatPath), "a.md");
    // Opened with the text before, as in the moment of the write.
    await nvim.lua(
      `local files, path = require("parley.pickers.chat_files"), ...
      local before = vim.fn.readfile(path)
      local rewritten = files.rewritten
      files.rewritten = function(written)
        Written = written
        local after = vim.fn.readfile(path)
        vim.fn.writefile(before, path)
        vim.cmd.edit(path)
        vim.fn.writefile(after, path)
        rewritten(written)
      end`,
      linking,
    );
    await nvim.command("Parley rename other");
    await nvim.until("the write", async () => (await nvim.lua("return Written")) === linking);
    await nvim.until("the new link", async () => (await nvim.text()).includes("🌿: other.md"));
    expect(await readFile(linking, "utf8")).toContain("🌿: other.md");
  });

  it("leaves what another program writes while a chat is moved, and says so", async () => {
    const nvim = await openChats(path, {});
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
    const nvim = await openChats(path, {});
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

  it("moves a chat once more whose move is under way, and the links to it", async () => {
    const nvim = await openChats(path, { "root.md": "💬: root\n\n🌿: chat.md: branch\n" });
    const folder = dirname(nvim.chatPath);
    const commands = ["rename one", `move ${folder}/sub`, "rename two", "tags gold"];
    await nvim.lua("for _, command in ipairs(...) do vim.cmd('Parley ' .. command) end", commands);
    const place = join(folder, "sub", "two.md");
    await nvim.until("the new name", async () => (await nvim.lua(bufferName)) === place);
    await nvim.until("the link to it", async () =>
      (await readFile(join(folder, "root.md"), "utf8")).includes("🌿: sub/two.md: branch"),
    );
    await nvim.until("its tags", async () =>
      (await readFile(place, "utf8")).includes("tags: gold"),
    );
    expect(await readdir(folder)).not.toContain("one.md");
    expect(await nvim.messages()).not.toMatch(/ENOENT|left alone|not there any more/);
  });

  it.each([
    ["that is empty", "", "other.md"],
    [
      "with text that was never saved",
      "vim.api.nvim_buf_set_lines(0, 0, -1, false, { 'mine' })",
      "",
    ],
  ])("gets the name of an open buffer without a file only %s", async (_, typing, renamed) => {
    const nvim = await openChats(path, {});
    await nvim.lua(
      `vim.o.hidden = true
       vim.cmd.split(vim.fn.expand("%:h") .. "/other.md")
       ${typing}
       vim.cmd.wincmd("p")`,
    );
    await nvim.command("Parley rename other");
    if (renamed === "") {
      const said = "other.md is open with text that was never saved, so nothing was moved.";
      await nvim.until(said, async () => (await nvim.messages()).includes(said));
      expect(await name(nvim)).toBe("chat.md");
      expect(existsSync(nvim.chatPath)).toBe(true);
      expect(existsSync(join(dirname(nvim.chatPath), "other.md"))).toBe(false);
    } else {
      await nvim.until("the new name", async () => (await name(nvim)) === renamed);
      await nvim.until("the old file gone", () => !existsSync(nvim.chatPath));
      const shown = await nvim.lua("return vim.tbl_map(vim.fn.bufname, vim.fn.tabpagebuflist())");
      expect(new Set(shown as string[]).size).toBe(1);
      expect(await nvim.messages()).not.toMatch(/E\d+:|could not/);
    }
  });

  it("says that a buffer could not follow its file, and keeps its text", async () => {
    const nvim = await openChats(path, {});
    const other = join(dirname(nvim.chatPath), "other.md");
    // As if somebody began to write just then.
    const begun = `local buf = vim.fn.bufadd("${other}") vim.fn.bufload(buf)
      vim.api.nvim_buf_set_lines(buf, 0, -1, false, { "mine" })`;
    await whenCopied(nvim, `${typed} ${begun}`);
    await nvim.command("Parley rename other");
    const said = /other\.md now, but this buffer could not follow.*E95: Buffer with this name/;
    await nvim.until("the words", async () => said.test(await nvim.messages()));
    expect(await nvim.messages()).not.toMatch(/traceback|\.lua/);
    await nvim.until("the old file gone", () => !existsSync(nvim.chatPath));
    expect(await nvim.text()).toContain("typed meanwhile");
    expect(await readFile(other, "utf8")).toContain("💬: hi");
    await nvim.command("write");
    expect(await readFile(nvim.chatPath, "utf8")).toContain("typed meanwhile");
  });

  it("branches a chat by the name that it gets just then", async () => {
    const nvim = await openChats(path, {});
    await whenCopied(nvim, typed);
    await nvim.lua("vim.cmd('Parley rename other') vim.cmd('Parley branch')");
    const branch = join(dirname(nvim.chatPath), "other-branch.md");
    await nvim.until("the branch", async () => (await nvim.lua(bufferName)) === branch);
    expect(await nvim.text()).toMatch(/🌿: other\.md: Here[\s\S]*typed meanwhile/);
  });

  it("keeps the links between two chats that are moved at once", async () => {
    const nvim = await openChats(path, {
      "a.md": "💬: a\n\n🌿: b.md: to b\n",
      "b.md": "💬: b\n\n🌿: a.md: to a\n",
    });
    const folder = dirname(nvim.chatPath);
    await nvim.lua(
      `local folder = ...
       local files = require("parley.pickers.chat_files")
       files.move(folder .. "/a.md", { given = folder .. "/sub" })
       files.rename(folder .. "/b.md", { given = "c" })
       files.move(folder .. "/b.md", { given = folder .. "/below" })`,
      folder,
    );
    for (const [file, link] of [
      ["sub/a.md", "🌿: ../below/c.md: to b"],
      ["below/c.md", "🌿: ../sub/a.md: to a"],
    ] as const) {
      await nvim.until(file, async () => {
        const text = await readFile(join(folder, file), "utf8").catch(() => "");
        return text.includes(link);
      });
    }
    expect(await nvim.messages()).not.toMatch(/ENOENT|old name/);
  });

  it.each(["before", "after"])(
    "leaves to a new chat the name that it was given, when its question is saved %s it has it",
    async (when) => {
      const nvim = await openChats(path, {});
      await nvim.command("Parley new");
      await nvim.input("<Esc>");
      const old = String(await nvim.lua(bufferName));
      const ask = `vim.api.nvim_buf_set_lines(0, -2, -1, false, { "💬: why is the sky blue" })
        vim.cmd.write()`;
      if (when === "after") await whenCopied(nvim, ask);
      await nvim.lua(`vim.cmd("Parley rename mine") ${when === "before" ? ask : ""}`);
      const folder = dirname(old);
      const text = () => readFile(join(folder, "mine.md"), "utf8").catch(() => "");
      await nvim.until("its text", async () => (await text()).includes("the sky"));
      await nvim.until("its name", async () => (await name(nvim)) === "mine.md");
      expect((await readdir(folder)).sort()).toEqual(["chat.md", "mine.md"]);
      expect(await nvim.messages()).not.toMatch(/ENOENT|another program/i);
    },
  );

  it("does nothing more in a chat that is deleted", async () => {
    const nvim = await openChats(path, {});
    await nvim.lua(
      `vim.ui.select = function(items, _, done) done(items[2]) end
       vim.cmd("Parley delete")
       vim.cmd("Parley branch")`,
    );
    const said = "The chat was closed before Parley finished.";
    await nvim.until(said, async () => (await nvim.messages()).includes(said));
    const trash = join(nvim.home, "state", "nvim", "parley", "trash");
    expect(await readdir(trash)).toEqual([expect.stringMatching(/Z chat\.md$/)]);
    expect(await readdir(dirname(nvim.chatPath))).toEqual([]);
  });

  it("moves other chats after one that was deleted before its next move", async () => {
    const nvim = await openChats(path, { "a.md": "💬: a\n" });
    await nvim.lua(
      `vim.ui.select = function(items, _, done) done(items[2]) end
       vim.cmd("Parley delete")
       vim.cmd("Parley rename one")`,
    );
    const said = "chat.md is not there any more, so nothing was moved.";
    await nvim.until("its file gone", () => !existsSync(nvim.chatPath));
    const folder = dirname(nvim.chatPath);
    await nvim.lua(
      `require("parley.pickers.chat_files").rename(..., { given = "b" })`,
      join(folder, "a.md"),
    );
    await nvim.until("the new name", () => existsSync(join(folder, "b.md")));
    await nvim.until(said, async () => (await nvim.messages()).includes(said));
  });

  it("says of a chat that is gone that nothing was moved", async () => {
    const nvim = await openChats(path, {});
    await nvim.lua(`require("parley.pickers.chat_files").rename("/none/a.md", { given = "b" })`);
    const said = "a.md is not there any more, so nothing was moved.";
    await nvim.until(said, async () => (await nvim.messages()).includes(said));
  });
});
