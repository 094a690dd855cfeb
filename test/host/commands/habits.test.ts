/** The keys of the Lua Parley, by its preset, in one Neovim. */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { oneNeovim, TestNeovim } from "../../support/neovim.ts";

let editor: TestNeovim | undefined;
afterEach(async () => {
  await editor?.cleanUp();
  editor = undefined;
});

const chat = `---
model: mock/file:SCRIPT
---

💬: first

🤖:[x]

old one with @@./a.ts@@

\`\`\`lua
return 1
\`\`\`

💬: second

🤖:[x]

old two
`;

describe.each(oneNeovim)("the preset parley.nvim in Neovim $version", ({ path }) => {
  it("searches, follows, copies, asks about lines, and answers all again", async () => {
    const nvim = await TestNeovim.start({
      path,
      chat: { text: chat },
      init: `Yes = nil
        vim.ui.select = function(items, options, done) Asked = options.prompt; done(items[2]) end
        vim.ui.input = function(_, done) done("why?") end
        vim.g.mapleader = ","
        require("parley").setup({ keys = { preset = { "parley.nvim" } } })`,
    });
    editor = nvim;
    const script = join(nvim.home, "script.json");
    const turns = ["new one", "new two", "because"].map((text) => ({ text }));
    writeFileSync(script, JSON.stringify({ turns }));
    await nvim.ready();
    await nvim.command(`2s#SCRIPT#${script.replaceAll("#", "\\#")}#`);
    const row = (words: string) => nvim.command(`call search('${words}', 'w')`);

    await nvim.input("<C-g>w");
    await nvim.untilText(/^server_tools: web_search$/m);
    await nvim.input("<C-g>w");
    await nvim.untilText(/^server_tools: none$/m);
    await nvim.input("<C-g>t");
    await nvim.until("the outline", async () => (await nvim.text()).startsWith("✓ done"));
    expect(await nvim.text()).toBe("✓ done       first\n✓ done       second");
    await nvim.command("lclose");
    await nvim.input("<C-g>l");
    const follows = () => nvim.lua("return require('parley.config').get().follow");
    await nvim.until("no following", async () => (await follows()) === false);
    await nvim.input("<C-g>l");
    await nvim.until("following", async () => (await follows()) === true);

    await row("return 1");
    await nvim.input(",cf");
    const register = () => nvim.lua("return vim.fn.getreg('\"')");
    await nvim.until("the code", async () => (await register()) === "return 1\n");
    await row("old one");
    await nvim.input("V<C-g>q");
    await nvim.untilText(/💬: *\n> old one with \\@@\.\/a\.ts\\@@\n\nwhy\?/);

    // The block goes into a file after a yes, and is told with the next question.
    const changed = join(nvim.home, "made.lua");
    await row("return 1");
    await nvim.lua(
      "vim.ui.input = function(options, done) Asked = options.prompt; done('made.lua') end",
    );
    await nvim.command("Parley apply");
    await nvim.until("the file", () => existsSync(changed) && readFileSync(changed).length > 0);
    expect(readFileSync(changed, "utf8")).toBe("return 1\n");
    expect(await nvim.lua("return Asked")).toContain("made.lua as in this code block?");
    await nvim.untilText(/why\?\n\n\(I applied a code block: made\.lua was made: \+1 −0 lines\.\)/);
    await nvim.until("how it is taken back", async () =>
      (await nvim.messages()).includes("It is a new file: delete it to undo this."),
    );
    await nvim.lua("vim.ui.input = function(_, done) done('why?') end");

    await row("first");
    await nvim.input("<C-g>G");
    const text = await nvim.untilText(/because/);
    expect(text).toMatch(/first\n\n🤖:.*\n\nnew one\n\n💬: second\n\n🤖:.*\n\nnew two\n\n💬:/);
    expect(text).not.toContain("old two");
    expect(await nvim.lua("return Asked")).toContain("Ask 3 questions again");
    expect(await nvim.lua("return vim.fn.maparg('<C-g>f', 'n')")).toBe("<Plug>(parley-chats)");
  });
});
