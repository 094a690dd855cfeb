--- Writes a buffer's file atomically: every reader, and a kill at any moment, finds the whole old or the whole new
--- text. Neovim treats it as its own write.
local disk = require("parley.text.file.disk")
local sync = require("parley.text.file.sync")
local system = require("parley.system")
local undo = require("parley.text.undo")

local M = {}

local permission_bits = 511
local mode_bits = 4095

local function quietly(command)
  vim.cmd("silent noautocmd keepalt lockmarks " .. command)
end

--- Runs a command on a file with any name. On a command line a line break would end the name and `$NAME` be expanded.
local function quietly_to(command, file)
  vim.cmd({
    cmd = command,
    bang = true,
    args = { file },
    magic = { file = false, bar = false },
    mods = { silent = true, noautocmd = true, keepalt = true, lockmarks = true },
  })
end

--- Runs `action` with global options that make a write plain, and restores them.
local function with_plain_write(is_synced, action)
  local wanted = {
    { "cpoptions", vim.go.cpoptions:gsub("[A+]", "") .. "+" },
    { "writebackup", false },
    { "backup", false },
    -- Neovim refuses equal values of these two, even for a moment (E589).
    { "backupext", vim.go.patchmode .. "~" },
    { "patchmode", "" },
    { "fsync", is_synced },
  }
  local before = {}
  local ignored = vim.go.eventignore
  vim.go.eventignore = "all"
  for _, option in ipairs(wanted) do
    local name, value = unpack(option)
    table.insert(before, 1, { name, vim.go[name] })
    vim.go[name] = value
  end
  local ok, message = pcall(action)
  for _, option in ipairs(before) do
    local name, value = unpack(option)
    vim.go[name] = value
  end
  vim.go.eventignore = ignored
  return ok, message
end

--- Makes Neovim accept the file as written by it: when our handler takes over the write, Neovim "assumes the buffer was
--- written" and records the file's time. Returns false inside an autocommand without `nested`, where no handler runs.
local function adopt(buf)
  local ran = false
  local id = vim.api.nvim_create_autocmd("BufWriteCmd", {
    buffer = buf,
    callback = function()
      ran = true
    end,
  })
  -- If the handler does not run, the write fails (E676) instead of being an ordinary one.
  quietly("setlocal buftype=acwrite")
  pcall(vim.cmd, "silent keepalt lockmarks write!")
  quietly("setlocal buftype=")
  pcall(vim.api.nvim_del_autocmd, id)
  return ran
end

--- Marks the text as unsaved, although Neovim wrote it to another file. Setting 'modified' does not update the swap
--- file, which would seem to have nothing to recover after a kill; setting 'fileformat' does.
local function keep_modified(buf)
  vim.bo[buf].modified = true
  undo.in_buffer(buf, function()
    pcall(quietly, "let &l:fileformat = &l:fileformat")
  end)
end

--- Restores the recorded file time after a failed write; otherwise the user's next `:w` would ask whether the file has
--- changed.
local function take_time(buf)
  vim.bo[buf].modified = false
  undo.in_buffer(buf, function()
    adopt(buf)
  end)
  keep_modified(buf)
end

--- Creates an empty file next to the real one with the same owner; nil when that is not possible.
local function open_draft(folder, name, old)
  local draft = vim.fs.joinpath(folder, (".%s.%d.tmp"):format(name, vim.uv.os_getpid()))
  vim.uv.fs_unlink(draft)
  local fd = vim.uv.fs_open(draft, "wx", old and bit.band(old.mode, permission_bits) or 438)
  if not fd then
    return nil
  end
  local mine = vim.uv.fs_fstat(fd)
  local is_ours = not old or (old.uid == mine.uid and old.gid == mine.gid)
  is_ours = is_ours or vim.uv.fs_fchown(fd, old.uid, old.gid)
  vim.uv.fs_close(fd)
  if not is_ours then
    vim.uv.fs_unlink(draft)
    return nil
  end
  return draft
end

--- Gives the draft the permissions of the old file. Most file systems without permissions report the same ones anyway.
local function take_rights(draft, old)
  local mine = vim.uv.fs_stat(draft)
  local wanted = bit.band(old.mode, mode_bits)
  if mine and bit.band(mine.mode, mode_bits) == wanted then
    return true
  end
  return vim.uv.fs_chmod(draft, wanted)
