/**
 * What people do in Neovim while a chat goes on: keys that wait for another one, the mouse, options, commands that
 * change the chat, and a second chat with an answer of its own.
 */
import { writeFile } from "node:fs/promises";
import { header } from "../support/live-chat.ts";
import { type Action, anyOpen, endReply, otherChat, pause, release, somewhere } from "./session.ts";

/** The model, a tool or nobody goes on. */
async function goesOn(session: Parameters<Action>[0]): Promise<string> {
  await pause(session, 30);
  const one = anyOpen(session);
  const [held] = session.held;
  const what = session.random.of(["says", "says", "ends", "answers", "waits"] as const);
  if (what === "answers" && held !== undefined) await release(session, held);
  if (one === null || what === "answers" || what === "waits") return what;
  const word = session.word("m");
  if (what === "ends") {
    session.open.splice(session.open.indexOf(one), 1);
    endReply(one, "stop", word);
  } else {
    one.reply.say(`${word}\n\n`);
    one.said.words.push(word);
  }
  await pause(session, 30);
  return `${what} ${word}`;
}

/** Keys after which Neovim waits for more, and what comes at last. */
const halves = [
  [":s/x", "<Esc>"],
  ["/m", "<CR>"],
  ["/m", "<Esc>"],
  ["?P", "<CR>"],
  ["q:", ":silent! close<CR>"],
  ["q:o{", "<Esc>:silent! close<CR>"],
  ["q/", ":silent! close<CR>"],
  [":ec<C-f>", "<Esc>:silent! close<CR>"],
  ["v", "<Esc>"],
  ["vj", "d"],
  ["Vk", "y"],
  ["V", ">"],
  ["<C-v>j", "x"],
  ["viw", "p"],
  ["gh", "x<Esc>"],
  ["d", "<Esc>"],
  ["d", "j"],
  ["y", "<Esc>"],
  ["y", "y"],
  ["c", "iwz<Esc>"],
  ["g", "J"],
  ["i<C-x><C-n>", "<C-n><Esc>"],
  ["A {<C-n>", "<C-y><Esc>"],
  ["i<C-v>", "u41<Esc>"],
  ["i<C-r>", "0<Esc>"],
  ["i<C-o>", "x<Esc>"],
  ["i<C-o>d", "w<Esc>"],
  ["A<C-x><C-o>", "<Esc>"],
  ["i<C-k>", "a:<Esc>"],
  ["r", "z"],
  ["R", "zz<BS><Esc>"],
  ["gR", "z<Esc>"],
  ['"', "ayy"],
  ["qa", "q"],
  ["qaox", "<Esc>q@a"],
  ["z", "z"],
  ["3", "J"],
  ["<C-w>", "w"],
  ["<C-w>", "s"],
  ["<C-g>", "<Esc>"],
  ["i<C-g>", "<Esc>"],
  ["f", "m;"],
  [":call getchar()<CR>", "x"],
  [":call input('')<CR>", "x<CR>"],
  [":silent! %s/{/{/gc<CR>", "yq"],
  [":ls<CR>", "<CR>"],
  [":map<CR>", "q"],
  [":sleep 30m<CR>", ""],
  [":lua vim.wait(50)<CR>", ""],
  [":!true<CR>", "<CR>"],
  [":silent! normal! ixx<CR>", ""],
  [":silent! g/{/sleep 2m<CR>", ""],
] as const;

const waiting: Action = async (session) => {
  const place = await somewhere(session);
  const [begin, end] = session.random.of<(typeof halves)[number]>(halves);
  await session.live.nvim.input(begin);
  const what = await goesOn(session);
  await session.type(end);
  return `${place}: ${begin}, the model ${what}, ${end}`;
};

const pointing: Action = async (session) => {
  const { client } = session.live.nvim;
  const [row, column] = [session.random.below(40), session.random.below(120)];
  const mouse = (button: string, action: string, line = row, modifier = "") =>
    client.request("nvim_input_mouse", [button, action, modifier, 0, line, column]);
  const how = session.random.of(["click", "click", "double", "drag", "up", "down", "shift"]);
  if (how === "up" || how === "down") {
    for (let turn = 0; turn < 4; turn += 1) await mouse("wheel", how);
  } else {
    await mouse("left", "press", row, how === "shift" ? "S" : "");
    if (how === "drag") await mouse("left", "drag", session.random.below(40));
    await mouse("left", "release");
    if (how === "double") {
      await mouse("left", "press");
      await mouse("left", "release");
    }
  }
  const what = await goesOn(session);
  await session.type("<Esc>");
  return `the mouse: ${how} in row ${row}, column ${column}; the model ${what}`;
};

