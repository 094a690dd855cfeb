/** The rules of doc/cursor.md: where Parley moves the cursor, seen on a screen of 80×24 with real keys. */
import { beforeEach, describe, expect, it } from "vitest";
import { z } from "zod";
import { firstCalls, look, openShownChat, proposeCalls, untilOn } from "../support/cursor.ts";
import { asked, header, type LiveChat, openLiveChat } from "../support/live-chat.ts";
import { neovims, type TestNeovim } from "../support/neovim.ts";
import type { Screen } from "../support/screen.ts";

const many = (from: number, count: number) =>
  Array.from({ length: count }, (_, index) => `line ${from + index}\n`);
describe.each(neovims)("the cursor in Neovim $version", ({ path }) => {
  let live: LiveChat;
  let nvim: TestNeovim;
  let screen: Screen;
  const shows = (text: RegExp) => nvim.until(`${text} on screen`, () => text.test(screen.text()));

  async function open(text?: string): Promise<void> {
    ({ live, nvim, screen } = await openShownChat(path, text));
  }
  /** In a Neovim of its own, whose screen has no other messages. */
  async function openAlone(): Promise<void> {
    ({ live, nvim, screen } = await openShownChat(path, asked, openLiveChat));
  }
  async function openWithCalls(calls = firstCalls): Promise<void> {
    await open();
    await proposeCalls({ live, nvim, screen }, calls);
  }

  describe("during an answer", () => {
    beforeEach(() => open());

    it("follows the answer to its end, in Insert mode too, and ends behind the next question's marker", async () => {
      await nvim.input("GA");
      const reply = await live.respond();
      reply.say(...many(1, 40), "half a line");
      await shows(/\nhalf a line\n\S live/);
      expect(await look(nvim)).toEqual({ line: "half a line", col: 12, last: 12, mode: "i" });
      reply.end();
      await live.ended();
      await untilOn(nvim, /^💬: $/u);
      const at = await look(nvim);
      expect(at).toMatchObject({ mode: "i", col: at.last });
      await nvim.input("more<Esc>");
      await nvim.untilText(/\n💬: more$/);
      const next = await live.respond();
      next.say(...many(1, 30));
      await shows(/line 30\n\S live/);
      next.end();
      await live.ended();
      await untilOn(nvim, /^💬: $/u);
      expect((await look(nvim)).mode).toBe("n");
    });

    const stopAfter = async (said: readonly string[]) => {
      const reply = await live.respond();
      reply.say(...said);
      await shows(/\S live · /);
      await nvim.until("the words", async () => (await nvim.text()).includes(said.join("")));
      await nvim.input("<C-g>x");
      await live.ended();
      await nvim.untilText(/unfinished stopped/);
    };

    it.each([
      ["nothing", [], "i", "\n<!-- parley:unfinished stopped -->\nand more$"],
      ["nothing, in Normal mode", [], "A", "\n<!-- parley:unfinished stopped -->\nand more$"],
      ["something", ["Half"], "i", "Half\n<!-- parley:unfinished stopped -->\nand more$"],
      [
        "something, in Normal mode",
        ["Half"],
        "A",
        "Halfand more\n<!-- parley:unfinished stopped -->$",
      ],
    ])(
      "puts what is typed below the mark of an answer that was stopped with %s",
      async (_, said, key, text) => {
        if (key === "i") await nvim.input("GA");
        await stopAfter(said);
        await nvim.input(key === "i" ? "and more" : `${key}and more`);
        await nvim.untilText(new RegExp(text));
        await nvim.input("!");
        await nvim.untilText(/more!/);
        const next = await live.respond();
        next.say("Whole.");
        next.end();
        await live.ended();
        // What is edited in the answer goes with it, as one sees.
        if (text.startsWith("Halfand")) return;
        await nvim.untilText(/Whole\.\n\n💬: \nand more!$/);
        await untilOn(nvim, /^and more!$/);
        await nvim.input("?");
        await nvim.untilText(/and more!\?$/);
      },
    );

    it.each([
      [
        "the question",
        [],
        "?💬<CR>Amore",
        /💬: .+more\n\n🤖:\[live\]\n\n<!-- parley:unfinished stopped -->$/u,
      ],
      ["the mark", ["Half"], "GAmore", /\nHalf\n<!-- parley:unfinished stopped -->\nmore$/],
    ])("types where the cursor was moved to after a stop: %s", async (_, said, keys, text) => {
      await stopAfter(said);
      await nvim.input(keys);
      await nvim.untilText(text);
    });

    it.each([
      ["moves", "3k", /^line 38$/],
      ["scrolls", "<C-y>", /^line/],
      ["types elsewhere", "ggo", /^$/],
    ])("stays when the user %s", async (_, keys, line) => {
      const reply = await live.respond();
      reply.say(...many(1, 40), "end");
      await shows(/\nend\n\S live/);
      // With room below, so that scrolling takes the cursor nowhere.
      await nvim.input("<C-e><C-e>");
      await nvim.input(keys);
      await nvim.until(
        "the keys",
        async () => line.test((await look(nvim)).line) || keys === "<C-y>",
      );
      const before = await look(nvim);
      reply.say("\n", ...many(41, 60));
      await nvim.untilText(/line 99/);
      reply.end();
      await live.ended();
      expect(await look(nvim)).toEqual(before);
    });

    it.each([
      ["goes on where a plugin that draws scrolls line by line is on its way", "", /^end more/],
      ["stays where such a plugin takes it after a key", "x", /^line/],
    ])("%s", async (_, key, line) => {
      live.keepFromOthers();
      const reply = await live.respond();
      reply.say(...many(1, 40));
      await shows(/line 40\n\S live/);
      // However long the test takes, the key was pressed just now.
      if (key)
        await nvim.lua(`local now = vim.uv.hrtime() vim.uv.hrtime = function() return now end`);
      await nvim.lua(`vim.keymap.set("n", "x", function() Pressed = true end)
        vim.api.nvim_create_autocmd("WinScrolled", { callback = function()
          if Scrolled then return end
          Scrolled = true
          local top = vim.fn.line("w0")
          vim.fn.winrestview({ topline = top - 1, lnum = top + 5, col = 0 })
        end })`);
      await nvim.input(key);
      await nvim.until("the key", () => nvim.lua("return (Pressed == true) == ...", key !== ""));
      reply.say(...many(41, 3));
      await nvim.until("the plugin", () => nvim.lua("return Scrolled == true"));
      reply.say("end");
      await nvim.untilText(/\nend/);
      reply.say(" more");
      await nvim.untilText(/end more/);
      await untilOn(nvim, line);
    });

    it.each([
      ["in a short answer", 5],
      ["in a long one", 60],
    ])("stays where a script puts it %s", async (_, count) => {
      const reply = await live.respond();
      reply.say(...many(1, count), "end");
      await shows(/\nend\n\S live/);
      await nvim.lua("vim.api.nvim_win_set_cursor(0, { vim.fn.search('^line 3$', 'bn'), 0 })");
      reply.say(" more");
      await nvim.untilText(/end more/);
      expect(await look(nvim)).toMatchObject({ line: "line 3" });
    });

    it.each(["split", "belowright vsplit", "belowright new", "tab split", "resize 9"])(
      "goes on following when windows come beside it by :%s, and in a window split off",
      async (command) => {
        const reply = await live.respond();
        reply.say(...many(1, 40), "end");
        await shows(/\nend\n\S live/);
        await nvim.input(`:${command}<CR>`);
        await nvim.until("the command", () => nvim.lua("return vim.fn.mode() == 'n'"));
        reply.say("\n", ...many(41, 60), "last");
        const rows = () =>
          nvim.lua(`return vim.tbl_map(function(win)
            return vim.api.nvim_win_call(win, function() return vim.fn.getline(".") end)
          end, vim.fn.win_findbuf(vim.fn.bufnr("chat.md")))`);
        await nvim.until("all of them at the end", async () =>
          z
            .array(z.string())
            .parse(await rows())
            .every((line) => line === "last"),
        );
        reply.end();
        await live.ended();
      },
    );

    it.each(["A", "i", "a"])(
      "leaves words that are typed at the tip by %s to the next question",
      async (key) => {
        const reply = await live.respond();
        reply.say("The answer ");
        await untilOn(nvim, /^The answer/);
        await nvim.input(`${key}what el`);
        await untilOn(nvim, /^what el$/);
        reply.say("goes on\nand on.");
        await nvim.untilText(/and on\./);
        await nvim.input("se?<CR>Tell.");
        await untilOn(nvim, /^Tell\.$/);
        reply.end();
        await live.ended();
        expect(await nvim.text()).toBe(
          `${asked}\n🤖:[live]\n\nThe answer goes on\nand on.\n\n💬: \nwhat else?\nTell.`,
        );
        expect(await look(nvim)).toMatchObject({ line: "Tell.", mode: "i", col: 6 });
      },
    );

    it("shows what is written above a message at the bottom, which goes with a key only", async () => {
      await openAlone();
      const message = (words: string) =>
        nvim.lua(`require("parley.messages.notify").notify(("${words} "):rep(40), 3)`);
      const reply = await live.respond();
      reply.say("line 1\n");
      await shows(/line 1\n\S live/);
      await message("early");
      reply.say(...many(2, 39));
      await shows(/line 40\n\S live.*\nearly early/);
      reply.say("\n", ...many(41, 60), "long ".repeat(60), "end");
      await shows(/long end\n\S live.*\nearly early/);
      // A fold is one row, however many lines are in it.
      await nvim.lua(`vim.wo.foldmethod = "manual" vim.cmd("silent 50,55fold")`);
      reply.say("\nlast");
      await shows(/long end\nlast\n\S live.*\nearly early/);
      reply.end();
      await live.ended();
      await shows(/\n💬:.*\nearly early/);
    });

    it("shows a message above what is written, where it would be over the cursor", async () => {
      await openAlone();
      const reply = await live.respond();
      reply.say(...many(1, 40));
      await shows(/line 40\n\S live/);
      await nvim.lua(`require("parley.messages.notify").notify(("late "):rep(40), 3)`);
      await shows(/^late late[\s\S]*line 40\n\S live/);
      reply.say("\nlast");
      await shows(/^late late[\s\S]*\nlast\n\S live/);
      reply.end();
      await live.ended();
    });

    it.each([
      ["in a line below", "omine", "mine"],
      ["in one go", "Amine<Esc>", "mine"],
      ["by a macro", ':let @q = "Amine\\e"<CR>@q', "mine"],
      ["by a dot", ".", "?"],
      ["with a count", "3Amine<Esc>", "mineminemine"],
      ["with lines", "Aone<CR>two<Esc>", "one\ntwo"],
    ])(
      "takes words that are typed at the tip %s for the next question, too",
      async (_, keys, words) => {
        await nvim.input("GA?<Esc>");
        const reply = await live.respond();
        reply.say("The first.\nThe answer");
        await untilOn(nvim, /^The answer/);
        await nvim.input(keys);
        await nvim.untilText(/unfinished open -->\n./);
        reply.say(" ends.");
        reply.end();
        await live.ended();
        expect((await nvim.text()).split("The first.")[1]).toBe(
          `\nThe answer ends.\n\n💬: \n${words}`,
        );
      },
    );

    it("stays where it is when following is off", async () => {
      live.keepFromOthers();
      await nvim.lua("require('parley').setup({ follow = false })");
      await nvim.input("gg0");
      const reply = await live.respond();
      reply.say(...many(1, 40));
      await nvim.untilText(/line 40/);
      reply.end();
      await live.ended();
      expect((await look(nvim)).line).toBe("---");
    });
  });

  describe("at calls", () => {
    it("goes to the next open call after each decision, however fast, and then follows", async () => {
      await openWithCalls();
      await nvim.input("yo");
      await untilOn(nvim, /^❓: .*call_2/u);
      await nvim.input("yo");
      const reply = await live.reply();
      reply.say("Both done.");
      await untilOn(nvim, /^Both done\.$/);
      reply.call({ id: "call_3", query: "say:three" }, { id: "call_4", query: "say:four" });
      reply.end("tool_calls");
      await live.ended();
      await untilOn(nvim, /^❓.*call_3/u);
      await nvim.lua("vim.fn.setreg('q', 'yoyo')");
      await nvim.input("@q");
      const last = await live.reply();
      last.say("All done.");
      last.end();
      await live.ended();
      await untilOn(nvim, /^💬: $/u);
      expect((await nvim.text()).match(/^❓:\[yo\]/gmu)).toHaveLength(4);
    });

    it("says on a decided call that it is decided, and leaves text objects and other lines alone", async () => {
      await openWithCalls([
        { id: "call_1", query: "hold:one" },
        { id: "call_2", query: "say:two" },
      ]);
      await nvim.input("yn<CR>");
      await untilOn(nvim, /^❓: .*call_2/u);
      await nvim.input("gg0/call_1<CR>0");
      await untilOn(nvim, /^❓:\[yn\]/u);
      await nvim.input("yo");
      await shows(/This call is already decided \(\[yn\]\)\./);
      const before = await nvim.text();
      await nvim.input("yaw");
      await nvim.until("the yank", async () => (await nvim.client.call("getreg", ['"'])) === "❓");
      await nvim.input("gg0jyaw");
      await nvim.until("the yank", async () =>
        /^topic/.test(String(await nvim.client.call("getreg", ['"']))),
      );
      expect(await nvim.text()).toBe(before);
    });

    it("says where it was pressed why a key decides nothing", async () => {
      await openWithCalls();
      await nvim.command("setlocal nomodifiable");
      await nvim.input("yo");
      await nvim.until("a word", () => nvim.messages());
      await nvim.command("setlocal modifiable");
      await nvim.command("1");
      await nvim.command("Parley approve one");
      await shows(/The cursor is not on an open/);
    });
  });

  describe("when a chat is opened", () => {
    const call =
      '❓: `{"id":"c","type":"function","function":{"name":"web_search","arguments":"{}"}}`';
    const long = many(1, 60).join("");

    it("goes to the first waiting call, else to the last question", async () => {
      await open(`${header}💬: hi\n\n🤖:[x]\n\n${long}\n${call}\n`);
      await untilOn(nvim, /^❓/u);
      const other = nvim.chatPath.replace(/[^/]*$/, "other.md");
      const text = `${header}💬: hi\n\n🤖:[x]\n\n${long}\n💬: last words\n`.split("\n");
      await nvim.lua("vim.fn.writefile(...)", text.slice(0, -1), other);
      await nvim.command(`edit ${other}`);
      await untilOn(nvim, /last words$/);
      expect(await look(nvim)).toMatchObject({ mode: "n" });
    });

    it("stays where a command or a mark put it", async () => {
      await open(asked);
      const other = nvim.chatPath.replace(/[^/]*$/, "other.md");
      await nvim.lua(
        "vim.fn.writefile(...)",
        `${header}💬: hi\n\n🤖:[x]\n\n${long}`.split("\n"),
        other,
      );
      await nvim.command(`edit +20 ${other}`);
      await nvim.ready();
      await nvim.until("the view", () => nvim.lua("return vim.b.parley_status ~= nil"));
      expect(await nvim.client.call("line", ["."])).toBe(20);
    });
  });
});
