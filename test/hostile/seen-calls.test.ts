/** A key says yes to what a user can have read: details that came with the cursor need a moment. */
import { describe, expect } from "vitest";
import { type LiveChat, openLiveChat } from "../support/live-chat.ts";
import { itInTurn, neovims } from "../support/neovim.ts";

/** A clock that stops until the test says otherwise. */
const clock = `Clock = 0
  vim.uv.hrtime = function() return Clock * 1e6 end`;
const later = "Clock = Clock + 1000";

/** Too long for a row of 120 columns: its end is below the calls, and only while the cursor is on it. */
const long = (end: string) => `say:${"word ".repeat(24)}${end}`;

describe.each(neovims)("a yes in Neovim $version", ({ path }) => {
  const it = itInTurn(path);
  async function openWith(...queries: readonly string[]): Promise<LiveChat> {
    const live = await openLiveChat({ path });
    await live.nvim.lua(clock);
    const reply = await live.respond();
    reply.call(...queries.map((query, index) => ({ id: `call_${index + 1}`, query })));
    reply.end("tool_calls");
    await live.ended();
    return live;
  }
  const begun = (live: LiveChat) => live.runs().filter((line) => line.startsWith("begin"));
  const floats = async ({ nvim }: LiveChat) =>
    Number(
      await nvim.lua(`return #vim.tbl_filter(function(win)
        return vim.api.nvim_win_get_config(win).title ~= nil
      end, vim.api.nvim_list_wins())`),
    );
  const untilListed = (live: LiveChat) =>
    live.nvim.until("the list", async () => (await floats(live)) === 1);

  it("to calls where nothing stood before them needs no time", async () => {
    const live = await openWith(long("one"), "say:two");
    await live.nvim.input("yoyo");
    await live.nvim.until("both runs", () => begun(live).length === 2);
  });

  it("to rows that were all seen decides one after the other", async () => {
    const live = await openWith("say:one", "say:two");
    await live.nvim.lua(later);
    await live.nvim.input("yoyo");
    await live.nvim.until("both runs", () => begun(live).length === 2);
  });

  it("never reaches what only came below the calls with the cursor", async () => {
    const live = await openWith(long("seen"), long("unseen"));
    const { nvim } = live;
    expect(await nvim.virtualText()).toContain("2 calls wait");
    await nvim.lua(later);
    await nvim.input("yoyo");
    await untilListed(live);
    expect(
      await nvim.lua("return #require('parley.screen.show').open_calls(vim.fn.bufnr('chat'))"),
    ).toBe(1);
    expect(begun(live)).toEqual([]);
    await nvim.input("yo");
    await nvim.until("both runs", () => begun(live).length === 2);
  });

  it("is not waited for by a no", async () => {
    const live = await openWith("say:one");
    await live.nvim.input("yn<CR>");
    await live.nvim.untilText(/\(declined\)/);
  });
});
