/** Every end of a turn is reported, saved and whole, wherever a user typed meanwhile (format, section 8). */
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { asked, type LiveChat, openNextLiveChat, question } from "../support/live-chat.ts";
import type { Reply } from "../support/live-model.ts";
import { casesFor, neovims } from "../support/neovim.ts";

/** Keys at the question's first line, and what the first line is afterwards. */
const onQuestion: readonly (readonly [string, string, RegExp])[] = [
  ["<CR> inside it", "gg6j$Bi<CR><Esc>", /💬: what is\s*\nnew\?/],
  ["<CR> at its beginning", "gg6j0i<CR><Esc>", /\n\n💬:\s*\nwhat is new\?/],
  ["<CR> at its end", "gg6jA<CR>MORE<Esc>", /💬: what is new\?\nMORE/],
  ["a paste of two lines in it", "gg6j$Bi\x16\x0aONE<CR>TWO<CR><Esc>", /ONE\nTWO/],
  ["gqj with a narrow width", ":set tw=12<CR>gg6jgqj", /💬: what\s+is\s+new\?/],
  ["dd and u", "gg6jddu", /💬: what is new\?/],
  ["a filter of all lines above", ":1,7!cat<CR>", /💬: what is new\?/],
  ["dd and P", "gg6jddP", /💬: what is new\?/],
  ["a line opened above and below", "gg6jOUP<Esc>joDOWN<Esc>", /UP\n💬: what is new\?\nDOWN/],
  ["joining it with the line above", "gg6jOx<Esc>ddkJu", /💬: what is new\?/],
];

async function openHalf(path: string): Promise<{ live: LiveChat; reply: Reply }> {
  const live = await openNextLiveChat({ path, chat: { text: asked } });
  await live.nvim.input("G");
  const reply = await live.respond();
  reply.say("Half an ");
  await live.nvim.untilText(/Half an\s*\n<!-- parley:unfinished open/);
  return { live, reply };
}

async function typed(live: LiveChat, keys: string): Promise<void> {
  await live.nvim.input(`<Esc>${keys}`);
  await live.nvim.until("all keys", async () => {
    const mode = z.object({ mode: z.string(), blocking: z.boolean() });
    await live.nvim.lua("return 1");
    const now = mode.parse(await live.nvim.client.request("nvim_get_mode", []));
    return now.mode === "n" && !now.blocking;
  });
}

async function expectSaved(live: LiveChat): Promise<void> {
  const text = await live.nvim.text();
  await live.nvim.until(
    "the file as the buffer",
    async () => (await live.nvim.file()) === `${await live.nvim.text()}\n`,
  );
  expect(await live.nvim.file()).toBe(`${text}\n`);
  expect(await live.nvim.lua("return vim.bo.modified")).toBe(false);
}

describe.each(neovims)("editing the question in Neovim $version", ({ path }) => {
  it.each(casesFor(path, onQuestion))(
    "keeps the turn when the answer streams: %s",
    async (_, keys, kept) => {
      const { live, reply } = await openHalf(path);
      await typed(live, keys);
      reply.say("answer.");
      reply.call({ id: "c1", query: "say:found" });
      reply.end("tool_calls");
      expect(await live.ended()).toBe("ParleyWaiting");
      const text = await live.nvim.text();
      expect(text).toMatch(kept);
      expect(text).toContain("Half an answer.\n\n❓: `");
      expect(text).not.toContain("unfinished");
      await expectSaved(live);
    },
  );

  it.each(casesFor(path, onQuestion, 1))(
    "keeps the turn when a tool runs: %s",
    async (_, keys, kept) => {
      const { live, reply } = await openHalf(path);
      reply.call({ id: "c1", query: "hold:it" });
      reply.end("tool_calls");
      expect(await live.ended()).toBe("ParleyWaiting");
      await live.nvim.input("ya");
      await live.nvim.until("the call", () => live.runs().includes("begin hold:it"));
      await typed(live, keys);
      await live.release("it", "what was found");
      const next = await live.reply();
      next.say("Done.");
      next.end();
      expect(await live.ended()).toBe("ParleyDone");
      const text = await live.nvim.text();
      expect(text).toMatch(kept);
      expect(text).toContain("`what was found`\n\nDone.\n\n💬: ");
      expect(text).not.toContain("unfinished");
      await expectSaved(live);
    },
  );
});

