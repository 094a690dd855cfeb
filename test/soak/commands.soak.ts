/** Every command with any words, in any buffer and window: nobody meets an error of the program, nor silence. */
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { header, type LiveChat, openLiveChat } from "../support/live-chat.ts";
import { neovims } from "../support/neovim.ts";
import { createRandom, type Random } from "../support/random.mjs";
import { faultsOf } from "./failures.ts";
import { seedsOfRun } from "./open.ts";
import { answerPrompts, backToChat, isAsked, unspoken } from "./user.ts";

const listed = (...texts: readonly string[]) => texts.flatMap((text) => text.split(" "));

/** Where the command is given, each a line of Lua, with the chat in the current window before. */
const places = {
  "the chat": "",
  "the chat's first line": "vim.cmd('normal! gg')",
  "the chat's call": "vim.fn.search('^❓', 'w')",
  "the chat's answer": "vim.fn.search('^🤖', 'w') vim.cmd('normal! j')",
  "the chat, answering": "vim.cmd('normal! G') vim.cmd('Parley respond')",
  "the chat, changed": "vim.api.nvim_buf_set_lines(0, -1, -1, false, { 'more' })",
  "the chat without lines": "vim.api.nvim_buf_set_lines(0, 0, -1, false, {})",
  "the chat without a header": "vim.api.nvim_buf_set_lines(0, 0, 6, false, {})",
  "the chat, header broken":
    "vim.api.nvim_buf_set_lines(0, 1, 2, false, { 'model: [', 'tools: {' })",
  "the chat, read-only": "vim.bo.readonly = true vim.bo.modifiable = false",
  "the chat in a tab": "vim.cmd('tab split')",
  "the chat in a diff": "vim.cmd('diffthis | vnew | diffthis | wincmd p')",
  "the chat, its file gone": "vim.fn.delete(vim.api.nvim_buf_get_name(0))",
  "the chat in a float":
    "vim.api.nvim_open_win(0, true, { relative = 'editor', row = 2, col = 2, width = 40, height = 8 })",
  "a preview window": "vim.cmd('silent! pedit % | wincmd P')",
  "a buffer without a name": "vim.cmd('enew!')",
  "a file":
    "vim.cmd('silent edit! ' .. vim.fn.stdpath('data') .. '/code.lua') vim.api.nvim_buf_set_lines(0, 0, -1, false, { 'local x = 1', '', 'return x' })",
  "a file with a strange name":
    "vim.cmd.edit({ bang = true, args = { vim.fn.fnameescape(vim.fn.stdpath('data') .. '/a b%#[x]*.md') } })",
  "a buffer with the name of an address": "vim.cmd('silent! file https://example.invalid/x.md')",
  "a Markdown file that is no chat":
    "vim.cmd('silent edit! ' .. vim.fn.stdpath('data') .. '/notes.md')",
  "the help": "vim.cmd('help')",
  "the quickfix list": "vim.cmd('copen')",
  "a location list":
    "vim.fn.setloclist(0, { { bufnr = vim.api.nvim_get_current_buf(), lnum = 1, text = 'x' } }) vim.cmd('lopen')",
  "a terminal": "vim.cmd('terminal true')",
  "a scratch buffer": "vim.cmd('enew!') vim.bo.buftype = 'nofile'",
  "a prompt buffer": "vim.cmd('enew!') vim.bo.buftype = 'prompt'",
  "a folder": "vim.cmd('silent! edit .')",
  "a window that keeps its buffer":
    "vim.cmd('enew!') pcall(function() vim.wo.winfixbuf = true end)",
  "a tiny window": "vim.cmd('split | resize 1')",
  "many windows": "vim.cmd('split | vsplit | split | vsplit')",
} as const;
const placeNames = Object.keys(places) as readonly (keyof typeof places)[];

