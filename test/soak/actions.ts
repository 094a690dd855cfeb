/** What can happen in a random session, each with its weight. An action gives back words for the record. */
import { z } from "zod";
import { meanwhile } from "./meanwhile.ts";
import { otherPlugins } from "./other-plugins.ts";
import { rewriting } from "./rewriting.ts";
import { type Action, anyOpen, endReply, pause, release, somewhere } from "./session.ts";
import { vimKeys } from "./vim-keys.ts";

const typing: Action = async (session) => {
  const place = await somewhere(session);
  const how = session.random.of(["i", "I", "a", "A", "o", "O", "GA", "Go"]);
  const middle = session.random.of(["", "", "<CR>", "<CR><CR>"]);
  const keys = `${how}${session.word("P")}${middle}${session.word("P")}<Esc>`;
  await session.type(keys);
  return `${place}: ${keys}`;
};

const editing: Action = async (session) => {
  const place = await somewhere(session);
  const keys = session.random.of([
    ...(["dd", "x", "dw", "D", "J", "dip", "yyp", "ddp", "ddkP", "3dd", "cc<Esc>"] as const),
    ...(["i<CR><Esc>", "gqj", ">>", "guu", "p", "ciw{P0}<Esc>", "."] as const),
  ]);
  await session.type(keys);
  return `${place}: ${keys}`;
};

const undoing: Action = async (session) => {
  const keys = session.random.of(["u", "u", "2u", "4u", "<C-r>", "3<C-r>", "g-", "g+", "9u", "U"]);
  await session.type(keys);
  return keys;
};

const wholesale: Action = async (session) => {
  const command = session.random.of([
    ...(["%d", "%!cat", "%!sort", "sort", "g/./m0", "g/^$/d", "1,$-1d", "%s/{/{/g", "%j"] as const),
    ...([
      "%d | undo",
      "%y | %d | 0put",
      "undo 0",
      "g/^/m0",
      "2,$sort!",
      "sort u",
      "%!tac",
      "g/./t.",
      "%>",
      "v/❓/d",
      "3,6!sort -r",
      "%d | r !printf 'a\\nb'",
      "earlier 2f",
      "1,8!cat",
      "$d",
      "global/m/d",
    ] as const),
  ]);
  await session.type(`:silent! ${command}<CR>`);
  return `:${command}`;
};

const filing: Action = async (session) => {
  const command = session.random.of([
    "e!",
    "w",
    "update",
    "w!",
    "checktime",
    "noautocmd w",
  ] as const);
  await session.type(`:silent! ${command}<CR>`);
  return `:${command}`;
};

/** Another program puts its own text in the place of the file, as a checkout and most editors do. */
const replacing: Action = async (session) => {
  const word = session.word("x");
  await session.live.nvim.lua(
    `local path, word = ...
    local lines = vim.fn.readfile(path)
    table.insert(lines, math.max(1, #lines - 1), word)
    vim.fn.writefile(lines, path .. ".other")
    vim.uv.fs_rename(path .. ".other", path)`,
    session.path,
    word,
  );
  return `another program replaces the file, with ${word}`;
};

/** Types without leaving Insert mode while the model goes on. */
const typingMeanwhile: Action = async (session) => {
  const place = await somewhere(session);
  const { nvim } = session.live;
  const [first, second] = [session.word("P"), session.word("P")];
  await nvim.input(`a${first}`);
  await pause(session, 30);
  const one = anyOpen(session);
  if (one !== null) {
    const word = session.word("m");
    one.reply.say(`${word}\n`);
    one.said.words.push(word);
  }
  await pause(session, 30);
  await nvim.input(`<CR>${second}<C-u>${session.word("P")}<C-o>:silent! update<CR>`);
  await session.type("<Esc>");
  return `${place}: types ${first} while the model goes on`;
};

/** The chat has another name for a while, under which it may be saved. */
const renaming: Action = async (session) => {
  const { nvim } = session.live;
  const name = (path: string) =>
    nvim.lua(
      "if vim.bo.buftype == '' then vim.cmd('silent! file ' .. vim.fn.fnameescape((...))) end",
      path,
    );
  await name(session.path.replace(/\.md$/, "-renamed.md"));
  await pause(session, 60);
  await session.type(session.random.of(["G<C-g><C-g>", "x", "<Esc>"]));
  await pause(session, 60);
  await name(session.path);
  return "renamed, and named again as it was";
};

