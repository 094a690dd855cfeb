/** Swap files, `:recover`, sessions and views: what Neovim brings back is a chat like any other, and nothing is lost. */
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { z } from "zod";
import { oneNeovim, TestNeovim } from "../support/neovim.ts";

const chat = {
  text: "---\ntopic: swap\nmodel: mock/demo\n---\n\n💬: can you find the latest stock price of google and microsoft?\n",
};
const editors: TestNeovim[] = [];
afterEach(async () => {
  for (const editor of editors.splice(0).reverse()) await editor.cleanUp();
});

type Options = Parameters<typeof TestNeovim.start>[0];

async function start(options: Options): Promise<TestNeovim> {
  const nvim = await TestNeovim.start({ swap: true, ...options });
  editors.push(nvim);
  return nvim;
}

/** A Neovim that was killed with a line in its buffer that only its swap file has. */
async function killed(path: string): Promise<TestNeovim> {
  const nvim = await start({ path, chat });
  await nvim.ready();
  await nvim.input("GoONLY IN THE SWAP FILE<Esc>");
  await nvim.untilText(/ONLY IN THE SWAP FILE/);
  await nvim.command("preserve");
  await nvim.kill();
  return nvim;
}

const choosing = (letter: string) =>
  `vim.cmd("autocmd SwapExists * let v:swapchoice = '${letter}'")`;

async function answered(nvim: TestNeovim): Promise<void> {
  await nvim.input("G<C-g><C-g>");
  await nvim.untilText(/🤖:[\s\S]*❓: /);
  await nvim.until("the save", () => nvim.lua("return not vim.bo.modified"));
}

describe.each(oneNeovim)("a chat with a swap file in Neovim $version", ({ path }) => {
  it("goes on from what was recovered", async () => {
    const { home } = await killed(path);
    const nvim = await start({ path, home, init: choosing("r") });
    // Neovim's own words about the recovery are several lines.
    await nvim.input("<CR>");
    await nvim.ready();
    expect(await nvim.text()).toContain("ONLY IN THE SWAP FILE");
    expect(await nvim.lua("return vim.bo.modified")).toBe(true);
    await answered(nvim);
    expect(await nvim.file()).toContain("ONLY IN THE SWAP FILE");
    expect(await nvim.file()).toBe(`${await nvim.text()}\n`);
  });

  it("goes on from :recover", async () => {
    const { home } = await killed(path);
    const nvim = await start({ path, home, init: choosing("e") });
    await nvim.ready();
    expect(await nvim.text()).not.toContain("ONLY IN");
    await nvim.command("silent recover!");
    await nvim.untilText(/ONLY IN THE SWAP FILE/);
    await nvim.ready();
    await answered(nvim);
    expect(await nvim.file()).toContain("ONLY IN THE SWAP FILE");
  });

  it("says how to choose where another program wrote its file, until one is chosen", async () => {
    const init = "vim.ui.select = function(items, _, choose) choose(items[1], 1) end";
    const nvim = await start({ path, chat, init });
    await nvim.ready();
    const said = async () => /:w!\s+overwrites/.test(await nvim.virtualText());
    for (const way of ["edit!", "write!"]) {
      const foreign = chat.text.replace("topic: swap", `topic: before ${way}`);
      await nvim.input("Gofor me<Esc>");
      await writeFile(nvim.chatPath, foreign);
      await nvim.input("<C-g><C-g>");
      await nvim.until("the two ways", said);
      // Whatever is drawn next, too: the two texts are still two.
      await nvim.lua(`local rpc = require("parley.rpc")
        local call = rpc.call
        SHOWN = false
        rpc.call = function(name, ...)
          local answer = call(name, ...)
          SHOWN = SHOWN or name == "show"
          return answer
        end`);
      await nvim.lua(`vim.api.nvim_buf_set_lines(0, 1, 1, false, { "max_tokens: many" })`);
      await nvim.until("the next drawing", async () => (await nvim.lua("return SHOWN")) === true);
      expect(await said()).toBe(true);
      await nvim.command(way);
      await nvim.until("no word of it", async () => !(await said()));
      expect(await nvim.file()).toBe(way === "edit!" ? foreign : `${await nvim.text()}\n`);
    }
    expect(await nvim.text()).toContain("for me");
  });

  it("writes nothing where it was opened read-only, and says so", async () => {
    const { home } = await killed(path);
    const nvim = await start({ path, home, init: choosing("o") });
    await nvim.ready();
    expect(await nvim.lua("return vim.bo.readonly")).toBe(true);
    await nvim.input("G<C-g><C-g>");
    await nvim.until("a sentence", async () => /read-?only/i.test(await nvim.messages()));
    expect(await nvim.file()).toBe(chat.text);
  });

  it("leaves no question about a swap file after a kill with nothing to lose", async () => {
    const first = await start({ path, chat });
    await first.ready();
    await answered(first);
    const text = await first.file();
    await first.kill();
    const init = `vim.cmd("autocmd SwapExists * let g:asked = 1 | let v:swapchoice = 'e'")`;
    const nvim = await start({ path, home: first.home, init });
    await nvim.ready();
    expect(await nvim.lua("return vim.g.asked")).toBe(null);
    expect(`${await nvim.text()}\n`).toBe(text);
  });

  it("is a chat again in a session, and with its view", async () => {
    const first = await start({ path, chat });
    await first.ready();
    await answered(first);
    const session = join(first.home, "Session.vim");
    await first.command(`mkview | mksession ${session}`);
    await first.quit();
    const nvim = await start({ path, home: first.home });
    await nvim.command(`silent! %bwipe! | source ${session} | loadview`);
    await nvim.ready();
    await nvim.until("the open calls", async () => (await nvim.virtualText()).includes("ya"));
    expect(await nvim.messages()).not.toMatch(/E\d+:|\.lua:\d/);
    await nvim.input("/^❓<CR>yn<CR>");
    await nvim.untilText(/declined/);
  });

  it.each([
    ["e", /💬: can you .*\n.*why\?$/s, /^$/],
    ["o", /microsoft\?$/, /^The buffer is read-only/],
    ["q", /^one$/, /^chat\.md was not opened\.$/],
    ["a", /^one$/, /^chat\.md was not opened\.$/],
  ] as const)("is asked about before a question goes there: %s", async (key, text, said) => {
    const { home, chatPath } = await killed(path);
    const nvim = await start({ path, home, chat: { name: "code.txt", text: "one\n" } });
    await nvim.lua(
      `local path = ...
      require("parley.text.chats.project_chat").last = function() return path end`,
      chatPath,
    );
    await nvim.input(":Parley ask why?<CR>");
    const mode = async () =>
      z.object({ mode: z.string() }).parse(await nvim.client.request("nvim_get_mode", [])).mode;
    await nvim.until("the question", async () => /^[cr]/.test(await mode()));
    await nvim.input(key);
    await nvim.until("its end", async () => /^[ni]/.test(await mode()));
    await nvim.input("<Esc>");
    expect(await nvim.text()).toMatch(text);
    expect(await nvim.messages()).toMatch(said);
  });
});
