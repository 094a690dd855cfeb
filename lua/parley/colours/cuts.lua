--- For each chat that is shown, where its pieces begin around the window, kept over changes: only what stands below
--- one, down to the window's end, is looked at again.
local blocks = require("parley.colours.blocks")

local M = {}

---@class parley.Cuts
---@field from integer the first row that was looked at: it begins a piece
---@field starts integer[] rows that begin pieces, in their order
---@field upto integer the row below the last one that was looked at
---@field state parley.Cutter there
---@field points { row: integer, state: parley.Cutter }[] rows that it can be looked at from again

--- Lines that are read at once, and after which it can be looked at again.
local at_once = 100

--- The row of the nearest role marker at or above `row`, or the first row.
local function marker_above(buf, row)
  local last = row + 1
  while last > 0 do
    local first = math.max(0, last - at_once)
    local lines = vim.api.nvim_buf_get_lines(buf, first, last, false)
    for index = #lines, 1, -1 do
      if blocks.is_marker(lines[index]) then
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
  return { from = from, starts = {}, upto = from, state = blocks.fresh(), points = {} }
end

--- What is still known after the rows `first` to `last - 1` became rows up to `new_last - 1`.
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
    cuts.upto, cuts.state = starts[#starts], blocks.fresh()
  end
  return cuts
end

--- Looks further until a piece begins below `row`, or at the end.
local function go_on(buf, cuts, row)
  local starts = cuts.starts
  local step, state = blocks.step, cuts.state
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
      -- The first of all is a beginning whatever it is, so that nothing is without a piece.
      if (step(state, line, at) or #starts == 0) and starts[#starts] ~= at then
        starts[#starts + 1] = at
        if at > row then
          break
        end
      end
    end
  end
end

--- Rows that begin the pieces that rows `first` to `last` are in, and the row below the last piece.
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