const localOptions: readonly [string, ...string[]] = [
  "norelativenumber",
  ...["nomodifiable", "readonly", "filetype=text", "filetype=", "nofoldenable", "list", "nowrap"],
  ...["number relativenumber", "diff scrollbind", "spell", "conceallevel=2", "foldmethod=marker"],
  ...["foldmethod=expr foldexpr=1", "foldmethod=manual", "scrolloff=99", "signcolumn=yes:3"],
  ...["undolevels=-1", "undolevels=1", "textwidth=30 formatoptions+=a", "smartindent", "rightleft"],
  ...["winfixbuf", "nobuflisted", "bufhidden=delete", "bufhidden=wipe", "noswapfile", "autoread"],
  ...["foldlevel=0", "foldcolumn=4", "cursorline", "colorcolumn=80", "breakindent linebreak"],
  ...["winbar=%f", "statusline=%f", "iskeyword+=-", "expandtab tabstop=2", "smoothscroll"],
];
const globalOptions: readonly [string, ...string[]] = [
  "noincsearch",
  ...["virtualedit=all", "selection=exclusive", "lazyredraw", "cmdheight=2", "laststatus=3"],
  ...["cmdheight=0", "ignorecase", "noautoread", "hidden", "equalalways!", "updatetime=10"],
  ...["timeoutlen=10", "wrapscan!", "startofline", "splitbelow", "eventignore=BufWritePost"],
  ...["report=0", "shortmess=", "foldopen=all", "whichwrap=h,l", "inccommand=split"],
];

const setting: Action = async (session) => {
  const isLocal = session.random.below(3) > 0;
  const option = session.random.of(isLocal ? localOptions : globalOptions);
  const command = `${isLocal ? "setlocal" : "set"} ${option}`;
  await session.type(`:silent! ${command}<CR>`);
  const what = await goesOn(session);
  await session.type(session.random.of(["<C-g><C-g>", "ya", "x", "G", ":silent! w<CR>", "u"]));
  if (isLocal && session.random.below(2) === 0) {
    await session.type(":silent! setlocal modifiable noreadonly nowinfixbuf<CR>");
  }
  return `:${command}, the model ${what}`;
};

/** Global options that sessions change go back to their defaults. */
export const resetOptions = `silent! tabonly | silent! only | silent! diffoff! | ${globalOptions
  .map((option) => `silent! set ${option.replace(/^no(?=autoread|incsearch)|[+=!].*$/g, "")}&`)
  .join(" | ")} | ${localOptions
  .flatMap((options) => options.split(" "))
  .map((option) => option.replace(/[+=].*$/, "").replace(/^no/, ""))
  .filter((option) => !["modifiable", "filetype", "foldmethod", "undolevels"].includes(option))
  .map((option) => `silent! setlocal ${option}<`)
  .join(" | ")}`;

/** Commands that change the chat or what goes on in it, and come back to it. */
const commanding: Action = async (session) => {
  await somewhere(session);
  const command = session.random.of<string>([
    "help",
    ...["branch", "tags a, b", "respond_all", "undo-edits"],
    ...["apply", "export markdown", "detach", "attach", "restart", "mcp restart", "mcp stop"],
    ...["ask why", "toggle", "follow", "outline", "migrate", "approve"],
    ...["deny", "approve all", "stop call", "new"],
    ...["deny all", "system_prompt", "agent", "prompt", "details", "fix", "follow_link"],
  ]);
  await session.type(`:silent! Parley ${command}<CR>`);
  const what = await goesOn(session);
  await session.type("<Esc><Esc>");
  await pause(session, 30);
  await session.live.nvim.lua(
    // A location list whose window shows something else crashes Neovim 0.12 at a :bwipe! of the last file.
    `vim.cmd("silent! lclose | setlocal nowinfixbuf")
    vim.cmd("silent! edit " .. vim.fn.fnameescape((...)))
    vim.cmd("silent! Parley attach")`,
    session.path,
  );
  return `:Parley ${command}, the model ${what}`;
};

/** Another chat asks its own question, and its answer comes while the user is back in the first one. */
const elsewhere: Action = async (session) => {
  const path = otherChat.path(session.path);
  const { nvim } = session.live;
  const question = `${otherChat.marker} ${session.word("P")}`;
  await writeFile(path, `${header.replace("tools: mock\n", "")}💬: ${question}\n`);
  const edit = "vim.cmd('silent! edit ' .. vim.fn.fnameescape((...)))";
  await nvim.lua(edit, path);
  await session.type("G<C-g><C-g>");
  await pause(session, 60);
  await nvim.lua(edit, session.path);
  return `a second chat asks ${question}`;
};

export const meanwhile: readonly (readonly [number, Action])[] = [
  [10, waiting],
  [4, pointing],
  [4, setting],
  [4, commanding],
  [1, elsewhere],
];
