--- Cuts the text around a window into pieces of Markdown that mean the same when parsed alone. There is a cut before an
--- unindented line after a blank one, outside fences, comments and front matter, and at every role marker, even inside
--- a fence. Where it is unclear whether a place is inside one of those, there is no cut. Cuts are kept over changes:
--- only the text below a change, down to the window's end, is examined again.
local markers = require("parley.text.markers")

local M = {}

---@class parley.Cutter
---@field blank boolean the line before was blank
---@field fence? parley.Fence
---@field close? string[] an HTML block or front matter goes on until a line with one of these patterns
---@field html boolean an HTML block that ends at a blank line
---@field unsure boolean no cut until the next role marker

---@class parley.Fence
---@field mark string its character
---@field length integer of the opening run
---@field indent integer cells before it
---@field nested boolean in a list item, perhaps

---@return parley.Cutter
local function fresh()
  return { blank = false, html = false, unsure = false }
end

local front_ends = { ["---"] = { "^%-%-%-%s*$" }, ["+++"] = { "^%+%+%+%s*$" } }
local raw_ends = { "</script>", "</pre>", "</style>", "</textarea>" }
local raw_tags = { script = true, pre = true, style = true, textarea = true }

--- Returns how an HTML block that begins with this line ends: patterns, or `true` for a blank line.
local function html_end(line)
  local head = line:match("^ ? ? ?(<.*)$")
  if not head then
    return nil
  end
  if head:find("^<!%-%-") then
    return { "%-%->" }
  elseif head:find("^<%?") then
    return { "%?>" }
  elseif head:find("^<!%[CDATA%[") then
    return { "%]%]>" }
  elseif head:find("^<!%a") then
    -- The parser differs from the Markdown specification here.
    return { "^\n" }
  end
  local tag = head:match("^<(%a+)")
  if tag and raw_tags[tag:lower()] then
    return raw_ends
  end
  return head:find("^</?%a") and true or nil
end

local function ends(line, patterns)
  line = line:lower()
  for _, pattern in ipairs(patterns) do
    if line:find(pattern) then
      return true
    end
  end
  return false
end

--- Returns the width of the indentation.
local function indent_of(blanks)
  return #(blanks:gsub("\t", "    "))
end

