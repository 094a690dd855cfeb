--- Texts that are drawn below lines, broken so that all of them is seen.
local M = {}

--- Columns in which words are still read.
local least_width = 8

--- Columns for text in the narrowest window that shows the buffer: what is drawn is the same in all of them.
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

--- How wide what is drawn may be; in a window with less room its end is not seen.
---@param buf integer
---@return integer
function M.width(buf)
  return math.max(least_width, M.columns(buf))
end

--- Words in lines of at most `width` columns.
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

--- The first of the texts that takes one row; the last one where none does. They say the same, ever shorter.
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

--- A text that takes no more than `width` columns; an ellipsis says where it was cut. Measures few prefixes, however
--- long the text is.
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

--- A line as it is, broken where the window ends: nothing of a call may be hidden behind its edge.
---@param line string
---@param width integer
---@return string[]
function M.at_edge(line, width)
  if #line <= width or vim.api.nvim_strwidth(line) <= width then
    return { line }
  end
  if not line:find("[^ -~]") then
    -- As below, where each character is a column: a text of megabytes is mostly of these.
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

--- Whether `text` has room behind a line on its last row on the screen.
---@param buf integer
---@param line string
---@param text string
---@return boolean
function M.has_room(buf, line, text)
  local width = M.width(buf)
  return vim.api.nvim_strwidth(line) % width + vim.api.nvim_strwidth(text) < width
end

return M
