/** Stopping at any moment: what was said is kept, and the same step can be asked for again in its place. */
import { describe, expect, it } from "vitest";
import { asked, type LiveChat, openNextLiveChat } from "../support/live-chat.ts";
import type { Reply } from "../support/live-model.ts";
import { itInTurn, neovims, oneNeovim } from "../support/neovim.ts";

const stopped = `${asked}\n🤖:[live]\n\nHalf an\n<!-- parley:unfinished stopped -->`;
const finished = `${asked}\n🤖:[live]\n\nAnother answer.\n\n💬: `;

async function openHalf(path: string): Promise<{ readonly live: LiveChat; readonly reply: Reply }> {
  const live = await openNextLiveChat({ path });
  const reply = await live.respond();
  reply.say("Half an", " ");
  await live.nvim.untilText(/Half an\n<!-- parley:unfinished open/);
  return { live, reply };
}

/** A turn whose tool runs until a test ends it. */
async function openRunning(path: string): Promise<LiveChat> {
  const live = await openNextLiveChat({ path });
  const reply = await live.respond();
  reply.say("Looking.");
  reply.call({ id: "call_1", query: "hold:one" }, { id: "call_2", query: "say:two" });
  reply.end("tool_calls");
  await live.ended();
  await live.nvim.input("gg/^❓:<CR>ya");
  await live.nvim.untilText(/🛠️: \[web_search\]\[call_2\]\n\n`two`/);
  return live;
}

async function answerAgain(live: LiveChat, reply: Reply): Promise<void> {
  reply.say("Another answer.");
  reply.end();
  expect(await live.ended()).toBe("ParleyDone");
}

describe.each(oneNeovim)("a Neovim $version that hears nobody for a while", ({ path }) => {
  it("takes the host for silent neither at a question nor at a stop", async () => {
    const live = await openNextLiveChat({ path });
    await live.nvim.lua(`Told, Notify, Select = {}, vim.notify, vim.ui.select
      vim.notify = function(text) table.insert(Told, text) end
      vim.ui.select = function(_, options) table.insert(Told, options.prompt) end`);
    // As at :!make, or while it is suspended.
    const busy = "vim.uv.sleep(2100)";
    await live.nvim.lua(`require("parley.actions").respond() ${busy}`);
    const reply = await live.reply();
    reply.say("Half an", " ");
    await live.nvim.untilText(/Half an\n<!-- parley:unfinished open/);
    await live.nvim.lua(`require("parley.actions").stop() ${busy}`);
    expect(await live.ended()).toBe("ParleyDone");
    const told = await live.nvim.lua("vim.notify, vim.ui.select = Notify, Select return Told");
    expect(told).toEqual([expect.stringMatching(/^This answer was stopped/)]);
  });
});

