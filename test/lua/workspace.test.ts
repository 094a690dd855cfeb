/** Files that tools change through Neovim hold what was approved, byte for byte, or nothing was written. */
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { readTextFile } from "../../src/app/files/workspace.ts";
import fc from "../support/property.ts";
import { type Editor, neovims, startEditor } from "./editor.ts";

describe.each(neovims)("a file that a tool changes in Neovim $version", (neovim) => {
  let editor: Editor;
  beforeEach(async () => {
    editor = await startEditor(neovim);
    await editor.nvim.command("runtime! plugin/*.vim plugin/*.lua");
  });
  afterEach(() => editor.quit());

  const put = (name: string, text: string): string => {
    const path = join(editor.folder, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
    return path;
  };

  it("keeps its encoding and its line ends, whatever an .editorconfig makes of it", async () => {
    const forms = ["one é\ntwo\n", "one é\r\ntwo\r\n", "\ufeffone é\ntwo\n", "one\r\né\ntwo\n"];
    const sayings = ["end_of_line = crlf", "end_of_line = lf", "end_of_line = cr"].concat(
      ["utf-8", "utf-8-bom", "utf-16le", "utf-16be", "latin1"].map((name) => `charset = ${name}`),
    );
    for (const [index, saying] of sayings.entries()) {
      put(`${index}/.editorconfig`, `root = true\n[*]\n${saying}\n`);
      for (const [at, before] of forms.entries()) {
        const path = put(`${index}/${at}.txt`, before);
        const isOpen = (index + at) % 2 === 0;
        if (isOpen) await editor.nvim.command(`edit ${path}`);
        const isDos = at === 1;
        const plain = before.replace("\ufeff", "").replaceAll(isDos ? "\r\n" : "\0", "\n");
        const text = plain.replace("two", "2");
        const answer = await editor.call("workspace_write", path, plain, text);
        const wanted = before.replace("two", "2");
        const held = readFileSync(path, "utf8");
        if (held !== before) expect(answer).toEqual({ text });
        // A text whose line ends mean another one to Neovim by then is not written at all.
        expect([wanted, before], `${saying} ${JSON.stringify(before)}`).toContain(held);
        if (at < 3) expect(held).toBe(wanted);
      }
    }
  });

  it.each(["ff=dos", "ff=mac", "bomb", "fenc=utf-16", "fenc=latin1 ff=dos bomb"])(
    "keeps them whatever its modeline says: %s",
    async (saying) => {
      await editor.nvim.command("set modeline");
      for (const [name, end] of [
        ["a.txt", "\n"],
        ["open.txt", ""],
      ] as const) {
        const before = `one é\ntwo\n# vim: ${saying} :${end}`;
        const path = put(name, before);
        const text = before.replace("two", "2");
        expect(await editor.call("workspace_write", path, before, text)).toEqual({ text });
        expect(readFileSync(path, "utf8")).toBe(text);
        expect(await editor.lua("return vim.bo[vim.fn.bufnr(...)].modified", path)).toBe(false);
      }
    },
  );

  it.each([
    ...["zipfile:a::b", "tarfile::a", "x.zip", "x.tar.gz", "x.shada", "x.docx", "folder/x.jar"],
    ...["own.odd", "odd/file.txt", "zipfile:folder/x"],
  ])("is not written where an autocommand takes its name: %s", async (name) => {
    await editor.lua(`Ran = 0
      for pattern in vim.gsplit("*.odd */odd/*", " ") do
        vim.api.nvim_create_autocmd({ "BufReadCmd", "BufWriteCmd" }, {
          pattern = pattern,
          callback = function() Ran = Ran + 1 end,
        })
      end`);
    const path = join(editor.folder, name);
    await editor.lua("vim.cmd.cd(...)", editor.folder);
    expect(await editor.call("workspace_write", path, null, "one\n")).toMatchObject({
      message: expect.stringContaining("by an autocommand of its own"),
    });
    expect(existsSync(path)).toBe(false);
    put(name, "one\n");
    expect(await editor.call("workspace_write", path, "one\n", "two\n")).toMatchObject({
      message: expect.stringContaining("by an autocommand of its own"),
    });
    expect(readFileSync(path, "utf8")).toBe("one\n");
    expect(await editor.lua("return Ran")).toBe(0);
  });

  it.each(["", "\n", "\n\n", "one", "one\n"])(
    "is read as it is on the disk: %j",
    async (before) => {
      const path = put("a.txt", before);
      await editor.nvim.command(`edit ${path}`);
      for (const leaves of ["", "enew"]) {
        await editor.nvim.command(leaves);
        const read = { text: before, modified: false };
        expect(await editor.call("workspace_read", path)).toEqual(read);
      }
      expect(await editor.call("workspace_write", path, before, "two\n")).toEqual({
        text: "two\n",
      });
      expect(readFileSync(path, "utf8")).toBe("two\n");
    },
  );

  it.each([
    ["one", "two"],
    ["one", "two\n"],
    ["one\n", "two"],
    ["one\r\ntwo", "2\ntwo"],
  ])("ends as it was approved: %j, %j", async (before, after) => {
    const path = put("a.txt", before);
    const plain = before.replaceAll("\r", "");
    expect(await editor.call("workspace_write", path, plain, after)).toEqual({ text: after });
    const written = before.includes("\r") ? after.replaceAll("\n", "\r\n") : after;
    expect(readFileSync(path, "utf8")).toBe(written);
    const isFixed = await editor.lua("return vim.bo[vim.fn.bufnr(...)].fixendofline", path);
    expect(isFixed).toBe(true);
  });

  it("is read with the line end that Neovim added to it", async () => {
    const path = put("a.txt", "one");
    await editor.nvim.command(`edit ${path} | write`);
    const read = { text: "one\n", modified: false };
    expect(await editor.call("workspace_read", path)).toEqual(read);
    expect(await editor.call("workspace_write", path, "one\n", "two\n")).toEqual({ text: "two\n" });
    expect(readFileSync(path, "utf8")).toBe("two\n");
  });

  it("is changed without an option that is set, where none has to be", async () => {
    const path = put("a.txt", "one\n");
    await editor.nvim.command(`edit ${path}`);
    await editor.lua(`Set = {}
      vim.api.nvim_create_autocmd("OptionSet", {
        callback = function(event) Set[#Set + 1] = event.match end,
      })`);
    await editor.call("workspace_write", path, "one\n", "two\n");
    expect(await editor.lua("return Set")).toEqual([]);
    await editor.call("workspace_write", path, "two\n", "three");
    expect(await editor.lua("return #Set")).toBe(3);
  });

  it("is read where a pipe has taken its place, and not waited for", async () => {
    const path = put("a.txt", "one");
    await editor.nvim.command(`edit ${path}`);
    rmSync(path);
    execFileSync("mkfifo", [path]);
    const read = { text: "one", modified: false };
    expect(await editor.call("workspace_read", path)).toEqual(read);
  });

  it("is not written over what another program has put there since the host looked", async () => {
    const path = put("a.txt", "one\n");
    await editor.nvim.command(`edit ${path}`);
    put("a.txt", "other\n");
    const answer = await editor.call("workspace_write", path, "one\n", "two\n");
    expect(answer).toMatchObject({
      message: expect.stringContaining("has changed since it was read"),
    });
    expect(readFileSync(path, "utf8")).toBe("other\n");
    expect(await editor.lines()).toEqual(["one"]);
  });

  it("is the same text to Neovim as to the host, and is written as approved", async () => {
    const piece = fc.constantFrom(
      "a",
      "bb",
      "é",
      "\n",
      "\n",
      "\r\n",
      "\r\n",
      "\r",
      "\ufeff",
      "\u2028",
    );
    const text = fc.array(piece, { maxLength: 6 }).map((all) => all.join(""));
    const options = [
      "",
      "",
      "ffs=unix",
      "ffs=",
      "ffs=unix,dos,mac",
      "nofixeol",
      "fencs=utf-8",
      "bin",
    ];
    const actions = ["", "", "write", "set bin | write", "normal! x", "edit!", "enew"];
    let compared = 0;
    await fc.assert(
      fc.asyncProperty(
        text,
        fc.nat(),
        fc.constantFrom(...options),
        fc.constantFrom(...actions),
        async (before, place, option, action) => {
          const path = put("a.txt", before);
          await editor.nvim.command(`set ffs& fixeol& fencs& nobin | ${option && `set ${option}`}`);
          await editor.nvim.command(`silent edit ${path} | silent ${action}`);
          const read = await editor.call("workspace_read", path);
          const held = (await readTextFile(path)) ?? "";
          const at = place % (held.length + 1);
          const after = `${held.slice(0, at)}x${held.slice(at)}`;
          if (await editor.lua("return not vim.bo[vim.fn.bufnr(...)].modified", path)) {
            compared += 1;
            expect(read).toEqual({ text: held, modified: false });
            const answer = await editor.call("workspace_write", path, held, after);
            const now = await readTextFile(path);
            expect({ answer, now }).toEqual({ answer: { text: after }, now: after });
          }
          await editor.nvim.command("silent! %bwipe!");
        },
      ),
      { numRuns: 150 },
    );
    expect(compared).toBeGreaterThan(100);
  });

  it("is written whatever else is in its name", async () => {
    for (const name of ["a`b` $HOME %#.txt", "scp:", "[x]{a,b}*?.txt", "+q"]) {
      const path = put(name, "one\n");
      expect(await editor.call("workspace_write", path, "one\n", "two\n")).toEqual({
        text: "two\n",
      });
      expect(readFileSync(path, "utf8")).toBe("two\n");
    }
  });

  it.each([
    ...["BufNew", "BufAdd", "BufReadPre", "BufNewFile", "BufReadPost", "FileType", "BufEnter"],
    ...["BufModifiedSet", "TextChanged", "BufWritePre", "BufWritePost"],
  ])("is written where an autocommand of another plugin fails at %s", async (event) => {
    await editor.lua(
      "vim.api.nvim_create_autocmd(..., { callback = function() error('no good') end })",
      event,
    );
    const path = join(editor.folder, "new.txt");
    const write = (before: string | null, text: string) =>
      editor.call("workspace_write", path, before, text);
    expect(await write(null, "one\n")).toEqual({ text: "one\n" });
    expect(await write("one\n", "two\n")).toEqual({ text: "two\n" });
    await editor.nvim.command("silent! bwipeout new.txt");
    expect(await write("two\n", "three\n")).toEqual({ text: "three\n" });
    expect(readFileSync(path, "utf8")).toBe("three\n");
    expect(await editor.lua("return vim.bo[vim.fn.bufnr(...)].modified", path)).toBe(false);
  });

  it("is told as not written where it cannot be, also beside a plugin that fails", async () => {
    await editor.lua(`vim.api.nvim_create_autocmd("BufWritePre", {
      callback = function(event)
        vim.fn.delete(vim.fs.dirname(event.match), "rf")
        error("no good")
      end })`);
    const path = put("gone/new.txt", "one\n");
    expect(await editor.call("workspace_write", path, "one\n", "two\n")).toMatchObject({
      message: expect.stringMatching(/the file was not written: .*E212/),
    });
  });

  it("is not written where an autocommand forbids it by an exception", async () => {
    await editor.nvim.command("autocmd BufWritePre * throw 'not this one'");
    const path = put("mine.txt", "one\n");
    expect(await editor.call("workspace_write", path, "one\n", "two\n")).toMatchObject({
      message: expect.stringMatching(/the file was not written: .*not this one$/),
    });
    expect(readFileSync(path, "utf8")).toBe("one\n");
  });
});
