/** Rows of calls that a change made something else: nothing stays folded there, where `x` would take all that is hidden. */
import { afterEach, beforeEach, describe, it } from "vitest";
import { type Editor, neovims, poll, startEditor } from "./editor.ts";

const call = (id: number, decision: string) =>
  `❓:${decision} \`{"id":"c${id}","type":"function","function":{"name":"f","arguments":"{}"}}\``;
const settled = (id: number) => [call(id, "[ya]"), "", `🛠️: [f][c${id}]`, "", "`ok`", ""];
const chat = ["💬: hi", "", "🤖:[x]", "", ...settled(1), ...settled(2), call(3, ""), call(4, "")];
const first = 5;
const waiting = chat.length - 1;

/** What is done in Normal mode on the call in the row, and how the line that it leaves there begins. */
const changes: Readonly<Record<string, readonly [number, string, string]>> = {
  "a settled call, from the line above": [first - 1, ":5s/❓/x/<CR>", "x:[ya]"],
  "two settled calls": [first, ":5,15s/❓/x/<CR>", "x:[ya]"],
  "a waiting call, with the next one": [waiting, "<C-v>jIx<Esc>", "x❓:"],
  "a waiting call that is filled": [waiting, ":setlocal textwidth=40<CR>gqq", "❓:"],
  "a settled call, where the cursor is": [first, "3rx", "xxx"],
};

describe.each(neovims)("folds of calls on Neovim $version", (neovim) => {
  let editor: Editor;
  beforeEach(async () => {
    editor = await startEditor(neovim);
    const buffer = await editor.openChat("left.md", chat);
    const base = { tool: "", effect: "", cut: false, whole: true, lines: [], full: ["all"] };
    const lines = [waiting - 1, waiting];
    const calls = lines.map((line) => ({ ...base, line, text: chat[line], row: "f {} · mock" }));
    await editor.call("show", buffer, await editor.tick(), { calls, keys: true });
    await poll("the rows", async () =>
      (await closed()).every((starts, index) => starts === [5, 11, 17, 18][index]),
    );
  });
  afterEach(() => editor.quit());

  const closed = () =>
    editor.lua<number[]>(`local starts = {}
      for row = 1, vim.fn.line("$") do
        if vim.fn.foldclosed(row) == row then starts[#starts + 1] = row end
      end
      return starts`);

  it.each(Object.entries(changes))("are gone behind a change: %s", async (_, change) => {
    const [row, keys, begin] = change;
    await editor.press(`${row}G${keys}`);
    const at = await poll("the change", async () => {
      const found = (await editor.lines()).findIndex((line) => line.startsWith(begin));
      return found >= 0 && found;
    });
    await editor.press("gg");
    await poll("the folds", async () => {
      const lines = await editor.lines();
      return (await closed()).every((start) => /^❓:\s?[[`]/.test(lines[start - 1] ?? ""));
    });
    const wanted = [...(await editor.lines())];
    wanted[at] = [...begin].slice(1).join("") + (wanted[at] ?? "").slice(begin.length);
    await editor.press(`${at + 1}G0x`);
    await poll("one character less", async () => String(await editor.lines()) === String(wanted));
  });

  it("are gone where a view or a session has them in lines that moved since", async () => {
    await editor.nvim.command(
      "autocmd BufWinEnter moved.md setlocal foldminlines=0 | 5,5fold | 6,6fold",
    );
    await editor.openChat("moved.md", ["two more lines", "", ...chat]);
    await poll("the folds", async () => String(await closed()) === "7,13");
  });

  it("leave an open fold of the user around them", async () => {
    await editor.nvim.command("1,8fold | 1foldopen");
    await poll("the row", async () => String(await closed()) === "5,11,17,18");
    await editor.press(":5s/❓/x/<CR>G");
    await poll("the folds", async () => !(await closed()).includes(5));
    await editor.nvim.command("2foldclose");
    await poll("the user's fold", async () => (await closed())[0] === 1);
  });

  it("that the user made stay", async () => {
    await editor.nvim.command("1,3fold");
    await editor.press(":5s/❓/x/<CR>gg");
    await poll("the folds", async () => String(await closed()) === "1,11,17,18");
  });
});
