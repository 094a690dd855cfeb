/** What Insert mode means for following (doc/cursor.md): typing before a question is sent, and leaving Insert mode. */
import { beforeEach, describe, expect, it } from "vitest";
import { firstCalls, look, openShownChat, untilOn } from "../support/cursor.ts";
import type { LiveChat } from "../support/live-chat.ts";
import { neovims, type TestNeovim } from "../support/neovim.ts";

/** Clicks behind the end of a line. */
async function click(nvim: TestNeovim, line: string): Promise<void> {
  const row = await nvim.lua(
    "return vim.fn.screenpos(0, vim.fn.search('^' .. ... .. '$', 'nw'), 1).row - 1",
    line,
  );
  for (const action of ["press", "release"])
    await nvim.client.request("nvim_input_mouse", ["left", action, "", 0, Number(row), 60]);
}

describe.each(neovims)("Insert mode in Neovim $version", ({ path }) => {
  let live: LiveChat;
  let nvim: TestNeovim;

  beforeEach(async () => {
    ({ live, nvim } = await openShownChat(path));
  });

  it.each([
    ["is not saved yet", "GA there<C-g><C-g>"],
    ["is above another", "gg/what<CR>A there<C-g><C-g>"],
    ["is above another, and left at once", "gg/what<CR>A there<C-g><C-g><Esc>"],
  ])("follows the answer to a question that %s", async (name, keys) => {
    if (name.startsWith("is above")) await nvim.lua("vim.fn.append('$', { '', '💬: below' })");
    await nvim.input(keys);
    const reply = await live.reply();
    reply.say("one\n", "end");
    await untilOn(nvim, /^end$/);
    reply.end();
    await live.ended();
  });

  it.each(["<Esc>", "<C-c>", "<Esc>a<Esc>", "<C-o>l<Esc>", "<Insert><Esc>"])(
    "goes on following where it is left by %s, to the first call",
    async (keys) => {
      await nvim.input("GA");
      const reply = await live.respond();
      reply.say("one\n", "twé");
      await untilOn(nvim, /^twé$/);
      await nvim.input(keys);
      await nvim.until("Normal mode", async () => (await look(nvim)).mode === "n");
      reply.say("\nthree");
      await untilOn(nvim, /^three$/);
      reply.call(...firstCalls);
      reply.end("tool_calls");
      await live.ended();
      await untilOn(nvim, /^❓.*call_1/u);
      expect((await look(nvim)).mode).toBe("n");
    },
  );

  it("goes on following where Neovim takes the cursor back by a character", async () => {
    await nvim.input("GA");
    const reply = await live.respond();
    reply.say("one\n", "twé");
    await untilOn(nvim, /^twé$/);
    await nvim.lua(`local row = vim.fn.line(".")
      vim.api.nvim_win_set_cursor(0, { row, #"tw" })`);
    reply.say(" three");
    await untilOn(nvim, /^twé three$/);
    await nvim.input("mine");
    await nvim.untilText(/\nmine$/);
    reply.end();
    await live.ended();
    expect((await nvim.text()).split("one\n")[1]).toBe("twé three\n\n💬: \nmine");
  });

  it("follows a question below one that was just answered again", async () => {
    const below = [
      "",
      "🤖:[x]",
      "",
      "old",
      "",
      "💬: other",
      "",
      "🤖:[x]",
      "",
      "old",
      "",
      "💬: below",
    ];
    await nvim.lua("vim.fn.append('$', ...) vim.cmd.write()", below);
    await nvim.input("gg/what<CR>A there<C-g><C-g>");
    const first = await live.reply();
    first.say("one");
    first.end();
    await live.ended();
    await untilOn(nvim, /^one$/);
    await nvim.input("<C-o>G<End> too");
    await untilOn(nvim, /^💬: below too$/u);
    await nvim.input("<C-g><C-g>");
    const second = await live.reply();
    second.say("end");
    await untilOn(nvim, /^end$/);
    second.end();
    await live.ended();
  });

  it("leaves words at the tip to the next question where respond is pressed at once", async () => {
    await nvim.input("GA");
    const reply = await live.respond();
    reply.say("one");
    await untilOn(nvim, /^one$/);
    await nvim.input("mine<C-g><C-g>");
    await nvim.untilText(/mine/);
    reply.say(" two");
    reply.end();
    await nvim.untilText(/💬: \nmine$/);
    expect((await nvim.text()).split("[live]\n\n")[1]).toBe("one two\n\n💬: \nmine");
  });

  it.each(["<Down><Down><End>", "<C-End><Up><End>", "a click"])(
    "leaves words to the next question where they are typed at the tip after %s",
    async (keys) => {
      await nvim.input("GA");
      const reply = await live.respond();
      reply.say("one\n", "two");
      await untilOn(nvim, /^two$/);
      await nvim.input("<Up><Up>");
      for (const word of [" three", " four"]) {
        reply.say(word);
        await nvim.untilText(new RegExp(`${word}\n`));
      }
      await untilOn(nvim, /^$/);
      if (keys === "a click") await click(nvim, "two three four");
      else await nvim.input(keys);
      await untilOn(nvim, /^two three four$/);
      await nvim.input("mi");
      await nvim.untilText(/\nmi$/);
      reply.say(" five");
      await nvim.untilText(/five/);
      await nvim.input("ne");
      await nvim.untilText(/\nmine$/);
      reply.end();
      await live.ended();
      expect((await nvim.text()).split("one\n")[1]).toBe("two three four five\n\n💬: \nmine");
    },
  );

  it.each(["", "<Esc>", "<C-o>"])(
    "stays in a next question when respond is pressed too early (%s)",
    async (before) => {
      await nvim.input("GA");
      const reply = await live.respond();
      reply.say("one");
      await untilOn(nvim, /^one$/);
      await nvim.input("mine<CR>");
      reply.say(" two");
      await nvim.untilText(/one two[\s\S]*\nmine\n/);
      await nvim.input(`${before}<C-g><C-g>`);
      await nvim.until("the refusal", async () => (await nvim.messages()).includes("under way"));
      reply.say(" three");
      await nvim.untilText(/one two three/);
      await nvim.input(before === "<Esc>" ? "Amore" : "more");
      reply.say(" four");
      await nvim.untilText(/one two three four[\s\S]*\nmine\nmore$/);
      reply.end();
      await live.ended();
      expect((await nvim.text()).split("[live]\n\n")[1]).toBe(
        "one two three four\n\n💬: \nmine\nmore",
      );
    },
  );

  it.each([
    ["above the answer", "gg", /^---$/],
    ["in the answer", "<Esc>G?two<CR>", /^two$/],
  ])("stays %s when respond is pressed too early there", async (_, keys, line) => {
    await nvim.input("GA");
    const reply = await live.respond();
    reply.say("one\n\ntwo\n\nthree");
    await untilOn(nvim, /^three$/);
    await nvim.input(`<Esc>${keys}`);
    await untilOn(nvim, line);
    await nvim.input("<C-g><C-g>");
    await nvim.until("the refusal", async () => (await nvim.messages()).includes("under way"));
    reply.say(" four");
    await nvim.untilText(/three four/);
    reply.end();
    await live.ended();
    expect((await look(nvim)).line).toMatch(line);
  });

  it.each(["<Left>", "<Left><Esc>", "<Esc>h", "<Home><Esc>"])("stays after %s", async (keys) => {
    await nvim.input("GA");
    const reply = await live.respond();
    reply.say("one\n", "two three");
    await untilOn(nvim, /^two three$/);
    await nvim.input(keys);
    await nvim.until("the key", async () => (await look(nvim)).col < 10);
    reply.say("\nfour");
    await nvim.untilText(/\nfour/);
    reply.end();
    await live.ended();
    expect((await look(nvim)).line).toBe("two three");
  });
});
