/** What other plugins hear of an answer that streams: few events, none too late, and each key's at once. */
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { asked, type LiveChat, openLiveChat } from "../support/live-chat.ts";
import type { Reply } from "../support/live-model.ts";
import { neovims } from "../support/neovim.ts";

/** Lists each event with the cursor's line, the bytes of the text, and the time in milliseconds. */
const listening = `HEARD, WRITES, WITH_WRITE = {}, 0, nil
  local function note(event)
    HEARD[#HEARD + 1] = { event, vim.api.nvim_win_get_cursor(0)[1], vim.fn.wordcount().bytes, vim.uv.hrtime() / 1e6 }
  end
  for _, event in ipairs({ "CursorMoved", "TextChanged", "CursorMovedI" }) do
    vim.api.nvim_create_autocmd(event, { callback = function() note(event) end })
  end`;
/** Runs WITH_WRITE once behind the next write, before Neovim comes to events. */
const watchWrites = `local event_throttle = require("parley.screen.streaming.event_throttle")
  local write = event_throttle.write
  event_throttle.write = function(buf)
    write(buf)
    WRITES = WRITES + 1
    local run = WITH_WRITE
    WITH_WRITE = nil
    if run then run() end
  end`;

const heardEvents = z.array(z.tuple([z.string(), z.number(), z.number(), z.number()]));

async function open(
  path: string,
  init = "",
): Promise<{ readonly live: LiveChat; readonly reply: Reply; readonly hasOption: boolean }> {
  const live = await openLiveChat({ path, chat: { text: asked }, init: `${listening}\n${init}` });
  await live.nvim.lua(watchWrites);
  await live.nvim.input("G");
  const reply = await live.respond();
  reply.say("Half an ");
  await live.nvim.untilText(/Half an\n<!-- parley:unfinished open/);
  const hasOption = (await live.nvim.lua("return vim.fn.exists('+eventignorewin')")) === 1;
  return { live, reply, hasOption };
}

async function heard({ nvim }: LiveChat): Promise<z.infer<typeof heardEvents>> {
  return heardEvents.parse(await nvim.lua("return HEARD"));
}

/** Of all windows, as Neovim has it when nothing was written for a while. */
async function ignored({ nvim }: LiveChat, own: string): Promise<void> {
  await nvim.until(`only ${own || "nothing"} to be ignored in all windows`, () =>
    nvim.lua(
      `local value = ...
      return vim.iter(vim.api.nvim_list_wins()):all(function(win)
        return vim.wo[win].eventignorewin == value
      end)`,
      own,
    ),
  );
}

describe.each(neovims)("what plugins hear of an answer in Neovim $version", ({ path }) => {
  it("is reported ten times a second, and at the end as it is", async () => {
    const { live, reply, hasOption } = await open(path);
    await live.nvim.lua("HEARD = {}");
    for (let word = 0; word < 60; word += 1) {
      reply.say(`word${word} `);
      await live.nvim.untilText(new RegExp(`word${word}\\b`));
    }
    const events = await heard(live);
    const writes = z.number().parse(await live.nvim.lua("return WRITES"));
    const times = events.map(([, , , at]) => at);
    const spanMs = Math.max(...times) - Math.min(...times);
    expect(writes).toBeGreaterThan(30);
    // Two at a time; a write that Neovim has not looked at when they are told is told by Neovim, too.
    if (hasOption) expect(events.length).toBeLessThanOrEqual(2 * 2 * (spanMs / 100 + 2));
    reply.end();
    expect(await live.ended()).toBe("ParleyDone");
    await live.nvim.until("the last of the text to be told", async () => {
      const now = await live.nvim.lua(
        "return { vim.fn.wordcount().bytes, vim.api.nvim_win_get_cursor(0)[1] }",
      );
      const [bytes, line] = z.tuple([z.number(), z.number()]).parse(now);
      const told = await heard(live);
      return (
        told.some(([event, , at]) => event === "TextChanged" && at === bytes) &&
        told.some(([event, at]) => event === "CursorMoved" && at === line)
      );
    });
    if (hasOption) await ignored(live, "");
  });

  it("has each key that moves the cursor", async () => {
    const { live, reply } = await open(path);
    await live.nvim.lua(`WITH_WRITE = function() HEARD = {} vim.api.nvim_input("gg") end`);
    reply.say("answer ");
    await live.nvim.until("the key to be heard", async () =>
      (await heard(live)).some(([event, line]) => event === "CursorMoved" && line === 1),
    );
    reply.end();
    await live.ended();
  });

  it("is everything while somebody types", async () => {
    const { live, reply, hasOption } = await open(path);
    if (hasOption) await ignored(live, "");
    await live.nvim.input("Go");
    await live.nvim.lua(`WITH_WRITE = function() IGNORED = vim.wo.eventignorewin end`);
    reply.say("answer ");
    await live.nvim.until("the write", () => live.nvim.lua("return WRITES > 1"));
    if (hasOption) expect(await live.nvim.lua("return IGNORED")).toBe("");
    await live.nvim.input("x<Esc>");
    reply.end();
    await live.ended();
  });
});

describe.each(neovims.filter(({ version }) => !version.startsWith("0.10")))(
  "the option by which plugins hear less, in Neovim $version",
  ({ path }) => {
    it("is as it was, also in a window that was opened meanwhile", async () => {
      const { live, reply } = await open(path, `vim.wo.eventignorewin = "WinScrolled"`);
      await ignored(live, "WinScrolled");
      await live.nvim.lua(`WITH_WRITE = function()
        DURING = vim.wo.eventignorewin
        local place = { relative = "editor", row = 1, col = 1, width = 9, height = 2, noautocmd = true }
        vim.api.nvim_open_win(vim.api.nvim_create_buf(false, true), false, place)
        vim.cmd("noautocmd split | wincmd p")
      end`);
      reply.say("answer ");
      await live.nvim.until("the windows", () =>
        live.nvim.lua("return #vim.api.nvim_list_wins() == 3"),
      );
      expect(await live.nvim.lua("return DURING")).toBe("WinScrolled,CursorMoved,TextChanged");
      await ignored(live, "WinScrolled");
      expect(await live.nvim.lua("return vim.go.eventignorewin")).toBe("WinScrolled");
      reply.end();
      expect(await live.ended()).toBe("ParleyDone");
    });

    it.each([
      ["in another window", "sbuffer", "enew!"],
      ["in the same window", "buffer", "hide enew"],
      ["when its window was closed", "buffer", "new | wincmd p | hide"],
    ])("is given back when the chat goes away, and comes back %s", async (_, back, away) => {
      const { live, reply } = await open(path);
      await live.nvim.lua(
        `local away = ...
        CHAT = vim.api.nvim_get_current_buf()
        WITH_WRITE = function() vim.cmd(away) end`,
        away,
      );
      reply.say("answer ");
      await live.nvim.until("another buffer", () =>
        live.nvim.lua("return vim.api.nvim_buf_get_name(0) == ''"),
      );
      await ignored(live, "");
      await live.nvim.command(`exe "${back} " .. luaeval("CHAT")`);
      await ignored(live, "");
      reply.end();
    });
  },
);
