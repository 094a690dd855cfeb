/** The vendors and their models in the editor, in every supported Neovim. */
import { afterEach, describe, expect } from "vitest";
import { json, listen } from "../support/http-server.ts";
import { itInTurn, neovims, TestNeovim } from "../support/neovim.ts";

let editor: TestNeovim | undefined;
afterEach(async () => {
  await editor?.cleanUp();
  editor = undefined;
});

const setup = `require("parley").setup({
  providers = { mine = { base_url = "http://127.0.0.1:9/v1" }, xai = { api_key = "very-secret", base_url = "http://127.0.0.1:9/v1" },
    ollama = { base_url = "http://127.0.0.1:9/v1" } },
  models = { ["mine/big"] = { temperature = 0 } },
})
vim.ui.select = function(items, options, choose)
  vim.g.offered = items
  for _, item in ipairs(items) do
    if item:find("^cerebras/gpt") then return choose(item) end
  end
end`;

describe.each(neovims)("models in Neovim $version", ({ path }) => {
  const it = itInTurn(path);
  it("are listed with what they can do and which key is missing", async () => {
    editor = await TestNeovim.start({ path, init: setup, chat: { text: "💬: hello\n" } });
    await editor.ready();
    await editor.command("Parley models");
    const shown = async () => (await editor?.lines())?.join("\n") ?? "";
    await editor.until("the list", async () => /^offline: mock\/demo/m.test(await shown()));
    const list = await shown();
    expect(list).toMatch(/^xai: xAI, key from the configuration\. /m);
    expect(list).toMatch(/^mistral: Mistral, no key: set MISTRAL_API_KEY or providers\.mistral/m);
    expect(list).toMatch(
      /^mine: mine, asked without a key\. .*\n {2}- mine\/big: .*tools, images/m,
    );
    expect(list).not.toContain("very-secret");
  });

  it("are not taken from a vendor that nobody knows", async () => {
    editor = await TestNeovim.start({ path, init: setup, chat: { text: "💬: hello\n" } });
    const nvim = editor;
    await nvim.ready();
    await nvim.command("Parley model antropic/claude");
    const said =
      'There is no vendor "antropic", so the model was not changed. Did you mean anthropic?';
    await nvim.until("what is said", async () => (await nvim.messages()).includes(said));
    expect(await nvim.text()).not.toContain("model:");
    await nvim.command("Parley model mine/any");
    await nvim.untilText(/model: mine\/any/);
  });

  it("are offered for choice, and the header gets only the name of the chosen one", async () => {
    editor = await TestNeovim.start({ path, init: setup, chat: { text: "💬: hello\n" } });
    await editor.ready();
    await editor.command("Parley model");
    await editor.untilText(/^model: cerebras\/gpt-oss-120b$/m);
    const offered = (await editor.lua("return vim.g.offered")) as string[];
    expect(offered[0]).toBe("xai/grok-4.5");
    expect(offered).toContain("cerebras/gpt-oss-120b (no key: CEREBRAS_API_KEY)");
  });

  it("have in :Parley status the context that their server told", async () => {
    const server = await listen(async (_, response) => {
      json(response, 200, { data: [{ id: "big", max_model_len: 32768 }] });
    });
    try {
      const chat = { text: "---\nmodel: mine/big\n---\n\n💬: hello\n" };
      const init = setup.replace("http://127.0.0.1:9/v1", `${server.origin}/v1`);
      editor = await TestNeovim.start({ path, init, chat });
      const nvim = editor;
      await nvim.ready();
      await nvim.command("Parley status");
      const said = async (words: string) => (await nvim.messages()).includes(words);
      await nvim.until("what it knows", () => said("context window: not known"));
      await nvim.lua("vim.fn.getcompletion('Parley model m', 'cmdline')");
      await nvim.until("what it was told", async () => {
        await nvim.command("Parley status");
        return said("context window: 32768 tokens");
      });
    } finally {
      await server.close();
    }
  });

  it("that can be asked are completed", async () => {
    editor = await TestNeovim.start({ path, init: setup, chat: { text: "💬: hello\n" } });
    await editor.ready();
    const completed = () => editor?.lua("return vim.fn.getcompletion('Parley model m', 'cmdline')");
    await editor.until("the names", async () => JSON.stringify(await completed()) !== "[]");
    expect(await completed()).toEqual(["mine/big", "mock/demo"]);
  });
});
