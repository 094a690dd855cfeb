--- Finds rows to fold in text that the host did not write: a file that was read or shown again, and lines from undo, a
--- paste, a filter or another program. Works piece by piece, so that a long file does not block.
local chats = require("parley.text.chats")
local folds = require("parley.screen.folds")
local markers = require("parley.text.markers")

local M = {}

--- Lines read at a time; more only for a single longer result.
local chunk = 2000
--- Lines read around a change, because a call begins above its result.
local around = 100

--- By buffer: the rows still to read, and how many lines to read next.
---@type table<integer, { first: integer, last: integer, size: integer, has_old: boolean? }>
local unread = {}
--- By buffer: true while its changes are followed.
local followed = {}
local is_host_writing = false

local function read_on(buf)
  local rest = unread[buf]
  if not rest or not vim.api.nvim_buf_is_loaded(buf) then
    unread[buf] = nil
    return
  end
  local lines = vim.api.nvim_buf_get_lines(buf, rest.first, rest.first + rest.size, false)
  local ranges, open = folds.foldable(lines, rest.first)
  local after = rest.first + #lines
  if rest.has_old == nil then
    rest.has_old = folds.has_folds(buf)
  end
  -- Asking each row of a long chat for its fold takes longer than folding.
  if rest.has_old then
    folds.remove_left(buf, rest.first, after)
  end
  folds.fold(buf, ranges)
  if after >= vim.api.nvim_buf_line_count(buf) or (not open and after >= rest.last) then
    unread[buf] = nil
    return
  end
  -- A result that continues below is read again from its head, in a longer piece if it filled this one.
  local size = open == rest.first and rest.size * 4 or chunk
  rest.first = (open and size <= folds.longest_read) and open or after
  rest.size = math.min(size, folds.longest_read)
  vim.defer_fn(function()
    read_on(buf)
  end, 1)
end

local function look(buf, first, last, has_old)
  first = math.max(0, first - around)
  local rest = unread[buf]
  if rest then
    rest.first, rest.last = math.min(rest.first, first), math.max(rest.last, last)
    rest.has_old = rest.has_old or has_old
    return
  end
  local size = math.min(chunk, last - first + around)
  unread[buf] = { first = first, last = last, size = size, has_old = has_old }
  vim.schedule(function()
    read_on(buf)
  end)
end

--- Moves the unread rows along with changes above them.
local function move(buf, first, old_last, new_last)
  local rest = unread[buf]
  if not rest then
    return
  end
  local by = new_last - old_last
  rest.first = rest.first >= old_last and rest.first + by or math.min(rest.first, first)
  rest.last = rest.last >= old_last and rest.last + by or math.max(rest.last, new_last)
end

local function is_marker(line)
  local name = markers.read(line)
  return name == "call" or name == "result" or vim.startswith(line, "<!--")
end

--- Whether a change of this line alone may make a call of it, or none: a letter typed elsewhere does not.
local function is_of_call(row, line)
  return is_marker(line) or vim.fn.foldclosed(row) == row
end

local function follow_changes(buf)
  followed[buf] = true
  vim.api.nvim_buf_attach(buf, false, {
    on_lines = function(_, _, _, first, old_last, new_last)
      if not chats.is_chat(buf) then
        followed[buf] = nil
        return true
      end
      move(buf, first, old_last, new_last)
      -- The host's writes are folded as they are written.
      if is_host_writing then
        return
      end
      local line = vim.api.nvim_buf_get_lines(buf, first, first + 1, false)[1] or ""
      if old_last ~= first + 1 or new_last ~= first + 1 or is_of_call(first + 1, line) then
        look(buf, first, new_last, true)
      end
    end,
    on_reload = function()
      look(buf, 0, vim.api.nvim_buf_line_count(buf))
    end,
    on_detach = function()
      followed[buf], unread[buf] = nil, nil
    end,
  })
end

--- Folds the text of a visible chat, and from then on text that is added.
---@param buf integer
function M.attach(buf)
  if not folds.is_wanted() then
    return
  end
  folds.attach(buf)
  if not followed[buf] then
    follow_changes(buf)
  end
  look(buf, 0, vim.api.nvim_buf_line_count(buf))
end

--- Stops folding, when the buffer stops being a chat.
---@param buf integer
function M.detach(buf)
  unread[buf] = nil
  folds.detach(buf)
end

--- Runs a write of the host; `folds.written` folds its lines.
---@param write fun(): table, parley.Change[]?
---@return table answer
---@return parley.Change[]? changes
function M.by_host(write)
  is_host_writing = true
  local ok, answer, changes = pcall(write)
  is_host_writing = false
  if not ok then
    error(answer, 0)
  end
  return answer, changes
end

return M
