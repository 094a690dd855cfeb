/** A chat's file is UTF-8 with its own line ends, whatever options, .editorconfig and Neovim's guess say. */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type Editor, neovims, poll, readText, startEditor } from "./editor.ts";
import { addLine, chat, written } from "./saved-chat.ts";

describe.each(neovims)("the file of a chat on Neovim $version", (neovim) => {
  let editor: Editor;
  let buffer: number;
  const path = () => join(editor.folder, "chats", "a.md");
  const save = () => editor.call("save", buffer);
  const apply = (line: string) => addLine(editor, buffer, line);
  const open = async () => {
    buffer = await editor.openChat("a.md", chat);
  };
  const openBytes = async (bytes: string | Uint8Array) => {
    mkdirSync(join(editor.folder, "chats"), { recursive: true });
    writeFileSync(path(), bytes);
    buffer = await editor.lua<number>(
      "vim.cmd.edit(...) vim.cmd('Parley attach') return vim.api.nvim_get_current_buf()",
      path(),
    );
  };

  beforeEach(async () => {
    editor = await startEditor(neovim);
  });
  afterEach(() => editor.quit());

  it("is UTF-8 with line feeds, whatever settings the files around it have", async () => {
    await open();
    const { length } = readText(path());
    for (const set of ["fileencoding=latin1", "fileencoding=utf-16le", "fileformat=mac"]) {
      await editor.nvim.command(`setlocal ${set}`);
      await apply("💬: more");
      expect(await save()).toMatchObject({ status: "saved" });
    }
    const text = readText(path());
    expect(text).toBe(written("💬: more", "💬: more", "💬: more"));
    expect(text.length).toBeGreaterThan(length);
    expect(await editor.lua("return vim.bo.modified")).toBe(false);
    // As an .editorconfig of the folder says it, and settled before anything is written.
    writeFileSync(
      join(editor.folder, "chats", ".editorconfig"),
      "root = true\n[*]\ncharset = latin1\nend_of_line = cr\n",
    );
    await editor.nvim.command("runtime! plugin/editorconfig.lua");
    await editor.nvim.command("edit!");
    await poll("the settled options", async () => {
      const now = await editor.lua("return { vim.bo.fileencoding, vim.bo.fileformat }");
      return JSON.stringify(now) === '["utf-8","unix"]';
    });
    await editor.nvim.command("silent write");
    expect(readText(path())).toBe(text);
  });

  it("is saved where 'fileformats' gives its line feeds other line ends", async () => {
    await editor.nvim.command("set fileformats=dos");
    await open();
    for (const line of ["one", "two"]) {
      await apply(line);
      expect(await save()).toMatchObject({ status: "saved" });
    }
    expect(readText(path())).toBe(written("two", "one").replaceAll("\n", "\r\n"));
  });

  it.each(["cp437", "koi8-r", "cp857"])(
    "is not written as the %s that Neovim took it for",
    async (name) => {
      await editor.nvim.command(`set fileencodings=${name}`);
      const bytes = `${chat.join("\n")}\n`;
      mkdirSync(join(editor.folder, "chats"), { recursive: true });
      writeFileSync(path(), bytes);
      buffer = await editor.lua<number>(
        "vim.cmd.edit(...) vim.cmd('Parley attach') return vim.api.nvim_get_current_buf()",
        path(),
      );
      await apply("more");
      expect(await save()).toMatchObject({ status: "saved" });
      expect(readText(path())).toBe(written("more"));
    },
  );

  it("is not written where its encoding would lose words: what Neovim misread stays as it was", async () => {
    const bytes = Buffer.concat([Buffer.from(`${chat.join("\n")}\n`), Buffer.from([0xe9, 0x0a])]);
    await openBytes(bytes);
    expect(await editor.lua("return vim.bo.fileencoding")).toBe("latin1");
    await apply("é");
    expect(await save()).toMatchObject({ status: "saved" });
    expect(readFileSync(path()).subarray(0, 5)).toEqual(bytes.subarray(0, 5));
    const before = readFileSync(path());
    await apply("💬: typed");
    expect(await save()).toMatchObject({
      status: "failed",
      message: expect.stringMatching(/not written: Neovim read it as latin1.*edit \+\+enc=utf-8/),
    });
    expect(readFileSync(path())).toEqual(before);
  });
});
