--- Which buffers are chats, and what happens to one from its opening to its end.
local M = {}

--- Lines looked at to tell whether a file in a chat folder is a chat.
local looked_at = 200
local markers = { "💬", "🤖", "🧠", "📝", "❓", "🛠" }

local group = vim.api.nvim_create_augroup("parley.chat", {})
--- By buffer number: the path as the host was told, and 'modeline' as it was before.
local chats = {}
--- Paths attached by hand in this session, so that they are chats again after :bdelete.
local attached_paths = {}

local function host()
  return require("parley.host")
end

local function real(path)
  return vim.uv.fs_realpath(path) or path
end

local function in_chat_folder(path)
  local folder = real(vim.fs.dirname(path))
  for _, dir in ipairs(require("parley.config").chat_dirs()) do
    local root = real(dir)
    if folder == root or folder:sub(1, #root + 1) == root .. "/" then
      return true
    end
  end
  return false
end

local function has_chat_text(buf)
  for number, line in ipairs(vim.api.nvim_buf_get_lines(buf, 0, looked_at, false)) do
    if number == 1 then
      line = line:gsub("^\239\187\191", "")
    end
    if line:find("^topic%s*:") or line:find("^[#-]%s*topic%s*:") then
      return true
    end
    for _, marker in ipairs(markers) do
      if
        vim.startswith(line, marker)
        and line:sub(#marker + 1):gsub("^\239\184\143", ""):sub(1, 1) == ":"
      then
        return true
      end
    end
  end
  return false
end

local function attach_message(buf)
  return {
    action = "attach",
    buf = buf,
    path = chats[buf].path,
    tick = vim.api.nvim_buf_get_changedtick(buf),
  }
end

local function leave(buf)
  chats[buf] = nil
  host().tell_running({ action = "detach", buf = buf })
  require("parley.tip").close_all(buf)
  require("parley.show").clear(buf)
  require("parley.save").forget(buf)
  require("parley.undo").forget(buf)
  require("parley.maps").unset(buf)
  require("parley.complete").detach(buf)
  require("parley.looks").detach(buf)
  if next(chats) == nil then
    vim.api.nvim_clear_autocmds({ group = group, event = { "DirChanged", "WinResized" } })
  end
end

local function watch(buf)
  vim.api.nvim_clear_autocmds({ group = group, buffer = buf })
  local function on(events, callback)
    vim.api.nvim_create_autocmd(events, { group = group, buffer = buf, callback = callback })
  end
  on("BufUnload", function()
    -- `:e!` unloads and loads again; the host need not lose its session for that.
    vim.schedule(function()
      if
        chats[buf] and not (vim.api.nvim_buf_is_valid(buf) and vim.api.nvim_buf_is_loaded(buf))
      then
        leave(buf)
      end
    end)
  end)
  on({ "BufReadPost", "BufFilePost" }, function()
    if chats[buf] then
      M.attach(buf)
    end
  end)
  on("BufWritePost", function()
    require("parley.save").record(buf)
    host().tell_running({ action = "saved", buf = buf })
  end)
  on("FileChangedShellPost", function()
    require("parley.save").record(buf)
  end)
  on("BufWinEnter", function()
    require("parley.folds").prepare(buf)
  end)
end

local function follow_working_directory()
  vim.api.nvim_create_autocmd("DirChanged", {
    group = group,
    callback = function()
      host().tell_running({ action = "cwd", cwd = vim.fn.getcwd(-1, -1) })
    end,
  })
end

--- What stands below a call is broken at the window's width, so another width is drawn anew.
local function follow_widths()
  vim.api.nvim_create_autocmd("WinResized", {
    group = group,
    callback = function()
      for buf in pairs(chats) do
        if vim.fn.bufwinid(buf) >= 0 then
          host().tell_running(attach_message(buf))
        end
      end
    end,
  })
end

--- Makes a buffer a chat, or tells the host that it was reloaded or renamed.
function M.attach(buf)
  local is_new = chats[buf] == nil
  if is_new and next(chats) == nil then
    follow_working_directory()
    follow_widths()
  end
  local before = is_new and vim.bo[buf].modeline or not is_new and chats[buf].modeline
  chats[buf] = { path = vim.api.nvim_buf_get_name(buf), modeline = before }
  -- The last lines are a model's, and Neovim obeys modelines after it has told of the reading.
  vim.bo[buf].modeline = false
  require("parley.save").record(buf)
  watch(buf)
  require("parley.maps").set(buf)
  require("parley.complete").attach(buf)
  require("parley.looks").attach(buf)
  require("parley.folds").prepare(buf)
  host().send(attach_message(buf))
end

--- Sees whether a buffer is a chat by its place and its text; cheap, called for every Markdown file.
function M.visit(buf)
  if not vim.api.nvim_buf_is_loaded(buf) or chats[buf] or vim.bo[buf].buftype ~= "" then
    return
  end
  local path = vim.api.nvim_buf_get_name(buf)
  if path == "" then
    return
  end
  if attached_paths[path] or (in_chat_folder(path) and has_chat_text(buf)) then
    M.attach(buf)
  end
end

--- `:Parley attach`: this buffer is a chat whatever its place.
function M.attach_by_hand(buf)
  local path = vim.api.nvim_buf_get_name(buf)
  if path ~= "" then
    attached_paths[path] = true
  end
  if not chats[buf] then
    -- Long open, the file may have changed since it was read.
    vim.cmd("silent! checktime " .. buf)
    M.attach(buf)
  end
end

--- `:Parley detach`: until it is opened again, the buffer is plain Markdown.
function M.detach(buf)
  if not chats[buf] then
    return
  end
  attached_paths[vim.api.nvim_buf_get_name(buf)] = nil
  vim.api.nvim_clear_autocmds({ group = group, buffer = buf })
  vim.bo[buf].modeline = chats[buf].modeline
  leave(buf)
end

function M.is_chat(buf)
  return chats[buf] ~= nil
end

--- The current buffer when it is a chat; else nil, and the person is told what to do.
function M.current()
  local buf = vim.api.nvim_get_current_buf()
  if chats[buf] then
    return buf
  end
  require("parley.notify").notify(
    "This buffer is not a chat. :Parley attach makes it one, :Parley new opens a new one.",
    vim.log.levels.WARN
  )
  return nil
end

--- Tells a fresh host of every open chat.
function M.announce(notify)
  for buf in pairs(chats) do
    if vim.api.nvim_buf_is_loaded(buf) then
      notify(attach_message(buf))
    end
  end
end

--- Takes down what a host that is gone has drawn.
function M.host_gone()
  require("parley.tip").close_all()
  for buf in pairs(chats) do
    require("parley.show").clear(buf)
    -- Another host counts its undo steps from the beginning again.
    require("parley.undo").forget(buf)
  end
end

--- Applies changed options to the chats that are open.
function M.refresh()
  for buf in pairs(chats) do
    require("parley.maps").unset(buf)
    require("parley.maps").set(buf)
    require("parley.approval_maps").refresh(buf)
  end
end

--- Opens a dated file in the first chat folder, with the cursor where the question begins.
function M.new()
  local folder = require("parley.config").chat_dirs()[1]
  local seconds, microseconds = vim.uv.gettimeofday()
  local name = ("%s.%03d.md"):format(
    os.date("%Y-%m-%d.%H-%M-%S", seconds),
    math.floor(microseconds / 1000)
  )
  vim.fn.mkdir(folder, "p")
  vim.cmd.edit({ vim.fs.joinpath(folder, name), magic = { file = false, bar = false } })
  local buf = vim.api.nvim_get_current_buf()
  vim.api.nvim_buf_set_lines(buf, 0, -1, false, { "---", "topic: ?", "---", "", "💬: " })
  vim.api.nvim_win_set_cursor(0, { 5, #"💬: " })
  M.attach(buf)
  vim.cmd.startinsert({ bang = true })
  return buf
end

return M
