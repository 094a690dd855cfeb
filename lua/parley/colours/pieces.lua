--- A cache of Markdown pieces with their highlights, by their text. A short piece is parsed whole; for a long one the
--- tree is kept and edited, so that a key in it costs only what changed.
local bounded = require("parley.colours.bounded")
local marks = require("parley.colours.marks")

local M = {}

--- Pieces with fewer lines are parsed whole whenever their text is new; longer ones keep a tree that is edited.
local most_lines = 24
--- How many pieces are cached, plus as many older ones.
local most_kept = 200
--- How many trees of long pieces are kept.
local most_trees = 6

--- The most bytes of one piece. A paragraph of megabytes blocks Neovim for seconds even when it is parsed in steps,
--- because the parser's last step cannot be split.
local most_bytes = 128 * 1024

local kept, older, count = {}, {}, 0

---@class parley.Piece
---@field lines string[]
---@field text string as it is parsed
---@field above integer lines of the text above the first line
---@field rows table<integer, parley.RowMarks> by line of the text
---@field tree? vim.treesitter.LanguageTree of a long one
---@field ms? number that its last parse took
---@field is_plain? boolean without colours

--- Returns the text to parse for these lines. A blank line is put above pieces that are not at the top, so that `---`
--- is not read as front matter. Neovim returns a NUL byte as a line break.
local function text_of(lines, is_top)
  local text = table.concat(lines, "\n")
  local _, breaks = text:gsub("\n", "")
  if breaks ~= #lines - 1 then
    local clean = {}
    for index, line in ipairs(lines) do
      clean[index] = line:gsub("\n", "\0")
    end
    text = table.concat(clean, "\n")
  end
  return (is_top and "" or "\n") .. text .. "\n"
end

--- Whether these lines of a buffer are too many bytes for one piece; they are then not read and get no colours.
---@param buf integer
---@param first integer counted from 0
---@param below integer
---@return boolean
function M.are_too_long(buf, first, below)
  local offset = vim.api.nvim_buf_get_offset
  return offset(buf, below) - offset(buf, first) > most_bytes
end

local function plain_piece(lines, text, above)
  return { lines = lines, text = text, above = above, rows = {}, is_plain = true }
end

