import { describe, expect, it } from "vitest";
import { asked, openNextLiveChat } from "../support/live-chat.ts";
import { neovims } from "../support/neovim.ts";

describe.each(neovims)("an answer that streams in Neovim $version", ({ path }) => {
  it("is in the buffer piece by piece, and in the file at its end", async () => {
    const { nvim, respond } = await openNextLiveChat({ path });
    const reply = await respond();
    reply.say("Nothing ", "much");
    await nvim.untilText(/\n\nNothing much\n<!-- parley:unfinished open -->$/);
    reply.say(" today.");
    reply.end();
    const text = await nvim.untilText(/💬: $/);
    expect(text).toBe(`${asked}\n🤖:[live]\n\nNothing much today.\n\n💬: `);
    await nvim.until("the file", async () => (await nvim.file()) === `${text}\n`);
  });

  it.each(["nomodifiable", "readonly"])("goes on in a buffer that is made %s", async (option) => {
    const { nvim, respond, ended } = await openNextLiveChat({ path });
    const reply = await respond();
    reply.say("Nothing ");
    await nvim.untilText(/\n\nNothing ?\n<!-- parley:unfinished open -->$/);
    await nvim.command(`setlocal ${option}`);
    reply.say("much");
    await nvim.untilText(/\n\nNothing much\n/);
    reply.say(" today.");
    reply.end();
    await ended();
    expect(await nvim.text()).toBe(`${asked}\n🤖:[live]\n\nNothing much today.\n\n💬: `);
    expect(await nvim.lua(`return vim.bo.${option.replace("no", "")}`)).toBe(option === "readonly");
    expect(await nvim.messages()).not.toMatch(/traceback|could not continue/);
    // The file is not overwritten if the user said so, and the message says what to do.
    if (option === "readonly") expect(await nvim.messages()).toMatch(/'readonly' is set.*:w!/);
    else await nvim.until("the file", async () => (await nvim.file()).includes("much today."));
  });

  it("says what calls wait for in a buffer that is made readonly, and decides none there", async () => {
    const { nvim, respond, reply, runs } = await openNextLiveChat({ path });
    const answer = await respond();
    answer.say("Let me look.");
    await nvim.untilText(/Let me look\./);
    await nvim.command("setlocal readonly");
    answer.call({ id: "c1", query: "say:found" });
    answer.end("tool_calls");
    await nvim.untilText(/❓: `/);
    const messages = async () => (await nvim.messages()).replaceAll("\n", " ");
    await nvim.until("how to go on", async () =>
      /so no call runs meanwhile\. Once it can be written, decide the calls\./.test(
        await messages(),
      ),
    );
    await nvim.command("messages clear");
    await nvim.input("G?❓<CR>ya");
    await nvim.until("why not", async () => /^The buffer is read-only/m.test(await messages()));
    expect(runs()).toEqual([]);
    await nvim.command("setlocal noreadonly");
    await nvim.input("ya");
    const last = await reply();
    last.say("Done.");
    last.end();
    await nvim.untilText(/Done\.\n\n💬: $/);
    expect(runs()).not.toEqual([]);
  });
});
