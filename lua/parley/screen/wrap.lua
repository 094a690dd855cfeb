--- Breaks virtual text into rows so that all of it is visible.
local M = {}

--- The fewest columns in which text is still readable.
local least_width = 8

--- Returns the text width of the narrowest window that shows the buffer, since all windows share the virtual text.
---@param buf integer
---@return integer
function M.columns(buf)
  local width = math.huge
  for _, win in ipairs(vim.fn.win_findbuf(buf)) do
    local columns = vim.api.nvim_win_get_width(win) - vim.fn.getwininfo(win)[1].textoff
    width = math.min(width, columns - 1)
  end
  return width == math.huge and 78 or width
end

--- Returns the width to draw for; in an even narrower window the end is cut off.
---@param buf integer
---@return integer
function M.width(buf)
  return math.max(least_width, M.columns(buf))
end

--- Breaks a text at words into lines of at most `width` columns.
---@param text string
---@param width integer
---@return string[]
function M.words(text, width)
  local lines = {}
  for _, paragraph in ipairs(vim.split(text, "\n", { plain = true })) do
    local line = ""
    for word in paragraph:gmatch("%S+") do
      local longer = line == "" and word or (line .. " " .. word)
      if line ~= "" and vim.api.nvim_strwidth(longer) > width then
        lines[#lines + 1] = line
        longer = word
      end
      line = longer
    end
    lines[#lines + 1] = line
  end
  return lines
end

--- Returns the first of these texts, from long to short, that fits in one row; else the last one.
---@param texts string[]
---@param width integer in columns
---@return string
function M.fitting(texts, width)
  for _, text in ipairs(texts) do
    if vim.api.nvim_strwidth(text) <= width then
      return text
    end
  end
  return texts[#texts]
end

--- Cuts a text to `width` columns and marks the cut with an ellipsis. Measures only a few prefixes, however long the
--- text is.
---@param text string
---@param width integer in columns
---@return string
function M.cut(text, width)
  if vim.api.nvim_strwidth(text) <= width then
    return text
  end
  local fits, too_many = 0, vim.fn.strchars(text)
  local room = width - vim.api.nvim_strwidth("…")
  while too_many - fits > 1 do
    local middle = math.floor((fits + too_many) / 2)
    if vim.api.nvim_strwidth(vim.fn.strcharpart(text, 0, middle)) <= room then
      fits = middle
    else
      too_many = middle
    end
  end
  return vim.fn.strcharpart(text, 0, fits) .. "…"
end

--- What a row begins with that continues a line.
local indent = "    "

--- Returns how many of these cells belong to a row that is `room` columns wide: up to its last blank, or all that fit
--- when that would leave a third of it empty. A row never begins with the blank that ended the word above.
local function cells_in_row(cells, from, room)
  local columns, fitting, blank = 0, 0, 0
  for at = from, #cells do
    local wide = vim.api.nvim_strwidth(cells[at])
    if columns + wide > room and fitting > 0 then
      return blank > 0 and blank or fitting
    end
    columns, fitting = columns + wide, fitting + 1
    if cells[at] == " " and columns > room * 2 / 3 then
      blank = fitting
    end
  end
  return fitting
end

--- Returns the same for a line of ASCII, where each byte is one column.
local function bytes_in_row(line, from, room)
  if #line - from < room then
    return #line - from + 1
  end
  local blank = line:sub(from, from + room - 1):match(".*() ")
  return blank and blank > room * 2 / 3 and blank or room
end

--- Breaks a line at the window's edge: after a blank near it if there is one, else exactly there. Nothing of a call may
--- be hidden beyond the edge, or change: without the indents, the rows are the line.
---@param line string
---@param width integer
---@return string[]
function M.at_edge(line, width)
  if #line <= width or vim.api.nvim_strwidth(line) <= width then
    return { line }
  end
  -- A fast path for ASCII: megabytes of text are mostly ASCII.
  local is_ascii = not line:find("[^ -~]")
  local cells = is_ascii and line or vim.fn.split(line, "\\zs")
  local rows, from = {}, 1
  while from <= #cells do
    local start = from == 1 and "" or indent
    local count = (is_ascii and bytes_in_row or cells_in_row)(cells, from, width - #start)
    local to = from + count - 1
    rows[#rows + 1] = start
      .. (is_ascii and line:sub(from, to) or table.concat(cells, "", from, to))
    from = to + 1
  end
  return rows
end

--- Whether `text` fits after a line, on the line's last screen row.
---@param buf integer
---@param line string
---@param text string
---@return boolean
function M.has_room(buf, line, text)
  local width = M.width(buf)
  return vim.api.nvim_strwidth(line) % width + vim.api.nvim_strwidth(text) < width
end

return M
