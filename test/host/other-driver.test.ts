/** A chat that another Neovim answers: Parley says so, and reads it again after each save, without a key. */
import { describe, expect, it } from "vitest";
import { openLiveChat } from "../support/live-chat.ts";
import { oneNeovim } from "../support/neovim.ts";

describe.each(oneNeovim)("a chat open in two Neovims $version", ({ path }) => {
  it("is shown by the one that does not answer it as the other one saves it", async () => {
    const live = await openLiveChat({ path });
    const { nvim: other } = await live.reopen();
    const status = async () => String(await other.lua("return vim.b.parley_status or ''"));
    const reply = await live.respond();
    const pid = await live.hostPid();
    await other.until("who answers", async () =>
      (await status()).includes(`another process (pid ${pid}) is answering`),
    );
    reply.say("First answer.");
    reply.end();
    await live.ended();
    await other.untilText(/First answer\.\n\n💬: $/);
    await other.until("the end", async () => !(await status()).includes("another process"));
    expect(await other.lua("return vim.bo.modified")).toBe(false);

    // What was answered there is answered here, too: who asks for it again is asked whether the answer may go.
    await other.lua(`vim.ui.select = function(_, options, choose)
        vim.g.asked = options.prompt
        choose(nil)
      end
      vim.fn.search("what is new", "w")`);
    await other.input("<C-g><C-g>");
    await other.until("the question", async () =>
      String(await other.lua("return vim.g.asked or ''")).includes("Replace its answer?"),
    );
    expect(await other.text()).toContain("First answer.");
    await other.input("G");

    // One with words of its own is left alone, and that is said once.
    await other.input("Gomine<Esc>");
    await live.nvim.input("Gomore<Esc>");
    const second = await live.respond();
    second.say("Second answer.");
    await other.until("who answers again", async () =>
      (await status()).includes("another process"),
    );
    second.end();
    await live.ended();
    await other.until("the word", async () =>
      (await other.messages()).includes("this buffer has unsaved changes"),
    );
    const text = await other.text();
    expect(text).toContain("mine");
    expect(text).not.toContain("Second answer.");

    // However often the other one answers.
    await other.until("the end again", async () => !(await status()).includes("another process"));
    await live.nvim.input("Goand more<Esc>");
    const third = await live.respond();
    await other.until("who answers", async () => (await status()).includes("another process"));
    third.end();
    await live.ended();
    await other.until("the end", async () => !(await status()).includes("another process"));
    expect((await other.messages()).match(/this buffer has unsaved changes/g)).toHaveLength(1);
  });
});
