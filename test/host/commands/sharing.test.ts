/** What a user hands on of a chat, in one Neovim: an export beside the work. */
import {
  existsSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { loadPieces } from "../../../src/app/state/written-pieces.ts";
import { piecesOf } from "../../../src/conversation/decide/openings.ts";
import { parseTranscript } from "../../../src/transcript/parse.ts";
import { oneNeovim, TestNeovim } from "../../support/neovim.ts";

let editor: TestNeovim | undefined;
afterEach(async () => {
  await editor?.cleanUp();
  editor = undefined;
});

describe.each(oneNeovim)("in Neovim $version", ({ path }) => {
  it("exports the text on screen, and asks before it replaces a file", async () => {
    const nvim = await TestNeovim.start({
      path,
      chat: { text: "💬: how much?\n\n🤖:[x]\n\n**$911**\n" },
      init: `Says, Asked = {}, {}
        vim.ui.select = function(items, options, done)
          table.insert(Asked, options.prompt)
          done(Says[1] and vim.iter(items):find(function(item) return tostring(item):find(Says[1]) end))
          table.remove(Says, 1)
        end`,
    });
    editor = nvim;
    await nvim.ready();
    await nvim.command("call setline(1, '💬: how much now?')");
    const says = (words: RegExp) =>
      nvim.until(String(words), async () => words.test(await nvim.messages()));
    await nvim.command("Parley export");
    await says(/Exported to .*chat\.html\./);
    const page = join(nvim.home, "chat.html");
    expect(readFileSync(page, "utf8")).toContain("how much now?");
    writeFileSync(page, "mine");
    await nvim.lua("Says = { 'No' }");
    await nvim.command("Parley export html");
    await nvim.until("a question", async () => (await nvim.lua("return #Asked")) === 1);
    await nvim.command("Parley export markdown notes.txt");
    await says(/Exported to .*notes\.txt\./);
    expect(readFileSync(join(nvim.home, "notes.txt"), "utf8")).toContain("**$911**");
    expect(readFileSync(page, "utf8")).toBe("mine");
    if (process.platform !== "win32") {
      const other = join(nvim.home, "other");
      rmSync(page);
      symlinkSync(other, page);
      await nvim.command("Parley export");
      await says(/chat\.html is a broken link, so nothing was written/);
      expect(existsSync(other)).toBe(false);
      writeFileSync(other, "mine");
      await nvim.lua("Says = { 'No' }");
      await nvim.command("Parley export");
      await nvim.until("a question", async () => (await nvim.lua("return #Asked")) === 2);
      expect(await nvim.lua("return Asked[2]")).toMatch(
        /chat\.html is a link to .*other\. Replace what is in that file\?/,
      );
      expect(readFileSync(other, "utf8")).toBe("mine");
    }
    await nvim.command("1");
    await nvim.command("Parley tree");
    await says(/This chat has no branches\. :Parley branch starts one/);
    await nvim.command("call append(1, '@@./notes.txt@@')");
    await nvim.command("Parley branch");
    const name = () => nvim.lua("return vim.fn.expand('%:t')");
    await nvim.until("the branch", async () => (await name()) === "chat-branch.md");
    expect(await nvim.text()).toBe(
      "🌿: chat.md\n\n💬: how much now?\n@@./notes.txt@@\n\n🤖:[x]\n\n**$911**\n\n💬: ",
    );
    // As in any chat that is opened, the cursor is behind the marker of the last question.
    const cursor = "return vim.deep_equal(vim.api.nvim_win_get_cursor(0), { 10, 5 })";
    await nvim.until("the cursor in the question", () => nvim.lua(cursor));
    // What was typed there a moment ago was written here, too.
    const child = realpathSync(nvim.chatPath.replace(/\.md$/, "-branch.md"));
    const pieces = await loadPieces(join(nvim.home, "state", "nvim", "parley"), child);
    expect(pieces).toEqual(piecesOf(parseTranscript(readFileSync(child, "utf8"))));
    await nvim.input("gggf");
    await nvim.until("the parent", async () => (await name()) === "chat.md");
    expect(await nvim.text()).toMatch(/\*\*\$911\*\*\n\n🌿: chat-branch\.md: how much now\?/);
    // Elsewhere it is Neovim's own, its words for what is not there too.
    await nvim.input("ccsee no/such.ts<Esc>gf");
    await says(/E447: Can't find file "no\/such\.ts" in path/);
    expect(await nvim.messages()).not.toContain("stack traceback");
    await nvim.input("u");
    await nvim.command("Parley tree");
    await nvim.until("the tree", async () => (await nvim.text()).startsWith("● how much now?"));
    expect(await nvim.text()).toMatch(
      /^● how much now\? {2}chat\.md\n {2}○ how much now\? {2}chat-branch\.md$/,
    );
    // Each row is in view, below the one for the keys.
    expect(await nvim.lua("return { vim.fn.line('w0'), vim.fn.line('w$') }")).toEqual([1, 2]);
    expect(await nvim.lua("return vim.wo.winbar")).toBe("<CR> opens, q closes");
    // On a row of the tree, the chat that it names.
    await nvim.input("j<CR>");
    await nvim.until("the branch", async () => (await name()) === "chat-branch.md");
    expect(await nvim.lua("return vim.wo.winbar")).toBe("");
    await nvim.command(`Parley export html ${join(nvim.home, "no", "x.html")}`);
    await says(/That did not work: \S+x\.html: there is no such file or folder \(ENOENT\)\./);
    await nvim.command("Parley export pdf");
    await says(/takes html or markdown, and then a file, not "pdf"/);
    await nvim.command("call append(0, ['---', 'topic: x', '---', '']) | 1");
    await nvim.command("Parley branch");
    await says(/Put the cursor on the question or answer with which the branch ends/);
  });
});
