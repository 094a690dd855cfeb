--- What the host may call, by name. Every function answers with plain data.
local M = {}

--- JSON's null arrives as vim.NIL; the functions here know only absence.
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
  warning = vim.log.levels.WARN,
  info = vim.log.levels.INFO,
  debug = vim.log.levels.DEBUG,
}

local calls = {
  apply = function(buf, tick, edits, group, options)
    return require("parley.buffer").apply(buf, tick, edits, group, options)
  end,
  follow = function(buf, line)
    return require("parley.buffer").follow(buf, line)
  end,
  tip_open = function(buf, tick, line, answer_line, group, edits)
    return require("parley.tip").open(buf, tick, line, answer_line, group, edits)
  end,
  tip_write = function(buf, id, expected, text, group)
    return require("parley.tip").write(buf, id, expected, text, group)
  end,
  tip_line = function(buf, id)
    return require("parley.tip").line(buf, id)
  end,
  tip_close = function(buf, id)
    require("parley.tip").close(buf, id)
  end,
  save = function(buf)
    return require("parley.save").save(buf)
  end,
  show = function(buf, tick, view)
    return require("parley.show").show(buf, tick, without_null(view))
  end,
  ask = function(id, question)
    require("parley.ask").ask(id, without_null(question))
  end,
  withdraw = function(id)
    require("parley.ask").withdraw(id)
  end,
  open_address = function(address)
    return require("parley.open").address(address)
  end,
  notify = function(level, message)
    require("parley.notify").notify(message, levels[level] or level)
  end,
  event = function(name, data)
    vim.api.nvim_exec_autocmds(
      "User",
      { pattern = name, modeline = false, data = without_null(data) }
    )
  end,
  open = function(what, options)
    return require("parley.open").open(what, without_null(options) or {})
  end,
  offers = function(offers)
    require("parley.complete").receive(without_null(offers))
  end,
  float = function(lines, title)
    require("parley.float").text(lines, title)
  end,
  health_report = function(id, report)
    require("parley.health").receive(id, without_null(report))
  end,
  workspace_read = function(path)
    return require("parley.workspace").read(path)
  end,
  workspace_write = function(path, expected, text)
    return require("parley.workspace").write(path, without_null(expected), text)
  end,
  workspace_diagnostics = function(path)
    return require("parley.workspace").diagnostics(without_null(path))
  end,
  ready = function(channel)
    require("parley.host").ready(channel)
  end,
}

function M.call(name, ...)
  require("parley.host").heard()
  local call = calls[name]
  if not call then
    error(
      ("Parley's Lua half has no function %q; it and dist/ are of different versions. :Parley build"):format(
        name
      ),
      0
    )
  end
  return call(...)
end

return M
