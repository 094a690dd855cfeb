/** A form is answered by who filled it in, and by no other write: an answer may run a tool. */
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type Editor, neovims, poll, startEditor } from "./editor.ts";

const page = { title: "shop", lines: ["# shop", "name: "], cursor: 1, completions: {} };
const question = { kind: "form", prompt: "shop", page, patient: true };

describe.each(neovims)("a form in Neovim $version", (neovim) => {
  let editor: Editor;
  beforeEach(async () => {
    editor = await startEditor(neovim);
    await editor.openChat("one.md", ["💬: hi"]);
    await editor.call("ask", 1, question);
    await poll("the form", () => editor.lua("return vim.bo.filetype == 'parley_form'"));
  });
  afterEach(() => editor.quit());

  const answers = () => editor.received("answer");
  const typed = () => poll("the words", () => editor.lua("return vim.bo.modified"));

  it.each([":w<CR>", ":silent update<CR>", ":wq<CR>", ":x<CR>", "ZZ", ":w|echo 1<CR>"])(
    "is answered by %s",
    async (keys) => {
      await editor.press(`Ame<Esc>${keys}`);
      const [answer] = await poll("the answer", async () => {
        const all = await answers();
        return all.length > 0 && all;
      });
      expect(answer).toMatchObject({ id: 1, value: { lines: ["# shop", "name: me"] } });
      // A form that closes with its answer is not left, too.
      await editor.lua(`require("parley.host").send_if_running({ action = "saved", buf = 1 })`);
      await poll("a later message", async () => (await editor.received("saved")).length > 0);
      expect(await answers()).toHaveLength(1);
    },
  );

  it.each([":q<CR>", ":quit<CR>", ":q!<CR>", ":silent q<CR>", "ZQ", ":bdelete!<CR>"])(
    "is declined by %s, whatever was typed",
    async (keys) => {
      await editor.press(`Ame<Esc>${keys}`);
      const [answer] = await poll("the answer", async () => {
        const all = await answers();
        return all.length > 0 && all;
      });
      expect(answer).toEqual({ action: "answer", id: 1 });
    },
  );

  it("that came back with a mistake is not answered by an automatic save", async () => {
    await editor.lua(`vim.keymap.set("n", ",a", "<Cmd>silent! wall<CR>")`);
    await editor.press("Ame<Esc>:w<CR>");
    await poll("the answer", async () => (await answers()).length === 1);
    await editor.call("form_mistakes", 1, [{ line: 1, text: "no such name" }]);
    await editor.press("A too<Esc>");
    await typed();
    await editor.press(",a");
    await poll("the hint", () =>
      editor.lua(
        "return vim.iter(Notified):any(function(words) return words:find('still open') end)",
      ),
    );
    expect(await answers()).toHaveLength(1);
  });

  it.each([":w<CR>", ":up<CR>", ":x<CR>", ":wq<CR>", "ZZ"])(
    "is answered as it came by %s, where its defaults are right",
    async (keys) => {
      await editor.press(`<Esc>${keys}`);
      const [answer] = await poll("the answer", async () => {
        const all = await answers();
        return all.length > 0 && all;
      });
      expect(answer).toMatchObject({ id: 1, value: { lines: page.lines } });
    },
  );

  it.each<[string, string]>([
    [":wall", "Ame<Esc>:wall<CR>"],
    [":wall elsewhere", "Ame<Esc><C-w>p:wall<CR>"],
    [":w of another buffer", "Ame<Esc><C-w>p:silent! w | wall<CR>"],
    ["a key that writes all", "Ame<Esc>,a"],
    ["a plugin that saves when Insert mode ends", "Ame<Esc>,p"],
  ])("is not answered by %s", async (_, keys) => {
    await editor.lua(`vim.keymap.set("n", ",a", "<Cmd>silent! wall<CR>")
      vim.keymap.set("n", ",p", function()
        vim.defer_fn(function() vim.cmd("silent! write") end, 0)
      end)`);
    await editor.press(keys);
    await poll("the hint", () =>
      editor.lua(
        "return vim.iter(Notified):any(function(words) return words:find('still open') end)",
      ),
    );
    expect(await answers()).toEqual([]);
    await editor.lua("vim.fn.win_gotoid(vim.fn.bufwinid('parley://form shop'))");
    await typed();
    expect(await editor.lua("return vim.fn.getline('$')")).toBe("name: me");
    await editor.press(":w<CR>");
    await poll("the answer", async () => (await answers()).length === 1);
  });
});