end

--- Errors of a file that cannot be replaced but may be writable: a mount point itself, or held open by a program.
local held = { EBUSY = true, EPERM = true, EACCES = true, EXDEV = true, ENOTSUP = true }

--- Returned by `write` when something else wrote the file while the draft was being written; nothing was written then.
M.foreign = "another program wrote the file"

--- Whether the file has been replaced, or created, since `old` was read.
local function is_foreign(real, old)
  local now = vim.uv.fs_stat(real)
  if not now or not old then
    return now ~= nil
  end
  local is_same = now.ino == old.ino and now.size == old.size
  return not is_same or not vim.deep_equal(now.mtime, old.mtime)
end

--- Writes the draft and renames it over the file. Returns nil on success, else the reason and whether the file may be
--- written in place instead.
local function fill_draft(buf, draft, old, real, quick)
  local ok, message = with_plain_write(not quick, function()
    undo.in_buffer(buf, function()
      quietly_to("write", draft)
    end)
  end)
  local code
  if ok and old then
    ok, message, code = take_rights(draft, old)
  end
  local text = ok and disk.read(draft) or nil
  if ok and is_foreign(real, old) then
    vim.uv.fs_unlink(draft)
    keep_modified(buf)
    return M.foreign
  end
  if ok then
    ok, message, code = system.rename(draft, real)
  end
  if ok then
    disk.agree(buf, text)
    return nil
  end
  vim.uv.fs_unlink(draft)
  if old and held[code] then
    keep_modified(buf)
    return tostring(message), true
  end
  take_time(buf)
  return tostring(message)
end

local function take_over(buf, path)
  local adopted = undo.in_buffer(buf, function()
    return adopt(buf)
  end)
  if adopted and vim.bo[buf].undofile then
    undo.in_buffer(buf, function()
      local file = undo.file_of(path)
      if file then
        pcall(quietly_to, "wundo", file)
      end
    end)
  end
  return adopted
end

local function by_rename(buf, path, real, draft, old, quick)
  local message, is_held = fill_draft(buf, draft, old, real, quick)
  if message then
    return message, is_held
  end
  local written = vim.uv.fs_stat(real)
  if quick then
    sync.later(real)
  else
    sync.name(real)
  end
  if not take_over(buf, path) then
    vim.schedule(function()
      local now = vim.api.nvim_buf_is_loaded(buf) and vim.uv.fs_stat(real)
      if now and written and now.ino == written.ino and not vim.bo[buf].modified then
        take_over(buf, path)
      end
    end)
  end
  return nil
end

local function copies()
  return vim.fs.joinpath(vim.fn.stdpath("state"), "parley", "saving")
end

local function copy_path(real)
  return vim.fs.joinpath(copies(), vim.fn.sha256(real))
end

--- Saves a synced copy of the new text in the state folder; nil when that fails.
local function keep_copy(buf, real)
  if not pcall(vim.fn.mkdir, copies(), "p", 448) then
    return nil
  end
  local copy = copy_path(real)
  local draft = ("%s.%d.tmp"):format(copy, vim.uv.os_getpid())
  local modified = vim.bo[buf].modified
  local ok = with_plain_write(true, function()
    undo.in_buffer(buf, function()
      quietly_to("write", draft)
    end)
  end)
  if modified then
    keep_modified(buf)
  end
  vim.uv.fs_chmod(draft, 384)
  if ok and system.rename(draft, copy) then
    return copy
  end
  vim.uv.fs_unlink(draft)
  return nil
end

--- Overwrites a file in place. Returns nil, or the reason of a failure.
local function overwrite(real, text)
  local fd, message = vim.uv.fs_open(real, "r+", 0)
  if not fd then
    fd, message = vim.uv.fs_open(real, "wx", 438)
  end
  if not fd then
    return message
  end
  local length, refusal = vim.uv.fs_write(fd, text, 0)
  local is_whole = length == #text and vim.uv.fs_ftruncate(fd, #text)
  vim.uv.fs_fsync(fd)
  vim.uv.fs_close(fd)
  return not is_whole and (refusal or "not all of it was written") or nil
