--- Saves a chat's file safely: without autocommands, and never over text that something else wrote.
local disk = require("parley.text.file.disk")
local encoding = require("parley.text.file.encoding")

-- Loaded on demand, when there is something to write, report or reload.
local function atomic_write()
  return require("parley.text.file.atomic_write")
end
local function notify(message, level)
  require("parley.messages.notify").notify(message, level or vim.log.levels.ERROR)
end
local function undo()
  return require("parley.text.undo")
end

local M = {}

local function shown_path(buf)
  return vim.fn.fnamemodify(vim.api.nvim_buf_get_name(buf), ":~:.")
end

--- Turns Neovim's error into a sentence.
local function plain(message)
  local reason = require("parley.messages.notify").reason(message)
  return reason:gsub("%s*$", ""):gsub("([^.!?])$", "%1.")
end

--- By buffer: the foreign text on disk that the user was already asked about.
local asked = {}

--- By buffer: the ticks before and after a save ahead.
local ahead = {}

--- Records that the file was read into the buffer. Only valid in the same event: later the file may have changed again.
---@param buf integer
function M.record(buf)
  disk.agree(buf)
  asked[buf] = nil
end

--- Checks the file after something may have read or written it.
---@param buf integer
---@return boolean is_new the text of the buffer was written, and not by Parley
function M.look(buf)
  local agree, is_new = disk.look(buf)
  if agree then
    asked[buf] = nil
  end
  return is_new == true
end

--- Checks the file of a buffer that became a chat, or got another name, some time after it was read.
M.meet = disk.meet

--- Records that the buffer was changed and differs from the file.
M.part = disk.part

---@param buf integer
function M.forget(buf)
  disk.forget(buf)
  asked[buf] = nil
  ahead[buf] = nil
end

--- Handles a conflict: another program's text in the file, and a different one in the buffer.
---@type fun(buf: integer, foreign: string?)
local ask

--- How often the text is written in one save when the file's time changes during each write.
local most_writes = 3

local function write(buf, quick)
  encoding.settle(buf)
  local unwritable = encoding.refusal(buf)
  if unwritable then
    return { status = "failed", message = unwritable:format(shown_path(buf)) }
  end
  local message, harm
  for _ = 1, most_writes do
    message, harm = atomic_write().write(buf, quick)
    if message ~= atomic_write().foreign then
      break
    end
    local state, foreign = disk.state(buf)
    if state == "foreign" then
      ask(buf, foreign)
      return { status = "conflict" }
    end
    -- Only the file's time changed, as a sync program or a network drive sets it.
  end
  if message then
    local words = harm and "%s was not written: %s %s The text is in the buffer."
      or "%s was not written, and is as it was: %s The text is in the buffer."
    message = words:format(shown_path(buf), plain(message), harm)
    return { status = "failed", message = message }
  end
  asked[buf] = nil
  return { status = "saved" }
end

--- Reads the file into the buffer, whatever was there.
local function read_again(buf)
  undo().in_buffer(buf, function()
    require("parley.system.undisturbed").finish(vim.cmd, "silent edit!")
  end)
end

local choices = {
  { label = "Leave both as they are (you are asked again when the file changes)" },
  {
    label = "Overwrite the file with this buffer",
    act = function(buf, foreign)
      local state, text = disk.state(buf)
      if state == "foreign" and text ~= foreign then
        -- Something wrote the file again while the question was open.
        return ask(buf, text)
      end
      local result = write(buf)
      if result.message then
        notify(result.message)
      end
    end,
  },
  {
    label = "Reload the file and lose what is only in this buffer",
    act = function(buf)
      read_again(buf)
    end,
  },
}

function ask(buf, foreign)
  if asked[buf] == foreign then
    return
  end
  asked[buf] = foreign
  vim.schedule(function()
    if not vim.api.nvim_buf_is_loaded(buf) then
      return
    end
    require("parley.messages.prompts").select(choices, {
      prompt = ("%s changed on disk; Parley did not write it:"):format(shown_path(buf)),
      format_item = function(choice)
        return choice.label
      end,
    }, function(choice)
      if choice and choice.act and vim.api.nvim_buf_is_loaded(buf) then
        choice.act(buf, foreign)
      end
    end)
  end)
end

local function refusal(buf, state)
  if state == "no file" then
    local why = "%s is not a regular file, so Parley writes nothing to it. "
    return why:format(shown_path(buf)) .. "The text is in the buffer; :saveas gives it a file."
  end
  if vim.bo[buf].readonly then
    return ("%s was not written: 'readonly' is set. The text is in the buffer; :w! writes it."):format(
      shown_path(buf)
    )
  end
  if state ~= "gone" and not vim.uv.fs_access(vim.api.nvim_buf_get_name(buf), "W") then
    return ("%s was not written: the file is not writable. The text is in the buffer."):format(
      shown_path(buf)
    )
  end
  return nil
end

--- Reloads the file into a buffer without changes.
local function reload(buf)
  local autoread = vim.bo[buf].autoread
  vim.bo[buf].autoread = true
  undo().in_buffer(buf, function()
    vim.cmd("silent! checktime " .. buf)
  end)
  vim.bo[buf].autoread = autoread
  -- Neovim goes by the file's time, and an autocommand for FileChangedShell may refuse.
  if not disk.look(buf) then
    undo().in_buffer(buf, function()
      vim.cmd("silent! edit!")
    end)
    disk.look(buf)
  end
end

