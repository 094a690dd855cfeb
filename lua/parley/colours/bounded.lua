--- Markdown from anywhere, parsed so that no text holds Neovim up or ends it. Neovim's parser of words inside a
--- paragraph takes twice as long with each `![*` that is not closed (thirty of them, 90 bytes, take seconds and
--- sixty for ever), and as long as the square of what may begin emphasis or a link and is not closed. Where it
--- parses, Neovim does not stop it. So a paragraph with more of these than people write is not parsed: it is drawn
--- as plain text. The rest of the text has its colours.
local M = {}

--- What may begin or end emphasis, strikethrough or a link in one paragraph, and images in it. With so many the
--- worst paragraphs of random patterns take 10 ms.
local most_marks, most_images = 256, 12

local predicate = "parley-bounded?"

--- So many blocks inside each other are read: with 254 of them the parser writes behind the end of its own memory,
--- and Neovim ends.
local most_depth = 200

--- Behind the code span that begins at `at`; nil when none does, as the same run of backticks does not come again.
local function behind_code(text, at)
  local run, behind = text:match("^(`+)()", at)
  while run do
    local found, next_behind = text:match("(`+)()", behind)
    if not found or #found == #run then
      return found and next_behind
    end
    behind = next_behind
  end
end

--- The text without its code spans, where marks mean nothing: a call's JSON stands in one. A tag, an address or a
--- formula may hold a backtick of its own, so with those all of the text counts.
local function without_code(text)
  if not text:find("`", 1, true) or text:find("[<$\\]") then
    return text
  end
  local parts, from = {}, 1
  while true do
    local at = text:find("`", from, true)
    if not at then
      parts[#parts + 1] = text:sub(from)
      return table.concat(parts)
    end
    local behind = behind_code(text, at) or text:match("^`+()", at)
    parts[#parts + 1] = text:sub(from, at - 1)
    from = behind
  end
end

--- A letter or digit, and what stands in a span without marks of its own.
local letter, words = "[%w\128-\255]", "[^*_~%[%]`<\\!\n]"

--- The text without what is closed and has no other marks in it: the parser reads that as fast as words.
local function without_closed(text)
  text = text:gsub("(" .. letter .. ")_+%f[%w\128-\255]", "%1")
  for _, mark in ipairs({ "%*%*", "__", "%*", "_", "~~" }) do
    text = text:gsub(("%s(%s)%s"):format(mark, letter, mark), "%1")
    text = text:gsub(("%s(%s%s-%s)%s"):format(mark, letter, words, letter, mark), "%1")
  end
  text = text:gsub("!?%[" .. words .. "-%]%([^%s()<>\\]*%)", "")
  return text
end

local function count(text, pattern)
  return select(2, text:gsub(pattern, ""))
end

local function has_few(text)
  return count(text, "[*_~%[]") <= most_marks and count(text, "!%[") <= most_images
end

--- Whether a paragraph is parsed in a time that nobody notices.
---@param text string
---@return boolean
function M.is_bounded(text)
  -- Most need no closer look.
  return #text <= most_images or has_few(text) or has_few(without_closed(without_code(text)))
end

local function holds(match, _, source, arguments)
  local nodes = match[arguments[2]]
  -- Neovim 0.10 gives one node, later ones a list.
  for _, node in ipairs(type(nodes) == "table" and nodes or { nodes }) do
    if not M.is_bounded(vim.treesitter.get_node_text(node, source)) then
      return false
    end
  end
  return true
end

local options

--- What `vim.treesitter.get_string_parser` and `get_parser` are given: the queries of this Neovim for what is
--- parsed inside of Markdown, at any depth, with one more condition for paragraphs.
---@return { injections: table<string, string> }
function M.options()
  if options then
    return options
  end
  vim.treesitter.query.add_predicate(predicate, holds, { force = true })
  local texts = {}
  for _, path in ipairs(vim.treesitter.query.get_files("markdown", "injections")) do
    local file = assert(io.open(path, "r"))
    texts[#texts + 1] = file:read("*a")
    file:close()
  end
  local query = table.concat(texts, "\n"):gsub(
    '%(#set!%s+injection%.language%s+"markdown_inline"%)',
    ("%%0 (#%s @injection.content)"):format(predicate)
  )
  options = { injections = { markdown = query } }
  return options
end

--- The same for a text that is parsed once: nil where all of it has so few marks that no paragraph has too many, which
--- spares nearly every chat the second query as it is opened.
---@param text string
---@return { injections: table<string, string> }?
function M.options_for(text)
  return not has_few(text) and M.options() or nil
end

--- Whether lines may open more quotes and lists inside each other than can be read; a line continues those above by
--- what it begins with.
---@param lines string[]
---@return boolean
function M.are_too_deep(lines)
  for _, line in ipairs(lines) do
    local prefix = line:match("^[%s>*+.)%d-]*")
    -- A tab is two levels at most.
    if #prefix > most_depth / 2 then
      local _, quotes = prefix:gsub(">", "")
      local _, items = prefix:gsub("[*+.)-]%s", "")
      local _, blanks = prefix:gsub("%s", "")
      local _, tabs = prefix:gsub("\t", "")
      if quotes + items + (blanks + 3 * tabs) / 2 > most_depth then
        return true
      end
    end
  end
  return false
end

--- Bounds the parser of Neovim's own highlighter in the buffer, where it works.
---@param buf integer
function M.bound(buf)
  local highlighter = vim.treesitter.highlighter.active[buf]
  local tree = highlighter and highlighter.tree
  if not tree or tree:lang() ~= "markdown" or tree._opts == M.options() then
    return
  end
  tree._opts = M.options()
  tree._injection_query = vim.treesitter.query.parse("markdown", options.injections.markdown)
end

--- Has Neovim colour a buffer that is no chat and has these lines, or not where its parser would end it.
---@param buf integer
---@param lines string[]
function M.colour(buf, lines)
  local is_active = vim.treesitter.highlighter.active[buf] ~= nil
  if M.are_too_deep(lines) then
    if is_active then
      vim.treesitter.stop(buf)
    end
    return
  end
  if not is_active then
    -- A Neovim may have been built without the parser.
    pcall(vim.treesitter.start, buf, "markdown")
  end
  M.bound(buf)
end

return M
