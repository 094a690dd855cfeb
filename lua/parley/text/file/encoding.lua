--- Keeps chats in UTF-8 with line feeds, whatever an .editorconfig, a modeline or an option says: Latin-1 would turn
--- every marker into `?`.
local M = {}

local pieces = 1000

--- Whether Neovim read UTF-8 as something else, which one invalid byte causes, or a 'fileencodings' that tries others
--- first: the bytes of a marker are then other characters. Every marker that stands in a chat without calls begins with
--- F0 9F.
---@param buf integer
---@param most? integer lines that are looked at
---@return boolean
function M.is_misread(buf, most)
  local encoding = vim.bo[buf].fileencoding
  if encoding == "" or encoding == "utf-8" then
    return false
  end
  most = most or vim.api.nvim_buf_line_count(buf)
  for first = 0, most - 1, pieces do
    local last = math.min(most, first + pieces)
    for _, line in ipairs(vim.api.nvim_buf_get_lines(buf, first, last, false)) do
      local bytes = line:find("^[\128-\255]") and vim.iconv(line, "utf-8", encoding)
      if bytes and bytes:find("^\240\159") then
        return true
      end
    end
  end
  return false
end

--- Whether the buffer already has the right encoding and line ends.
---@param buf integer
---@return boolean
function M.is_plain(buf)
  local encoding = vim.bo[buf].fileencoding
  return (encoding == "" or encoding == "utf-8") and vim.bo[buf].fileformat ~= "mac"
end

--- Gives a chat the encoding and line ends of the format. A misread file keeps its encoding: converting it would make
--- the damage permanent.
---@param buf integer
function M.settle(buf)
  if M.is_plain(buf) or not vim.bo[buf].modifiable then
    return
  end
  if vim.bo[buf].fileformat == "mac" then
    vim.bo[buf].fileformat = "unix"
  end
  if not M.is_misread(buf) then
    vim.bo[buf].fileencoding = "utf-8"
  end
end

--- Whether the buffer's encoding can represent the text.
---@param buf integer
---@param text string
---@return boolean
function M.holds(buf, text)
  local encoding = vim.bo[buf].fileencoding
  if encoding == "" or encoding:find("^utf") or encoding:find("^ucs") then
    return true
  end
  local there = vim.iconv(text, "utf-8", encoding)
  return there ~= nil and vim.iconv(there, encoding, "utf-8") == text
end

--- Returns why writing the chat would lose characters, with `%s` for its name; nil when it would not.
---@param buf integer
---@return string?
function M.refusal(buf)
  if M.is_plain(buf) then
    return nil
  end
  local text = table.concat(vim.api.nvim_buf_get_lines(buf, 0, -1, false), "\n")
  if M.holds(buf, text) then
    return nil
  end
  return "%s was not written: Neovim read it as "
    .. vim.bo[buf].fileencoding:gsub("%%", "%%%%")
    .. ", which cannot hold all that is in it now. The text is in the buffer;"
    .. " :edit ++enc=utf-8 ++bad=keep reads the file, and loses what is only in the buffer."
end

return M
