--- What this Neovim last read from a chat's file or wrote to it, and whether the file still is that. A conflict is
--- about content: who wrote, when and by which event says nothing.

local M = {}

--- By buffer: `{ path, text, stat, sure }`, or `{ path, text = false }` when there was no file. Without `text` as long
--- as nobody asked for it: then `stat` says it all, and the file need not be read again when a chat is opened. The text
--- and no hash of it: to hash a chat of 10,000 exchanges takes 50 ms, twice for each save.
local known = {}

--- Nanoseconds in which two writes can bear the same time on file systems with coarse clocks.
local coarse_ns = 2e9

--- Lines of the buffer in one reading.
local piece = 1000

local function fields(stat)
  return {
    ino = stat.ino,
    size = stat.size,
    type = stat.type,
    mtime = { stat.mtime.sec, stat.mtime.nsec },
    ctime = { stat.ctime.sec, stat.ctime.nsec },
  }
end

--- The bytes of a regular file; nil when there is none or it cannot be read.
---@param path string
---@return string?
function M.read(path)
  local stat = vim.uv.fs_stat(path)
  local fd = stat and stat.type == "file" and vim.uv.fs_open(path, "r", 0)
  if not fd then
    return nil
  end
  local text = vim.uv.fs_read(fd, stat.size + 1, 0)
  vim.uv.fs_close(fd)
  return text
end