const words = [
  ...listed("x mock mock_say say always folder all on off today html markdown list try log trust"),
  ...listed(
    "login restart stop instructions none -1 0 1 99999999999999999999 openai/live mock/echo",
  ),
  ...listed(
    "/ . .. ~ % # * [a- \\ | \" ' `x` $HOME %s %d \\v( ❓ 🤖: é \u202e \u0007 <CR> <Esc> --help",
  ),
  ...listed(
    "toggle one always-one call { } [] null nil true __proto__ constructor clipboard x.md .md",
  ),
  ...["", "a b", "💬: x", "/nonexistent/x", "../../etc/x", "a/b/c", "x".repeat(300)],
] as const;
const modifiers = ["", "", "", "", "vertical ", "tab ", "botright ", "0tab ", "keepalt "] as const;
const ranges = ["", "", "", "1,2", "%", "$", ".", "1,$"] as const;
/** Not `:x`, after a key that begins a command. */
const after = listed(
  "<Esc> <Esc> <CR> q j zz<CR> y n <CR><CR> <C-c> jj<CR> K gg dd <Tab> /x<CR> ? <C-w>c <C-d> a p d r s",
);

/** Keys before the command, mostly none. */
const modes = ["", "", "", "", ...listed("i v V d : q: i<C-o> gv R / qa")] as const;

/** Not those that end Neovim, nor `!`, behind which a shell would run what comes. */
const pressed = [
  ..."abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPRSTUVWXY0123456789/?*#@$%^&()-_=+[]{};'\",.>~`",
  ...listed(
    "<CR> <CR> <CR> <Esc> <Esc> <Tab> <S-Tab> <BS> <Del> <Space> <Up> <Down> <Left> <Right> <PageDown>",
  ),
  ...listed(
    "<C-a> <C-b> <C-d> <C-e> <C-f> <C-g> <C-l> <C-n> <C-o> <C-p> <C-r> <C-s> <C-t> <C-u> <C-w>w <C-x> <C-y>",
  ),
];

function anyKeys(random: Random): string {
  if (random.below(2) === 0) return random.of(after);
  return Array.from({ length: 1 + random.below(8) }, () => random.of(pressed)).join("");
}

/** Gives the command, in any mode. */
const map = `vim.keymap.set({ "n", "i", "x", "o", "t", "s", "c" }, "<F5>", function()
  local ok, message = pcall(vim.cmd, Command)
  -- A word of the command line that Neovim itself did not understand.
  if not ok and message:find("parley", 1, true) then
    vim.api.nvim_echo({ { message } }, true, {})
  end
  Failed = not ok
end)`;

/** Not `restart` and `build`, which other soaks and tests look at. */
const leftOut: ReadonlySet<string> = new Set(["build", "restart"]);

const events = listed(
  "BufAdd BufDelete BufEnter BufFilePost BufFilePre BufHidden BufLeave BufNew BufNewFile BufReadPost BufReadPre",
  "BufUnload BufWinEnter BufWinLeave BufWipeout BufWritePost BufWritePre CmdlineLeave CursorMoved DirChanged",
  "FileType InsertEnter InsertLeave ModeChanged OptionSet QuickFixCmdPost TabClosed TabEnter TabLeave TabNew",
  "TextChanged WinClosed WinEnter WinLeave WinNew WinScrolled",
);

/** An autocommand of another plugin that fails from now on while Parley is at work, or none. */
const failAt = `pcall(vim.api.nvim_del_autocmd, Failing)
local event = ...
Failing = event ~= "" and vim.api.nvim_create_autocmd(event, {
  command = "if luaeval('debug.traceback():find([[lua/parley/]])') isnot v:null | echoerr 'bug' | endif",
}) or -1`;

/** What a command can change for the user's eye. A message is one of it. */
const seen = `local windows = {}
for _, win in ipairs(vim.api.nvim_list_wins()) do
  local buf = vim.api.nvim_win_get_buf(win)
  windows[#windows + 1] = {
    win, buf, vim.api.nvim_win_get_cursor(win), vim.api.nvim_buf_get_changedtick(buf),
    vim.api.nvim_buf_get_name(buf), vim.bo[buf].modified,
  }
end
return vim.inspect({
  windows, vim.api.nvim_get_current_win(), vim.fn.execute("messages"),
  vim.fn.getreg('"'), vim.api.nvim_get_mode(), vim.fn.getcmdline(),
})`;

