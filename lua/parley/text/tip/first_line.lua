--- Tracks the first line of a streaming answer, and repairs it when the user typed in front of its marker.
local markers = require("parley.text.markers")
local undo = require("parley.text.undo")
local unfinished = require("parley.text.tip.unfinished")

local M = {}

local namespace = vim.api.nvim_create_namespace("parley.tip")
--- The mark's column in the line: lines opened above move the mark, replaced lines do not.
local inside = 1

--- Sets the line's mark.
---@param buf integer
---@param row integer
---@param id? integer of the mark that is put there
---@return integer id
function M.place(buf, row, id)
  local options = { id = id, right_gravity = false }
  return vim.api.nvim_buf_set_extmark(buf, namespace, row, inside, options)
end

--- Returns the column of the first answer marker in `line`; nil without one.
local function answer_column(line)
  for at in line:gmatch("()[\226\240]") do
    if markers.read(line:sub(at)) == "answer" then
      return at - 1
    end
  end
  return nil
end

--- Returns the row of the line; nil when it was deleted or changed. Moves text typed in front of the marker to its own
--- line above.
---@param tip parley.Tip
---@return integer?
function M.row(tip)
  local at = unfinished.position(tip.buf, tip.answer)
  local row = at[1]
  if not row then
    return nil
  end
  local column = answer_column(vim.api.nvim_buf_get_lines(tip.buf, row, row + 1, false)[1] or "")
  if not column then
    return nil
  end
  if column > 0 then
    undo.write(tip.buf, tip.group, function()
      vim.api.nvim_buf_set_text(tip.buf, row, column, row, column, { "", "" })
    end)
    row = row + 1
  end
  if row ~= at[1] or at[2] ~= inside then
    M.place(tip.buf, row, tip.answer)
  end
  return row
end

return M
