--- The functions that the host may call, by name. Each returns plain data.
local approval_maps = require("parley.keys.approval_maps")
local away = require("parley.messages.away")
local buffer = require("parley.text.buffer")
local chats = require("parley.text.chats")
local cursor = require("parley.screen.cursor")
local folds = require("parley.screen.folds")
local host = require("parley.host")
local kept_rows = require("parley.text.kept_rows")
local notify = require("parley.messages.notify")
local own_keys = require("parley.config.own_keys")
local save = require("parley.text.file.save")
local show = require("parley.screen.show")
local streaming = require("parley.screen.streaming")
local tip = require("parley.text.tip")
local unfolded = require("parley.screen.folds.unfolded")

local M = {}

--- JSON's null arrives as vim.NIL; the functions here use nil.
local function without_null(value)
  if value == vim.NIL then
    return nil
  end
  if type(value) ~= "table" then
    return value
  end
  for key, item in pairs(value) do
    value[key] = without_null(item)
  end
  return value
end

local levels = {
  error = vim.log.levels.ERROR,
  warn = vim.log.levels.WARN,
  info = vim.log.levels.INFO,
}

--- Folds the long parts of a change and returns its answer.
local function folded(buf, answer, changes)
  if changes then
    folds.written(buf, changes)
  end
  return answer
end

--- Runs a write of the host and keeps the cursor where the user expects it.
local function written(buf, write)
  return cursor.around(buf, function()
    return unfolded.by_host(write)
  end)
end

local function tick_of(buf)
  return vim.api.nvim_buf_is_loaded(buf) and vim.api.nvim_buf_get_changedtick(buf) or nil
end

--- Saves and returns the new tick: a write changes it without an event.
local function saved_now(buf, quick)
  local answer = save.save(buf, quick)
  answer.tick = tick_of(buf)
  return answer
end

--- The key or command that goes to the next chat with news.
local function press_for_next()
  return own_keys.get().keys.next[1] or ":Parley next"
end

