/** Agents and system prompts are chosen in the editor and written into the header, in every supported Neovim. */
import { afterEach, describe, expect } from "vitest";
import { itInTurn, neovims, TestNeovim } from "../support/neovim.ts";

let editor: TestNeovim | undefined;
afterEach(async () => {
  await editor?.cleanUp();
  editor = undefined;
});

const setup = `require("parley").setup({
  agents = {
    demo = { model = "mock/demo", label = "Demo agent", description = "says hello", tools = "none" },
    other = { model = "mock/file:/nowhere.json" },
  },
  system_prompts = { brief = "Be brief.\\nBe kind." },
})
vim.ui.select = function(items, options, choose)
  vim.g.offered = vim.tbl_map(options.format_item, items)
  choose(items[1])
end`;

describe.each(neovims)("presets in Neovim $version", ({ path }) => {
  const it = itInTurn(path);
  it("are written into the header and hold from the next request on", async () => {
    const chat = { text: "---\ntopic: x\nmodel: mock/demo\n---\n\n💬: hello\n" };
    editor = await TestNeovim.start({ path, init: setup, chat });
    await editor.ready();
    await editor.command("Parley agent");
    await editor.untilText(/^---\ntopic: x\nagent: demo\n---/);
    expect(await editor.lua("return vim.g.offered")).toEqual([
      "demo · says hello · mock/demo",
      "other · mock/file:/nowhere.json",
      "none",
    ]);
    await editor.until("the word about the model that was chosen before", async () =>
      /own model was removed, because demo has one/.test((await editor?.messages()) ?? ""),
    );
    await editor.command("Parley model mock/demo");
    await editor.untilText(/^---\ntopic: x\nagent: demo\nmodel: mock\/demo\n---/);
    await editor.command("undo");
    await editor.command("undo");
    await editor.untilText(/^---\ntopic: x\nmodel: mock\/demo\n---/);
    await editor.command("Parley agent demo");
    await editor.untilText(/^---\ntopic: x\nagent: demo\n---/);
    await editor.command("Parley system_prompt brief");
    await editor.untilText(/^system_prompt: Be brief\.\\nBe kind\.$/m);
    await editor.input("G<C-g><C-g>");
    await editor.untilText(/^🤖:\[Demo agent\]$/m);
  });

  it("that are not there are named", async () => {
    editor = await TestNeovim.start({ path, init: setup, chat: { text: "---\ntopic: x\n---\n" } });
    await editor.ready();
    await editor.command("Parley agent cook");
    await editor.until("the warning", async () =>
      /no agent "cook"; there are: demo, other/.test((await editor?.messages()) ?? ""),
    );
    expect(await editor.lua("return vim.fn.getcompletion('Parley agent o', 'cmdline')")).toEqual([
      "other",
    ]);
  });

  it("are taken out of a chat when none is configured any more", async () => {
    const chat = { text: "---\ntopic: x\nagent: gone\nserver_tools: none\n---\n\n💬: hello\n" };
    editor = await TestNeovim.start({ path, chat });
    await editor.ready();
    await editor.command("Parley agent none");
    await editor.untilText(/^---\ntopic: x\nagent: none\n/);
    await editor.command("Parley web_search on");
    await editor.untilText(/^server_tools: web_search$/m);
    await editor.until("that this model searches nothing", async () =>
      /mock\/demo has no web search of its own/.test((await editor?.messages()) ?? ""),
    );
    // Sent at once, they are carried out in their order.
    await editor.command("Parley model openai/gpt-5.5");
    await editor.command("Parley web_search off");
    await editor.command("Parley web_search");
    await editor.until("that OpenAI searches", async () =>
      /may search the web for this chat now/.test((await editor?.messages()) ?? ""),
    );
  });
});
