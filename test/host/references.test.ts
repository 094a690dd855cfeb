/** References in Neovim: open texts as they are on screen, and a preview that shows them. */
import { mkdtemp, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { z } from "zod";
import { namedReferences, referencesIn } from "../../src/transcript/references.ts";
import { oneNeovim, TestNeovim } from "../support/neovim.ts";
import fc from "../support/property.ts";

let editor: TestNeovim | undefined;
afterEach(async () => {
  await editor?.cleanUp();
  editor = undefined;
});

describe.each(oneNeovim)("references in Neovim $version", ({ path }) => {
  it("are read from buffers, and shown by the preview before anything is sent", async () => {
    const home = await mkdtemp(join(tmpdir(), "parley-test-"));
    const notes = join(home, "notes.txt");
    await writeFile(notes, "one\ntwo\nthree\n");
    const question = "@@./notes.txt:2@@ @@buffers@@ @@quickfix@@ @@./gone.txt@@";
    const chat = { text: `---\ntopic: x\nmodel: mock/demo\n---\n\n💬: ${question}\n` };
    // A working folder that is a home folder, or holds one, makes every path need a yes.
    const env = { HOME: join(tmpdir(), "parley-test-nobody") };
    const nvim = await TestNeovim.start({ path, home, env, chat });
    editor = nvim;
    await nvim.ready();
    await nvim.lua(
      `local buf = vim.fn.bufadd(...)
       vim.bo[buf].buflisted = true
       vim.fn.bufload(buf)
       vim.api.nvim_buf_set_lines(buf, 1, 2, true, { "not saved" })
       vim.fn.setqflist({ { bufnr = buf, lnum = 2, text = "found" }, { text = "make: failed" } })`,
      notes,
    );
    await nvim.command("Parley preview");
    const shown = await nvim.until("the preview", async () => {
      const text = await nvim.text();
      return text.includes("notices") && text;
    });
    expect(shown).toContain("File: ./notes.txt:2\\n\\n```\\nnot saved\\n```");
    expect(shown).toContain("File: notes.txt\\n\\none\\nnot saved\\nthree");
    expect(shown).toContain("notes.txt:2: found\\nmake: failed");
    expect(shown).toContain("./gone.txt was not found");
    await nvim.command("bwipeout!");
    await bringsCode(nvim, home);
    await quotesText(nvim);
    await completes(nvim);
    await offersRules(nvim, home);
  });
});

/** `:Parley ask` over lines of a file, in the chat that was asked last from the working folder. */
async function bringsCode(nvim: TestNeovim, home: string): Promise<void> {
  const chat = String(await nvim.lua("return vim.api.nvim_buf_get_name(0)"));
  await nvim.lua(
    `local remember = require("parley.text.chats.project_chat").remember
     remember(0)
     vim.cmd.cd(...)
     remember(0)
     -- A chat that is asked again is not written down again: a busy disk would hold up the editor.
     local write, writes = vim.fn.writefile, 0
     vim.fn.writefile = function()
       writes = writes + 1
     end
     remember(0)
     vim.fn.writefile = write
     assert(writes == 0, "written again")
     vim.cmd.edit("code.ts")
     vim.api.nvim_buf_set_lines(0, 0, -1, false, { "one", "two", "three" })
     vim.cmd("2,3Parley ask why so?")`,
    home,
  );
  expect(await nvim.lua("return vim.api.nvim_buf_get_name(0)")).toBe(chat);
  // The question above was not sent, so this belongs to it.
  expect(await nvim.text()).toMatch(/gone\.txt@@\n@@\.\/code\.ts:2-3@@ why so\?$/);
  await nvim.input("<Esc>");
  const placed = (lines: readonly string[]) =>
    nvim.lua("return { require('parley.bring').placed(..., 'new') }", lines);
  expect(await placed(["💬: a", "", "🤖: b", "", "💬: ", ""])).toEqual([4, ["💬: new"]]);
  expect(await placed(["💬: a", "", "🤖: b", ""])).toEqual([3, ["", "💬: new"]]);
  expect(await placed([])).toEqual([0, ["", "💬: new"]]);
  for (const option of ["nomodifiable", "readonly"]) {
    const before = await nvim.text();
    await nvim.command(`setlocal ${option} | Parley ask why?`);
    expect(await nvim.text()).toBe(before);
    expect(await nvim.messages()).toContain(`('${option}' is set). Nothing was written; run`);
    await nvim.command("setlocal modifiable noreadonly");
  }
  await nvim.lua("vim.cmd.wincmd('p'); vim.cmd('1Parley new')");
  expect(await nvim.text()).toMatch(/^---\ntopic: \?\n---\n\n💬: @@\.\/code\.ts:1@@ $/);
  await nvim.input("<Esc>");
}

/** Lines without a file, beside a tree: quoted, and nothing in them is a reference, whatever they contain. */
async function quotesText(nvim: TestNeovim): Promise<void> {
  const pieces = ["@", "@@", "./a", "diff", ":", "files:x", "\\", " ", "ü", "![a](b.png)", "💬:"];
  const words = fc.array(fc.constantFrom(...pieces), { minLength: 1, maxLength: 9 });
  const lines = fc.sample(words, { numRuns: 400, seed: 7 }).map((line) => `x${line.join("")}`);
  const shown = await nvim.lua(
    `vim.cmd("only | leftabove 20vnew | setlocal buftype=nofile")
     local lines = ...
     lines[1] = lines[1] .. "\\0"
     vim.list_extend(lines, { "", " " })
     vim.api.nvim_buf_set_lines(0, 0, -1, false, lines)
     vim.cmd("%Parley new why?")
     return { vim.fn.winwidth(0) == vim.o.columns, vim.api.nvim_buf_get_lines(0, 4, -1, false) }`,
    lines,
  );
  const [isWide, question] = z.tuple([z.boolean(), z.array(z.string())]).parse(shown);
  expect(isWide).toBe(true);
  expect([question[0], ...question.slice(-2)]).toEqual(["💬: ", "", "why?"]);
  const quoted = question.slice(1, -2);
  expect(quoted).toHaveLength(lines.length);
  expect(quoted.every((line) => line.startsWith("> x"))).toBe(true);
  expect(quoted.flatMap((line) => referencesIn(line, 0))).toEqual([]);
  await nvim.input("<Esc>");
  await nvim.command("only");
  expect(await nvim.lua("vim.cmd('new | 1Parley ask'); return vim.fn.winnr('$')")).toBe(2);
  await nvim.command("close");
}

async function completes(nvim: TestNeovim): Promise<void> {
  const words = (line: string) =>
    nvim.lua(
      `local line = ...
       vim.api.nvim_buf_set_lines(0, -2, -1, false, { line })
       vim.cmd("normal! G$")
       vim.cmd.startinsert({ bang = true })
       local complete = require("parley.pickers.complete")
       vim.wo.virtualedit = "onemore"
       vim.api.nvim_win_set_cursor(0, { vim.fn.line("$"), #line })
       local column = complete.omni(1, "")
       local items = column >= 0 and complete.omni(0, line:sub(column + 1)) or {}
       return vim.tbl_map(function(item) return item.word end, items)`,
      line,
    );
  const names = Object.keys(namedReferences).toSorted();
  expect(await words("💬: see @@")).toEqual([...names.map((name) => `@@${name}@@`), "@@./"]);
  expect(await words("💬: see @@./no")).toEqual(["@@./notes.txt@@"]);
  expect(await words("💬: @@diff@@ and @@dia")).toEqual(["@@diagnostics@@"]);
  expect(await words("💬: @@diff@@")).toEqual([]);
}

/** AGENTS.md of the working folder, once and after a yes only. */
async function offersRules(nvim: TestNeovim, home: string): Promise<void> {
  await writeFile(join(home, "AGENTS.md"), "Be brief.\n");
  await nvim.lua(
    `vim.cmd("silent! only! | stopinsert")
     Asked = {}
     vim.ui.select = function(items, options, done)
       Asked[#Asked + 1] = options.prompt
       done(items[2])
     end
     Begin = function()
       require("parley").ask({ text = "hello", model = "mock/demo" })
     end
     Begin()`,
  );
  const text = await nvim.untilText(/🤖:[\s\S]*💬: $/);
  expect(text).toContain("rules_files: AGENTS.md");
  expect(await nvim.messages()).toContain("Rules sent with every request: AGENTS.md");
  await nvim.lua("Begin()");
  expect(await nvim.untilText(/🤖:[\s\S]*💬: $/)).not.toContain("rules_files");
  expect(await nvim.lua("return #Asked")).toBe(1);
  expect(await nvim.lua("return Asked[1]")).toContain("AGENTS.md. Send them with every request?");
}