/** A host that hears nothing for a while, as after a suspend of the machine. */
const suspending: Action = async (session) => {
  await session.live.nvim.lua(`local channel = require("parley.host").channel()
    if channel then
      local pid = vim.fn.jobpid(channel)
      vim.uv.kill(pid, "sigstop")
      vim.defer_fn(function() vim.uv.kill(pid, "sigcont") end, 60)
    end`);
  await session.type(session.random.of(["G<C-g><C-g>", "x", "u", ":silent! w<CR>", "yo"]));
  await pause(session, 100);
  return "the host is suspended for a moment";
};

/** From inside Neovim, so that the watch does not look at the file in the middle of it. */
const otherWriter: Action = async (session) => {
  const word = session.word("x");
  await session.live.nvim.lua(
    `local path, word = ...
    local file = io.open(path, "a")
    file:write(word, "\\n")
    file:close()`,
    session.path,
    word,
  );
  return `another program writes ${word}`;
};

const wiping: Action = async (session) => {
  await session.type(":silent! bwipe!<CR>");
  await session.live.nvim.lua(
    "vim.cmd('silent! edit ' .. vim.fn.fnameescape((...)))",
    session.path,
  );
  return "wiped and opened again";
};

const windows: Action = async (session) => {
  const command = session.random.of([
    "split",
    "only",
    "vsplit",
    "enew!",
    "tabnew",
    "tabonly",
  ] as const);
  await session.type(`:silent! ${command}<CR>`);
  await session.live.nvim.lua(
    "vim.cmd('silent! edit ' .. vim.fn.fnameescape((...)))",
    session.path,
  );
  return `:${command}`;
};

/** A screen never smaller than one in which a call can be decided at all. */
const resizing: Action = async ({ live, random }) => {
  const [columns, rows] = random.of<readonly [number, number]>([
    [120, 40],
    [80, 24],
    [60, 16],
    [30, 12],
    [200, 60],
  ]);
  await live.nvim.client.request("nvim_ui_try_resize", [columns, rows]);
  return `the screen has ${columns} columns and ${rows} rows`;
};

/** Opens a list or details, does something else there, and comes back to the chat. */
const looking: Action = async (session) => {
  const { random, live } = session;
  const what = random.of(["K", "<C-g>?", "gO", "]]", "[[", "]w", "za", "zR", "zM", "gf"] as const);
  const command = random.of([
    ...(["chats", "tools", "status", "mcp", "models", "usage", "preview", "toggle"] as const),
    ...(["check", "fix", "tree", "remembered", "log", "next", "copy", "changes"] as const),
  ]);
  const opens = random.of([what, `:silent! Parley ${command}<CR>`]);
  await session.type(opens);
  await pause(session, 40);
  const then = random.of([
    ...(["<Esc>", "q", "<CR>", "j", "gt", "<C-w>w", "<C-w>p", "K", "zz"] as const),
    ...(["tabnew", "bwipe!", "close", "only", "tabonly", "new", "hide"] as const).map(
      (name) => `<Esc>:silent! ${name}<CR>`,
    ),
  ]);
  await session.type(then);
  const sized = random.below(3) === 0 ? await resizing(session) : "";
  await session.type("<Esc><Esc>");
  await live.nvim.lua(
    `for _, win in ipairs(vim.api.nvim_list_wins()) do
      if vim.api.nvim_win_is_valid(win) and vim.api.nvim_win_get_config(win).relative ~= "" then
        pcall(vim.api.nvim_win_close, win, true)
      end
    end
    vim.cmd("silent! lclose")
    vim.cmd("silent! edit " .. vim.fn.fnameescape((...)))`,
    session.path,
  );
  return `${opens}, then ${then} ${sized}`;
};

const responding: Action = async (session) => {
  if (session.random.below(4) > 0) await session.type("G");
  else await somewhere(session);
  const keys = session.random.of(["<C-g><C-g>", "<C-g><C-g>", "<C-g><C-g>", "i<C-g><C-g>"]);
  await session.type(keys);
  await pause(session, 30);
  return "respond";
};

const retrying: Action = async (session) => {
  await session.type(":silent! Parley retry<CR>");
  await pause(session, 20);
  return "retry";
};

const stopping: Action = async ({ live, random }) => {
  const name = random.of(["stop", "stop", "stop_call"]);
  await live.nvim.lua("require('parley.actions')[...]()", name);
  return name;
};

