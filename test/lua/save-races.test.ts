/** Another program that writes the file of a chat in the worst moment: nothing of it is lost. */
import { execFileSync } from "node:child_process";
import { copyFileSync, linkSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type Editor, neovims, poll, readText, startEditor } from "./editor.ts";
import { addLine, chat } from "./saved-chat.ts";

describe.each(neovims)("another writer of a chat on Neovim $version", (neovim) => {
  let editor: Editor;
  let buffer: number;
  const save = () => editor.call("save", buffer);

  const add = (line: string) => addLine(editor, buffer, line);

  beforeEach(async () => {
    editor = await startEditor(neovim);
    await editor.lua("vim.ui.select = function() end");
  });
  afterEach(() => editor.quit());

  it("is heard between Neovim's reading of the file and our own look at it", async () => {
    buffer = await editor.openChat("a.md", chat);
    await editor.lua(
      `local save, other = require("parley.text.file.save"), ...
      local record = save.record
      save.record = function(buf)
        save.record = record
        vim.fn.writefile(other, vim.api.nvim_buf_get_name(buf))
        record(buf)
      end
      vim.cmd("edit!")`,
      [...chat, "Another one's."],
    );
    expect(await editor.lines()).toEqual(chat);
    expect(await save()).toMatchObject({ status: "reloaded" });
    expect(await editor.lines()).toEqual([...chat, "Another one's."]);
    expect(await save()).toMatchObject({ status: "saved" });
  });

  it.each(["a\0b", "a\rb", "a\u2028b", "no end"])(
    "is not assumed for a file with %j in it",
    async (text) => {
      buffer = await editor.openChat("a.md", chat);
      const file = join(editor.folder, "chats", "a.md");
      writeFileSync(file, `${chat.join("\n")}\n${text}`);
      await editor.nvim.command("edit!");
      expect(await save()).toMatchObject({ status: "saved" });
      await add("more");
      expect(await save()).toMatchObject({ status: "saved" });
      expect(readText(file)).toBe(`${chat.join("\n")}\nmore\n${text}\n`);
    },
  );

  it("is heard where the file changed before its buffer was made a chat", async () => {
    const notes = join(editor.folder, "notes.md");
    writeFileSync(notes, `${chat.join("\n")}\n`);
    await editor.lua(
      `vim.cmd.edit(...)
      vim.api.nvim_create_autocmd("FileChangedShell", { callback = function() vim.v.fcs_choice = "" end })
      vim.api.nvim_buf_set_lines(0, 5, 5, false, { "mine" })`,
      notes,
    );
    writeFileSync(notes, "theirs\n");
    buffer = await editor.lua<number>(
      "vim.cmd('Parley attach') return vim.api.nvim_get_current_buf()",
    );
    expect(await save()).toMatchObject({ status: "conflict" });
    expect(readText(notes)).toBe("theirs\n");
    writeFileSync(notes, `${chat.join("\n")}\nmine\n`);
    expect(await save()).toMatchObject({ status: "saved" });
  });

  it("is not assumed where an edited buffer becomes a chat and its file stayed the same", async () => {
    const notes = join(editor.folder, "notes.md");
    writeFileSync(notes, `${chat.join("\n")}\n`);
    buffer = await editor.lua<number>(
      `vim.cmd.edit(...)
      vim.api.nvim_buf_set_lines(0, 5, 5, false, { "mine" })
      vim.cmd("Parley attach")
      return vim.api.nvim_get_current_buf()`,
      notes,
    );
    expect(await save()).toMatchObject({ status: "saved" });
    expect(readText(notes)).toBe(`${chat.join("\n")}\nmine\n`);
  });

  it.each([
    ["has no line end at its end", "💬: one", []],
    ["has no line end at its end, and the buffer changed before", "💬: one", ["💬: one", "mine"]],
    ["is empty", "", []],
  ])(
    "is not assumed where the file of a buffer that becomes a chat %s",
    async (_, before, edited) => {
      const notes = join(editor.folder, "notes.md");
      writeFileSync(notes, before);
      buffer = await editor.lua<number>(
        `local path, edited = ...
      vim.cmd.edit(path)
      if #edited > 0 then vim.api.nvim_buf_set_lines(0, 0, -1, false, edited) end
      vim.cmd("Parley attach")
      return vim.api.nvim_get_current_buf()`,
        notes,
        edited,
      );
      expect(await save()).toMatchObject({ status: "saved" });
      await editor.lua("vim.api.nvim_buf_set_lines(0, 0, -1, false, { '💬: two' })");
      expect(await save()).toMatchObject({ status: "saved" });
      expect(readText(notes)).toBe("💬: two\n");
    },
  );

  it.skipIf(process.platform === "win32")(
    "is heard once where Neovim cannot tell by the time of the file",
    async () => {
      buffer = await editor.openChat("a.md", chat);
      const path = join(editor.folder, "chats", "a.md");
      const old = join(editor.folder, "old.md");
      copyFileSync(path, old);
      execFileSync("touch", ["-r", path, old]);
      writeFileSync(path, readText(path).replace("Words", "Other"));
      execFileSync("touch", ["-r", old, path]);
      expect(await save()).toMatchObject({ status: "reloaded" });
      expect(await editor.lua("return vim.fn.getline(5)")).toBe("Other.");
      expect(await save()).toMatchObject({ status: "saved" });
    },
  );

  it("is asked about again where it wrote once more before the user chose to overwrite", async () => {
    await editor.lua(
      `Asked = {}
      vim.ui.select = function(items, _, choose)
        Asked[#Asked + 1] = function() choose(items[2]) end
      end`,
    );
    const overwrite = (count: number) =>
      editor.lua(
        "local count = ... vim.wait(5000, function() return #Asked == count end, 5) Asked[count]()",
        count,
      );
    buffer = await editor.openChat("a.md", chat);
    const path = join(editor.folder, "chats", "a.md");
    await add("mine");
    writeFileSync(path, "theirs\n");
    expect(await save()).toMatchObject({ status: "conflict" });
    writeFileSync(path, "theirs, and more\n");
    await overwrite(1);
    expect(readText(path)).toBe("theirs, and more\n");
    await overwrite(2);
    expect(readText(path)).toBe(`${chat.join("\n")}\nmine\n`);
  });

  it("is the host, which wrote a chat that was opened in that moment", async () => {
    buffer = await editor.openChat("a.md", chat);
    const path = join(editor.folder, "chats", "a.md");
    const other = [...chat, "🌿: b.md"];
    writeFileSync(path, `${other.join("\n")}\n`);
    await editor.call("chat_rewritten", path);
    expect(await editor.lines(buffer)).toEqual(other);
    expect(await save()).toMatchObject({ status: "saved" });
    // What was typed since is not lost; the next save asks.
    await add("mine");
    writeFileSync(path, "theirs\n");
    await editor.call("chat_rewritten", path);
    expect(await editor.lines(buffer)).toContain("mine");
    expect(await save()).toMatchObject({ status: "conflict" });
    await editor.call("chat_rewritten", join(editor.folder, "chats", "nowhere.md"));
  });

  it("takes its place when the command-line window, where the user answered, is closed", async () => {
    await editor.lua(`vim.ui.select = function(items, _, choose)
      Reload = function() choose(items[3]) end
    end`);
    buffer = await editor.openChat("a.md", chat);
    await add("mine");
    writeFileSync(join(editor.folder, "chats", "a.md"), "theirs\n");
    expect(await save()).toMatchObject({ status: "conflict" });
    await poll("the question", () => editor.lua("return Reload ~= nil"));
    await editor.press("q:");
    await poll("the window", () => editor.lua("return vim.fn.getcmdwintype() == ':'"));
    await editor.lua("Reload()");
    await editor.nvim.command("quit");
    await poll("the other text", async () => (await editor.lines(buffer)).join() === "theirs");
  });

  it("is not assumed where only the time of the file changed during the save", async () => {
    buffer = await editor.openChat("a.md", chat);
    const path = join(editor.folder, "chats", "a.md");
    await add("mine");
    await editor.lua(
      `local path = ...
      local real = vim.uv.fs_fstat
      vim.uv.fs_fstat = function(...)
        vim.uv.fs_fstat = real
        vim.uv.fs_utime(path, 1000, 1000)
        return real(...)
      end`,
      path,
    );
    expect(await save()).toMatchObject({ status: "saved" });
    expect(readText(path)).toBe(`${chat.join("\n")}\nmine\n`);
  });

  it.each([
    ["before its draft takes the file's place", "fs_open", "a.md"],
    ["right after it did", "rename", "a.md"],
    ["while a copy is kept of a file with two names", "rename", "linked.md"],
  ])("is not written over where it came %s", async (when, call, name) => {
    buffer = await editor.openChat(name, chat);
    const path = join(editor.folder, "chats", name);
    const isLinked = name !== "a.md";
    if (isLinked) linkSync(path, join(editor.folder, "second.md"));
    await add("mine");
    await editor.lua(
      `local path, name = ...
      local tables = { fs_open = vim.uv, rename = require("parley.system") }
      local real = tables[name][name]
      tables[name][name] = function(...)
        tables[name][name] = real
        local results = { real(...) }
        vim.fn.writefile({ "theirs" }, path)
        return unpack(results)
      end`,
      path,
      call,
    );
    const first = await save();
    await add("more");
    expect([when, first.status, (await save()).status]).toEqual([
      when,
      call === "fs_open" || isLinked ? "conflict" : "saved",
      "conflict",
    ]);
    expect(readText(path)).toBe("theirs\n");
    expect(readdirSync(join(editor.folder, "chats"))).toEqual([name]);
  });
});
