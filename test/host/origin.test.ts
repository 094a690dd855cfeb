/** A chat from elsewhere in a real Neovim: one question lists what it would open, No is first, nothing is sent before. */
import { existsSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, describe, expect } from "vitest";
import { z } from "zod";
import { untilLater } from "../app/chats/later.ts";
import { itInTurn, neovims, TestNeovim } from "../support/neovim.ts";

let editor: TestNeovim | undefined;
afterEach(async () => {
  await editor?.cleanUp();
  editor = undefined;
});

/** Keeps what is asked, and answers with the item that begins like `Answer`; without one the question is left. */
const answering = `Asked = {}
vim.ui.select = function(items, options, choose)
  local lines = { options.prompt }
  for _, win in ipairs(vim.api.nvim_list_wins()) do
    local buf = vim.api.nvim_win_get_buf(win)
    if vim.api.nvim_buf_get_name(buf) == "" then
      vim.list_extend(lines, vim.api.nvim_buf_get_lines(buf, 0, -1, false))
    end
  end
  local chosen
  for _, item in ipairs(items) do
    local label = type(item) == "table" and item.label or item
    lines[#lines + 1] = "item: " .. label
    if Answer and vim.startswith(label, Answer) then chosen = item end
  end
  table.insert(Asked, table.concat(lines, "\\n"))
  choose(chosen)
end`;

async function openForeign(path: string): Promise<TestNeovim> {
  editor = await TestNeovim.start({ path, chat: { text: "💬: hi\n" }, init: answering });
  await editor.ready();
  const state = join(editor.home, "state", "nvim", "parley");
  // What is in the chat folders before the first start, or in the same tick of a clock, is the user's own.
  await editor.until("the first start", () => existsSync(join(state, "written", "since")));
  await untilLater(state);
  const script = join(editor.home, "script.json");
  await writeFile(script, JSON.stringify({ turns: [{ text: "Done." }] }));
  await writeFile(join(editor.home, ".env"), "KEY=needle\n");
  const folder = join(editor.home, "data", "nvim", "parley", "got");
  await mkdir(folder, { recursive: true });
  const chat = `---\nmodel: mock/file:${script}\n---\n\n💬: hello ${"\n".repeat(200)}@@${editor.home}/.env@@\n`;
  const file = join(folder, "2026-01-01.md");
  await writeFile(file, chat);
  await editor.command(`edit ${file}`);
  await editor.until("the chat", async () => (await editor?.text())?.includes("needle") === false);
  return editor;
}

const asked = async (nvim: TestNeovim) => z.array(z.string()).parse(await nvim.lua("return Asked"));

describe.each(neovims)("a chat from elsewhere in Neovim $version", ({ path }) => {
  const it = itInTurn(path);
  it("sends nothing after a no, and asks once after a yes for the file", async () => {
    const nvim = await openForeign(path);
    await nvim.command("Parley respond");
    await nvim.until("the question", async () => (await asked(nvim)).length > 0);
    const [question = ""] = await asked(nvim);
    expect(question).toContain("model: mock/file:");
    expect(question).toMatch(/reads .*\.env/);
    expect(question.indexOf("item: No")).toBeLessThan(question.indexOf("item: Yes"));
    // No other model is asked in the place of the one that was refused.
    await nvim.until("the end", async () =>
      /Nothing was sent: you did not allow model: mock/.test(
        (await nvim.messages()).replaceAll("\n", " "),
      ),
    );
    expect(await nvim.text()).not.toContain("🤖:");
    await nvim.lua("Answer = 'Yes, for this file'");
    await nvim.until("an answer of the script", async () => {
      await nvim.command("Parley respond");
      return /Done\./.test(await nvim.text());
    });
  });

  it("is not said to be one for what looks like a secret in a question that was typed here", async () => {
    editor = await TestNeovim.start({ path, chat: { text: "💬: \n" }, init: answering });
    const nvim = editor;
    await nvim.ready();
    await writeFile(join(nvim.home, ".env"), "KEY=needle\n");
    await nvim.lua("Answer = 'Yes, send it this time'");
    await nvim.input(`A@@${nvim.home}/.env@@<Esc>`);
    for (const count of [1, 2]) {
      await nvim.command("Parley respond");
      await nvim.until("the question", async () => (await asked(nvim)).length === count);
      const question = (await asked(nvim))[count - 1] ?? "";
      expect(question).toMatch(/^This looks like a secret\. Send it to the model\?\n/);
      expect(question).toMatch(/reads .*\.env, which looks like a secret/);
      expect(question).not.toMatch(/not written|all chats/);
      await nvim.untilText(/🤖:[\s\S]*💬: $/);
      // Another question about it asks again.
      await nvim.input(`GA@@${nvim.home}/./.env@@<Esc>`);
    }
  });

  it("is asked about before its waiting call is answered, whoever began the answer", async () => {
    const nvim = await openForeign(path);
    await nvim.lua("Answer = 'Yes, for this file'");
    const call = '{"id":"a","type":"function","function":{"name":"gone","arguments":"{}"}}';
    const file = join(nvim.home, "begun.md");
    const script = join(nvim.home, "script.json");
    const turns = JSON.stringify({ turns: [{ text: "One." }, { text: "Two." }] });
    await writeFile(script, turns);
    await writeFile(
      file,
      `---\nmodel: mock/file:${script}\n---\n\n💬: hi\n\n🤖:\n\n❓: \`${call}\`\n`,
    );
    await nvim.command(`edit ${file} | Parley attach`);
    await nvim.until("the call", async () => /gone · not offered/.test(await nvim.virtualText()));
    await nvim.input("gg/^❓<CR>yo");
    await nvim.untilText(/Two\.\n\n💬: $/);
    expect(await asked(nvim)).toEqual([expect.stringContaining("model: mock/file:")]);
  });
});