async function run(
  live: LiveChat,
  random: Random,
  names: readonly string[],
  done: string[],
): Promise<string[]> {
  const { nvim } = live;
  const place = random.of(placeNames);
  const name = random.of(names);
  const given = Array.from({ length: random.of([0, 0, 1, 1, 2, 3]) }, () => random.of(words));
  const command = `${random.of(modifiers)}${random.of(ranges)}Parley ${name} ${given.join(" ")}`;
  const keys = anyKeys(random);
  await nvim.input("<Esc><C-\\><C-n>");
  await nvim.lua(`if vim.fn.getcmdwintype() ~= "" then vim.cmd("quit") end
    if vim.fn.reg_recording() ~= "" then vim.cmd("normal! q") end
    pcall(function() vim.wo.winfixbuf = false end)`);
  await backToChat(nvim);
  // A window for command lines may be the current one by then, in which no file opens.
  await nvim.lua(`vim.bo.modifiable = true vim.bo.readonly = false
    pcall(function() ${places[place]} end)`);
  await nvim.command("messages clear");
  const before = await nvim.lua(seen);
  const mode = random.of(modes);
  await nvim.lua("Failed = false Command = ...", command);
  const event = random.below(2) === 0 ? random.of(events) : "";
  await nvim.lua(failAt, event);
  const what = `${place}: ${mode}${command} then ${keys}; ${event || "nothing"} fails`;
  done.push(what);
  await nvim.input(`${mode}<F5>`);
  let isSilent = true;
  for (let round = 0; round < 60 && isSilent; round += 1) {
    await new Promise((resolve) => setTimeout(resolve, 10));
    isSilent = !(await isAsked(nvim)) && (await nvim.lua(seen)) === before;
  }
  const isRefused = (await nvim.lua("return Failed")) === true;
  await nvim.input(keys);
  await nvim.lua("vim.wait(30, function() return false end)");
  const reply = live.model.take();
  reply?.say("Some words.");
  reply?.end();
  await nvim.until("the end of the prompt", async () => !(await isAsked(nvim)));
  await nvim.lua(failAt, "");
  const said = await nvim.messages();
  const faults = unspoken.test(said) ? [said] : [];
  // Where no chat is named, this is Neovim's own `gf`.
  if (isSilent && !isRefused && name !== "follow_link") faults.push("it says nothing");
  return faults.map((fault) => `${what}\n${fault}`);
}

async function play(live: LiveChat, random: Random, done: string[]): Promise<string[]> {
  const { nvim } = live;
  await nvim.lua(map);
  const all = z
    .array(z.string())
    .parse(await nvim.lua("return vim.fn.getcompletion('Parley ', 'cmdline')"));
  const names = all.filter((name) => !leftOut.has(name));
  await nvim.input("G");
  const first = await live.respond();
  first.think("Hm. ");
  first.say("Some words.\n\n```lua\nlocal x = 1\n```\n");
  first.call({ id: "call_1", query: "say:ran\nwell" }, { id: "call_2", query: "say:again" });
  first.end("tool_calls");
  await live.ended();
  const faults: string[] = [];
  for (let index = 0; index < 25; index += 1) {
    faults.push(...(await run(live, random, names, done)));
  }
  return faults;
}

describe.each(neovims)("any command anywhere in Neovim $version", ({ path, version }) => {
  it.each(seedsOfRun(40))("of seed %i", async (seed) => {
    const chat = { text: `${header}💬: what is new?\n` };
    const live = await openLiveChat({ path, chat });
    const done: string[] = [];
    const watchdog = answerPrompts(live);
    const what = `commands ${seed} in ${version}`;
    const faults = await faultsOf(
      what,
      done,
      play(live, createRandom(seed), done),
      live.nvim.gone().then(() => ["Neovim ended"]),
    );
    clearInterval(watchdog);
    expect(faults).toEqual([]);
  });
});
