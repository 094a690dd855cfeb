/** Which Markdown files are chats: the Lua half and the host say the same. */

import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { summariseChat } from "../../src/app/chats/summary.ts";
import { chatTexts } from "../support/chat-texts.ts";
import fc from "../support/property.ts";
import { type Editor, neovims, startEditor } from "./editor.ts";

describe.each(neovims)("a chat on Neovim $version", (neovim) => {
  let editor: Editor;

  beforeAll(async () => {
    editor = await startEditor(neovim);
  });
  afterAll(() => editor.quit());

  const inLua = (texts: readonly (readonly string[])[]) =>
    editor.lua<boolean[]>(
      `return vim.tbl_map(function(lines)
        return require('parley.text.chats.chat_text').is_chat(function(first)
          return vim.list_slice(lines, first + 1, first + 2)
        end)
      end, ...)`,
      texts,
    );

  it("is drawn before what the first screen does not need is loaded or looked at", async () => {
    const path = editor.writeChat("first.md", ["---", "topic: x", "---", "", "💬: hi"]);
    const seen = await editor.lua<{ loaded: string[]; stats: number; colours: boolean }>(
      `local stats, stat = 0, vim.uv.fs_stat
      vim.uv.fs_stat = function(...)
        stats = stats + 1
        return stat(...)
      end
      vim.cmd.edit((...))
      vim.cmd.redraw()
      vim.uv.fs_stat = stat
      return { loaded = vim.tbl_keys(package.loaded), stats = stats,
        colours = package.loaded["parley.colours"] ~= nil }`,
      path,
    );
    expect(seen.colours).toBe(true);
    const late = [
      ...[
        "vim.diagnostic",
        "vim.iter",
        "parley.config.json",
        "parley.messages.notify",
        "parley.rpc",
      ],
      ...["build", "node", "paths", "update"].map((name) => `parley.host.${name}`),
      ...["approval_maps", "decide"].map((name) => `parley.keys.${name}`),
      ...["cursor", "folds", "show"].map((name) => `parley.screen.${name}`),
      ...["buffer", "tip", "undo"].map((name) => `parley.text.${name}`),
    ];
    expect(seen.loaded.filter((name) => late.includes(name))).toEqual([]);
    expect(seen.loaded.filter((name) => name.startsWith("parley.")).length).toBeLessThan(33);
    // Whether dist/ is made from these sources is asked of hundreds of files, afterwards.
    expect(seen.stats).toBeLessThan(20);
  });

  it("is judged the same by both halves", async () => {
    const said = await inLua(chatTexts.map(({ lines }) => lines));
    expect(chatTexts.map(({ name }, index) => [name, said[index]])).toEqual(
      chatTexts.map((text) => [text.name, text.isChat]),
    );
  });

  it("is judged the same for any combination of lines", async () => {
    const line = fc.constantFrom(
      ...["---", "--- ", "topic: x", "topic : x", "topic+: x", "# topic: x", "- model: y"],
      ...["", "words", "  topic: x", "topics: x", "💬: x", "🤖: x", "🧠: x", "\\💬: x", "title: x"],
    );
    const texts = fc.sample(fc.array(line, { minLength: 1, maxLength: 6 }), {
      numRuns: 1500,
      seed: 7,
    });
    const said = await inLua(texts);
    const differing = texts.filter(
      (lines, index) => (summariseChat(lines.join("\n")).state !== "none") !== said[index],
    );
    expect(differing).toEqual([]);
  });

  it("says how to read one with a byte that is not UTF-8", async () => {
    const path = join(editor.folder, "chats", "latin1.md");
    const text = Buffer.from("---\ntopic: x\n---\n\n💬: caf\u00e9 \n\n💬: two\n", "utf8");
    const bytes = Buffer.from(text.toString("latin1").replace("\u00c3\u00a9", "\u00e9"), "latin1");
    writeFileSync(path, bytes);
    await editor.lua("Notified = {} vim.cmd.edit((...))", path);
    const told = await editor.lua<string[]>("return Notified");
    const command = /^Neovim read latin1\.md as latin1.* :(edit \S+ \S+) reads it/.exec(
      told.join("\n"),
    )?.[1];
    await editor.nvim.command(command ?? "no command was told");
    expect((await editor.lines())[4]).toMatch(/^💬: caf/);
    expect(await editor.lua("return vim.bo.readonly")).toBe(false);
    expect(await editor.lua("return Notified")).toEqual(told);
    await editor.nvim.command("write");
    expect(readFileSync(path).equals(bytes)).toBe(true);
  });

  it.each(["cp437", "koi8-r", "cp932,utf-8", "cp936"])(
    "says that 'fileencodings' read it as %s",
    async (names) => {
      const path = join(editor.folder, "chats", `${names.slice(0, 5)}.md`);
      const lines = ["---", "topic: x", "---", "", "💬: a", "", "💬: wé"];
      writeFileSync(path, `${lines.join("\n")}\n`);
      await editor.nvim.command(`set fileencodings=${names}`);
      await editor.lua("Notified = {} vim.cmd.edit((...))", path);
      await editor.nvim.command("set fileencodings&");
      const isRead = (await editor.lines())[4] === lines[4];
      const told = await editor.lua<string[]>("return Notified");
      const command = /^Neovim read \S+ as \S+, .* :(edit \S+ \S+) reads it/.exec(
        told.join("\n"),
      )?.[1];
      expect(isRead).toBe(command === undefined);
      await editor.nvim.command(command ?? "");
      expect(await editor.lines()).toEqual(lines);
    },
  );

  it("is opened as one, and a note with a topic in its text is left alone", async () => {
    const mapped = (name: string) =>
      editor.lua<boolean>(
        "vim.cmd.edit((...)); return vim.fn.maparg('<C-g><C-g>', 'n') ~= ''",
        editor.writeChat(
          name,
          chatTexts.find((text) => text.name === name.slice(0, -3))?.lines ?? [],
        ),
      );
    expect(await mapped("a topic in the body.md")).toBe(false);
    expect(await mapped("a topic in a header.md")).toBe(true);
  });

  it("is never a version of a file that a diff shows", async () => {
    await editor.lua(
      `Notified = {}
       vim.cmd("enew")
       vim.api.nvim_buf_set_lines(0, 0, -1, false, { "💬: one", "", "🤖:[x]" })
       vim.api.nvim_buf_set_name(0, "fugitive:///x/.git//0/a.md")
       vim.api.nvim_exec_autocmds("BufReadPost", { buffer = 0 })`,
    );
    expect(await editor.lua("return Notified")).toEqual([]);
  });

  it("is one outside of the chat folders if the user says so, for the file or its folder, and this is reported once", async () => {
    const folder = join(editor.folder, "project", "chats");
    mkdirSync(folder, { recursive: true });
    const write = (name: string, text: string) => writeFileSync(join(folder, name), text);
    const chat = "💬: one\n\n🤖:[x]\n\ntwo\n";
    for (const name of ["a.md", "b.md", "c.md"]) write(name, chat);
    write("note.md", "# Notes\n\n💬: is how a chat begins\n");
    const open = (name: string) =>
      editor.lua<boolean>(
        `vim.cmd("silent! %bwipeout!")
         vim.cmd.edit((...))
         return vim.fn.maparg('<C-g><C-g>', 'n') ~= ''`,
        join(folder, name),
      );
    const told = async () =>
      (await editor.lua<string[]>("return Notified")).filter((text) =>
        text.includes("looks like a chat"),
      );
    expect(await open("note.md")).toBe(false);
    expect(await told()).toEqual([]);
    expect([await open("a.md"), await open("a.md")]).toEqual([false, false]);
    expect(await told()).toEqual([
      expect.stringMatching(/^a\.md looks like a chat.*:Parley attach folder/),
    ]);
    await editor.nvim.command("Parley attach always");
    // Another Neovim, too: what was said by hand in this one does not count.
    await editor.lua(
      "require('parley.text.chats').set_by_hand((...), false)",
      join(folder, "a.md"),
    );
    expect([await open("a.md"), await open("b.md")]).toEqual([true, false]);
    await editor.nvim.command("Parley attach folder");
    await editor.lua(
      "require('parley.text.chats').set_by_hand((...), false)",
      join(folder, "b.md"),
    );
    expect([await open("b.md"), await open("c.md")]).toEqual([true, true]);
    expect(await open("note.md")).toBe(true);
    await editor.nvim.command("Parley detach folder");
    expect([await open("c.md"), await open("a.md")]).toEqual([false, true]);
    await editor.nvim.command("Parley detach always");
    expect(await open("a.md")).toBe(false);
    expect((await told()).map((text) => text.slice(0, 4))).toEqual(["a.md", "b.md", "c.md"]);
  });

  it("is one whatever its name, when the user said always, and so are those open in its folder", async () => {
    const folder = join(editor.folder, "odd", "sub");
    mkdirSync(folder, { recursive: true });
    const path = (name: string) => join(folder, name);
    for (const name of ["plain", "x.txt", "d.md", "e.md"]) {
      writeFileSync(path(name), "💬: one\n\n🤖:[x]\n");
    }
    const isChat = (name: string) =>
      editor.lua<boolean>(
        "vim.cmd.edit((...)); return vim.fn.maparg('<C-g><C-g>', 'n') ~= ''",
        path(name),
      );
    const said = async () => (await editor.lua<string[]>("return Notified")).at(-1);
    for (const name of ["plain", "x.txt"]) {
      expect(await isChat(name)).toBe(false);
      await editor.nvim.command("Parley attach always");
      await editor.lua(
        "vim.cmd.bwipeout() require('parley.text.chats').set_by_hand((...), false)",
        path(name),
      );
      expect(await isChat(name)).toBe(true);
      await editor.nvim.command("Parley detach always");
      expect(await said()).toMatch(/^Undone: :Parley attach always/);
      await editor.nvim.command("bwipeout");
      expect(await isChat(name)).toBe(false);
    }
    expect([await isChat("d.md"), await isChat("e.md")]).toEqual([false, false]);
    await editor.nvim.command("Parley attach folder");
    await editor.nvim.command("hide buffer d.md");
    expect(await editor.lua("return vim.fn.maparg('<C-g><C-g>', 'n') ~= ''")).toBe(true);
    await editor.nvim.command("Parley detach folder");
    expect(await said()).toMatch(/^Undone: .* to .*odd\/sub\./);
  });

  it("says what became of it, also where that cannot be remembered", async () => {
    const path = editor.writeChat("../plain.txt", ["one"]);
    await editor.lua("vim.cmd('silent! %bwipeout!') vim.cmd.edit((...))", path);
    const says = async (command: string) => {
      await editor.lua("Notified = {}");
      await editor.nvim.command(command);
      return (await editor.lua<string[]>("return Notified")).join("\n");
    };
    expect(await says("Parley detach")).toMatch(/^This buffer is not a chat\./);
    expect(await says("Parley attach")).toMatch(/^This buffer is a chat until Neovim ends/);
    expect(await says("Parley attach")).toBe("This buffer is a chat already.");
    expect(await says("Parley detach always")).toMatch(/^This file was not attached/);
    expect(await says("Parley detach")).toMatch(/^This buffer is plain Markdown now/);
    expect(await says("Parley attach always")).toMatch(/^From now on this file/);
    // A file is where the notes were.
    await editor.lua(`local notes = vim.fn.stdpath("state") .. "/parley/attached"
      vim.fn.delete(notes, "rf")
      vim.fn.writefile({}, notes)`);
    expect(await says("Parley detach always")).toMatch(/^This file was not attached/);
    for (const what of ["attach always", "attach folder"]) {
      expect([what, await says(`Parley ${what}`)]).toEqual([
        what,
        expect.stringMatching(/^This could not be remembered in .*attached, so it is for this/),
      ]);
    }
  });
});
