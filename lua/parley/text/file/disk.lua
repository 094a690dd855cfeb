--- Tracks what this Neovim last read from or wrote to a chat's file, and whether the file still has that. Conflicts are
--- decided by content only, not by times or events.

local M = {}

--- By buffer: `{ path, text, stat, sure }`, or `{ path, text = false }` when there was no file. `text` is missing until
--- it is needed: `stat` is enough until then, so that opening a chat does not read the file twice. It is the text and
--- not a hash, because hashing a chat of 10,000 exchanges takes 50 ms, twice per save.
local known = {}

--- Nanoseconds within which two writes can have the same time on file systems with coarse clocks.
local coarse_ns = 2e9

--- Lines of the buffer read at a time.
local piece = 1000

local line_ends = { unix = "\n", dos = "\r\n", mac = "\r" }

local function fields(stat)
  return {
    ino = stat.ino,
    size = stat.size,
    type = stat.type,
    mtime = { stat.mtime.sec, stat.mtime.nsec },
    ctime = { stat.ctime.sec, stat.ctime.nsec },
  }
end

--- Returns the bytes of a regular file; nil when it is missing or unreadable.
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

--- Returns the bytes that Neovim would write for the buffer, or for the lines of the buffer `source` in its place; nil
--- for encodings that are not supported here.
local function encoded(buf, source)
  local option = vim.bo[buf]
  local encoding = option.fileencoding
  if encoding ~= "" and encoding ~= "utf-8" then
    return nil
  end
  local line_end = line_ends[option.fileformat]
  local pieces = { option.bomb and "\239\187\191" or "" }
  local count = vim.api.nvim_buf_line_count(source or buf)
  for first = 0, count - 1, piece do
    local lines = vim.api.nvim_buf_get_lines(source or buf, first, first + piece, false)
    pieces[#pieces + 1] = table.concat(lines, line_end)
    pieces[#pieces + 1] = first + piece < count and line_end or nil
  end
  if option.endofline or (option.fixendofline and not option.binary) then
    pieces[#pieces + 1] = line_end
  end
  return table.concat(pieces)
end

--- Whether the file has the text `own` of the buffer. Neovim ends the last line, which a file from elsewhere may not
--- do.
local function is_own(text, own, buf)
  return text == own or (own ~= nil and text .. line_ends[vim.bo[buf].fileformat] == own)
end

--- Whether Neovim reads the file as the text `own` of the buffer. A line break in a line of the buffer is a zero byte
--- of the file, and where 'fileformats' has only "dos", both line ends of the file are those of the buffer.
local function is_read_as(text, own, buf)
  text = text:gsub("%z", "\n")
  return is_own(text, own, buf)
    or vim.bo[buf].fileformat == "dos"
      and is_own(text:gsub("\r\n", "\n"):gsub("\n", "\r\n"), own, buf)
end

--- Whether the time is old enough that no later write can have the same one.
local function is_old(stat)
  local seconds, microseconds = vim.uv.gettimeofday()
  return (seconds - stat.mtime.sec) * 1e9 + microseconds * 1e3 - stat.mtime.nsec > coarse_ns
end

--- Records the file's state; with `text` nil it is read when it is needed. The state is from before the text was read:
--- if something writes the file in between, the next look finds another one.
local function keep(buf, path, stat, text)
  if not stat then
    known[buf] = { path = path, text = false }
    return
  end
  known[buf] = { path = path, text = text, stat = fields(stat), sure = is_old(stat) }
end

--- Returns the record of the file under the buffer's name; nil without one.
local function entry_of(buf, path)
  local entry = known[buf]
  return entry and entry.path == path and entry or nil
end

local function is_untouched(entry, stat)
  return entry.stat ~= nil and stat ~= nil and vim.deep_equal(entry.stat, fields(stat))
end

--- Records that the file was just read into the buffer or written from it.
---@param buf integer
---@param text? string the text that was written; the file may already have been overwritten by something else
function M.agree(buf, text)
  local path = vim.api.nvim_buf_get_name(buf)
  local stat = vim.uv.fs_stat(path)
  if text then
    known[buf] = { path = path, text = text, stat = stat and fields(stat), sure = false }
  elseif stat and stat.type == "file" and is_old(stat) then
    keep(buf, path, stat, nil)
  else
    local found = M.read(path) or ""
    local own = not vim.bo[buf].modified and encoded(buf) or nil
    if own and not is_read_as(found, own, buf) then
      -- Something has written the file since Neovim read it, as another Neovim does at the end of an answer.
      known[buf] = { path = path, text = own, sure = false }
    else
      keep(buf, path, stat, found)
    end
  end
end

--- Reads the file's text when the buffer begins to differ from it, while it still is what the buffer was read from.
--- That way a file with the same text but another time (touched, checked out again) is recognized.
---@param buf integer
function M.part(buf)
  local path = vim.api.nvim_buf_get_name(buf)
  local entry = entry_of(buf, path)
  if not entry or entry.text ~= nil or not is_untouched(entry, vim.uv.fs_stat(path)) then
    return
  end
  local text = M.read(path)
  -- Something may have written the file in the moment before it was read.
  if is_untouched(entry, vim.uv.fs_stat(path)) then
    entry.text = text or ""
  end
end

--- Checks the file after something may have read or written it; they agree only if file and buffer are equal.
---@param buf integer
---@return boolean agree
---@return boolean? is_new whether something wrote the file since the last check
function M.look(buf)
  if not vim.api.nvim_buf_is_loaded(buf) then
    return false
  end
  local path = vim.api.nvim_buf_get_name(buf)
  local entry, stat = entry_of(buf, path), vim.uv.fs_stat(path)
  if entry and is_untouched(entry, stat) then
    -- Nothing was written since.
    return true
  end
  local text = M.read(path)
  local own = encoded(buf)
  -- For an encoding that cannot be compared, Neovim's 'modified' decides.
  if text == nil or (own and not is_own(text, own, buf)) or (not own and vim.bo[buf].modified) then
    return false
  end
  keep(buf, path, stat, text)
  return true, true
end

--- Returns the bytes of the buffer before its unsaved changes, which are undone in a copy; nil when that is impossible.
local function before_changes(buf)
  local history, copy = vim.fn.tempname(), nil
  local ignored = vim.go.eventignore
  vim.go.eventignore = "all"
  local ok, bytes = pcall(function()
    vim.api.nvim_buf_call(buf, function()
      vim.cmd.wundo({ history, bang = true, mods = { silent = true } })
    end)
    copy = vim.api.nvim_create_buf(false, true)
    vim.api.nvim_buf_set_lines(copy, 0, -1, false, vim.api.nvim_buf_get_lines(buf, 0, -1, false))
    vim.api.nvim_buf_call(copy, function()
      vim.cmd.rundo({ history, mods = { silent = true } })
      vim.cmd("silent earlier 1f")
    end)
    return encoded(buf, copy)
  end)
  if copy then
    vim.api.nvim_buf_delete(copy, { force = true })
  end
  vim.go.eventignore = ignored
  vim.uv.fs_unlink(history)
  return ok and bytes or nil
end

--- Checks the file of a buffer that was not read just now: it may have been changed in Neovim, on the disk, or in both.
---@param buf integer
function M.meet(buf)
  if M.look(buf) or not vim.bo[buf].modified then
    return
  end
  local path = vim.api.nvim_buf_get_name(buf)
  local stat, text = vim.uv.fs_stat(path), M.read(path)
  if text and is_own(text, before_changes(buf), buf) then
    keep(buf, path, stat, text)
  end
end

--- Whether the buffer has every line of the file (or the one at `path`) in order, so that lines were only added.
---@param buf integer
---@param path? string
---@return boolean
function M.is_added_to(buf, path)
  local text = M.read(path or vim.api.nvim_buf_get_name(buf))
  if not text or encoded(buf) == nil then
    return false
  end
  -- With Unix line ends a carriage return is part of its line.
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

--- Returns the buffer in which another plugin opened the file under a new name; nil without one.
---@param buf integer
---@return integer?
function M.moved_to(buf)
  local entry = entry_of(buf, vim.api.nvim_buf_get_name(buf))
  local was = entry and entry.stat
  return was
    and vim.iter(vim.api.nvim_list_bufs()):find(function(other)
      local stat = vim.api.nvim_buf_is_loaded(other)
        and vim.uv.fs_stat(vim.api.nvim_buf_get_name(other))
      -- Only the modification time: moving the file changes the others.
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

--- Returns `known` when the file has what this Neovim last read or wrote, `gone` when it is missing, `foreign` and the
--- file's text when it has other contents, or `no file` for a pipe, a device or a folder.
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
    keep(buf, path, stat, text)
    return "known"
  end
  if is_own(text, encoded(buf), buf) then
    keep(buf, path, stat, text)
    return "known"
  end
  return "foreign", text
end

return M
