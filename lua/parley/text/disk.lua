--- What this Neovim last read from a chat's file or wrote to it, and whether the file still is that. A conflict is
--- about content: who wrote, when and by which event says nothing.
local buffer = require("parley.text.buffer")

local M = {}

--- By buffer: `{ path, sha, stat, sure }`, or `{ path, sha = false }` when there was no file.
local known = {}

--- Nanoseconds in which two writes can bear the same time on file systems with coarse clocks.
local coarse_ns = 2e9

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
  local lines = vim.api.nvim_buf_get_lines(buf, 0, -1, false)
  local text = table.concat(lines, line_end)
  if option.endofline or (option.fixendofline and not option.binary) then
    text = text .. line_end
  end
  return (option.bomb and "\239\187\191" or "") .. text
end

local function hash(text)
  local ok, sha = pcall(vim.fn.sha256, text)
  -- A text with NUL is a Blob to Vim's functions; it is kept as it is.
  return ok and sha or text
end

local function keep(buf, path, text)
  local stat = vim.uv.fs_stat(path)
  if not stat then
    known[buf] = { path = path, sha = false }
    return
  end
  local seconds, microseconds = vim.uv.gettimeofday()
  local age = (seconds - stat.mtime.sec) * 1e9 + microseconds * 1e3 - stat.mtime.nsec
  known[buf] = { path = path, sha = hash(text), stat = fields(stat), sure = age > coarse_ns }
end

--- The file was just read into the buffer, or written from it.
function M.agree(buf)
  local path = vim.api.nvim_buf_get_name(buf)
  keep(buf, path, M.read(path) or "")
end

--- Something may have read or written the file: only when file and buffer are equal they are known to agree.
function M.look(buf)
  if not buffer.is_loaded(buf) then
    return false
  end
  local path = vim.api.nvim_buf_get_name(buf)
  local text = M.read(path)
  local own = encoded(buf)
  -- Of an encoding that cannot be compared Neovim's word is taken, unless the buffer has more than it wrote.
  if text == nil or (own and text ~= own) or (not own and vim.bo[buf].modified) then
    return false
  end
  keep(buf, path, text)
  return true
end

function M.forget(buf)
  known[buf] = nil
end

--- `known`: the file holds what this Neovim last read or wrote. `gone`: there is none. `foreign`: another text.
--- `no file`: a pipe, a device, a folder. Also what tells one foreign text from the next.
function M.state(buf)
  local path = vim.api.nvim_buf_get_name(buf)
  local stat = vim.uv.fs_stat(path)
  if not stat then
    return "gone"
  end
  if stat.type ~= "file" then
    return "no file"
  end
  local entry = known[buf]
  if entry and entry.path ~= path then
    entry = nil
  end
  if entry and entry.sure and vim.deep_equal(entry.stat, fields(stat)) then
    return "known"
  end
  local text = M.read(path)
  if text == nil then
    return "gone"
  end
  if entry and entry.sha == hash(text) then
    keep(buf, path, text)
    return "known"
  end
  if text == encoded(buf) then
    keep(buf, path, text)
    return "known"
  end
  return "foreign", hash(text)
end

return M