--- The buffer as Neovim would write it; nil for encodings that this cannot tell.
local function encoded(buf)
  local option = vim.bo[buf]
  local encoding = option.fileencoding
  if encoding ~= "" and encoding ~= "utf-8" then
    return nil
  end
  local line_end = ({ unix = "\n", dos = "\r\n", mac = "\r" })[option.fileformat]
  local pieces = { option.bomb and "\239\187\191" or "" }
  local count = vim.api.nvim_buf_line_count(buf)
  for first = 0, count - 1, piece do
    local lines = vim.api.nvim_buf_get_lines(buf, first, first + piece, false)
    pieces[#pieces + 1] = table.concat(lines, line_end)
    pieces[#pieces + 1] = first + piece < count and line_end or nil
  end
  if option.endofline or (option.fixendofline and not option.binary) then
    pieces[#pieces + 1] = line_end
  end
  return table.concat(pieces)
end

--- Whether no other write can bear the time of this one any more.
local function is_old(stat)
  local seconds, microseconds = vim.uv.gettimeofday()
  return (seconds - stat.mtime.sec) * 1e9 + microseconds * 1e3 - stat.mtime.nsec > coarse_ns
end

--- `text` nil: it is read when it is needed.
local function keep(buf, path, text)
  local stat = vim.uv.fs_stat(path)
  if not stat then
    known[buf] = { path = path, text = false }
    return
  end
  known[buf] = { path = path, text = text, stat = fields(stat), sure = is_old(stat) }
end

--- What is known of the file under the buffer's name; nil when nothing is.
local function entry_of(buf, path)
  local entry = known[buf]
  return entry and entry.path == path and entry or nil
end

local function is_untouched(entry, stat)
  return entry.stat ~= nil and stat ~= nil and vim.deep_equal(entry.stat, fields(stat))
end

--- The file was just read into the buffer, or written from it.
---@param buf integer
---@param text? string what was written: by now the file may have what somebody else wrote
function M.agree(buf, text)
  local path = vim.api.nvim_buf_get_name(buf)
  local stat = vim.uv.fs_stat(path)
  if text then
    known[buf] = { path = path, text = text, stat = stat and fields(stat), sure = false }
  elseif stat and stat.type == "file" and is_old(stat) then
    keep(buf, path, nil)
  else
    keep(buf, path, M.read(path) or "")
  end
end

--- The buffer is about to differ from the file: what the file holds is read while it still is what the buffer
--- began with, so that the same text with another time (touched, checked out again) is known for what it is.
---@param buf integer
function M.part(buf)
  local path = vim.api.nvim_buf_get_name(buf)
  local entry = entry_of(buf, path)
  if entry and entry.text == nil and is_untouched(entry, vim.uv.fs_stat(path)) then
    entry.text = M.read(path) or ""
  end
end

--- Something may have read or written the file: only when file and buffer are equal they are known to agree.
---@param buf integer
---@return boolean agree
---@return boolean? is_new somebody wrote since that was known last
function M.look(buf)
  if not vim.api.nvim_buf_is_loaded(buf) then
    return false
  end
  local path = vim.api.nvim_buf_get_name(buf)
  local entry = entry_of(buf, path)
  if entry and is_untouched(entry, vim.uv.fs_stat(path)) then
    -- Nobody wrote since: there is nothing to learn.
    return true
  end
  local text = M.read(path)
  local own = encoded(buf)
  -- Of an encoding that cannot be compared Neovim's word is taken, unless the buffer has more than it wrote.
  if text == nil or (own and text ~= own) or (not own and vim.bo[buf].modified) then
    return false
  end
  keep(buf, path, text)
  return true, true
end

--- Whether every line of the file, or of the one at `path`, stands in the buffer, in its order: what differs was added.
---@param buf integer
---@param path? string
---@return boolean
function M.is_added_to(buf, path)
  local text = M.read(path or vim.api.nvim_buf_get_name(buf))
  if not text or encoded(buf) == nil then
    return false
  end
  -- In a file of Unix a carriage return is part of its line.
  local line_end = ({ unix = "\n", dos = "\r?\n", mac = "\r" })[vim.bo[buf].fileformat]
  local lines = vim.split(text:gsub("^\239\187\191", ""):gsub(line_end .. "$", ""), line_end)
  local next_line = 1
  for first = 0, vim.api.nvim_buf_line_count(buf) - 1, piece do
    for _, line in ipairs(vim.api.nvim_buf_get_lines(buf, first, first + piece, false)) do
      next_line = line == lines[next_line] and next_line + 1 or next_line
    end
  end
  return next_line > #lines
end

--- The buffer in which another plugin opened the file under a new name; nil when there is none.
---@param buf integer
---@return integer?
function M.moved_to(buf)
  local entry = entry_of(buf, vim.api.nvim_buf_get_name(buf))
  local was = entry and entry.stat
  return was
    and vim.iter(vim.api.nvim_list_bufs()):find(function(other)
      local stat = vim.api.nvim_buf_is_loaded(other)
        and vim.uv.fs_stat(vim.api.nvim_buf_get_name(other))
      -- The other times are those of the move.
      return stat and stat.ino == was.ino and vim.deep_equal(fields(stat).mtime, was.mtime)
    end)
end

--- Whether the buffer's file was read or written here.
---@param buf integer
---@return boolean
function M.was_there(buf)
  local entry = entry_of(buf, vim.api.nvim_buf_get_name(buf))
  return entry ~= nil and entry.stat ~= nil
end

---@param buf integer
function M.forget(buf)
  known[buf] = nil
end

--- `known`: the file holds what this Neovim last read or wrote. `gone`: there is none. `foreign`: another text, which
--- comes as the second value. `no file`: a pipe, a device, a folder.
---@param buf integer
---@return "known"|"gone"|"foreign"|"no file"
---@return string? text
function M.state(buf)
  local path = vim.api.nvim_buf_get_name(buf)
  local stat = vim.uv.fs_stat(path)
  if not stat then
    return "gone"
  end
  if stat.type ~= "file" then
    return "no file"
  end
  local entry = entry_of(buf, path)
  if entry and entry.sure and is_untouched(entry, stat) then
    return "known"
  end
  local text = M.read(path)
  if text == nil then
    return "gone"
  end
  if entry and entry.text == text then
    keep(buf, path, text)
    return "known"
  end
  if text == encoded(buf) then
    keep(buf, path, text)
    return "known"
  end
  return "foreign", text
end

return M
