--- Parses untrusted Markdown so that no text can hang or crash Neovim. Neovim's parser for inline Markdown takes twice
--- as long with each unclosed `![*` (thirty of them, 90 bytes, take seconds; sixty never end), and quadratic time in
--- other unclosed delimiters of emphasis and links. Neovim cannot interrupt it. So a paragraph with more of these than
--- people write is not parsed but drawn as plain text. The rest of the text keeps its colours.
local M = {}

--- The most delimiters of emphasis, strikethrough and links in one paragraph, and the most images. The worst random
--- paragraphs within these limits take 10 ms.
local most_marks, most_images = 256, 12

local predicate = "parley-bounded?"

--- The deepest nesting of blocks that is parsed: at 254 the parser writes past the end of its buffer and Neovim
--- crashes.
local most_depth = 200

--- Returns the position after the code span that begins at `at`; nil when its run of backticks does not occur again.
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

--- Returns the text without code spans (a call's JSON is one), where delimiters mean nothing. Tags, URLs and formulas
--- may contain backticks, so a text with those is returned whole.
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

--- Patterns for a letter or digit, and for a character of a span without delimiters.
local letter, words = "[%w\128-\255]", "[^*_~%[%]`<\\!\n]"

--- Returns the text without closed spans that contain no other delimiters, which the parser reads as fast as words.
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

--- Whether a paragraph can be parsed without a noticeable delay.
---@param text string
---@return boolean
function M.is_bounded(text)
  -- Cheap checks first, which are enough for most paragraphs.
  return #text <= most_images or has_few(text) or has_few(without_closed(without_code(text)))
end

local function holds(match, _, source, arguments)
  local nodes = match[arguments[2]]
  -- Neovim 0.10 passes one node, later versions a list.
  for _, node in ipairs(type(nodes) == "table" and nodes or { nodes }) do
    if not M.is_bounded(vim.treesitter.get_node_text(node, source)) then
      return false
    end
  end
  return true
end

local options

--- Returns the options for `vim.treesitter.get_string_parser` and `get_parser`: this Neovim's injection queries for
--- Markdown, at any depth, with an extra predicate for paragraphs.
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

--- Returns the same for a text that is parsed once; nil when the whole text has so few delimiters that no paragraph can
--- have too many, which saves nearly every chat the second query when it is opened.
---@param text string
---@return { injections: table<string, string> }?
function M.options_for(text)
  return not has_few(text) and M.options() or nil
end

--- Whether the lines may nest quotes and lists deeper than can be parsed. A line continues the blocks above with its
--- prefix.
---@param lines string[]
---@return boolean
function M.are_too_deep(lines)
  for _, line in ipairs(lines) do
    local prefix = line:match("^[%s>*+.)%d-]*")
    -- A tab opens at most two levels.
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

--- Adds the bound to Neovim's own highlighter in the buffer, if it is active.
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

--- Starts Neovim's highlighter in a buffer that is not a chat, unless the lines would crash its parser.
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
    -- Neovim may have been built without the parser.
    pcall(vim.treesitter.start, buf, "markdown")
  end
  M.bound(buf)
end

return M