describe.each(neovims)("stopping in Neovim $version", ({ path }) => {
  const it = itInTurn(path);
  it.each(["<C-g>x", "i<C-g>x<Esc>", ":ParleyStop<CR>", ":Parley stop<CR>"])(
    "%s closes the stream, keeps its text and marks it",
    async (keys) => {
      const { live, reply } = await openHalf(path);
      await live.nvim.input(keys);
      expect(await live.ended()).toBe("ParleyDone");
      await live.nvim.until("the closed socket", () => reply.isGone());
      expect(await live.nvim.text()).toBe(stopped);
      expect(await live.nvim.file()).toBe(`${stopped}\n`);
      reply.say("too late");
      await live.nvim.until("the remark", async () =>
        (await live.nvim.virtualText()).includes("Press <C-g><C-g> to ask again"),
      );
      expect(await live.nvim.text()).toBe(stopped);
    },
  );

  it("stops the chat that was left, and says when it does nothing", async () => {
    const { live, reply } = await openHalf(path);
    await live.nvim.command("set hidden | enew");
    await live.nvim.input(":Parley stop<CR>");
    expect(await live.ended()).toBe("ParleyDone");
    await live.nvim.until("the closed socket", () => reply.isGone());
    expect(await live.nvim.file()).toBe(`${stopped}\n`);
    // It has nothing to stop by now, and says so.
    await live.nvim.command("messages clear");
    await live.nvim.input(":Parley stop<CR>");
    await live.nvim.until("the words", async () =>
      /Nothing is running/.test(
        String(
          await live.nvim.lua("return vim.api.nvim_exec2('messages', { output = true }).output"),
        ),
      ),
    );
  });

  it.each(["<C-g><C-g>", ":Parley retry<CR>"])("%s asks again in place, one undo", async (keys) => {
    const { live } = await openHalf(path);
    await live.nvim.input("<C-g>x");
    await live.ended();
    await live.nvim.input(keys);
    const again = await live.reply();
    expect(again.messages.map(({ role }) => role)).toEqual(["system", "user"]);
    await answerAgain(live, again);
    expect(await live.nvim.text()).toBe(finished);
    await live.nvim.input("u");
    await live.nvim.until("the stopped answer", async () => (await live.nvim.text()) === stopped);
    await live.nvim.input("<C-r>");
    await live.nvim.until("the redone answer", async () => (await live.nvim.text()) === finished);
    expect(live.model.count()).toBe(2);
  });

  it("asks for a finished answer again on retry, in place, one undo", async () => {
    const { live, reply } = await openHalf(path);
    reply.say("answer.");
    reply.end();
    await live.ended();
    const before = await live.nvim.text();
    await live.nvim.input(":Parley retry<CR>");
    await answerAgain(live, await live.reply());
    expect(await live.nvim.text()).toBe(finished);
    await live.nvim.input("u");
    await live.nvim.until("the first answer", async () => (await live.nvim.text()) === before);
  });

  it("ends a slow tool, and goes on when the user responds", async () => {
    const live = await openRunning(path);
    await live.nvim.input("<C-g>x");
    expect(await live.ended()).toBe("ParleyDone");
    const text = await live.nvim.text();
    expect(text).toMatch(/🛠️: \[web_search\]\[call_1\] \(cancelled\)/);
    expect(text).not.toContain("unfinished");
    await live.nvim.until("the cancelled run", () => live.runs().includes("cancel hold:one"));
    await live.release("one", "too late");
    expect(live.model.count()).toBe(1);
    await live.nvim.input("<C-g><C-g>");
    const next = await live.reply();
    expect(next.messages.map(({ role }) => role)).toEqual([
      "system",
      "user",
      "assistant",
      "tool",
      "tool",
    ]);
    await answerAgain(live, next);
    expect(live.runs().filter((run) => run.startsWith("begin"))).toHaveLength(2);
  });

  it("ends one call with :Parley stop call, and the turn goes on", async () => {
    const live = await openRunning(path);
    await live.nvim.input("gg/hold:one<CR>:Parley stop call<CR>");
    await answerAgain(live, await live.reply());
    expect(await live.nvim.text()).toMatch(/\[call_1\] \(cancelled\)[\s\S]*Another answer\./);
  });

  it("changes nothing while calls wait", async () => {
    const live = await openNextLiveChat({ path });
    const reply = await live.respond();
    reply.call({ id: "call_1", query: "say:one" });
    reply.end("tool_calls");
    await live.ended();
    const before = await live.nvim.text();
    await live.nvim.input("<C-g>x");
    await live.nvim.until("a message", async () =>
      (await live.nvim.messages()).includes("Nothing is running"),
    );
    expect(await live.nvim.text()).toBe(before);
    await live.nvim.input("gg/^❓:<CR>yo");
    await answerAgain(live, await live.reply());
  });

  it("keeps the text of a connection that breaks, and says so", async () => {
    const { live, reply } = await openHalf(path);
    reply.drop();
    expect(await live.ended()).toBe("ParleyError");
    expect(await live.nvim.text()).toBe(stopped.replace("stopped", "error"));
    await live.nvim.input("<C-g><C-g>");
    await answerAgain(live, await live.reply());
    expect(await live.nvim.text()).toBe(finished);
  });
});
