--- The files that the built-in tools read and change, through their buffers when they are open.
local buffer = require("parley.text.buffer")
local chats = require("parley.text.chats")
local disk = require("parley.text.file.disk")
local encoding = require("parley.text.file.encoding")
local system = require("parley.system")
local undisturbed = require("parley.system.undisturbed")
local undo = require("parley.text.undo")

local M = {}

local real = system.real

--- The byte order mark.
local mark = "\239\187\191"

--- Returns the loaded buffer of the file, whatever name it was opened by.
local function find(path)
  path = system.plain(path)
  for _, buf in ipairs(vim.api.nvim_list_bufs()) do
    local name = vim.api.nvim_buf_get_name(buf)
    if
      name ~= ""
      and vim.api.nvim_buf_is_loaded(buf)
      and vim.bo[buf].buftype == ""
      and real(name) == path
    then
      return buf
    end
  end
end

--- Whether the buffer has no line at all, and not an empty one: its file would have no bytes.
local function is_empty(buf)
  return vim.api.nvim_buf_call(buf, function()
    return vim.fn.line2byte(vim.fn.line("$") + 1) < 0
  end)
end

--- Whether the text ends with a line end. At a `:write` with 'fixendofline', Neovim may have added one to the file that
--- the buffer does not know of; `bytes` are those of the file.
local function has_last_end(buf, bytes)
  local option = vim.bo[buf]
  if option.endofline or option.modified then
    return option.endofline or (option.fixendofline and not option.binary)
  end
  return bytes ~= nil and vim.endswith(bytes, option.fileformat == "mac" and "\r" or "\n")
end

local function text_of(buf, bytes)
  local lines = vim.api.nvim_buf_get_lines(buf, 0, -1, false)
  if #lines == 1 and lines[1] == "" and is_empty(buf) then
    return ""
  end
  return table.concat(lines, "\n") .. (has_last_end(buf, bytes) and "\n" or "")
end

local function is_utf8(buf)
  local name = vim.bo[buf].fileencoding
  return name == "" or name == "utf-8"
end

--- Whether the buffer is as its file is, however Neovim split that into lines.
local function is_as_written(buf, bytes)
  local option = vim.bo[buf]
  if option.modified then
    return false
  end
  local line_end = ({ dos = "\r\n", mac = "\r" })[option.fileformat] or "\n"
  local text = (option.bomb and mark or "") .. text_of(buf, bytes):gsub("\n", line_end)
  return bytes == (is_utf8(buf) and text or vim.iconv(text, "utf-8", option.fileencoding))
end

--- Whether the bytes of a file have a mark, and whether all of its line ends are CR LF.
local function form_of(bytes)
  local _, ends = bytes:gsub("\n", "")
  local _, dos_ends = bytes:gsub("\r\n", "")
  return { has_mark = vim.startswith(bytes, mark), is_dos = ends > 0 and ends == dos_ends }
end

