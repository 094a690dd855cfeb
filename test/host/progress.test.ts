/** The line that shows the progress of an answer says what is going on, and which key stops it. */
import { expect, it } from "vitest";
import { openLiveChat, openNextLiveChat } from "../support/live-chat.ts";
import { neovims, oneNeovim } from "../support/neovim.ts";
import { watchScreen } from "../support/screen.ts";

it.each(neovims)("says what the model does, in Neovim $version", async ({ path }) => {
  const live = await openLiveChat({ path });
  const screen = await watchScreen(live.nvim);
  const shows = (text: RegExp) =>
    live.nvim.until(`${text} on screen`, () => text.test(screen.text()));
  let starts = 0;
  await live.nvim.lua(`vim.api.nvim_create_autocmd("User", { pattern = "ParleyStart",
    callback = function() Starts = (Starts or 0) + 1 end })`);
  const reply = await live.respond();
  await shows(/^\S live · waiting · <C-g>x stops$/m);
  await shows(/^\S live · waiting [12] s · <C-g>x stops$/m);
  reply.think("Let me see.");
  await shows(/^\S live · thinking( \d+ s)? · <C-g>x stops$/m);
  reply.say("I search.");
  await shows(/^\S live · <C-g>x stops$/m);
  reply.call({ id: "call_1", query: "say:one" });
  await shows(/^\S live · writing web_search( \(\d+ bytes\))? · <C-g>x stops$/m);
  reply.end("tool_calls");
  await live.ended();
  starts = Number(await live.nvim.lua("return Starts"));
  expect(starts).toBe(1);
});

it.each(oneNeovim)(
  "shows the progress of a tool that never pauses, in Neovim $version",
  async ({ path }) => {
    const live = await openNextLiveChat({ path });
    const screen = await watchScreen(live.nvim);
    const reply = await live.respond();
    reply.call({ id: "call_1", query: "busy:it" });
    reply.end("tool_calls");
    await live.ended();
    await live.nvim.input("ya");
    const shown = async () => Number(/(\d+) files read/.exec(screen.text())?.[1] ?? 0);
    const first = await live.nvim.until("how far it is", shown);
    await live.nvim.until("how far it came since", async () => (await shown()) > first);
    await live.release("it", "done");
    (await live.reply()).end();
    await live.ended();
  },
);