--- Saves the chat. Returns `saved`, `unnamed` (the buffer has no file), `reloaded` (the file had changed and the buffer
--- had not), `conflict` (both changed: nothing is written and the user is asked) or `failed` with a message. With
--- `quick` the file is synced to the disk a moment later.
---@param buf integer
---@param quick? boolean
---@return { status: "saved"|"reloaded"|"conflict"|"unnamed"|"failed", tick?: integer, message?: string }
function M.save(buf, quick)
  local path = vim.api.nvim_buf_is_loaded(buf) and vim.api.nvim_buf_get_name(buf) or ""
  if path == "" or vim.bo[buf].buftype ~= "" then
    return { status = "unnamed" }
  end
  local state, foreign = disk.state(buf)
  local modified = vim.bo[buf].modified
  if state == "foreign" and not modified then
    reload(buf)
    return { status = "reloaded" }
  end
  if state == "foreign" then
    ask(buf, foreign)
    return { status = "conflict" }
  end
  if state == "known" and not modified then
    if not quick then
      require("parley.text.file.sync").settle(path)
    end
    return { status = "saved" }
  end
  local message = refusal(buf, state)
  if message then
    return { status = "failed", message = message }
  end
  local is_missing = state == "gone" and disk.was_there(buf)
  local result = write(buf, quick)
  if is_missing and result.status == "saved" then
    -- Nothing is lost, but there may be two copies now, one in the folder or branch that the file was moved to.
    local words =
      "%s was moved or deleted in the meantime, so it was written again, with all of this chat."
    notify(words:format(shown_path(buf)), vim.log.levels.WARN)
  end
  return result
end

--- Saves ahead, while the host prepares the request that would save first. Only does the plain case; everything else
--- waits for the host's own save, which reports problems.
---@param buf integer
function M.ahead(buf)
  ahead[buf] = nil
  if vim.bo[buf].buftype ~= "" or not vim.bo[buf].modified then
    return
  end
  if disk.state(buf) ~= "known" or refusal(buf, "known") then
    return
  end
  local before = vim.api.nvim_buf_get_changedtick(buf)
  if write(buf, true).status == "saved" then
    ahead[buf] = { before = before, after = vim.api.nvim_buf_get_changedtick(buf) }
  end
end

--- Returns the current tick of the text that had `tick` before a save ahead; nil without one, or after a change.
---@param buf integer
---@param tick integer
---@return integer?
function M.tick_ahead(buf, tick)
  local known = ahead[buf]
  ahead[buf] = nil
  local is_same = known
    and known.before == tick
    and known.after == vim.api.nvim_buf_get_changedtick(buf)
  return is_same and known.after or nil
end

--- Copies the text into the buffer in which another plugin opened the moved file.
local function hand_on(buf, other)
  local lines = vim.api.nvim_buf_get_lines(buf, 0, -1, false)
  vim.schedule(function()
    if vim.api.nvim_buf_is_loaded(other) and not vim.bo[other].modified then
      vim.api.nvim_buf_set_lines(other, 0, -1, false, lines)
      M.save(other)
    end
  end)
end

--- Saves the answer so far when its buffer is about to be discarded: someone who quits with `:qa!` does not mean to
--- throw away text that was paid for. Saves nothing when lines of the file were changed or deleted, since those are the
--- changes to be discarded.
---@param buf integer
function M.keep_answer(buf)
  if not vim.api.nvim_buf_is_loaded(buf) then
    return
  end
  local state = disk.state(buf)
  local other = vim.bo[buf].modified and state == "gone" and disk.moved_to(buf) or nil
  if other and disk.is_added_to(buf, vim.api.nvim_buf_get_name(other)) then
    hand_on(buf, other)
  elseif state == "known" and disk.is_added_to(buf) then
    -- Declining the question of 'confirm' reset it.
    vim.bo[buf].modified = true
    M.save(buf)
  end
end

--- Reloads an unmodified buffer when another process answers the chat and may have written the file. Returns `same`
--- when file and buffer agree, or `modified` when the buffer has changes and is left alone.
---@param buf integer
---@return { status: "reloaded"|"same"|"modified" }
function M.reread(buf)
  if
    not vim.api.nvim_buf_is_loaded(buf)
    or vim.bo[buf].buftype ~= ""
    or disk.state(buf) ~= "foreign"
  then
    return { status = "same" }
  end
  if vim.bo[buf].modified then
    return { status = "modified" }
  end
  reload(buf)
  return { status = "reloaded" }
end

--- Offers to restore the copy of an interrupted save, and removes drafts that a killed Neovim left next to the file.
---@param buf integer
function M.recover(buf)
  local path = vim.api.nvim_buf_get_name(buf)
  if path == "" or vim.bo[buf].buftype ~= "" then
    return
  end
  atomic_write().sweep(path)
  local copy, text = atomic_write().broken_off(path)
  if not copy then
    return
  end
  local answers = {
    { label = "Leave the file as it is; the copy stays at " .. copy },
    {
      label = "Replace the file with the copy",
      act = function()
        local message = atomic_write().put_back(path, copy, text)
        if message then
          notify(plain(message))
        elseif vim.api.nvim_buf_is_loaded(buf) then
          read_again(buf)
        end
      end,
    },
    {
      label = "Delete the copy",
      act = function()
        vim.uv.fs_unlink(copy)
      end,
    },
  }
  vim.schedule(function()
    require("parley.messages.prompts").select(answers, {
      prompt = ("Writing %s was interrupted; a copy of the text was kept:"):format(
        vim.fn.fnamemodify(path, ":~:.")
      ),
      format_item = function(answer)
        return answer.label
      end,
    }, function(answer)
      if answer and answer.act then
        answer.act()
      end
    end)
  end)
end

return M
