/** Saving a question: with the opening of its answer, or ahead of it while the host works. */
import { existsSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type Editor, neovims, readText, startEditor } from "./editor.ts";
import { addLine, chat, written } from "./saved-chat.ts";

describe.each(neovims)("saving a question on Neovim $version", (neovim) => {
  let editor: Editor;
  let buffer: number;
  const path = () => join(editor.folder, "chats", "a.md");
  const apply = (line: string) => addLine(editor, buffer, line);
  const openTip = (tick: number) => {
    const edits = [{ start: 5, end: 5, lines: ["tip"] }];
    return editor.call("tip_open", buffer, tick, 5, 2, "a", edits, true);
  };
  const saveAhead = () => editor.lua("require('parley.text.file.save').ahead(...)", buffer);

  beforeEach(async () => {
    editor = await startEditor(neovim);
    buffer = await editor.openChat("a.md", chat);
  });
  afterEach(() => editor.quit());

  it("is done before an answer is opened where that is asked for, and without it none is", async () => {
    await apply("typed");
    const before = await editor.tick(buffer);
    const opened = await openTip(before);
    expect(opened).toMatchObject({ status: "opened", saved: { status: "saved" } });
    expect(readText(path())).toBe(written("typed"));
    expect(await editor.lines()).toEqual([...chat, "tip", "typed"]);
    // Another text than the one that was meant is not saved, and nothing is written into it.
    expect(await openTip(before)).toEqual({ status: "stale", tick: await editor.tick(buffer) });
    expect(readText(path())).toBe(written("typed"));
    await editor.call("save", buffer, true);
    expect(readText(path())).toBe(written("tip", "typed"));
    // A write of the file is no other text, though it moves the tick.
    const after = await editor.tick(buffer);
    expect(await openTip(after)).toMatchObject({ status: "opened" });
    writeFileSync(path(), "somebody else's\n");
    await editor.lua("vim.ui.select = function() end");
    const lines = await editor.lines();
    expect(await openTip(await editor.tick(buffer))).toEqual({
      status: "unsaved",
      saved: { status: "conflict", tick: await editor.tick(buffer) },
    });
    expect({ file: readText(path()), lines: await editor.lines() }).toEqual({
      file: "somebody else's\n",
      lines,
    });
  });

  it("is done ahead of an opening that knows the text as it was before", async () => {
    const inode = () => statSync(path()).ino;
    await apply("typed");
    const before = await editor.tick(buffer);
    await saveAhead();
    expect(readText(path())).toBe(written("typed"));
    const [file, after] = [inode(), await editor.tick(buffer)];
    expect(after).toBeGreaterThan(before);
    expect(await openTip(before)).toMatchObject({
      status: "opened",
      saved: { status: "saved", tick: after },
    });
    expect(inode()).toBe(file);
    expect(await editor.lines()).toEqual([...chat, "tip", "typed"]);
    // It was of that text, and counts once.
    expect(await openTip(before)).toMatchObject({ status: "stale" });
    const changed = await editor.tick(buffer);
    await saveAhead();
    await apply("more");
    expect(await openTip(changed)).toMatchObject({ status: "stale" });
    expect(await openTip(await editor.tick(buffer))).toMatchObject({ status: "opened" });
  });

  it("is not done ahead where there is something to say", async () => {
    await editor.lua("vim.ui.select = function() error('asked') end");
    const before = statSync(path()).ino;
    await saveAhead();
    expect(statSync(path()).ino).toBe(before);
    await apply("typed");
    await editor.lua("vim.bo[...].readonly = true", buffer);
    await saveAhead();
    expect(readText(path())).toBe(written());
    await editor.lua("vim.bo[...].readonly = false", buffer);
    writeFileSync(path(), "somebody else's\n");
    await saveAhead();
    expect(readText(path())).toBe("somebody else's\n");
    rmSync(path());
    await saveAhead();
    expect(existsSync(path())).toBe(false);
    await editor.lua("vim.bo[...].buftype = 'nofile'", buffer);
    await saveAhead();
    expect(existsSync(path())).toBe(false);
  });

  it("is done ahead by the key alone, and not where something is under way", async () => {
    const respond = (status: string) =>
      editor.lua(
        `local buf, status = ...
        package.loaded["parley.host"].send = function() end
        vim.b[buf].parley_status = status
        require("parley.actions").respond()`,
        buffer,
        status,
      );
    await apply("typed");
    await respond("another process (pid 1) is answering");
    expect(readText(path())).toBe(written());
    await respond("");
    expect(readText(path())).toBe(written("typed"));
  });

  it("is not done ahead for a text that the host has not looked at since it was read", async () => {
    const respond = () =>
      editor.lua(
        `package.loaded["parley.host"].send = function() end
        require("parley.actions").respond()`,
      );
    await editor.lua("vim.b[...].parley_status = '' vim.cmd('edit!')", buffer);
    await apply("typed");
    await respond();
    expect(readText(path())).toBe(written());
    await editor.lua("vim.b[...].parley_status = ''", buffer);
    await respond();
    expect(readText(path())).toBe(written("typed"));
  });
});
