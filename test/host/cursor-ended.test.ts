/** What is typed between the end of an answer and the moment that the cursor goes to the next question. */
import { beforeEach, describe, expect, it } from "vitest";
import { type LiveChat, openNextLiveChat } from "../support/live-chat.ts";
import { neovims, type TestNeovim } from "../support/neovim.ts";

const untilOn = (nvim: TestNeovim, line: RegExp) =>
  nvim.until(`the cursor on ${line}`, async () =>
    line.test(String(await nvim.lua("return vim.fn.getline('.')"))),
  );
const untilTyping = (nvim: TestNeovim) =>
  nvim.until("Insert mode", () => nvim.lua("return vim.api.nvim_get_mode().mode == 'i'"));

/** The cursor goes to the next question when `GoOn()` is called. */
const holdFollow = `local cursor = require("parley.screen.cursor")
  local follow = cursor.follow
  GoOn = nil
  cursor.follow = function(...)
    local given = { ... }
    cursor.follow = follow
    GoOn = function() return follow(unpack(given)) end
    return false
  end`;

describe.each(neovims)("the end of an answer in Neovim $version", ({ path }) => {
  let live: LiveChat;
  let nvim: TestNeovim;
  beforeEach(async () => {
    live = await openNextLiveChat({ path });
    nvim = live.nvim;
  });

  async function endWithoutGoingOn(): Promise<void> {
    await nvim.lua(holdFollow);
    const reply = await live.respond();
    reply.say("The answer.");
    await untilOn(nvim, /^The answer\.$/);
    reply.end();
    await nvim.until("the end", () => nvim.lua("return GoOn ~= nil"));
  }

  it.each([
    ["at the end of the answer", "and now?", "and now?"],
    ["in lines", "and<CR>now?", "and\nnow?"],
    ["and taken back", "and now?<C-u>", ""],
  ])(
    "takes what is typed %s before the next question is there along to it",
    async (_, typed, words) => {
      await nvim.lua(holdFollow);
      const reply = await live.respond();
      reply.say("The first.\nThe answer.");
      await untilOn(nvim, /^The answer\.$/);
      await nvim.input("A");
      await untilTyping(nvim);
      reply.end();
      await nvim.until("the end", () => nvim.lua("return GoOn ~= nil"));
      await nvim.input(typed);
      await nvim.until(
        "the words",
        async () => (await nvim.text()).includes(typed.slice(0, 3)) === (words !== ""),
      );
      await nvim.lua("GoOn()");
      await nvim.input("!");
      await nvim.untilText(/!/);
      expect((await nvim.text()).split("The first.")[1]).toBe(`\nThe answer.\n\n💬: ${words}!`);
    },
  );

  it.each([
    ["a", /The answer\.\n\n💬: and now\?$/u],
    ["i", /The answer\.\n\n💬: and now\?$/u],
    ["A", /The answer\.\n\n💬: and now\?$/u],
    ["gg0i", /^and now\?---\n[\s\S]*💬: $/u],
    ["I", /\nand now\?The answer\.\n\n💬: $/u],
  ])(
    "goes on to the next question when Insert mode begins at the end of the answer, by %s",
    async (keys, text) => {
      await endWithoutGoingOn();
      await nvim.input(keys);
      await untilTyping(nvim);
      await nvim.lua("GoOn()");
      await nvim.input("and now?");
      await nvim.untilText(text);
    },
  );

  it.each(["o", "A", "o<CR>", "oa<CR>"])(
    "takes what is typed after %s along, before the next question is there",
    async (keys) => {
      await endWithoutGoingOn();
      await nvim.input(keys);
      await untilTyping(nvim);
      await nvim.input("and now?");
      await nvim.untilText(/and now\?/);
      await nvim.lua("GoOn()");
      await nvim.input("!");
      await nvim.untilText(/The answer\.\n\n💬: (?:a?\n)?and now\?!$/u);
    },
  );

  it.each(["A", "o"])("undoes what was typed after %s together with its move", async (keys) => {
    await endWithoutGoingOn();
    const before = await nvim.text();
    await nvim.input(keys);
    await untilTyping(nvim);
    await nvim.input("and now?");
    await nvim.untilText(/and now\?/);
    await nvim.lua("GoOn()");
    await nvim.untilText(/💬: and now\?$/u);
    await nvim.input("<Esc>u");
    await nvim.until("the undo", async () => (await nvim.text()) === before);
  });

  it.each(["o", "o<CR>", "A<CR>"])(
    "puts the next question before what is typed in a line that %s opened below the answer",
    async (keys) => {
      const reply = await live.respond();
      reply.say("The answer.");
      await untilOn(nvim, /^The answer\.$/);
      await nvim.input(keys);
      await untilTyping(nvim);
      reply.end();
      await live.ended();
      await nvim.input("and now?");
      await nvim.untilText(/The answer\.\n\n💬: and now\?$/u);
    },
  );
});
