/** A provider that turns requests away: what a user sees, and what a stop does. */

import { describe, expect, it } from "vitest";
import { z } from "zod";
import type { TestNeovim } from "../support/neovim.ts";
import {
  chatText,
  editorsAndWires,
  open,
  respond,
  serve,
  settle,
  status,
  untilDone,
} from "./wire-chat.ts";

const screenOf = async (nvim: TestNeovim) =>
  z.array(z.string()).parse(
    await nvim.lua(`vim.cmd.redraw()
      local rows = {}
      for row = 1, vim.o.lines do
        local cells = {}
        for column = 1, vim.o.columns do cells[column] = vim.fn.screenstring(row, column) end
        rows[row] = table.concat(cells)
      end
      return rows`),
  );

const refused = (seconds: string) => ({
  status: 429,
  message: "Slow down",
  type: "rate_limit_error",
  headers: { "retry-after": seconds },
});

describe.each(editorsAndWires)("$model in Neovim $version", ({ path, model }) => {
  it("counts down, and stop ends the wait; then it goes on, and what it took is known", async () => {
    const usage = { input: 1200, output: 34 };
    const server = await serve([refused("50"), refused("0"), { text: "At last.", usage }]);
    const nvim = await open({
      path,
      chat: { text: chatText(model, "💬: hello") },
      env: server.environment,
      init: `Done = {}
        vim.api.nvim_create_autocmd("User", { pattern = { "ParleyDone", "ParleyStart" }, callback = function(event)
          table.insert(Done, { event.match, event.data })
        end })`,
    });
    await respond(nvim);
    await nvim.until("the countdown", async () =>
      /retrying in \d\d s, attempt 2 of 4: .* accepts no more requests[\s\S]* · <C-g>x\s+stops/.test(
        (await screenOf(nvim)).join("\n"),
      ),
    );
    const statusline = () => nvim.lua("return require('parley').statusline()");
    expect(await statusline()).toMatch(/ · retrying$/);
    await nvim.input("<C-g>x");
    await nvim.until("the stop", async () => /was stopped/.test(await status(nvim)));
    expect(server.requests).toHaveLength(1);

    await nvim.until("its event", async () => (await nvim.lua("return #Done")) === 2);
    await nvim.lua("Done = {}");
    await respond(nvim);
    await untilDone(nvim, "At last\\.");
    expect(server.requests).toHaveLength(3);
    expect(await statusline()).toMatch(
      / · context ▁ 1\.2k\/\d+[kM] · 1\.2k in, 34 out, \$0\.00\d\d$/,
    );
    await nvim.until("the event", async () => (await nvim.lua("return #Done")) === 2);
    const [start, done, more] = (await nvim.lua("return Done")) as [string, unknown][];
    expect(start?.[0]).toBe("ParleyStart");
    expect(done?.[1]).toMatchObject({
      reason: "done",
      requests: 1,
      usage: { input: 1200, output: 34 },
      cost: expect.any(Number),
      chat: { requests: 1 },
    });
    expect(more).toBeUndefined();
    expect((await screenOf(nvim)).join("\n")).toMatch(/1200 tokens in, 34 out, \$0\.00\d\d/);
    await settle(nvim);
    expect(await nvim.messages()).toContain("context window: ");
    // Without its answer it would be beside something else.
    await nvim.input("<Esc>u");
    await nvim.until("no answer", async () => !/At last/.test(await nvim.text()));
    await nvim.until("no usage", async () => (await nvim.lua("return vim.b.parley_usage")) === "");
  });
});
