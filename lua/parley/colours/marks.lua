--- Computes the highlight marks of a parsed text, row by row, exactly as Neovim's tree-sitter highlighter does.
local M = {}

--- The marks of one row: for each its first column, its end column (exclusive, -1 for the whole row), and its options.
---@alias parley.RowMarks (integer|table)[]

---@type parley.RowMarks
local none = {}
M.none = none

--- Stands for the marks of a row that was not drawn because it is in a closed fold.
---@type parley.RowMarks
M.unseen = {}

--- Since 0.12 Neovim highlights only the parts of a node inside its tree's regions, and defines the order of trees with
--- equal priority.
local is_clipped = vim.fn.has("nvim-0.12") == 1
local priorities = (vim.hl or vim.highlight).priorities

--- Equal option sets share one table, because there are many and they are compared.
local known_options = {}

local function options_of(group, priority, spell, conceal, url, order)
  local key = ("%d %d %s %s %d %s"):format(
    group,
    priority,
    tostring(spell),
    conceal or "-",
    order,
    url or ""
  )
  local options = known_options[key]
  if not options then
    options = {
      hl_group = group,
      priority = priority,
      spell = spell,
      conceal = conceal,
      url = url,
      ephemeral = true,
      _subpriority = is_clipped and order or nil,
    }
    if not url then
      known_options[key] = options
    end
  end
  return options
end

local groups = {}

--- Returns the highlight group of a capture; 0 for captures without one.
local function group_of(lang, query, capture)
  local of_lang = groups[lang]
  if not of_lang then
    of_lang = {}
    groups[lang] = of_lang
  end
  local name = query.captures[capture]
  local id = of_lang[name]
  if not id then
    id = name:sub(1, 1) == "_" and 0
      or vim.api.nvim_get_hl_id_by_name(("@%s.%s"):format(name, lang))
    of_lang[name] = id
  end
  return id
end

local function url_of(match, text, capture, metadata)
  local url = metadata[capture] and metadata[capture].url
  if not url or type(url) == "string" then
    return url
  end
  local node = match:captures()[url]
  node = type(node) == "table" and node[1] or node
  if not node then
    return nil
  end
  local range = vim.treesitter.get_range(node, text, metadata[url])
  return text:sub(range[3] + 1, range[6])
end

local function options_for(lang, query, capture, metadata, match, text, order)
  local own = metadata[capture]
  local name = query.captures[capture]
  local spell, over = nil, 0
  if name == "spell" then
    spell = true
  elseif name == "nospell" then
    -- Above marks that turn spell checking on.
    spell, over = false, 1
  end
  local priority = tonumber(metadata.priority or own and own.priority) or priorities.treesitter
  local conceal = metadata.conceal or own and own.conceal
  local url = url_of(match, text, capture, metadata)
  local group = group_of(lang, query, capture)
  if group == 0 and spell == nil and not conceal and not url then
    return nil
  end
  return options_of(group, priority + over, spell, conceal, url, order)
end

--- Adds a mark to each row from `first` to `last - 1` that the range touches.
local function add(rows, first, last, options, from_row, from, to_row, to)
  for row = math.max(from_row, first), math.min(to_row, last - 1) do
    local left = row == from_row and from or 0
    local right = row == to_row and to or -1
    if right ~= left then
      local marks = rows[row]
      if marks == nil or marks == none then
        marks = {}
        rows[row] = marks
      end
      local count = #marks
      marks[count + 1], marks[count + 2], marks[count + 3] = left, right, options
    end
  end
end

local function is_before(row, column, other_row, other_column)
  return row < other_row or (row == other_row and column < other_column)
end

local function add_clipped(rows, first, last, options, regions, range)
  for _, region in ipairs(regions) do
    local from_row, from, to_row, to = range[1], range[2], range[4], range[5]
    if is_before(from_row, from, region[1], region[2]) then
      from_row, from = region[1], region[2]
    end
    if is_before(region[4], region[5], to_row, to) then
      to_row, to = region[4], region[5]
    end
    if is_before(from_row, from, to_row, to) then
      add(rows, first, last, options, from_row, from, to_row, to)
    end
  end
end

--- Returns the marks for the rows `first` to `last - 1` of a parsed text.
---@param tree vim.treesitter.LanguageTree
---@param text string
---@param first integer
---@param last integer
---@return table<integer, parley.RowMarks>
function M.of(tree, text, first, last)
  local rows, order = {}, 0
  for row = first, last - 1 do
    rows[row] = none
  end
  tree:for_each_tree(function(tstree, of)
    local query = tstree and vim.treesitter.query.get(of:lang(), "highlights")
    if not query then
      return
    end
    order = order + 1
    local root = tstree:root()
    local from_row, _, to_row = root:range()
    if from_row >= last or to_row < first then
      return
    end
    local lang = of:lang()
    local regions = is_clipped and tstree:included_ranges(true)
    for capture, node, metadata, match in query:iter_captures(root, text, first, last) do
      local options = options_for(lang, query, capture, metadata, match, text, order)
      if options then
        local range = vim.treesitter.get_range(node, text, metadata[capture])
        if regions then
          add_clipped(rows, first, last, options, regions, range)
        else
          add(rows, first, last, options, range[1], range[2], range[4], range[5])
        end
      end
    end
  end)
  return rows
end

--- Whether two rows look the same.
---@param one parley.RowMarks
---@param other parley.RowMarks
---@return boolean
function M.are_same(one, other)
  if one == other then
    return true
  end
  if #one ~= #other then
    return false
  end
  for index = 1, #one do
    if one[index] ~= other[index] then
      return false
    end
  end
  return true
end

return M