--- Returns the fence that a line opens, possibly after list markers.
---@return parley.Fence?
local function opened_fence(line)
  if not line:find("```", 1, true) and not line:find("~~~", 1, true) then
    return nil
  end
  local at, behind = 1, nil
  repeat
    at = behind or at
    behind = line:match("^%s*[-*+]%s+()", at) or line:match("^%s*%d+[.)]%s+()", at)
  until not behind
  local blanks, run = line:match("^(%s*)(```+)[^`]*$", at)
  if not run then
    blanks, run = line:match("^(%s*)(~~~+)", at)
  end
  if not run then
    return nil
  end
  local indent = indent_of(line:sub(1, at - 1) .. blanks)
  return { mark = run:sub(1, 1), length = #run, indent = indent, nested = at > 1 or indent > 0 }
end

--- Processes a line inside a fence.
local function go_on_in_fence(state, line)
  local fence = state.fence
  local blanks, run = line:match("^(%s*)(" .. fence.mark .. "+)%s*$")
  local is_end = run ~= nil and #run >= fence.length
  if not fence.nested then
    if is_end and indent_of(blanks) <= 3 then
      state.fence = nil
    end
    return
  end
  local before = indent_of(line:match("^[ \t]*"))
  if before < fence.indent or (is_end and before > fence.indent) then
    -- Either the list item, and with it the fence, has ended, or this is a fence outside a list.
    state.unsure = true
  elseif is_end then
    state.fence = nil
  end
end

local function begin_construct(state, line)
  local fence = opened_fence(line)
  local html = not fence and html_end(line)
  local is_open = fence or (type(html) == "table" and not ends(line, html))
  if state.html and is_open then
    -- What looked like an HTML block may be a paragraph, which this line ends.
    state.unsure = true
  elseif fence then
    state.fence = fence
  elseif html == true then
    state.html = true
  elseif is_open then
    state.close = html
  end
end

--- Processes the next line; returns true when a piece begins with it.
---@param state parley.Cutter
---@param line string
---@param row integer
---@return boolean
local function step(state, line, row)
  if markers.begins_turn(line) then
    state.blank, state.html, state.unsure = false, false, false
    state.fence, state.close = nil, nil
    return true
  end
  if row == 0 then
    state.close = front_ends[line:match("^(%-%-%-)%s*$") or line:match("^(%+%+%+)%s*$") or ""]
    state.blank = not line:find("[^ \t]")
    if not state.close then
      begin_construct(state, line)
    end
    return true
  end
  local is_inside = state.fence or state.close or state.unsure
  local begins = state.blank and not is_inside and line:find("^[^ \t]") ~= nil
  local is_blank = not line:find("[^ \t]")
  state.blank = is_blank
  if state.unsure then
    return false
  elseif state.fence then
    if not is_blank then
      go_on_in_fence(state, line)
    end
  elseif state.close then
    state.unsure = opened_fence(line) ~= nil
    if ends(line, state.close) then
      state.close = nil
    end
  elseif is_blank then
    state.html = false
  else
    begin_construct(state, line)
  end
  return begins
end

---@class parley.Cuts
---@field from integer the first row that was looked at: it begins a piece
---@field starts integer[] rows that begin pieces, in their order
---@field upto integer the row below the last one that was looked at
---@field state parley.Cutter there
---@field points { row: integer, state: parley.Cutter }[] rows that it can be looked at from again

--- Lines read at a time, and the interval of saved states.
local at_once = 100

--- Returns the row of the nearest role marker at or above `row`, or the first row.
local function marker_above(buf, row)
  local last = row + 1
  while last > 0 do
    local first = math.max(0, last - at_once)
    local lines = vim.api.nvim_buf_get_lines(buf, first, last, false)
    for index = #lines, 1, -1 do
      if markers.begins_turn(lines[index]) then
        return first + index - 1
      end
    end
    last = first
  end
  return 0
end

---@param from integer
---@return parley.Cuts
local function begin_at(from)
  return { from = from, starts = {}, upto = from, state = fresh(), points = {} }
end

--- Returns the cuts that are still valid after the rows `first` to `last - 1` became rows up to `new_last - 1`.
---@param cuts parley.Cuts?
---@param first integer
---@param last integer
---@param new_last integer
---@return parley.Cuts?
function M.follow(cuts, first, last, new_last)
  if not cuts or first >= cuts.upto then
    return cuts
  end
  if last <= cuts.from and cuts.from > 0 then
    local delta = new_last - last
    cuts.from, cuts.upto = cuts.from + delta, cuts.upto + delta
    for index, start in ipairs(cuts.starts) do
      cuts.starts[index] = start + delta
    end
    for _, point in ipairs(cuts.points) do
      point.row = point.row + delta
    end
    return cuts
  end
  if first <= cuts.from then
    return nil
  end
  local starts, points = cuts.starts, cuts.points
  while starts[#starts] >= first do
    starts[#starts] = nil
  end
  while points[1] and points[#points].row > first do
    points[#points] = nil
  end
  local point = points[#points]
  if point and point.row > starts[#starts] then
    cuts.upto, cuts.state = point.row, vim.deepcopy(point.state)
  else
    cuts.upto, cuts.state = starts[#starts], fresh()
  end
  return cuts
end

--- Continues until a piece begins below `row`, or the text ends.
local function go_on(buf, cuts, row)
  local starts = cuts.starts
  local state = cuts.state
  local count = vim.api.nvim_buf_line_count(buf)
  while cuts.upto < count and (#starts == 0 or starts[#starts] <= row) do
    local points = cuts.points
    if #points == 0 or points[#points].row <= cuts.upto - at_once then
      points[#points + 1] = { row = cuts.upto, state = vim.deepcopy(state) }
    end
    local lines = vim.api.nvim_buf_get_lines(buf, cuts.upto, cuts.upto + at_once, false)
    for _, line in ipairs(lines) do
      local at = cuts.upto
      cuts.upto = at + 1
      -- The very first line always begins a piece, so that every line belongs to one.
      if (step(state, line, at) or #starts == 0) and starts[#starts] ~= at then
        starts[#starts + 1] = at
        if at > row then
          break
        end
      end
    end
  end
end

--- Returns the first rows of the pieces that contain rows `first` to `last`, and the row below the last piece.
---@param buf integer
---@param cuts parley.Cuts?
---@param first integer
---@param last integer
---@return integer[] starts
---@return integer below
---@return parley.Cuts cuts
function M.around(buf, cuts, first, last)
  if not cuts or first < cuts.from or first > cuts.upto + at_once then
    cuts = begin_at(marker_above(buf, first))
  end
  go_on(buf, cuts, last)
  local starts, below = {}, vim.api.nvim_buf_line_count(buf)
  for index = #cuts.starts, 1, -1 do
    local start = cuts.starts[index]
    if start > last then
      below = start
    else
      table.insert(starts, 1, start)
      if start <= first then
        break
      end
    end
  end
  return starts, below, cuts
end

return M
