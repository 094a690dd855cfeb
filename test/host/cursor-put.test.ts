/** What is put or pasted at the end of a streaming answer begins the next question (doc/cursor.md, rule 3). */
import { beforeEach, describe, expect, it } from "vitest";
import { look, openShownChat, untilOn } from "../support/cursor.ts";
import type { LiveChat } from "../support/live-chat.ts";
import type { Reply } from "../support/live-model.ts";
import { neovims, type TestNeovim } from "../support/neovim.ts";

type Put = readonly [name: string, put: (nvim: TestNeovim) => Promise<unknown>, text: string];

const keys = (typed: string) => (nvim: TestNeovim) => nvim.input(typed);

/** As a terminal's paste arrives that fits into one message. */
const paste = (text: string) => (nvim: TestNeovim) =>
  nvim.client.request("nvim_paste", [text, true, -1]);

/** As it arrives when it is longer: Neovim takes all pieces before it looks at what has changed. */
const pasteInPieces =
  (...pieces: readonly string[]) =>
  (nvim: TestNeovim) =>
    nvim.lua(
      `local pieces = ...
      for at, piece in ipairs(pieces) do
        vim.api.nvim_paste(piece, true, at == 1 and 1 or at < #pieces and 2 or 3)
      end`,
      pieces,
    );

const puts: readonly Put[] = [
  ["p", keys("p"), "what"],
  ["gp", keys("gp"), "what"],
  ["3p", keys("3p"), "whatwhatwhat"],
  ["a register", keys('"ap'), "one line"],
  ["a line", keys('"bp'), "one line"],
  [":put", keys(":put<CR>"), "what"],
  [":read", keys(":read !echo what<CR>"), "what"],
  ["a macro", keys("qqpq"), "what"],
  ["a paste", paste("pasted"), "pasted"],
  ["a paste of lines", paste("pasted\n\nmore\n"), "pasted\n\nmore\n"],
  ["a long paste", pasteInPieces("pas", "ted\n\nmo", "re"), "pasted\n\nmore"],
  ["a longer paste", pasteInPieces("pasted\n", "more\n", "\n", "end"), "pasted\nmore\n\nend"],
];

describe.each(neovims)("text put at the tip in Neovim $version", ({ path }) => {
  let live: LiveChat;
  let nvim: TestNeovim;
  let reply: Reply;

  const answer = async () => (await nvim.text()).split("[live]\n\n")[1];

  beforeEach(async () => {
    ({ live, nvim } = await openShownChat(path));
    await nvim.lua("vim.fn.setreg('a', 'one line') vim.fn.setreg('b', 'one line', 'l')");
    await nvim.command("set eventignore=");
    await nvim.input("gg/what<CR>yeG");
    reply = await live.respond();
    reply.say("one\n", "two");
    await untilOn(nvim, /^two$/);
  });

  async function goOn(): Promise<string | undefined> {
    reply.say(" three");
    await nvim.untilText(/ three/);
    reply.end();
    await live.ended();
    return answer();
  }

  it.each(puts)("waits below the answer: %s", async (_, put, text) => {
    await put(nvim);
    await nvim.untilText(/two\n<!--/);
    expect((await look(nvim)).line).toBe(text.split("\n").at(-1));
    expect(await goOn()).toBe(`one\ntwo three\n\n💬: \n${text}`);
  });

  it.each(puts)("is gone with one undo: %s", async (_, put) => {
    const before = await nvim.text();
    await put(nvim);
    await nvim.untilText(/two\n<!--/);
    await nvim.input("u");
    await nvim.until("the undo", async () => (await nvim.text()) === before);
    expect(await goOn()).toBe("one\ntwo three\n\n💬: ");
  });

  it.each([
    ["pa more", "what more"],
    ["pA more", "what more"],
    ['"bpA more', "one line more"],
    ["pi, ", "wha, t"],
  ])("is the text in which %s goes on typing", async (typed, text) => {
    // As while it is held back during a stream, and the text does not come by a key.
    await nvim.command("set eventignore=TextChanged");
    await nvim.input(typed);
    await nvim.untilText(new RegExp(`two\\n<!--.*\\n${text}$`));
    expect(await goOn()).toBe(`one\ntwo three\n\n💬: \n${text}`);
  });

  it.each(["p", "Awhat", "o<CR>what<Esc>"])(
    "waits below the answer where the question above has changed: %s",
    async (typed) => {
      await nvim.input("gg/what<CR>oand<CR>more<Esc>/two<CR>$");
      await untilOn(nvim, /^two$/);
      await nvim.input(typed);
      await nvim.untilText(/two\n<!--[^\n]*\n+what/);
      expect(await goOn()).toMatch(/^one\ntwo three\n\n💬: \n+what$/u);
    },
  );

  it.each([
    ["P", "one\ntwwhato three\n\n💬: "],
    ["yyP", "one\ntwo\ntwo three\n\n💬: "],
    ["kp", "onewhat\ntwo three\n\n💬: "],
    ["kyyp", "one\none\ntwo three\n\n💬: "],
    ["kyypp", "one\none\none\ntwo three\n\n💬: "],
    ["kyyPjp", "one\none\none\ntwo three\n\n💬: "],
    ["kOnew<Esc>jp", "new\nonewhat\ntwo three\n\n💬: "],
    ["xp", "one\ntwo three\n\n💬: "],
    ["J", "one\ntwo  three\n\n💬: "],
  ])("stays where it is elsewhere: %s", async (typed, text) => {
    await nvim.input(typed);
    await nvim.input(":let g:done = 1<CR>");
    await nvim.until("the keys", () => nvim.lua("return vim.g.done"));
    expect(await goOn()).toBe(text);
  });

  it.each([
    ["a line is added above", "gg/one<CR>Onew<Esc>G?two<CR>$", "new\none\n"],
    ["its line is doubled", "yyPj$", "one\ntwo\n"],
    ["a line is removed above", "kddG?two<CR>$", ""],
  ])("waits below the answer where %s before", async (_, typed, above) => {
    await nvim.input(typed);
    await untilOn(nvim, /^two$/);
    await nvim.input('"ap');
    await nvim.untilText(/two\n<!--/);
    expect(await goOn()).toBe(`${above}two three\n\n💬: \none line`);
  });

  it("waits below the answer with `follow = false`, too", async () => {
    live.keepFromOthers();
    await nvim.lua("require('parley').setup({ follow = false })");
    await nvim.input("p");
    await nvim.untilText(/two\n<!--/);
    expect(await goOn()).toBe("one\ntwo three\n\n💬: \nwhat");
  });

  it("is not left in the answer by an undo of what was typed there", async () => {
    await nvim.input("Amine");
    await nvim.untilText(/two\n<!--.*\nmine$/);
    await nvim.input("<Esc>");
    const texts = new Set<string>();
    for (let left = 3; left > 0 && (await nvim.text()).includes("mine"); left -= 1) {
      await nvim.input("u");
      await nvim.until("Normal mode", async () => (await look(nvim)).mode === "n");
      texts.add(await nvim.text());
    }
    const whole = [...texts];
    expect(whole.at(-1)).not.toContain("mine");
    for (const text of whole) expect(text).not.toMatch(/two\S/);
  });
});
