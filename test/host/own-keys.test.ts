/** The user's own keys: on screen, in refusals, and what they leave in the file. */
import { afterEach, expect, it } from "vitest";
import { neovims, TestNeovim } from "../support/neovim.ts";

let editor: TestNeovim | undefined;
afterEach(async () => {
  await editor?.cleanUp();
  editor = undefined;
});

const text = "💬: can you find the latest stock price of google and microsoft?\n";

it.each(neovims)("are those of the preset one, in Neovim $version", async ({ path }) => {
  const init = 'require("parley").setup({ keys = { preset = { "one" } } })';
  editor = await TestNeovim.start({ path, init, chat: { text } });
  const nvim = editor;
  await nvim.ready();
  await nvim.input("G<C-g><C-g>");
  await nvim.untilText(/^❓: .*\n❓: /m);
  await nvim.until("the keys", async () =>
    /2 calls wait: ya\/yo this · yA\/yO remember all · yn/.test(
      (await nvim.virtualText()).replaceAll(/\s+/g, " "),
    ),
  );
  await nvim.input("gg/^❓: <CR>ya");
  await nvim.untilText(/^❓:\[yo\] .*\n❓: /m);
  await nvim.until("one call left", async () => /1 call waits/.test(await nvim.virtualText()));
  await nvim.input("gg/^❓: <CR>yA");
  const done = await nvim.untilText(/^❓:\[yo\] [\s\S]*^❓:\[yA\] [\s\S]*^💬: $/m);
  expect(done).not.toContain("[ya]");
});

it.each(neovims)("are named in a refusal, in Neovim $version", async ({ path }) => {
  const init = 'require("parley").setup({ keys = { deny_one = "gn", approve_one = false } })';
  const broken = `${text}\n🤖:[demo]\n\n❓: \`{"id":\`\n`;
  editor = await TestNeovim.start({ path, init, chat: { text: broken } });
  const nvim = editor;
  await nvim.ready();
  await nvim.until("the keys", async () => /: gn no/.test(await nvim.virtualText()));
  expect(await nvim.virtualText()).not.toMatch(/\byo\b/);
  await nvim.input("gg/^❓: <CR>ya");
  await nvim.until("the refusal", async () =>
    /on its own line with :Parley approve one or gn\./.test(
      String(await nvim.lua("return vim.fn.execute('messages')")),
    ),
  );
});

it.each(neovims)("are named in messages about the text, in Neovim $version", async ({ path }) => {
  const init = 'require("parley").setup({ keys = { respond = "gr" } })';
  const call = '❓: `{"id":"call_1","function":{"name":"web_search","arguments":"{}"}}`';
  const lost = `${text}\n🤖:[demo]\n\nHalf\n<!-- parley:unfinished stopped -->\n\n${call}\n`;
  editor = await TestNeovim.start({ path, init, chat: { text: lost } });
  const nvim = editor;
  await nvim.until("the problem", async () =>
    /Press gr to get the step/.test(JSON.stringify(await nvim.lua("return vim.diagnostic.get(0)"))),
  );
  await nvim.input("Go<CR>💬: another<Esc>:Parley retry<CR>");
  await nvim.until("the refusal", async () => /Press gr to ask\./.test(await nvim.messages()));
});
