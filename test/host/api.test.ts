/** What other plugins do with chats, in one Neovim. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { z } from "zod";
import { oneNeovim, TestNeovim } from "../support/neovim.ts";

let editor: TestNeovim | undefined;
afterEach(async () => {
  await editor?.cleanUp();
  editor = undefined;
});

const ended = z.array(z.object({ buf: z.number(), reason: z.string() }).loose());

describe.each(oneNeovim)("the functions for plugins in Neovim $version", ({ path }) => {
  it("open a chat, ask, tell the end, and decide what waits", async () => {
    const nvim = await TestNeovim.start({
      path,
      chat: { name: "other.md", text: "💬: other\n" },
      init: `Ends, Attached = {}, {}
        vim.api.nvim_create_autocmd("User", { pattern = "ParleyAttach", callback = function(event)
          table.insert(Attached, event.data.path)
        end })
        vim.api.nvim_create_autocmd("User", { pattern = "ParleyEnd", callback = function(event)
          Last = event.data.reason
        end })
        function Done(data) table.insert(Ends, data) end`,
    });
    editor = nvim;
    await nvim.ready();
    const calls = ["1", "2"].map((id) => ({ id, name: "web_search", arguments: { query: id } }));
    const turns = [
      { text: "Let me look.", calls, usage: { input: 7, output: 3 } },
      { text: "Found." },
    ];
    const script = join(nvim.home, "script.json");
    writeFileSync(script, JSON.stringify({ turns }));
    const api = (code: string, ...values: unknown[]) =>
      nvim.lua(`local parley = require("parley"); ${code}`, ...values);
    const ends = async () => ended.parse(await nvim.lua("return Ends"));

    expect(String(await nvim.lua("return Attached[1]"))).toContain("other.md");
    const buf = await api(
      `return parley.ask({ text = "two\\nlines", context = "about me", model = ..., place = "tab",
        on_done = Done })`,
      `mock/file:${script}`,
    );
    await nvim.until("two open calls", async () => {
      const open = await api("return #parley.open_calls()");
      return open === 2;
    });
    expect(await nvim.text()).toContain("💬: about me\ntwo\nlines\n\n🤖:");
    await nvim.until("the end", async () => (await ends()).length === 1);
    expect((await ends())[0]).toMatchObject({ buf, reason: "await-approval", calls: 2 });
    const [first] = z
      .array(
        z.object({ line: z.number(), id: z.string(), name: z.string(), arguments: z.string() }),
      )
      .parse(await api("return parley.open_calls()"));
    expect(first).toMatchObject({ id: "1", name: "web_search", arguments: '{"query":"1"}' });
    expect(await api("return parley.status()")).toMatchObject({ waiting: 2 });
    expect(await nvim.lua("return vim.b.parley.waiting")).toBe(2);
    expect(await api("return parley.usage(...)", buf)).toMatchObject({ chat: { requests: 1 } });
    await expect(api("parley.approve(0, 1)")).rejects.toThrow("No call waits on line 1");
    await expect(api("parley.status(9999)")).rejects.toThrow("9999 is not a chat");

    await api("parley.deny(0, ..., 'not that one')", first?.line);
    await nvim.untilText(/declined by the user: not that one/);
    await nvim.until("one open call", async () => (await api("return #parley.open_calls()")) === 1);
    await api("parley.approve()");
    // A call that is not wholly on the screen is listed first, as with the keys.
    const isListed = "return vim.api.nvim_win_get_config(0).relative ~= ''";
    const isDecided = async () => (await nvim.text()).includes("❓:[ya]");
    await nvim.until(
      "a list or a decision",
      async () => (await nvim.lua(isListed)) === true || isDecided(),
    );
    if ((await nvim.lua(isListed)) === true) await nvim.input("ya");
    await nvim.untilText(/^Found\.$/m);
    expect(await nvim.text()).toContain("❓:[ya]");

    await nvim.until("the end of the turn", async () => (await nvim.lua("return Last")) === "done");
    await api("parley.respond({ on_done = Done })");
    await nvim.until("the second end", async () => (await ends()).length === 2);
    expect((await ends())[1]).toMatchObject({ reason: "refused" });
    expect(await api("return parley.lualine().cond()")).toBe(true);
  });

  it("refuse in words what they cannot do, and take no line of a text for a turn", async () => {
    const nvim = await TestNeovim.start({ path, chat: { name: "own.md", text: "💬: own\n" } });
    editor = nvim;
    await nvim.ready();
    const api = (code: string) => nvim.lua(`local parley = require("parley"); return ${code}`);
    for (const [code, why] of [
      ["parley.new({ place = 'north' })", 'place is here, split, vsplit or tab, not "north".'],
      ["parley.new({ text = 5 })", "text is a string, not 5."],
      ["parley.new({ context = { 1 } })", "context is a string or a list of strings"],
      [
        "parley.new({ txet = 'x' })",
        "There is no option txet here, only: text, context, model, place.",
      ],
      ["parley.new({ on_done = print })", "There is no option on_done here"],
      ["parley.new('why?')", 'The options are a table, not "why?".'],
      ["parley.new({ model = 'a/b\\nc' })", "model is a provider/id in one line"],
      ["parley.new({ model = '' })", "model is a provider/id in one line"],
      ["parley.ask({})", "ask needs text"],
      ["parley.ask({ text = ' ' })", "ask needs text"],
      ["parley.ask({ text = 'x', on_done = 'y' })", "on_done is a function"],
      ["parley.ask('why?')", "The options are a table"],
      ["parley.respond({ line = 99 })", "There is no line 99; the chat has 1."],
      ["parley.respond({ line = 0 })", "line is a whole number from 1, not 0."],
      ["parley.respond({ line = '1' })", "line is a whole number from 1"],
      ["parley.respond({ on_done = 'y' })", "on_done is a function"],
      ["parley.respond({ onDone = print })", "There is no option onDone here"],
      ["parley.respond('x')", "The options are a table"],
      ["parley.respond({ buf = 'x' })", 'buf is the number of a buffer, not "x".'],
      ["parley.open_calls({ buf = 1 })", "buf is the number of a buffer"],
      ["parley.approve('x')", "buf is the number of a buffer"],
      ["parley.approve(0, 'x')", "line is a whole number from 1"],
      ["parley.approve(0, nil, true)", "The options are a table"],
      ["parley.approve(0, nil, { allways = true })", "There is no option allways here"],
      ["parley.approve()", "No call waits in this chat, so nothing was decided."],
      ["parley.deny(0, nil, 5)", "reason is a string, not 5."],
      ["parley.chats()", "chats needs a function"],
    ] as const) {
      await expect(api(code)).rejects.toThrow(why);
    }
    expect(await nvim.lua("return vim.fn.line('$')")).toBe(1);
    await nvim.lua("require('parley').new({ text = 'one\\r\\ntwo', context = {} })");
    expect((await nvim.text()).trimEnd().split("\n").slice(4)).toEqual(["💬: one", "two"]);
    const text = [
      "why?",
      "🤖:[x]",
      "❓:[ya] `{}`",
      "\\💬: a",
      "🛠\uFE0F: [t][c]",
      "💬 plain",
      "\\alpha",
    ];
    await nvim.lua("require('parley').new({ text = table.concat(..., '\\n') })", text);
    expect((await nvim.text()).trimEnd().split("\n").slice(4)).toEqual([
      "💬: why?",
      "\\🤖:[x]",
      "\\❓:[ya] `{}`",
      "\\\\💬: a",
      "\\🛠\uFE0F: [t][c]",
      "💬 plain",
      "\\alpha",
    ]);
  });
});