end

--- Restores a file after a failed write in place (`before` is nil when there was none); returns whether that worked.
local function restored(real, before)
  if disk.read(real) == before then
    return true
  end
  if before then
    overwrite(real, before)
  else
    vim.uv.fs_unlink(vim.uv.fs_realpath(real) or real)
  end
  return disk.read(real) == before
end

--- Writes the file in place, with a copy kept until it is complete. Used when a rename is impossible, would break a
--- hard link, or would change the owner.
local function in_place(buf, real, old)
  local copy, before = keep_copy(buf, real), disk.read(real)
  if is_foreign(real, old) then
    if copy then
      vim.uv.fs_unlink(copy)
    end
    return M.foreign
  end
  local ok, message = pcall(undo.in_buffer, buf, function()
    quietly("write!")
  end)
  local is_cut = not ok and not restored(real, before)
  local written = ok and copy and disk.read(copy) or nil
  if copy and not is_cut then
    vim.uv.fs_unlink(copy)
  end
  if not ok then
    take_time(buf)
  end
  -- The incomplete file is also our own write.
  disk.agree(buf, written)
  if is_cut then
    local kept = copy and ("; a copy of the whole text is " .. copy) or ""
    return tostring(message), "The file is incomplete" .. kept .. "."
  end
  return not ok and tostring(message) or nil
end

--- Writes the file. Returns nil, or the reason of a failure. Readers and kills never see a partial file; with `quick` a
--- power failure right afterwards may lose the new text.
---@param buf integer
---@param quick? boolean
---@return string? message `M.foreign`, or the reason as text
---@return string? harm a sentence for when the file is damaged
function M.write(buf, quick)
  local path = vim.api.nvim_buf_get_name(buf)
  -- A folder on a lost network drive may be impossible to create.
  local has_folder, why = pcall(vim.fn.mkdir, vim.fs.dirname(path), "p")
  if not has_folder then
    return tostring(why)
  end
  local real = vim.uv.fs_realpath(path)
  local is_link = not real and vim.uv.fs_lstat(path) ~= nil
  real = real or path
  local old = vim.uv.fs_stat(real)
  local draft = not is_link
    and not (old and old.nlink > 1)
    and open_draft(vim.fs.dirname(real), vim.fs.basename(real), old)
  if draft then
    local message, is_held = by_rename(buf, path, real, draft, old, quick)
    if not is_held then
      return message
    end
  end
  return in_place(buf, real, old)
end

--- Returns path and text of the copy from an interrupted save of this file; nil without one.
---@param path string
---@return string? copy
---@return string? text
function M.broken_off(path)
  local real = vim.uv.fs_realpath(path) or path
  local copy = copy_path(real)
  local text = disk.read(copy)
  if text == nil then
    return nil
  end
  if text == disk.read(real) then
    vim.uv.fs_unlink(copy)
    return nil
  end
  return copy, text
end

--- Restores such a copy into the file. Returns nil, or the reason of a failure.
---@param path string
---@param copy string
---@param text string
---@return string?
function M.put_back(path, copy, text)
  local real = vim.uv.fs_realpath(path) or path
  local message = overwrite(real, text)
  if not message then
    vim.uv.fs_unlink(copy)
  end
  return message
end

--- Removes drafts next to the file that a killed Neovim left behind.
---@param path string
function M.sweep(path)
  local real = vim.uv.fs_realpath(path) or path
  local folder, name = vim.fs.dirname(real), vim.fs.basename(real)
  for file in vim.fs.dir(folder) do
    local pid = vim.startswith(file, "." .. name .. ".") and file:match("%.(%d+)%.tmp$")
    local is_draft = pid and file == (".%s.%s.tmp"):format(name, pid)
    local alive, _, code = nil, nil, nil
    if is_draft then
      alive, _, code = vim.uv.kill(tonumber(pid), 0)
    end
    -- EPERM: the process is another user's, who shares the folder.
    if is_draft and not alive and code ~= "EPERM" then
      vim.uv.fs_unlink(vim.fs.joinpath(folder, file))
    end
  end
end

return M