local function parse_whole(lines, text, above)
  if bounded.are_too_deep(lines) then
    return plain_piece(lines, text, above)
  end
  local tree = vim.treesitter.get_string_parser(text, "markdown", bounded.options_for(text))
  tree:parse(true)
  return {
    lines = lines,
    text = text,
    above = above,
    rows = marks.of(tree, text, 0, above + #lines),
  }
end

---@type parley.Piece[] the last that was used is the first
local long = {}

local function bytes_of(lines, first, last)
  local bytes = last - first + 1
  for index = first, last do
    bytes = bytes + #lines[index]
  end
  return bytes
end

local function set_source(tree, text)
  tree._source = text
  for _, child in pairs(tree:children()) do
    set_source(child, text)
  end
end

--- Edits the tree of a piece for a text that differs in some lines, so that only those are parsed again.
local function edit(piece, lines, text, first, last)
  local before = bytes_of(piece.lines, 1, first) + piece.above
  local old_last, new_last = #piece.lines - last, #lines - last
  local tree = piece.tree
  tree:_on_bytes(
    0,
    0,
    piece.above + first,
    0,
    before,
    old_last - first,
    0,
    bytes_of(piece.lines, first + 1, old_last),
    new_last - first,
    0,
    bytes_of(lines, first + 1, new_last)
  )
  set_source(tree, text)
  piece.lines, piece.text, piece.rows = lines, text, {}
end

--- Returns the long piece that is most like these lines, and how many lines they share; nil without one.
local function find_like(lines, above)
  -- Loaded on demand, because the first screen rarely has a long piece.
  local in_common = require("parley.text.lines").in_common
  local best, best_first, best_last, index = nil, 0, 0, nil
  for each, piece in ipairs(long) do
    if piece.above == above then
      local first, last = in_common(piece.lines, lines)
      if first + last > best_first + best_last then
        best, best_first, best_last, index = piece, first, last, each
      end
    end
  end
  if best and best_first + best_last >= #lines / 2 then
    return best, best_first, best_last, index
  end
end

local function keep(piece)
  table.insert(long, 1, piece)
  long[most_trees + 1] = nil
end

--- Returns the long piece with this text, if it was parsed.
local function find_parsed(text)
  for index, piece in ipairs(long) do
    if piece.text == text then
      table.insert(long, 1, table.remove(long, index))
      return piece
    end
  end
end

--- Milliseconds that a parse may take during a redraw.
local most_ms = 6
--- Milliseconds that the first parse of a kilobyte takes, roughly, including code in it.
local ms_per_kilobyte = 0.6

local function parse_long(piece)
  local begun = vim.uv.hrtime()
  piece.tree:parse(true)
  piece.ms = (vim.uv.hrtime() - begun) / 1e6
  keep(piece)
  return piece
end

local function new_long(lines, text, above)
  local tree = vim.treesitter.get_string_parser(text, "markdown", bounded.options())
  return { lines = lines, text = text, above = above, rows = {}, tree = tree, ms = 0 }
end

--- Neovim 0.10's parser gives a different result for an edited tree than for a fresh parse.
local can_edit = vim.fn.has("nvim-0.11") == 1

local function long_piece(lines, text, above, in_time)
  local piece = find_parsed(text)
  if piece then
    return piece
  end
  if bounded.are_too_deep(lines) then
    return plain_piece(lines, text, above)
  end
  local like, first, last, index = find_like(lines, above)
  -- A stream may suddenly add thousands of lines to a piece that was quick to parse before.
  local added = like and bytes_of(lines, first + 1, #lines - last) or #text
  local ms = (like and like.ms or 0) + added / 1024 * ms_per_kilobyte
  if in_time and ms > most_ms then
    return nil
  end
  if like then
    table.remove(long, index)
  end
  if not like or not can_edit then
    return parse_long(new_long(lines, text, above))
  end
  edit(like, lines, text, first, last)
  return parse_long(like)
end

--- Returns the piece with these lines; with `in_time`, nil if parsing it would delay a key.
---@param lines string[]
---@param is_top boolean whether they begin their file
---@param in_time boolean
---@return parley.Piece?
function M.piece(lines, is_top, in_time)
  local text = text_of(lines, is_top)
  local above = is_top and 0 or 1
  if #lines > most_lines then
    return long_piece(lines, text, above, in_time)
  end
  local piece = kept[text]
  if piece then
    return piece
  end
  piece = older[text] or parse_whole(lines, text, above)
  if count >= most_kept then
    kept, older, count = {}, kept, 0
  end
  kept[text], count = piece, count + 1
  return piece
end

local parses_in_pieces = vim.fn.has("nvim-0.11") == 1

--- Parses a long piece, in steps of a few milliseconds where Neovim supports that, and calls `done`.
---@param lines string[]
---@param is_top boolean
---@param done fun()
function M.prepare(lines, is_top, done)
  local text, above = text_of(lines, is_top), is_top and 0 or 1
  if not parses_in_pieces or bounded.are_too_deep(lines) then
    long_piece(lines, text, above, false)
    done()
    return
  end
  local piece = new_long(lines, text, above)
  piece.ms = #text / 1024 * ms_per_kilobyte
  piece.tree:parse(true, function(problem)
    -- A text that takes too long gets no colours at all, as in Neovim.
    piece.is_plain = problem ~= nil
    keep(piece)
    done()
  end)
end

--- Fills `into` with the marks of lines `first` to `last` of a piece that begins at row `top`.
---@param piece parley.Piece
---@param first integer counted from 0
---@param last integer
---@param top integer
---@param into table<integer, parley.RowMarks>
function M.fill(piece, first, last, top, into)
  local above = piece.above
  if piece.tree and not piece.is_plain then
    for line = first, last do
      if piece.rows[line + above] == nil then
        local found = marks.of(piece.tree, piece.text, line + above, last + above + 1)
        for row, row_marks in pairs(found) do
          piece.rows[row] = row_marks
        end
        break
      end
    end
  end
  for line = first, last do
    into[top + line] = piece.rows[line + above] or marks.none
  end
end

--- Clears the cache, when no chat is shown.
function M.forget()
  kept, older, count, long = {}, {}, 0, {}
end

return M