/** An approval key on a call line, or without effect somewhere else. */
const deciding: Action = async (session) => {
  const row = z.number().parse(
    await session.live.nvim.lua(
      `local rows = {}
      for row, line in ipairs(vim.api.nvim_buf_get_lines(0, 0, -1, false)) do
        if vim.startswith(line, "❓") then rows[#rows + 1] = row end
      end
      local row = rows[#rows - math.floor(... * math.min(2, #rows))] or 1
      vim.api.nvim_win_set_cursor(0, { row, 0 })
      return row`,
      session.random.below(1000) / 1000,
    ),
  );
  // In a list that a key opens, the same key decides.
  const key = session.random.of(["ya", "ya", "yo", "yo", "yn", "yN", "yO", "yA"]);
  const times = session.random.of([key, key, `${key}${key}`]);
  await session.type(`${times}<Esc><Esc>`);
  await pause(session, 60);
  return `line ${row}: ${times}`;
};

const saying: Action = async (session) => {
  const one = anyOpen(session);
  if (one === null) return null;
  const pieces = Array.from({ length: 1 + session.random.below(5) }, () => session.word("m"));
  for (const piece of pieces) {
    one.reply.say(`${piece}${session.random.of([" ", " ", "\n", "\n\n"])}`);
    one.said.words.push(piece);
  }
  await pause(session, session.random.below(40));
  return `the model says ${pieces.join(" ")}`;
};

const calling: Action = async (session) => {
  const one = anyOpen(session);
  if (one === null) return null;
  const calls = Array.from({ length: 1 + session.random.below(3) }, () => {
    const name = session.word("t").slice(1, -1);
    return session.random.below(2) === 0 ? `hold:${name}` : `say:{${name}}`;
  });
  one.reply.call(...calls.map((query, index) => ({ id: `c${one.said.seq}_${index}`, query })));
  one.said.calls.push(...calls);
  for (const query of calls) if (query.startsWith("hold:")) session.held.add(query.slice(5));
  session.open.splice(session.open.indexOf(one), 1);
  endReply(one, "tool_calls");
  await pause(session, 80);
  return `the model calls ${calls.join(" ")}`;
};

const ending: Action = async (session) => {
  const one = anyOpen(session);
  if (one === null) return null;
  session.open.splice(session.open.indexOf(one), 1);
  const end = session.random.of(["stop", "stop", "stop", "length", "drop"] as const);
  endReply(one, end, ...(end === "drop" ? [] : [session.word("m")]));
  await pause(session, 40);
  return `the model ends: ${end}`;
};

const releasing: Action = async (session) => {
  const [name] = session.held;
  if (name === undefined) return null;
  await release(session, name);
  await pause(session, 30);
  return `the tool answers ${name}`;
};

/** The next key starts another; how often it may do so within a minute is a matter of other tests. */
const killing: Action = async ({ live }) => {
  await live.nvim.lua(`local host = require("parley.host")
    local channel = host.channel()
    if channel then
      vim.uv.kill(vim.fn.jobpid(channel), "sigkill")
      vim.wait(5000, function() return host.channel() ~= channel end, 5)
    end
    require("parley.host.start_limit").forget()`);
  return "the host is killed";
};

const configurations = [
  ...["{}", '{ "system_prompt": "Be brief." }', '{ "fold_calls": false, "fold_results": 3 }'],
  ...['{ "mcp": { "mock": true } }', '{ "tool_timeout": 50 }', '{ "max_full_exchanges": 1 }'],
  ...['{ "highlight": "treesitter" }', '{ "mdoel": 1 }', '{ "rules": {', "[1]", ""],
] as const;

/** Other options, from config.json as another program wrote it or as it is saved here. */
const configuring: Action = async (session) => {
  const text = session.random.of(configurations);
  const isSavedHere = session.random.below(2) === 0;
  await session.live.nvim.lua(
    `local text, is_saved_here = ...
    local folder = vim.fs.joinpath(vim.fn.stdpath("config"), "parley")
    vim.fn.mkdir(folder, "p")
    local path = vim.fs.joinpath(folder, "config.json")
    vim.fn.writefile({ text }, path)
    if is_saved_here then
      vim.api.nvim_exec_autocmds("BufWritePost", { group = "parley", pattern = path })
    end`,
    text,
    isSavedHere,
  );
  return `config.json ${isSavedHere ? "is saved" : "changes"}: ${text}`;
};

export const actions: readonly (readonly [number, Action])[] = [
  [14, responding],
  [16, saying],
  [9, calling],
  [6, ending],
  [12, deciding],
  [7, releasing],
  [12, typing],
  [8, editing],
  [6, undoing],
  [4, wholesale],
  [4, filing],
  [2, otherWriter],
  [1, replacing],
  [4, typingMeanwhile],
  [1, suspending],
  [1, renaming],
  [2, wiping],
  [2, windows],
  [3, retrying],
  [4, stopping],
  [1, killing],
  [2, configuring],
  [4, looking],
  [1, resizing],
  ...rewriting,
  ...meanwhile,
  ...vimKeys,
  ...otherPlugins,
];