const onMark: readonly (readonly [string, string, string])[] = [
  ["GA", "GAMINE<Esc>", "MINE"],
  ["A on the mark", "/unfinished<CR>AMINE<Esc>", "MINE"],
  ["I on the mark", "/unfinished<CR>IMINE<Esc>", "MINE"],
  ["o below the mark", "GoMINE<Esc>", "MINE"],
  ["a word inside the mark", "/unfinished<CR>iMINE<Esc>", "MINE"],
  ["cc on the mark", "/unfinished<CR>ccMINE<Esc>", "MINE"],
  ["two lines behind the mark", "GAMINE<CR>TOO<Esc>", "MINE\nTOO"],
  ["<CR> inside the mark", "/unfinished<CR>i<CR><Esc>", ""],
];

const deletions: readonly (readonly [string, string])[] = [
  ["the mark", "/unfinished<CR>dd"],
  ["the answer's first line", "/🤖<CR>dd"],
  ["the answer", "/🤖<CR>dG"],
  ["everything", "ggdG"],
  ["the answer, by undo", "u"],
];

describe.each(neovims)("typing at the tip in Neovim $version", ({ path }) => {
  it.each(casesFor(path, onMark))(
    "keeps what is typed below the answer: %s",
    async (_, keys, mine) => {
      const { live, reply } = await openHalf(path);
      await typed(live, keys);
      reply.say("answer.");
      reply.end();
      expect(await live.ended()).toBe("ParleyDone");
      const text = await live.nvim.text();
      expect(text).toContain("Half an answer.");
      expect(text).not.toContain("parley:");
      if (mine !== "") expect(text.indexOf(mine)).toBeGreaterThan(text.indexOf("Half an answer."));
      expect(
        text.split("\n").some((line) => line.startsWith("💬: ") && !line.includes(question)),
      ).toBe(true);
      await expectSaved(live);
    },
  );

  it.each(casesFor(path, deletions))(
    "says and saves what ends because its place was deleted: %s",
    async (what, keys) => {
      const { live, reply } = await openHalf(path);
      const { nvim } = live;
      await typed(live, keys);
      reply.say("more");
      expect(await live.ended()).toBe("ParleyDone");
      await nvim.until("a sentence", async () =>
        /was stopped[\s\S]*<C-g><C-g>/.test(await nvim.messages()),
      );
      expect(await nvim.text()).not.toContain("unfinished open");
      // Who empties a chat while it is answered may want it back: the file is left to them.
      if (what === "everything") expect(await nvim.file()).toContain(question);
      else await expectSaved(live);
      reply.end();
    },
  );
});

describe.each(neovims)("a chat that is detached in Neovim $version", ({ path }) => {
  it("has what came of an answer in its file, with the mark that it was stopped", async () => {
    const { live, reply } = await openHalf(path);
    await live.nvim.command("Parley detach");
    await live.nvim.until("the end of the answer", () => reply.isGone());
    await live.nvim.untilText(/Half an\n<!-- parley:unfinished stopped -->/);
    await live.nvim.until("what came of it", async () =>
      /This answer was stopped/.test(await live.nvim.messages()),
    );
    await expectSaved(live);
  });

  it("has the result of a call that ran", async () => {
    const { live, reply } = await openHalf(path);
    reply.call({ id: "c1", query: "hold:it" });
    reply.end("tool_calls");
    await live.ended();
    await live.nvim.input("ya");
    await live.nvim.until("the call", () => live.runs().includes("begin hold:it"));
    await live.nvim.command("Parley detach");
    await live.nvim.untilText(/\[c1\] \(cancelled\)/);
    await live.nvim.until("what came of it", async () =>
      /^Stopped\./m.test(await live.nvim.messages()),
    );
    await expectSaved(live);
  });
});
