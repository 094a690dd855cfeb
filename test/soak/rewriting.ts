/** Actions that rewrite much of the text at once, as formatters, blocks and journeys through the undo history do. */
import { type Action, anyOpen, pause, somewhere } from "./session.ts";

const travelling: Action = async (session) => {
  const keys = session.random.of([
    ...([":earlier 1s", ":later 1s", ":earlier 4", ":later 4", ":earlier 1f", ":undo 2"] as const),
    ":earlier 20<CR>:later 20",
  ]);
  await session.type(`${keys.replaceAll(":", ":silent! ")}<CR>`);
  return keys;
};

const blocks: Action = async (session) => {
  const place = await somewhere(session);
  const word = session.word("P");
  const keys = session.random.of([
    ...([`<C-v>jjI${word}<Esc>`, `<C-v>jjA${word}<Esc>`, `R${word}<Esc>`] as const),
    ...([`qqo${word}<Esc>q2@q`, ":silent! g/🤖/normal! Ax<CR>", ":silent! g/^<!--/d<CR>"] as const),
    ...([":silent! g/💬/normal! x<CR>", ":silent! g/🛠/d<CR>", "ggVGgU", "ggVG=", "VjJ"] as const),
    ...(["yiwvipp", "Vjd<Esc>p", ":m0<CR>", ":m$<CR>", ":t$<CR>", "yGP", "ggyGGp", "gJ"] as const),
    ":silent! undojoin | normal! ox<CR>",
  ]);
  await session.type(keys);
  return `${place}: ${keys}`;
};

/** All lines at once, with or without a difference. */
const formatting: Action = async (session) => {
  const how = session.random.of(["trims", "joins blank lines", "adds blank lines", "the same"]);
  await session.live.nvim.lua(
    `local how = ...
    local lines, formatted = vim.api.nvim_buf_get_lines(0, 0, -1, false), {}
    for at, line in ipairs(lines) do
      if how ~= "joins blank lines" or line ~= "" or lines[at - 1] ~= "" then
        formatted[#formatted + 1] = how == "trims" and line:gsub("%s+$", "") or line
      end
      if how == "adds blank lines" and line ~= "" and lines[at + 1] ~= "" then
        formatted[#formatted + 1] = ""
      end
    end
    if vim.bo.modifiable then vim.api.nvim_buf_set_lines(0, 0, -1, false, formatted) end`,
    how,
  );
  return `a formatter: ${how}`;
};

/** The model's words beside what would be structure in a chat. */
const forging: Action = async (session) => {
  const one = anyOpen(session);
  if (one === null) return null;
  const word = session.word("m");
  const pieces = session.random.of([
    ["\n💬: ", word, "\n"],
    ["```\n", word, "\n💬: x\n```"],
    ["💬", ": ", word],
    ["\n❓: `", word, "`\n"],
    ["\n🛠️: [a][b] ", word],
    ["<!-- parley:", "unfinished open -->", word],
    ["\n📝: ", word, "\n"],
    ["\n🧠: ", word, "\n\n"],
    ["\r", word, "\r\n"],
  ]);
  one.reply.say(...pieces);
  one.said.words.push(word);
  await pause(session, session.random.below(40));
  return `the model says ${JSON.stringify(pieces)}`;
};

export const rewriting: readonly (readonly [number, Action])[] = [
  [6, travelling],
  [8, blocks],
  [4, formatting],
  [5, forging],
];
