/** The file of a chat: whole at every moment, as it was in all but its text, and never written over another's. */
import { spawn } from "node:child_process";
import {
  chmodSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  unlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type Editor, neovims, poll, readText, startEditor } from "./editor.ts";
import { addLine, chat, written } from "./saved-chat.ts";

describe.each(neovims)("saving a chat on Neovim $version", (neovim) => {
  let editor: Editor;
  let buffer: number;
  const path = () => join(editor.folder, "chats", "a.md");
  const save = () => editor.call("save", buffer);
  const apply = (line: string) => addLine(editor, buffer, line);
  const open = async () => {
    buffer = await editor.openChat("a.md", chat);
  };

  beforeEach(async () => {
    editor = await startEditor(neovim);
  });
  afterEach(() => editor.quit());

  it.skipIf(process.platform === "win32")("takes whatever a file may be called", async () => {
    const name = "a\nb $HOME %VAR% [c] {d,e} `f` '#' \"q\" | !~.md";
    await editor.nvim.command("set undofile");
    buffer = await editor.openChat(name, chat);
    await apply("more");
    expect(await save()).toMatchObject({ status: "saved" });
    expect(readText(join(editor.folder, "chats", name))).toBe(written("more"));
    expect(readdirSync(join(editor.folder, "chats"))).toEqual([name]);
  });

  it("has the text in the file at once when it is quick, and waits for the disk when asked", async () => {
    await open();
    await editor.lua(`Waited, Asides = 0, 0
      local sync = vim.uv.fs_fsync
      vim.uv.fs_fsync = function(fd, done)
        if done then
          Asides = Asides + 1
          Finish = function() sync(fd, done) end
        else
          Waited = Waited + 1
          return sync(fd)
        end
      end`);
    const counted = () => editor.lua<number[]>("return { Waited, Asides }");
    await apply("mine");
    expect(await editor.call("save", buffer, true)).toMatchObject({ status: "saved" });
    expect(readText(path())).toBe(written("mine"));
    expect(await counted()).toEqual([0, 1]);
    // The disk has not answered: the end of a turn waits for it, once.
    for (let time = 0; time < 2; time += 1) {
      expect(await save()).toMatchObject({ status: "saved" });
      expect(await counted()).toEqual([2, 1]);
    }
    await editor.lua("Finish()");
    await apply("more");
    expect(await save()).toMatchObject({ status: "saved" });
    expect(readText(path())).toBe(written("more", "mine"));
    expect(readdirSync(join(editor.folder, "chats"))).toEqual(["a.md"]);
  });

  it("keeps mode, undo and Neovim's own idea of the file, and leaves nothing beside it", async () => {
    await editor.lua("vim.o.undofile = true vim.o.undodir = (...)", editor.folder);
    await open();
    chmodSync(path(), 0o640);
    await editor.nvim.command("edit!");
    const before = statSync(path()).ino;
    await apply("mine");
    expect(await save()).toMatchObject({ status: "saved" });
    expect(readText(path())).toBe(written("mine"));
    expect(statSync(path()).mode & 0o777).toBe(0o640);
    expect(statSync(path()).ino).not.toBe(before);
    expect(readdirSync(join(editor.folder, "chats"))).toEqual(["a.md"]);
    // Neovim asks nothing, finds nothing changed, and the undo file is the one of this text.
    await editor.nvim.command("checktime");
    await apply("more");
    await editor.nvim.command("silent write");
    expect(readText(path())).toBe(written("more", "mine"));
    await apply("last");
    expect(await save()).toMatchObject({ status: "saved" });
    await editor.nvim.command("undo");
    expect(await editor.lua("return vim.bo.modified")).toBe(true);
    await editor.nvim.command("edit!");
    await editor.nvim.command("undo");
    expect(await editor.lua("return vim.fn.undotree().seq_cur > 0")).toBe(true);
    expect(await editor.nvim.commandOutput("messages")).not.toMatch(/W1\d|E\d+/);
  });

  it("writes through a symbolic link, and every name of a file with two", async () => {
    mkdirSync(join(editor.folder, "chats"), { recursive: true });
    const real = join(editor.folder, "real.md");
    writeFileSync(real, `${chat.join("\n")}\n`);
    symlinkSync(real, path());
    buffer = await editor.lua<number>(
      "vim.cmd.edit(...) vim.cmd('Parley attach') return vim.api.nvim_get_current_buf()",
      path(),
    );
    await apply("by link");
    expect(await save()).toMatchObject({ status: "saved" });
    expect(lstatSync(path()).isSymbolicLink()).toBe(true);
    expect(readText(real)).toBe(written("by link"));
    const other = join(editor.folder, "other.md");
    linkSync(real, other);
    await apply("by two");
    expect(await save()).toMatchObject({ status: "saved" });
    expect(readText(other)).toBe(written("by two", "by link"));
    expect(statSync(real).nlink).toBe(2);
  });

  it.each([
    ["", ".orig"],
    ["~", ""],
    [".orig~", ".orig"],
  ])("is saved with 'backupext' %j and 'patchmode' %j, which stay so", async (backup, patch) => {
    const both = () => editor.lua("return { vim.go.backupext, vim.go.patchmode }");
    await editor.nvim.command("set backupext=.one patchmode=");
    await editor.nvim.command(`set patchmode=${patch}`);
    await editor.nvim.command(`set backupext=${backup}`);
    expect(await both()).toEqual([backup, patch]);
    await open();
    await apply("more");
    expect(await save()).toMatchObject({ status: "saved" });
    expect(readdirSync(join(editor.folder, "chats"))).toEqual(["a.md"]);
    expect(await both()).toEqual([backup, patch]);
  });

  it("no edit of a tool is written in an encoding that loses words of it", async () => {
    const file = join(editor.folder, "plain.txt");
    writeFileSync(file, "one\n");
    await editor.nvim.command(`edit ${file}`);
    await editor.nvim.command("setlocal fileencoding=latin1");
    await editor.nvim.command("silent write");
    const write = (text: string) => editor.call("workspace_write", file, "one\n", text);
    expect(await write("“one”\n")).toMatchObject({
      message: expect.stringContaining("written as latin1, which lacks characters"),
    });
    expect(readText(file)).toBe("one\n");
    expect(await write("é\n")).toMatchObject({ text: "é\n" });
    expect(readFileSync(file).toString("latin1")).toBe("é\n");
  });

  it.each([
    ["autosave that is not nested", "autocmd InsertLeave * silent! update", "GATYPED\u001b"],
    ["noautocmd write", "", ":noautocmd write\r"],
    ["wall in an autocommand", "autocmd InsertLeave * silent! wall", "GATYPED\u001b"],
  ])("takes what this Neovim wrote for its own: %s", async (_, autocommand, keys) => {
    await open();
    if (autocommand !== "") await editor.nvim.command(autocommand);
    await apply("mine");
    await editor.press(keys);
    await poll("the write", async () => readText(path()).includes("mine"));
    await apply("more");
    expect(await save()).toMatchObject({ status: "saved" });
    expect(readText(path())).toContain("more");
  });

  it("takes a file for another's when W12 was answered with OK, and for its own when it was touched", async () => {
    await editor.lua("vim.ui.select = function() Asked = (Asked or 0) + 1 end");
    await open();
    await apply("mine");
    writeFileSync(path(), "theirs\n");
    await editor.lua(`vim.api.nvim_create_autocmd("FileChangedShell", { callback = function()
      vim.v.fcs_choice = "" end }) vim.cmd("checktime")`);
    expect(await save()).toMatchObject({ status: "conflict" });
    expect(readText(path())).toBe("theirs\n");
    writeFileSync(path(), `${chat.join("\n")}\n`);
    expect(await save()).toMatchObject({ status: "saved" });
    expect(readText(path())).toBe(written("mine"));
  });

  it("asks nothing about a chat that was wiped in the moment before", async () => {
    await editor.lua("vim.ui.select = function() Asked = (Asked or 0) + 1 end");
    await open();
    await apply("mine");
    writeFileSync(path(), "theirs\n");
    await editor.lua(
      "require('parley.text.file.save').save(vim.api.nvim_get_current_buf()) vim.cmd('bwipeout!')",
    );
    await editor.lua("vim.wait(50, function() return false end)");
    expect(
      await editor.lua("return vim.api.nvim_exec2('messages', { output = true }).output"),
    ).toBe("");
    expect(await editor.lua("return Asked")).toBe(null);
  });

  it("reads an old file no second time when it is opened, and knows it all the same", async () => {
    await editor.lua("vim.ui.select = function() end");
    await open();
    const past = new Date(Date.now() - 60_000);
    utimesSync(path(), past, past);
    await editor.lua(`local read = vim.uv.fs_read
      vim.uv.fs_read = function(...) Reads = (Reads or 0) + 1 return read(...) end`);
    await editor.nvim.command("edit!");
    expect(await editor.lua("return Reads")).toBe(null);
    await apply("mine");
    await poll("the reading", async () => (await editor.lua<number | null>("return Reads")) === 1);
    // The same text at another time, and another text.
    utimesSync(path(), new Date(), new Date());
    expect(await save()).toMatchObject({ status: "saved" });
    utimesSync(path(), past, past);
    await editor.nvim.command("edit!");
    await apply("more");
    writeFileSync(path(), "theirs\n");
    expect(await save()).toMatchObject({ status: "conflict" });
    expect(readText(path())).toBe("theirs\n");
  });

  it("does not take for known what was written in the moment before it was read", async () => {
    await editor.lua("vim.ui.select = function() end");
    await open();
    const past = new Date(Date.now() - 60_000);
    utimesSync(path(), past, past);
    await editor.nvim.command("edit!");
    await editor.lua(`local open = vim.uv.fs_open
      vim.uv.fs_open = function(path, ...)
        vim.uv.fs_open = open
        vim.fn.writefile({ "theirs" }, path)
        Written = true
        return open(path, ...)
      end`);
    await apply("mine");
    await poll("the reading", () => editor.lua<boolean>("return Written == true"));
    expect(await save()).toMatchObject({ status: "conflict" });
    expect(readText(path())).toBe("theirs\n");
  });

  it("reads the file again when there is nothing to lose", async () => {
    await open();
    writeFileSync(path(), "💬: theirs, and longer\n");
    expect(await save()).toMatchObject({ status: "reloaded" });
    expect(await editor.lines()).toEqual(["💬: theirs, and longer"]);
    expect(await save()).toMatchObject({ status: "saved" });
  });

  it("never writes over a file that it was renamed to", async () => {
    await editor.lua("vim.ui.select = function() end");
    await open();
    const other = join(editor.folder, "chats", "other.md");
    writeFileSync(other, "theirs\n");
    await apply("mine");
    await editor.lua("vim.cmd.file((...))", other);
    expect(await save()).toMatchObject({ status: "conflict" });
    expect(readText(other)).toBe("theirs\n");
  });

  it("refuses pipes and devices", async () => {
    await open();
    await editor.lua("vim.cmd.file('/dev/null')");
    await apply("mine");
    expect(await save()).toMatchObject({
      status: "failed",
      message: expect.stringContaining("is not a regular file"),
    });
  });

  it("says in words why a file could not be written, and leaves it", async () => {
    await open();
    await apply("mine");
    // A folder in the place of the draft, and no second name: the file itself is written in place then.
    unlinkSync(path());
    mkdirSync(path());
    const answer = await save();
    expect(answer).toMatchObject({ status: "failed" });
    expect(String(answer["message"])).not.toMatch(/stack|\.lua:\d/);
    expect(await editor.lua("return vim.bo.modified")).toBe(true);
  });

  it("says so when its folder went and cannot be made again, and writes when it can", async () => {
    await open();
    await apply("mine");
    const folder = join(editor.folder, "chats");
    rmSync(folder, { recursive: true });
    writeFileSync(folder, "something else\n");
    expect(await save()).toMatchObject({
      status: "failed",
      message: expect.stringMatching(/was not written.*E739: .*The text is in the buffer\.$/),
    });
    expect(await editor.lua("return vim.bo.modified")).toBe(true);
    unlinkSync(folder);
    expect(await save()).toMatchObject({ status: "saved" });
    expect(readText(path())).toContain("mine");
  });

  it("says that a file that was moved or deleted is there again, and nothing of a new one", async () => {
    const told = () => editor.lua<string[]>("return Notified");
    await editor.lua("Notified = {}");
    await open();
    for (const words of ["mine", "more"]) {
      unlinkSync(path());
      await apply(words);
      expect(await save()).toMatchObject({ status: "saved" });
      expect(readText(path())).toContain(words);
    }
    const words =
      "was moved or deleted in the meantime, so it was written again, with all of this chat.";
    expect(await told()).toEqual([expect.stringContaining(words), expect.stringContaining(words)]);
    await editor.lua("Notified = {}");
    await apply("again");
    await save();
    await editor.lua("vim.cmd.edit(...)", join(editor.folder, "chats", "new.md"));
    await editor.lua("require('parley.chat').attach_by_hand(0)");
    buffer = await editor.lua<number>("return vim.api.nvim_get_current_buf()");
    await editor.nvim.command("call setline(1, 'new')");
    expect(await save()).toMatchObject({ status: "saved" });
    expect(await told()).toEqual([]);
  });

  it("writes a file with two names without a copy where none can be kept", async () => {
    await open();
    linkSync(path(), join(editor.folder, "second.md"));
    await apply("mine");
    await editor.lua(`local state = vim.fn.stdpath("state") .. "/parley"
      vim.fn.mkdir(state, "p")
      vim.fn.delete(state .. "/saving", "rf")
      vim.fn.writefile({}, state .. "/saving")`);
    expect(await save()).toMatchObject({ status: "saved" });
    expect(readText(join(editor.folder, "second.md"))).toContain("mine");
  });

  it("is whole for every reader", { timeout: 60_000 }, async () => {
    await open();
    const code = `const { readFileSync, existsSync } = require("node:fs");
      const seen = { whole: 0, other: 0 };
      process.stdout.write("ready\\n");
      while (!existsSync(process.argv[2])) {
        let text = ""; try { text = readFileSync(process.argv[1], "utf8"); } catch {}
        seen[text.startsWith("💬: one") && text.endsWith("Words.\\n") ? "whole" : "other"] += 1;
      }
      process.stdout.write(JSON.stringify(seen));`;
    await editor.lua(
      `vim.api.nvim_buf_set_lines(0, 1, 1, false, vim.split(("word "):rep(20000), "d "))`,
    );
    await save();
    const stop = join(editor.folder, "stop");
    const reader = spawn(process.execPath, ["-e", code, path(), stop]);
    let said = "";
    reader.stdout.on("data", (data: Buffer) => {
      said += data.toString();
    });
    await poll("the reader", async () => said.startsWith("ready"));
    for (let round = 0; round < 100; round += 1) {
      await editor.lua("vim.api.nvim_buf_set_lines(0, 1, 2, false, { 'round ' .. ... })", round);
      expect(await save()).toMatchObject({ status: "saved" });
    }
    writeFileSync(stop, "");
    await poll("the reader's word", async () => said.includes("}"));
    const seen = JSON.parse(said.slice("ready\n".length));
    expect(seen.other).toBe(0);
    expect(seen.whole).toBeGreaterThan(0);
  });

  it("offers the copy of a write in place that was broken off", async () => {
    await editor.lua(`vim.ui.select = function(items, options, choose)
      Prompt = options.prompt Choose = function(index) choose(items[index]) end end`);
    await open();
    linkSync(path(), join(editor.folder, "second.md"));
    await apply("mine");
    // The write itself fails after the copy was made: as if Neovim had died in it.
    await editor.lua(`local unlink = vim.uv.fs_unlink
      vim.uv.fs_unlink = function(name) if name:find("saving") then return true end return unlink(name) end`);
    expect(await save()).toMatchObject({ status: "saved" });
    writeFileSync(path(), "");
    await editor.nvim.command("edit!");
    await poll("the offer", async () => (await editor.lua("return Prompt")) !== null);
    expect(await editor.lua("return Prompt")).toContain("was interrupted");
    await editor.lua("Choose(2)");
    await poll("the text", async () => (await editor.lines()).includes("mine"));
    expect(readText(join(editor.folder, "second.md"))).toBe(written("mine"));
  });

  it("leaves no draft of a Neovim that was killed", async () => {
    mkdirSync(join(editor.folder, "chats"), { recursive: true });
    const draft = join(editor.folder, "chats", ".a.md.4194000.tmp");
    writeFileSync(draft, "half");
    await open();
    expect(existsSync(draft)).toBe(false);
  });
});
