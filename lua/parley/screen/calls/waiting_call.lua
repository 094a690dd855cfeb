--- Renders a waiting or running call: its row, and the rows for details that do not fit in it.
local wrap = require("parley.screen.wrap")

local M = {}

--- The most rows for one call's details; the list that a key opens has the rest.
local most_rows = 10
local sign = "❓"

local function colour_of(line)
  local added_or_removed = line:match("^  ([+-])")
  return added_or_removed == "+" and "ParleyAdded"
    or added_or_removed == "-" and "ParleyRemoved"
    or "ParleyVirtual"
end

--- Returns the group of an added or removed diff line; nil for others.
---@param line string
---@return string?
function M.diff_highlight(line)
  local group = colour_of(line)
  return group ~= "ParleyVirtual" and group or nil
end

--- Returns virtual lines for |nvim_buf_set_extmark()|.
---@param lines string[]
---@param width integer in columns
---@return [string, string][][]
function M.rows(lines, width)
  local rows = {}
  for _, line in ipairs(lines) do
    for _, part in ipairs(wrap.at_edge(line, width)) do
      rows[#rows + 1] = { { part, colour_of(line) } }
    end
  end
  return rows
end

--- Returns the width of the widest row.
---@param rows [string, string][][]
---@return integer
function M.widest(rows)
  return vim.iter(rows):fold(0, function(most, row)
    return math.max(most, vim.api.nvim_strwidth(row[1][1]))
  end)
end

--- Returns the full width of a call's row.
---@param row string
---@return integer
function M.row_width(row)
  return vim.api.nvim_strwidth(sign .. " " .. row)
end

--- Returns the details of a call that its row does not show, and whether they had to be cut.
---@param call parley.DrawnCall
---@param width integer in columns
---@param is_row boolean whether its row is drawn
---@return [string, string][][] rows
---@return boolean is_cut
function M.details(call, width, is_row)
  local lines = vim.list_slice(call.lines)
  if not is_row or M.row_width(call.row) > width then
    -- The arguments follow; the rest of the row has room here.
    table.insert(lines, 1, call.full and call.full[1] or call.row)
  end
  local rows = M.rows(lines, width)
  if #rows <= most_rows then
    return rows, false
  end
  local left = #rows - most_rows + 1
  rows = vim.list_slice(rows, 1, most_rows - 1)
  rows[#rows + 1] = { { ("  … %d more rows"):format(left), "ParleyVirtual" } }
  return rows, true
end

--- Returns the chunks for the fold over this call.
---@param call parley.DrawnCall
---@param width integer in columns
---@return [string, string?][]
function M.chunks(call, width)
  local name, rest = call.row:match("^(%S+)(.*)$")
  return {
    { sign .. " ", "ParleyWaiting" },
    { name or "", "ParleyCall" },
    { wrap.cut(rest or "", width - M.row_width(name or "")), "ParleyRow" },
  }
end

return M
