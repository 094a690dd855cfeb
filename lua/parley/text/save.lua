--- Writing the file of a chat without surprises: no autocommands, and never over what somebody else wrote.
local buffer = require("parley.text.buffer")
local notify = require("parley.messages.notify")
local undo = require("parley.text.undo")

local M = {}

--- What the file was like when we last read or wrote it: `{size, sec, nsec}`, or false when there was none.
local seen = {}
--- The state of the file on disk that the person was already asked about.
local asked = {}

local function look(path)
  local stat = vim.uv.fs_stat(path)
  return stat and { size = stat.size, sec = stat.mtime.sec, nsec = stat.mtime.nsec } or false
end

local function same(a, b)
  if not a or not b then
    return a == b
  end
  return a.size == b.size and a.sec == b.sec and a.nsec == b.nsec
end

--- Called when the buffer and its file agree: read, written, reloaded.
function M.record(buf)
  seen[buf] = look(vim.api.nvim_buf_get_name(buf))
  asked[buf] = nil
end

function M.forget(buf)
  seen[buf] = nil
  asked[buf] = nil
end

local function write(buf)
  local path = vim.api.nvim_buf_get_name(buf)
  vim.fn.mkdir(vim.fs.dirname(path), "p")
  -- `!` only silences Neovim's own question about the time of the file, which was compared before.
  local ok, message = pcall(undo.in_buffer, buf, function()
    vim.cmd("silent noautocmd keepalt lockmarks write!")
  end)
  if not ok then
    return { status = "failed", message = ("%s was not written: %s"):format(path, message) }
  end
  M.record(buf)
  return { status = "saved" }
end

local choices = {
  { label = "Leave both as they are (asked again when the file changes again)" },
  {
    label = "Overwrite the file with this buffer",
    act = function(buf)
      local result = write(buf)
      if result.message then
        notify.notify(result.message, vim.log.levels.ERROR)
      end
    end,
  },
  {
    label = "Reload the file and lose what is only in this buffer",
    act = function(buf)
      undo.in_buffer(buf, function()
        vim.cmd("silent edit!")
      end)
    end,
  },
}

local function ask(buf, path, now)
  if asked[buf] ~= nil and same(asked[buf], now) then
    return
  end
  asked[buf] = now
  vim.schedule(function()
    vim.ui.select(choices, {
      prompt = ("%s changed on disk; Parley did not write it:"):format(
        vim.fn.fnamemodify(path, ":~:.")
      ),
      format_item = function(choice)
        return choice.label
      end,
    }, function(choice)
      if choice and choice.act and buffer.is_loaded(buf) then
        choice.act(buf)
      end
    end)
  end)
end

local function refusal(buf, path, now)
  if vim.bo[buf].readonly then
    return ("%s was not written: 'readonly' is set. The answer stands in the buffer; :w! writes it."):format(
      path
    )
  end
  if now and not vim.uv.fs_access(path, "W") then
    return ("%s was not written: the file is not writable. The answer stands in the buffer."):format(
      path
    )
  end
  return nil
end

--- `saved`, `unnamed` (no file belongs to the buffer), `conflict` (changed on disk, nothing written, the
--- person is asked) or `failed` with a message.
function M.save(buf)
  local path = buffer.is_loaded(buf) and vim.api.nvim_buf_get_name(buf) or ""
  if path == "" or vim.bo[buf].buftype ~= "" then
    return { status = "unnamed" }
  end
  local now = look(path)
  local known = seen[buf]
  -- A file that somebody deleted is written anew: nothing of theirs is lost by that.
  if now and not same(now, known) then
    ask(buf, path, now)
    return {
      status = "conflict",
      message = ("%s changed on disk, so it was not written; the answer stands in the buffer."):format(
        path
      ),
    }
  end
  local message = refusal(buf, path, now)
  if message then
    return { status = "failed", message = message }
  end
  if not vim.bo[buf].modified and now then
    return { status = "saved" }
  end
  return write(buf)
end

return M
