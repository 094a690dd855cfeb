/** References in Neovim: open texts as they are on screen, and a preview that shows them. */
import { mkdtemp, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { oneNeovim, TestNeovim } from "../support/neovim.ts";

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
  });
});
