import { describe, expect, it } from "vitest";
import { asked, openLiveChat } from "../support/live-chat.ts";
import { neovims } from "../support/neovim.ts";

describe.each(neovims)("an answer that streams in Neovim $version", ({ path }) => {
  it("stands in the buffer piece by piece, and in the file when it is over", async () => {
    const { nvim, respond } = await openLiveChat({ path });
    const reply = await respond();
    reply.say("Nothing ", "much");
    await nvim.untilText(/\n\nNothing much\n<!-- parley:unfinished open -->$/);
    reply.say(" today.");
    reply.end();
    const text = await nvim.untilText(/💬: $/);
    expect(text).toBe(`${asked}\n🤖:[live]\n\nNothing much today.\n\n💬: `);
    await nvim.until("the file", async () => (await nvim.file()) === `${text}\n`);
  });
});