---@type parley.Calls
local calls = {
  apply = function(buf, tick, edits, group)
    if kept_rows.holds_edits(buf, edits) then
      return { status = "held" }
    end
    return written(buf, function()
      return folded(buf, buffer.apply(buf, tick, edits, group, tip.is_open(buf)))
    end)
  end,
  follow = function(buf, line)
    local has_moved = cursor.follow(buf, line)
    if has_moved then
      require("parley.screen.calls.reveal").ends(buf)
    end
    return has_moved
  end,
  tip_open = function(buf, tick, line, answer_line, group, edits, saves)
    if kept_rows.holds_edits(buf, edits) then
      return { status = "held" }
    end
    local saved
    if saves then
      local after = save.tick_ahead(buf, tick)
      if not after and tick_of(buf) ~= tick then
        return { status = "stale", tick = tick_of(buf) }
      end
      saved = after and { status = "saved", tick = after } or saved_now(buf, true)
      if saved.status ~= "saved" then
        return { status = "unsaved", saved = saved }
      end
      tick = saved.tick
    end
    local answer = written(buf, function()
      return folded(buf, streaming.open(buf, tick, line, answer_line, group, edits))
    end)
    answer.saved = saved
    return answer
  end,
  tip_write = function(buf, id, expected, text, group)
    local function row()
      return tip.line(buf, id)
    end
    if kept_rows.holds_text(buf, row, text) then
      return { status = "held" }
    end
    return written(buf, function()
      return streaming.write(buf, id, expected, text, group)
    end)
  end,
  tip_line = function(buf, id)
    return tip.line(buf, id)
  end,
  tip_mark = function(buf, id, group, restore)
    return tip.mark(buf, id, group, restore)
  end,
  tip_close = function(buf, id)
    streaming.close(buf, id)
  end,
  save = function(buf, quick)
    return saved_now(buf, quick)
  end,
  reread = function(buf)
    return save.reread(buf)
  end,
  show = function(buf, tick, view)
    -- The host has not heard of :Parley detach yet. What it draws now, keys included, would never be removed.
    if not chats.is_chat(buf) then
      return { status = "gone" }
    end
    view = without_null(view)
    local answer = show.show(buf, tick, view)
    if answer.status == "shown" then
      approval_maps.set(buf, view.keys)
      if require("parley.screen.cursor.opened").to_call(buf, show.open_calls(buf)) then
        require("parley.screen.calls.reveal").ends(buf)
      end
    end
    return answer
  end,
  configured = function()
    return { keys = require("parley.reconfigure").read() }
  end,
  ask = function(id, question)
    require("parley.asking.ask").ask(id, without_null(question))
  end,
  form_mistakes = function(id, mistakes)
    require("parley.asking.form").mistakes(id, mistakes)
  end,
  withdraw = function(id)
    require("parley.asking.ask").withdraw(id)
  end,
  open_address = function(address)
    return require("parley.screen.windows.open").address(address)
  end,
  notify = function(level, message)
    notify.notify(message, levels[level])
  end,
  tell = function(buf, level, message)
    if show.says(buf, message) then
      notify.note(message, levels[level])
    else
      away.tell(buf, message, levels[level], press_for_next())
    end
  end,
  refuse = function(buf, line, message)
    cursor.follow(buf, line)
    if vim.api.nvim_get_current_buf() == buf then
      notify.beside(message, vim.log.levels.WARN)
    else
      notify.notify(message, vim.log.levels.WARN)
    end
  end,
  event = function(name, data)
    data = without_null(data)
    if data.chat and vim.api.nvim_buf_is_valid(data.buf) then
      local total = { usage = data.usage, requests = data.requests, cost = data.cost }
      vim.b[data.buf].parley_total = vim.tbl_extend("force", total, { chat = data.chat })
    end
    if name == "ParleyEnd" then
      away.ended(data, press_for_next())
    end
    vim.api.nvim_exec_autocmds("User", { pattern = name, modeline = false, data = data })
  end,
  open = function(what, options)
    return require("parley.screen.windows.open").open(what, without_null(options))
  end,
  outline = function(buf, rows)
    require("parley.screen.places").outline(buf, rows)
  end,
  changes = function(places)
    require("parley.screen.places").changes(places)
  end,
  completions = function(completions)
    require("parley.pickers.complete").receive(without_null(completions))
  end,
  chats = function(answer)
    require("parley.pickers.chats").receive(answer)
  end,
  chat_moved = function(from, to, tick, is_deleted)
    local editor =
      require("parley.pickers.chat_files").moved(from, to, without_null(tick), is_deleted)
    require("parley.pickers.chats").refresh()
    return editor
  end,
  chat_rewritten = function(path)
    require("parley.pickers.chat_files").rewritten(path)
  end,
  chats_changed = function()
    require("parley.pickers.chats").refresh()
  end,
  chat_next = function(path)
    require("parley.pickers.waiting").go(without_null(path))
  end,
  float = function(lines, title)
    require("parley.screen.windows.float").text(lines, title)
  end,
  tools_board = function(buf, lines, ids)
    require("parley.screen.windows.tool_board").show(buf, lines, ids, function(chat, action, id)
      local args = id == "" and { action } or { action, id }
      host.send({ action = "command", buf = chat, name = "tools", args = args, line = 0 })
    end)
  end,
  health_report = function(id, report)
    require("parley.health").receive(id, without_null(report))
  end,
  workspace_read = function(path)
    return require("parley.text.workspace").read(path)
  end,
  workspace_write = function(path, expected, text)
    return require("parley.text.workspace").write(path, without_null(expected), text)
  end,
  workspace_diagnostics = function(path)
    return require("parley.text.workspace").diagnostics(without_null(path))
  end,
  workspace_open = function()
    return require("parley.text.workspace").open()
  end,
  workspace_quickfix = function()
    return require("parley.text.workspace").quickfix()
  end,
  ready = function(channel)
    host.ready(channel)
  end,
}

---@param name string
---@param ... any
---@return any
function M.call(name, ...)
  host.heard()
  local call = calls[name]
  if not call then
    error(
      ("Parley's Lua half has no function %q; it and dist/ have different versions. :Parley build"):format(
        name
      ),
      0
    )
  end
  return call(...)
end

return M
