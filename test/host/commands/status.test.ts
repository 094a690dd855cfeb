/** `:Parley status` says what the chat does, in words of the screen, and counts what was asked. */
import { describe, expect, it } from "vitest";
import { type LiveChat, openNextLiveChat } from "../../support/live-chat.ts";
import { oneNeovim } from "../../support/neovim.ts";

async function status({ nvim }: LiveChat): Promise<string> {
  await nvim.command("messages clear | Parley status");
  let said = "";
  await nvim.until("the status", async () => {
    said = /(\d+ exchanges?; [\w ]+)/.exec(await nvim.messages())?.[1] ?? "";
    return said !== "";
  });
  return said;
}

describe.each(oneNeovim)("the status in Neovim $version", ({ path }) => {
  it("is that of the answer, and does not count the question that is not written yet", async () => {
    const live = await openNextLiveChat({ path });
    const reply = await live.respond();
    reply.say("Half an", " ");
    await live.nvim.untilText(/Half an\n<!-- parley:unfinished open/);
    expect(await status(live)).toBe("1 exchange; answering");
    reply.say("answer.");
    reply.end();
    await live.ended();
    await live.nvim.untilText(/answer\.\n\n💬: $/);
    expect(await status(live)).toBe("1 exchange; nothing is running");
    await live.nvim.input("Gomore<Esc>");
    const next = await live.respond();
    next.call({ id: "call_1", query: "say:one" }, { id: "call_2", query: "say:two" });
    next.end("tool_calls");
    expect(await live.ended()).toBe("ParleyWaiting");
    expect(await status(live)).toBe("2 exchanges; 2 calls wait");
  });
});
