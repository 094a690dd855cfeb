/** The rules of doc/cursor.md: words that wait for the next question, and calls that settle below the cursor. */
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { firstCalls, look, openShownChat, proposeCalls, untilOn } from "../support/cursor.ts";
import { header, type LiveChat } from "../support/live-chat.ts";
import { neovims, type TestNeovim } from "../support/neovim.ts";
import type { Screen } from "../support/screen.ts";

describe.each(neovims)("words and calls at the cursor in Neovim $version", ({ path }) => {
  let live: LiveChat;
  let nvim: TestNeovim;
  let screen: Screen;
  const shows = (text: RegExp) => nvim.until(`${text} on screen`, () => text.test(screen.text()));

  async function open(text?: string): Promise<void> {
    ({ live, nvim, screen } = await openShownChat(path, text));
  }
  async function openWithCalls(calls = firstCalls): Promise<void> {
    await open();
    await proposeCalls({ live, nvim, screen }, calls);
  }

  it("stays in words for the next question in Normal mode, too, and goes on with them", async () => {
    await open();
    const reply = await live.respond();
    reply.say("The answer ");
    await untilOn(nvim, /^The answer/);
    await nvim.input("Amine");
    await untilOn(nvim, /^mine$/);
    await nvim.input("<Esc>");
    reply.say("goes on\nand on.");
    await nvim.untilText(/and on\./);
    expect(await look(nvim)).toMatchObject({ line: "mine", col: 4, mode: "n" });
    await nvim.input("A, too<Esc>");
    await untilOn(nvim, /^mine, too$/);
    reply.end();
    await live.ended();
    expect((await nvim.text()).split("The answer")[1]).toBe(" goes on\nand on.\n\n💬: \nmine, too");
  });

  it("puts words that are typed at the tip below those that wait there", async () => {
    await open();
    const reply = await live.respond();
    reply.say("The first.\n");
    await untilOn(nvim, /^The first/);
    await nvim.input("Aone<CR>two<Esc>");
    await untilOn(nvim, /^two$/);
    reply.call(...firstCalls);
    reply.end("tool_calls");
    await live.ended();
    await untilOn(nvim, /^❓.*call_1/u);
    await nvim.input("ya");
    const next = await live.reply();
    next.say("The last");
    await untilOn(nvim, /^The last$/);
    await nvim.input("Athree");
    await untilOn(nvim, /^three$/);
    next.end();
    await live.ended();
    expect((await nvim.text()).split("The last")[1]).toBe("\n\n💬: \none\ntwo\nthree");
  });

  it.each([
    ["A", true],
    ["i", true],
    ["o", true],
    ["A", false],
    ["o", false],
  ])(
    "takes words that %s begins at the end after reading elsewhere (follow: %s)",
    async (key, follow) => {
      await open();
      live.keepFromOthers();
      await nvim.lua("require('parley').setup({ follow = ... })", follow);
      const reply = await live.respond();
      reply.say("One\ntwo");
      await nvim.untilText(/^two$/m);
      await nvim.input("gg");
      reply.say("\nthree");
      await nvim.untilText(/^three$/m);
      await nvim.input(`/three<CR>$${key}mine`);
      await untilOn(nvim, /^mine$/);
      reply.say(" four");
      await nvim.untilText(/^three four$/m);
      reply.end();
      await live.ended();
      expect((await nvim.text()).split("two\n")[1]).toBe("three four\n\n💬: \nmine");
      expect(await look(nvim)).toMatchObject({ line: "mine", col: 5, mode: "i" });
    },
  );

  it.each([
    ["a key that is refused while an answer streams", ""],
    ["a key that is refused, in Insert mode", "i"],
  ])("leaves words that are typed elsewhere after %s", async (_, enter) => {
    await open();
    const reply = await live.respond();
    reply.say("One\ntwo\nthree\nfour");
    await untilOn(nvim, /^four$/);
    const before = await nvim.text();
    await nvim.input(`gg4G${enter}<C-g><C-g>`);
    await shows(/under way/);
    // Pressed above the answer; then the user goes on in it.
    await nvim.lua("local at = vim.fn.search('^One$') vim.api.nvim_win_set_cursor(0, { at, 0 })");
    await nvim.input(`${enter === "" ? "i" : ""}MY `);
    await nvim.untilText(/^MY One$/m);
    reply.say("\nfive");
    await nvim.untilText(/^five$/m);
    expect(await nvim.text()).toBe(before.replace("One", "MY One").replace("four", "four\nfive"));
    reply.end();
    await live.ended();
  });

  it("leaves words that are typed into the question, with follow = false, too", async () => {
    await open();
    live.keepFromOthers();
    await nvim.lua("require('parley').setup({ follow = false })");
    const reply = await live.respond();
    reply.say("One\ntwo");
    await nvim.untilText(/^two$/m);
    const before = await nvim.text();
    await nvim.lua("local at = vim.fn.search('^💬') vim.api.nvim_win_set_cursor(0, { at, 0 })");
    await nvim.input("A And this?");
    await nvim.untilText(/And this\?/);
    reply.say("\nthree");
    await nvim.untilText(/^three$/m);
    const now = before.replace(/^(💬: .*)$/m, "$1 And this?").replace("two", "two\nthree");
    expect(await nvim.text()).toBe(now);
    reply.end();
    await live.ended();
  });

  it("keeps words whole that are typed after Neovim waited below a long message", async (task) => {
    await open();
    // From Neovim 0.11 on, in place of a key.
    task.skip((await nvim.lua("return vim.fn.exists('&messagesopt')")) === 0);
    await nvim.lua("vim.o.messagesopt = 'wait:1000,history:500'");
    await nvim.input("GA");
    const reply = await live.respond();
    reply.say("One");
    await untilOn(nvim, /^One$/);
    await nvim.lua(
      `vim.schedule(function() vim.api.nvim_echo({ { ("x"):rep(300) } }, true, {}) end)`,
    );
    const mode = async () =>
      z.object({ mode: z.string() }).parse(await nvim.client.request("nvim_get_mode", [])).mode;
    await nvim.until("the wait", async () => (await mode()) === "r");
    reply.say(" two");
    await nvim.until("its end", async () => (await mode()) === "i");
    await untilOn(nvim, /^One two$/);
    await nvim.input("mine");
    reply.say(" three");
    reply.end();
    await live.ended();
    expect((await nvim.text()).split("[live]\n\n")[1]).toBe("One two three\n\n💬: \nmine");
  });

  it("leaves words that are typed into another chat in the same window", async () => {
    await open();
    const reply = await live.respond();
    reply.say("One\ntwo");
    await untilOn(nvim, /^two$/);
    const [before, chat] = [
      await nvim.text(),
      await nvim.lua("return vim.api.nvim_get_current_buf()"),
    ];
    const other = nvim.chatPath.replace(/[^/]*$/, "other.md");
    await nvim.command(`edit ${other} | call setline(1, range(100, 130)) | 12`);
    await nvim.input("A here");
    await nvim.untilText(/^111 here$/m);
    reply.say("\nthree");
    reply.end();
    await live.ended();
    const lines = "return table.concat(vim.api.nvim_buf_get_lines(..., 0, -1, false), '\\n')";
    expect(await nvim.lua(lines, chat)).toBe(`${before.split("two")[0]}two\nthree\n\n💬: `);
    expect(await look(nvim)).toMatchObject({ line: "111 here", mode: "i" });
  });

  it("leaves an answer that broke off where a key was refused above it", async () => {
    const half = "🤖:[live]\n\nHalf\n<!-- parley:unfinished stopped -->\n";
    await open(`${header}💬: zero\n\n💬: one\n\n${half}`);
    await nvim.lua("local at = vim.fn.search('zero') vim.api.nvim_win_set_cursor(0, { at, 0 })");
    await nvim.input("A<Cmd>Parley retry<CR>");
    await shows(/no answer here yet/);
    const before = await nvim.text();
    await nvim.lua("local at = vim.fn.search('^Half') vim.api.nvim_win_set_cursor(0, { at, 4 })");
    await nvim.input(" more");
    await nvim.untilText(/more/);
    expect(await nvim.text()).toBe(before.replace("Half", "Half more"));
  });

  it("leaves a call that settles a row below the cursor, and the window on its lines", async () => {
    await openWithCalls([
      { id: "call_1", query: `say:${"one ".repeat(9)}` },
      { id: "call_2", query: "hold:two" },
    ]);
    await nvim.client.request("nvim_ui_try_resize", [80, 18]);
    await nvim.input("ya");
    await shows(/❓\s?\[ya\] web_search "say:one one .* · /);
    expect(screen.text()).not.toContain('"id":"call_1"');
    await live.release("two", "2");
    const reply = await live.reply();
    reply.say("Both done.");
    await untilOn(nvim, /^Both done\.$/);
    expect(await nvim.client.call("line", ["w0"])).toBe(1);
    await nvim.input("gg0/call_1<CR>");
    await shows(/"id":"call_1"/);
  });
});