--- Returns the text that the host reads from these bytes.
local function plain(bytes)
  local form = form_of(bytes)
  local text = form.has_mark and bytes:sub(#mark + 1) or bytes
  return form.is_dos and (text:gsub("\r\n", "\n")) or text
end

--- Sets the options that differ: other plugins react to each one that is set.
local function set_options(buf, wanted)
  for name, value in pairs(wanted) do
    if vim.bo[buf][name] ~= value then
      vim.bo[buf][name] = value
    end
  end
end

--- Gives a buffer the encoding and line ends of its UTF-8 file. An .editorconfig could otherwise convert the whole file
--- when it is written, which the approved diff does not show.
local function keep_form(buf, bytes)
  if is_as_written(buf, bytes) and plain(bytes) == text_of(buf, bytes) then
    return
  end
  local form = form_of(bytes)
  set_options(buf, {
    fileencoding = "utf-8",
    bomb = form.has_mark,
    fileformat = form.is_dos and "dos" or "unix",
  })
end

local function lines_of(text)
  local lines = vim.split(text, "\n", { plain = true })
  if #lines > 1 and lines[#lines] == "" then
    lines[#lines] = nil
  end
  return lines
end

--- Returns the text of the file's loaded buffer and whether it is modified; nil when the file is not open.
---@param path string
---@return { text: string, modified: boolean }|vim.NIL
function M.read(path)
  local buf = find(path)
  if not buf then
    return vim.NIL
  end
  local bytes = disk.read(path)
  local is_file = is_utf8(buf) and is_as_written(buf, bytes)
  return { text = is_file and plain(bytes) or text_of(buf, bytes), modified = vim.bo[buf].modified }
end

--- Returns the pattern of an autocommand that reads or writes such files instead of Neovim; nil without one. It may run
--- programs based on the name (`zipfile:x::y`), and the file may get other contents or none.
local function taken_by(path)
  local tail = { vim.fs.basename(path) }
  -- After a `:cd`, Neovim also matches a file below the working directory by its relative path.
  local whole = { path, vim.fn.fnamemodify(path, ":.") }
  for _, each in ipairs(vim.api.nvim_get_autocmds({ event = { "BufReadCmd", "BufWriteCmd" } })) do
    local names = each.pattern:find("/", 1, true) and whole or tail
    local form = vim.fn.glob2regpat(each.pattern)
    if not each.buflocal and vim.fn.match(names, form) >= 0 then
      return each.pattern
    end
  end
end

local function opened(path, expected)
  local found = find(path)
  if found then
    return found
  end
  local buf = undisturbed.run(vim.fn.bufadd, path)
  -- Suppresses the question about another Neovim's swap file: the file was compared, and the user sees the buffer.
  local shortmess = vim.o.shortmess
  vim.opt.shortmess:append("A")
  local ok, message = pcall(undisturbed.run, vim.fn.bufload, buf)
  vim.o.shortmess = shortmess
  if not ok then
    return nil, tostring(message)
  end
  undisturbed.run(vim.api.nvim_set_option_value, "buflisted", true, { buf = buf })
  -- A modeline that sets line ends or an encoding marks the buffer as modified, although nothing was changed. To a
  -- modified one, 'fixendofline' seems to have added a line end.
  local text = text_of(buf)
  if expected and (text == expected or text == expected .. "\n") then
    vim.bo[buf].modified = false
  end
  return buf
end

local function refusal(buf, path, expected, bytes)
  if chats.is_chat(buf) then
    return ("%s is a Parley chat, and tools may not change chats."):format(path)
  end
  if vim.bo[buf].modified then
    return ("%s has unsaved changes in the editor, so nothing was written."):format(path)
  end
  local is_expected = not expected
    or bytes
      and plain(bytes) == expected
      and (is_as_written(buf, bytes) or text_of(buf, bytes) == expected)
  if not is_expected then
    return ("%s has changed since it was read, so nothing was written. Read it again with read_file."):format(
      path
    )
  end
  return buffer.refusal(buf)
end

--- Writes the file as a typed `:write` does, which goes on where an autocommand fails.
local function write()
  local ok, message = pcall(vim.cmd, "silent keepalt lockmarks write!")
  if not ok and undisturbed.goes_on(message) then
    vim.cmd("silent noautocmd keepalt lockmarks write!")
  elseif not ok then
    error(message, 0)
  end
end

--- Ends the file as the approved text does; 'fixendofline' could add a line end.
local function write_exactly(buf, text)
  local fixes, has_end = vim.bo[buf].fixendofline, vim.endswith(text, "\n")
  set_options(buf, { endofline = has_end, fixendofline = fixes and has_end })
  local ok, message = pcall(write)
  if vim.api.nvim_buf_is_valid(buf) then
    set_options(buf, { fixendofline = fixes })
  end
  if not ok then
    error(message, 0)
  end
end

--- Replaces the text in one undo step and writes the file as `:write` does. `{ text }` is the text afterwards.
---@param path string
---@param expected? string
---@param text string
---@return { text?: string, message?: string }
function M.write(path, expected, text)
  local pattern = taken_by(path)
  if pattern then
    local words =
      "Neovim reads or writes %s by an autocommand of its own (%s), so nothing was written."
    return { message = words:format(path, pattern) }
  end
  if not expected then
    local has_folder, why = pcall(vim.fn.mkdir, vim.fs.dirname(path), "p")
    if not has_folder then
      return { message = require("parley.messages.notify").reason(why) }
    end
  end
  local buf, problem = opened(path, expected)
  -- The host compared the file, but Neovim may have been busy since, and another program may have written it.
  local bytes = expected and disk.read(path)
  problem = problem or refusal(buf, path, expected, bytes)
  if problem then
    return { message = problem }
  end
  if expected then
    keep_form(buf, bytes)
  end
  if not encoding.holds(buf, text) then
    local words =
      "%s is written as %s, which lacks characters of the new text, so nothing was written."
    return { message = words:format(path, vim.bo[buf].fileencoding) }
  end
  local tick = vim.api.nvim_buf_get_changedtick(buf)
  local count = vim.api.nvim_buf_line_count(buf)
  local edits = { { start = 0, ["end"] = count, lines = lines_of(text) } }
  local answer = buffer.apply(buf, tick, edits, nil)
  if answer.status ~= "applied" then
    return { message = answer.message or ("%s could not be changed just now."):format(path) }
  end
  local ok, message = pcall(undo.in_buffer, buf, expected and function()
    write_exactly(buf, text)
  end or write)
  if not ok then
    local reason = require("parley.messages.notify").reason(message):match("^[^\n]*")
    local words = "The change is in the buffer of %s, but the file was not written: %s"
    return { message = words:format(path, reason) }
  end
  return { text = text_of(buf, disk.read(path)) }
end

local function is_file(buf)
  return vim.api.nvim_buf_is_loaded(buf)
    and vim.bo[buf].buftype == ""
    and vim.api.nvim_buf_get_name(buf) ~= ""
    and not chats.is_chat(buf)
end

--- Returns the real paths of the open, listed files, except chats.
---@return string[]
function M.open()
  local paths = {}
  for _, buf in ipairs(vim.api.nvim_list_bufs()) do
    if vim.bo[buf].buflisted and is_file(buf) then
      paths[#paths + 1] = real(vim.api.nvim_buf_get_name(buf))
    end
  end
  return paths
end

--- Returns the entries of the quickfix list; an entry without a file has no path.
---@return { path?: string, line: integer, text: string }[]
function M.quickfix()
  local places = {}
  for _, item in ipairs(vim.fn.getqflist()) do
    local name = item.bufnr > 0 and vim.api.nvim_buf_get_name(item.bufnr) or ""
    places[#places + 1] = {
      path = name ~= "" and real(name) or nil,
      line = item.lnum,
      text = item.text,
    }
  end
  return places
end

local severities = { "error", "warning", "info", "hint" }

--- Returns the diagnostics of one file, or of all loaded files.
---@param path? string
---@return table[]
function M.diagnostics(path)
  local buf = path and find(path)
  if path and not buf then
    return {}
  end
  local found = {}
  for _, diagnostic in ipairs(vim.diagnostic.get(buf)) do
    local name = vim.api.nvim_buf_get_name(diagnostic.bufnr)
    if name ~= "" and diagnostic.source ~= "parley" then
      found[#found + 1] = {
        path = real(name),
        line = diagnostic.lnum + 1,
        column = diagnostic.col + 1,
        severity = severities[diagnostic.severity] or "info",
        message = diagnostic.message,
        source = diagnostic.source or "",
      }
    end
  end
  table.sort(found, function(a, b)
    if a.path ~= b.path then
      return a.path < b.path
    end
    return a.line < b.line
  end)
  return found
end

return M
