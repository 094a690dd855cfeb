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

--- Breaks a line exactly at the window's edge: nothing of a call may be hidden beyond it.
---@param line string
---@param width integer
---@return string[]
function M.at_edge(line, width)
  if #line <= width or vim.api.nvim_strwidth(line) <= width then
    return { line }
  end
  if not line:find("[^ -~]") then
    -- A fast path for ASCII, where each byte is one column: megabytes of text are mostly ASCII.
    local lines = { line:sub(1, width) }
    for at = width + 1, #line, width - 4 do
      lines[#lines + 1] = "    " .. line:sub(at, at + width - 5)
    end
    return lines
  end
  local lines, piece, columns = {}, {}, 0
  for _, character in ipairs(vim.fn.split(line, "\\zs")) do
    local wide = vim.api.nvim_strwidth(character)
    if columns + wide > width and #piece > 0 then
      lines[#lines + 1] = table.concat(piece)
      piece, columns = { "    " }, 4
    end
    piece[#piece + 1] = character
    columns = columns + wide
  end
  lines[#lines + 1] = table.concat(piece)
  return lines
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
