/** What is drawn at lines, and what runs there, when a user changes them in ways that tell little of it. */
import { writeFile } from "node:fs/promises";
import { describe, expect } from "vitest";
import { asked, type LiveChat, openNextLiveChat } from "../support/live-chat.ts";
import { itInTurn, neovims, type TestNeovim } from "../support/neovim.ts";

async function openWaiting(path: string, query: string): Promise<LiveChat> {
  const live = await openNextLiveChat({ path });
  const reply = await live.respond();
  reply.say("Looking.");
  reply.call({ id: "call_1", query });
  reply.end("tool_calls");
  await live.ended();
  return live;
}

/** Each key on its own: what a command would do is shown while it is typed. */
async function type(nvim: TestNeovim, keys: string): Promise<void> {
  for (const key of keys.match(/<\w+>|./g) ?? []) {
    await nvim.input(key);
    await nvim.client.request("nvim_get_mode", []);
  }
}

async function untilRow({ nvim }: LiveChat, row: string): Promise<void> {
  await nvim.until(row, async () => (await nvim.virtualText()).includes(row));
}

describe.each(neovims)("lines of a chat that change, in Neovim $version", ({ path }) => {
  const it = itInTurn(path);
  it("show what a call would do now that a substitution changed it", async () => {
    const live = await openWaiting(path, "say:one");
    await untilRow(live, "web_search say:one");
    // The first time something else may have it drawn again.
    await type(live.nvim, ":%s/say:one/say:1/<CR>");
    await untilRow(live, "web_search say:1");
    await type(live.nvim, ":%s/say:1/say:two/<CR>");
    await untilRow(live, "web_search say:two");
    await live.nvim.input("ya");
    await live.nvim.until("the run", () => live.runs().includes("end say:two"));
    (await live.reply()).end();
    await live.ended();
  });

  it.each([
    [":1s/^/---\\rnote: it\\r/<CR>", "---\nnote: it\n"],
    [":g/^topic/s/$/ of it\\rnote: it/<CR>", "topic: live of it\nnote: it\n"],
  ])("keep the result of a call that runs below %s", async (keys, lines) => {
    const live = await openWaiting(path, "hold:one");
    await live.nvim.input("ya");
    await live.nvim.until("the run", () => live.runs().includes("begin hold:one"));
    await type(live.nvim, keys);
    await live.nvim.untilText(/note: it/);
    await live.release("one", "found");
    await live.nvim.untilText(/\[call_1\]\n\n`found`/);
    const reply = await live.reply();
    reply.say("Done.");
    reply.end();
    expect(await live.ended()).toBe("ParleyDone");
    const text = await live.nvim.text();
    expect(text).toContain(lines);
    expect(text).toContain("Done.\n\n💬: ");
    expect(text).toContain(asked.slice(asked.indexOf("💬")));
  });

  it("are read again where the host has another text of this very tick", async () => {
    const live = await openWaiting(path, "say:one");
    await untilRow(live, "web_search say:one");
    await live.nvim.lua(`local show = require("parley.screen.show")
      local draw = show.show
      show.show = function(_, tick)
        show.show = draw
        return { status = "stale", tick = tick }
      end`);
    await type(live.nvim, ":%s/say:one/say:1/<CR>");
    await untilRow(live, "web_search say:1");
  });

  it("are those of the file after each checkout that Neovim notices", async () => {
    const live = await openWaiting(path, "say:one");
    await untilRow(live, "web_search say:one");
    await live.nvim.command("silent write");
    const two = await live.nvim.file();
    const waiting = (count: number) =>
      live.nvim.until(`${count} waiting`, () => {
        return live.nvim.lua("return vim.b.parley ~= nil and vim.b.parley.waiting == ...", count);
      });
    // Quick and slow ones: the host hears of a reading before it hears that its text is not the file's.
    for (let round = 0; round < 5; round += 1) {
      for (const [text, count] of [
        [asked, 0],
        [two, 1],
      ] as const) {
        await writeFile(live.nvim.chatPath, text);
        await live.nvim.command("checktime");
        await waiting(count);
      }
    }
    await untilRow(live, "web_search say:one");
    await live.nvim.input("gg/^❓:<CR>ya");
    await live.nvim.until("the run", () => live.runs().includes("end say:one"));
    (await live.reply()).end();
    await live.ended();
  });

  it("draw again what went with lines that came back as they were", async () => {
    const live = await openWaiting(path, "say:one");
    await untilRow(live, "web_search say:one");
    await live.nvim.command("%!cat");
    await live.nvim.until("the call", () =>
      live.nvim.lua(
        "return #require('parley.screen.show').open_calls(vim.api.nvim_get_current_buf()) == 1",
      ),
    );
    await untilRow(live, "web_search say:one");
    await live.nvim.input("gg/^❓:<CR>ya");
    await live.nvim.until("the run", () => live.runs().includes("end say:one"));
    (await live.reply()).end();
    await live.ended();
  });
});
