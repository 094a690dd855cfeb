/** The built-in tools in every supported Neovim: buffers before files, a diff before the yes, undo after it. */
import { mkdtemp, readFile, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { oneNeovim, TestNeovim } from "../support/neovim.ts";

let editor: TestNeovim | undefined;
afterEach(async () => {
  await editor?.cleanUp();
  editor = undefined;
});

const call = (number: number, name: string, args: object) => ({
  id: `call_${number}`,
  name,
  arguments: args,
});
const read = (number: number) => call(number, "read_file", { path: "notes.txt" });
const edit = (number: number, old_text: string, new_text: string) =>
  call(number, "edit_file", { path: "notes.txt", old_text, new_text });

async function open(
  path: string,
  turns: readonly object[],
  init = "",
): Promise<{ nvim: TestNeovim; notes: string }> {
  const home = await mkdtemp(join(tmpdir(), "parley-test-"));
  const notes = join(home, "notes.txt");
  await writeFile(notes, "one\ntwo\nthree\n");
  await writeFile(join(home, "script.json"), JSON.stringify({ turns }));
  const chat = `---\ntopic: edits\nmodel: mock/file:${join(home, "script.json")}\ntools: builtin\n---\n\n💬: edit\n`;
  // A working folder that is a home folder, or holds one, makes every path need a yes.
  const env = { HOME: join(tmpdir(), "parley-test-nobody") };
  editor = await TestNeovim.start({ path, home, init, env, chat: { text: chat } });
  await editor.ready();
  return { nvim: editor, notes };
}

const decide = "gg/^❓: `<CR>ya";

describe.each(oneNeovim)("the built-in tools in Neovim $version", ({ path }) => {
  it("show an edit as a diff, do it through the buffer, and undo takes it back", async () => {
    const turns = [{ calls: [read(1)] }, { calls: [edit(2, "two", "2")] }, { text: "Done." }];
    const { nvim, notes } = await open(path, turns);
    await nvim.lua(`vim.api.nvim_create_autocmd("User", {
      pattern = "ParleyDone",
      callback = function() Done = true end,
    })`);
    await nvim.input("G<C-g><C-g>");
    await nvim.untilText(/^❓: `.*read_file/m);
    await nvim.until("the keys", async () => /ya all/.test(await nvim.virtualText()));
    await nvim.input(decide);
    await nvim.untilText(/^❓: `.*edit_file/m);
    const shown = await nvim.until("the diff", async () => {
      const text = await nvim.virtualText();
      return /-two\n {2}\+2/.test(text) && text;
    });
    expect(shown).toContain("changes notes.txt");
    expect(await readFile(notes, "utf8")).toBe("one\ntwo\nthree\n");
    // Whoever stays where the first call was decided is taken to the next one.
    await nvim.until("the cursor on the call", async () =>
      String(await nvim.lua("return vim.fn.getline('.')")).includes("edit_file"),
    );
    await nvim.input("ya");
    await nvim.untilText(/Done\./);
    expect(await readFile(notes, "utf8")).toBe("one\n2\nthree\n");
    // The last words are there before the turn is over, which also saves them.
    await nvim.until("the end", () => nvim.lua("return Done == true"));
    await nvim.lua(`vim.fn.search([[^❓:\\[ya\\].*edit_file]], "bw")`);
    await nvim.input("K");
    await nvim.until("the diff of what was done", async () => {
      const shown = await nvim.lua(`for _, win in ipairs(vim.api.nvim_list_wins()) do
        if vim.api.nvim_win_get_config(win).relative ~= "" then
          return table.concat(vim.api.nvim_buf_get_lines(vim.api.nvim_win_get_buf(win), 0, -1, false), "\\n")
        end
      end`);
      return /^result:\n {2}notes\.txt was changed: \+1 −1 lines\.\n.*-two\n {4}\+2\n/ms.test(
        String(shown),
      );
    });
    await nvim.input("q");
    await nvim.command("Parley changes");
    await nvim.until("the quickfix list", async () => {
      const list = await nvim.lua("return vim.fn.getqflist()");
      return JSON.stringify(list).includes('"text":"edit_file +1 −1"');
    });
    await nvim.input("<CR>");
    await nvim.until("the place", async () => (await nvim.text()) === "one\n2\nthree");
    expect(await nvim.lua("return vim.fn.line('.')")).toBe(2);
    await nvim.command("cclose");
    await nvim.command("undo");
    expect(await nvim.text()).toBe("one\ntwo\nthree");
    await nvim.command("redo | silent write | buffer chat.md");
    await nvim.lua(`vim.ui.select = function(_, options, done)
      Asked = options.prompt
      done("Yes")
    end`);
    await nvim.command("Parley undo-edits");
    await nvim.until("the text before", async () =>
      (await readFile(notes, "utf8")).includes("\ntwo\n"),
    );
    expect(await nvim.lua("return Asked")).toContain("Take back 1 edit in 1 file?");
    await nvim.until("the word", async () =>
      (await nvim.messages()).includes("Taken back: notes.txt."),
    );
    await nvim.command("Parley undo-edits");
    await nvim.until("the refusal", async () =>
      (await nvim.messages()).includes("notes.txt has changed since and was left alone"),
    );
    await nvim.command(`buffer ${notes}`);
    await nvim.command("undo");
    expect(await nvim.text()).toBe("one\n2\nthree");
  });

  it("read what is not saved yet, and refuse to write over it", async () => {
    const turns = [{ calls: [read(1)] }, { calls: [edit(2, "TWO", "2")] }, { text: "Done." }];
    const { nvim, notes } = await open(path, turns);
    await nvim.lua(
      `local buf = vim.fn.bufadd(...)
       vim.fn.bufload(buf)
       vim.api.nvim_buf_set_lines(buf, 1, 2, true, { "TWO" })`,
      notes,
    );
    await nvim.input("G<C-g><C-g>");
    await nvim.untilText(/^❓: `.*read_file/m);
    await nvim.until("the keys", async () => /ya all/.test(await nvim.virtualText()));
    await nvim.input(decide);
    await nvim.untilText(/^❓:\[ya\]/m);
    // And whoever has gone elsewhere is left there.
    await nvim.input("gg");
    const text = await nvim.untilText(/^❓: `.*edit_file/m);
    expect(text).toMatch(/lines 1 to 3 of 3, with unsaved changes:\none\nTWO\nthree/);
    await nvim.until("the refusal", async () =>
      /would be refused: .*unsaved changes/.test(await nvim.virtualText()),
    );
    expect(await nvim.lua("return vim.fn.line('.')")).toBe(1);
    await nvim.input(decide);
    expect(await nvim.untilText(/Done\./)).toMatch(/\(error\)\n\n.*unsaved changes/);
    expect(await readFile(notes, "utf8")).toBe("one\ntwo\nthree\n");
  });

  it("tell where an autocommand puts something else into the file", async () => {
    const turns = [{ calls: [read(1)] }, { calls: [edit(2, "two", "2")] }, { text: "Done." }];
    const init = `vim.api.nvim_create_autocmd("BufWritePost", {
      pattern = "notes.txt",
      callback = function(event) vim.fn.writefile({ "packed\\n" }, event.file, "b") end,
    })`;
    const { nvim, notes } = await open(path, turns, init);
    await nvim.input("G<C-g><C-g>");
    await nvim.untilText(/^❓: `.*read_file/m);
    await nvim.until("the keys", async () => /ya all/.test(await nvim.virtualText()));
    await nvim.input(decide);
    await nvim.untilText(/^❓: `.*edit_file/m);
    await nvim.until("the diff", async () => (await nvim.virtualText()).includes("+2"));
    await nvim.input(decide);
    expect(await nvim.untilText(/Done\./)).toMatch(/\(error\)\n\n.*but not in its file/);
    expect(await readFile(notes, "utf8")).toBe("packed\0");
  });

  it("ask on their own before they look outside of the working folder", async () => {
    const turns = [{ calls: [call(1, "read_file", { path: "/etc/hostname" })] }, { text: "Done." }];
    const init = `vim.ui.select = function(items, options, choose)
      vim.g.asked = options.prompt
      choose("No")
    end`;
    const { nvim } = await open(path, turns, init);
    await nvim.input("G<C-g><C-g>");
    await nvim.untilText(/^❓: `.*read_file/m);
    await nvim.until("the keys", async () => /ya all/.test(await nvim.virtualText()));
    expect(await nvim.lua("return vim.g.asked")).toBeNull();
    await nvim.input(decide);
    expect(await nvim.untilText(/Done\./)).toMatch(/\(error\)\n\n.*did not allow it/);
    expect(await nvim.lua("return vim.g.asked")).toMatch(/read \/etc\/hostname, which is outside/);
  });

  it("give what the editor's diagnostics say", async () => {
    const turns = [{ calls: [call(1, "diagnostics", {})] }, { text: "Done." }];
    const { nvim, notes } = await open(path, turns);
    await nvim.lua(
      `local buf = vim.fn.bufadd(...)
       vim.fn.bufload(buf)
       vim.diagnostic.set(vim.api.nvim_create_namespace("test"), buf, {
         { lnum = 1, col = 0, severity = vim.diagnostic.severity.WARN, message = "odd", source = "lint" },
       })`,
      notes,
    );
    await nvim.input("G<C-g><C-g>");
    await nvim.untilText(/^❓: `.*diagnostics/m);
    await nvim.until("the keys", async () => /ya all/.test(await nvim.virtualText()));
    await nvim.input(decide);
    expect(await nvim.untilText(/Done\./)).toContain("notes.txt:2:1: warning: odd (lint)");
  });
});
