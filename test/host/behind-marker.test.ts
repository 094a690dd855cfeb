/** The marker of a question, for who types in its line with the keys that Neovim has for lines. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { neovims, TestNeovim } from "../support/neovim.ts";

const above = "---\ntopic: x\n---\n\n💬: one\n\n🤖: An answer.\n\n";

describe.each(neovims)("the marker of a question in Neovim $version", ({ path }) => {
  let nvim: TestNeovim;
  let chats = 0;

  beforeAll(async () => {
    nvim = await TestNeovim.start({ path, chat: { text: `${above}💬: ` } });
    await nvim.ready();
    await nvim.until("its keys to be watched", () =>
      nvim.lua(`return pcall(vim.api.nvim_get_autocmds, { group = "parley.behind_marker" })`),
    );
  });
  afterAll(() => nvim?.cleanUp());

  /** Presses the keys in a chat that ends with this text, from its last line; every part after a redraw. */
  async function press(text: string, ...keys: string[]): Promise<string> {
    chats += 1;
    await nvim.openChat(`${chats}.md`, `${above}${text}`);
    await nvim.command("normal! G0");
    for (const [index, part] of keys.entries()) {
      await nvim.command("redraw!");
      await nvim.input(`${part}<Cmd>let g:pressed = '${chats}.${index}'<CR>`);
      await nvim.until(part, () => nvim.lua(`return vim.g.pressed == "${chats}.${index}"`));
    }
    await nvim.until("Normal mode", async () => {
      await nvim.input("<Esc>");
      return (await nvim.lua("return vim.api.nvim_get_mode().mode")) === "n";
    });
    return (await nvim.text()).slice(above.length);
  }

  it.each([
    ["cc", "💬: old", ["ccnew"], "💬: new"],
    ["S", "💬: old", ["Snew"], "💬: new"],
    ["C in its first column", "💬: old", ["Cnew"], "💬: new"],
    ["cc into no register", "💬: old", ['"_ccnew'], "💬: new"],
    ["Vc", "💬: old", ["Vcnew"], "💬: new"],
    ["cip", "💬: old\nmore\nand more", ["cipnew"], "💬: new"],
    ["2cc", "💬: old\nmore\nand more", ["kk2ccnew"], "💬: new\nand more"],
    ["cc and .", "💬: old", ["ccnew<Esc>", "j."], "💬: new"],
    ["a macro", "💬: old", ["qqccnew<Esc>qu", "@q"], "💬: new"],
    ["cc, and then nothing, where 'autoindent' takes the space", "💬: old", ["cc"], "💬:"],
    ["cc where nothing was asked yet", "💬: ", ["ccnew"], "💬: new"],
    ["cc, with one that is typed", "💬: old", ["cc💬: new"], "💬: new"],
    ["cc, with one that is typed slowly", "💬: old", ["cc", "💬", ":", " ", "new"], "💬: new"],
    ["cc, with one, and a second line", "💬: old", ["cc💬: new<CR>more"], "💬: new\nmore"],
    ["cc, with the one that it took", "💬: old", ["cc", '<C-r>"', "new"], "💬: old\nnew"],
    ["<C-u>", "💬: old", ["A", "x", "<C-u>", "<C-u>", "new"], "💬: new"],
    ["cc and <C-u>", "💬: old", ["ccnext", "<C-u>", "<C-u>", "new"], "💬: new"],
  ])("comes back after %s", async (_, text, keys, expected) => {
    expect(await press(text, ...keys)).toBe(expected);
  });

  it.each([
    ["I", "💬: question", ["IMy "], "💬: My question"],
    ["i in its first column", "💬: question", ["iMy "], "💬: My question"],
    ["a on it", "💬: question", ["aMy "], "💬: My question"],
    ["gI", "💬: question", ["$gIMy "], "💬: My question"],
    ["I where nothing was asked yet", "💬: ", ["IMine"], "💬: Mine"],
    ["I without a space behind the marker", "💬:question", ["IMy "], "💬:My question"],
    ["I and <C-u>", "💬: question", ["IMy <C-u>Our "], "💬: Our question"],
    ["I and .", "💬: question", ["Ino <Esc>", "."], "💬: no no question"],
  ])("is not what %s types in front of", async (_, text, keys, expected) => {
    expect(await press(text, ...keys)).toBe(expected);
  });

  it.each([
    ["dd", "💬: old", ["ddoplain"], "plain"],
    ["its own keys", "💬: ", ["A<BS><BS><BS>plain"], "plain"],
    ["D", "💬: old", ["D", "Aplain"], "plain"],
    ["a line above", "💬: old", ["Oplain"], "plain\n💬: old"],
    ["Replace mode", "💬: old", ["Rplain!"], "plain!"],
    ["a substitution", "💬: old", [":s/.*//<CR>", "Aplain"], "plain"],
    ["a block", "💬: old\nmore", ["<C-v>kIx"], "x💬: old\nxmore"],
    ["an answer", "💬: old\n\n🤖: new", ["ccplain"], "💬: old\n\nplain"],
  ])("is left to who removes or passes it with %s", async (_, text, keys, expected) => {
    expect(await press(text, ...keys)).toBe(expected);
  });

  it("is brought back and taken back in one step of undo", async () => {
    expect(await press("💬: old", "ccnew<Esc>", "u")).toBe("💬: old");
    expect(await press("💬: old", "ccnew<Esc>", "u<C-r>")).toBe("💬: new");
    expect(await press("💬: old", "A<C-u>", "<Esc>u")).toBe("💬: old");
  });

  it("is text like other text in no chat", async () => {
    await nvim.command("enew! | call setline(1, '💬: text') | normal! 0");
    await nvim.input("Imy <Esc>");
    await nvim.until("its text", async () => (await nvim.text()) === "my 💬: text");
    await nvim.input("u0ccnew<Esc>");
    await nvim.until("only new text", async () => (await nvim.text()) === "new");
  });
});
