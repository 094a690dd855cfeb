--- `:Parley {subcommand}`: what each does, and completion.
local actions = require("parley.actions")
local chats = require("parley.text.chats")
local host = require("parley.host")
local key_table = require("parley.config.key_table")
local notify = require("parley.messages.notify")
local system = require("parley.system")

local M = {}

--- The words after a verb, from the names of the keys: `approve_always_one` is `:Parley approve always-one`.
---@param verb "approve"|"deny"
---@return table<string, string> records by word
local function decisions_of(verb)
  local found = {}
  for _, row in ipairs(key_table.rows) do
    local rest = row.decision and row.name:match("^" .. verb .. "_(.+)$")
    if rest then
      found[rest:gsub("_", "-")] = row.decision.record
    end
  end
  return found
end

local function warn(message)
  notify.notify(message, vim.log.levels.WARN)
end

--- A subcommand that the host runs. With `needs_chat` the current buffer must be a chat.
local function for_host(name, needs_chat)
  return function(arguments)
    local buf = vim.api.nvim_get_current_buf()
    if needs_chat and not chats.current() then
      return
    end
    host.send({
      action = "command",
      buf = buf,
      name = name,
      args = arguments,
      -- A buffer that is not loaded yet, as in `nvim "+Parley usage"`, has no line 1.
      line = math.max(vim.fn.line(".") - 1, 0),
    })
  end
end

--- A subcommand that acts on the file of the current chat.
local function on_chat_file(act)
  return function(arguments)
    local buf = chats.current()
    if buf then
      require("parley.text.chats.chat_name").give(buf)
      require("parley.pickers.chat_files")[act](vim.api.nvim_buf_get_name(buf), {
        given = #arguments > 0 and table.concat(arguments, " ") or nil,
      })
    end
  end
end

local function words_of(verb)
  return function()
    return vim.tbl_keys(decisions_of(verb))
  end
end

--- Without an argument only the call at the cursor is decided.
local function decide(verb)
  return function(arguments)
    local decisions = decisions_of(verb)
    local decision = decisions[arguments[1] or "one"]
    if decision then
      actions.decide(decision)
    else
      local known = vim.tbl_keys(decisions)
      table.sort(known)
      warn(
        (":Parley %s takes one of %s, not %q; nothing was decided."):format(
          verb,
          table.concat(known, ", "),
          arguments[1]
        )
      )
    end
  end
end

local function stop(arguments)
  local what = arguments[1]
  if what == nil then
    actions.stop()
    return
  end
  if what ~= "call" then
    warn((":Parley stop takes call or nothing, not %q; nothing was stopped."):format(what))
    return
  end
  actions.stop_call()
end

--- Completes the names configured under a setting.
local function configured(setting)
  return function()
    return require("parley.config").names(setting)
  end
end

--- Opens the help. A folder that is only on the runtimepath has no help tags yet, so they are made first.
local function open_help()
  local finish = require("parley.system.undisturbed").finish
  if pcall(finish, vim.cmd.help, "parley") then
    return
  end
  local doc = vim.fs.joinpath(require("parley.host.paths").root(), "doc")
  if not (pcall(vim.cmd.helptags, doc) and pcall(finish, vim.cmd.help, "parley")) then
    local file = vim.fs.joinpath(doc, "parley.txt")
    finish(vim.cmd.view, { file, magic = { file = false, bar = false } })
    vim.bo.filetype = "help"
  end
end

--- Starts a question that refers to the lines of the command's range.
local function bring(words, options, wants_new)
  local has_lines = options.range > 0
  require("parley.bring").ask({
    words = words,
    first = has_lines and options.line1 or nil,
    last = has_lines and options.line2 or nil,
    wants_new = wants_new,
  })
end

--- Quotes the lines of the command's range, or the cursor's line, with the question about them.
local function quote(words, options)
  local lines = { tostring(options.line1), tostring(options.line2) }
  for_host("quote", true)(vim.list_extend(lines, words))
end

local commands = {
  quote = {
    run = function(words, options)
      if #words > 0 then
        quote(words, options)
        return
      end
      require("parley.messages.prompts").input(
        { prompt = "Ask about these lines: " },
        function(text)
          if text and vim.trim(text) ~= "" then
            quote({ text }, options)
          end
        end
      )
    end,
  },
  define = {
    run = function(_, options)
      quote({}, options)
    end,
  },
  copy = { run = actions.copy },
  follow = { run = actions.follow },
  web_search = { run = for_host("web_search", true), words = { "on", "off" } },
  respond_all = { run = for_host("respond_all", true) },
  new = {
    run = function(words, options)
      if options.range == 0 then
        actions.new()
      else
        bring(words, options, true)
      end
    end,
  },
  ask = {
    run = function(words, options)
      bring(words, options, false)
    end,
  },
  respond = { run = actions.respond },
  stop = { run = stop, words = { "call" } },
  approve = { run = decide("approve"), words = words_of("approve") },
  deny = { run = decide("deny"), words = words_of("deny") },
  details = { run = actions.details },
  retry = { run = actions.retry },
  preview = { run = for_host("preview", true) },
  migrate = { run = for_host("migrate", true) },
  check = { run = for_host("check", true) },
  fix = { run = for_host("fix", true) },
  model = {
    run = for_host("model", true),
    words = function()
      return require("parley.pickers.complete").models()
    end,
  },
  models = { run = for_host("models", false) },
  chats = {
    run = function(arguments)
      require("parley.pickers.chats").open({ query = table.concat(arguments, " ") })
    end,
  },
  toggle = {
    run = function(_, options)
      require("parley.toggle").toggle(options.smods)
    end,
  },
  next = {
    run = function()
      require("parley.pickers.waiting").next()
    end,
  },
  rename = { run = on_chat_file("rename") },
  move = { run = on_chat_file("move") },
  tags = { run = for_host("tags", true) },
  delete = { run = on_chat_file("delete") },
  usage = {
    run = for_host("usage", false),
    words = { "today", "week", "month", "year", "all" },
  },
  agent = { run = for_host("agent", true), words = configured("agents") },
  system_prompt = { run = for_host("system_prompt", true), words = configured("system_prompts") },
  image = { run = for_host("image", true), words = { "clipboard", "capture" } },
  branch = { run = for_host("branch", true) },
  tree = { run = for_host("tree", true) },
  outline = { run = for_host("outline", true) },
  apply = { run = for_host("apply", true) },
  changes = { run = for_host("changes", true) },
  ["undo-edits"] = { run = for_host("undo-edits", true) },
  follow_link = { run = actions.follow_link },
  export = { run = for_host("export", true), words = { "html", "markdown" } },
  tools = { run = for_host("tools", true) },
  remembered = { run = for_host("remembered", true) },
  status = { run = for_host("status", true) },
  log = { run = for_host("log", false) },
  mcp = {
    run = for_host("mcp", false),
    words = { "list", "restart", "stop", "log", "try", "instructions", "login", "logout", "trust" },
    names = function(word)
      local complete = require("parley.pickers.complete")
      return word == "try" and complete.tools() or complete.servers()
    end,
  },
  prompt = {
    run = for_host("prompt", true),
    words = function()
      return require("parley.pickers.complete").prompts()
    end,
  },
  attach = {
    run = function(words)
      require("parley.attach").attach(words[1])
    end,
    words = { "always", "folder" },
  },
  detach = {
    run = function(words)
      require("parley.attach").detach(words[1])
    end,
    words = { "always", "folder" },
  },
  restart = { run = host.restart },
  build = {
    run = function()
      local root = require("parley.host.paths").root()
      require("parley.host.build").run_in_background(root, "asked for", host.restart)
    end,
  },
  help = {
    run = function()
      open_help()
    end,
  },
}

--- Returns the command that `name` probably meant: one of similar length with the same letters in order, allowing one
--- extra, wrong or misplaced letter; else one with the same beginning or more letters in between; nil without a match.
local function nearest_command(name)
  local known = vim.tbl_keys(commands)
  local near = vim.tbl_filter(function(command)
    return math.abs(#command - #name) <= 2
  end, known)
  local meant = vim.fn.matchfuzzy(near, name)[1]
  for at = 1, #name > 3 and #name or 0 do
    meant = meant or vim.fn.matchfuzzy(near, name:sub(1, at - 1) .. name:sub(at + 1))[1]
  end
  return meant or vim.fn.matchfuzzy(known, name)[1]
end

---@param options { fargs: string[], range: integer, line1: integer, line2: integer, smods?: table }
function M.run(options)
  local name = options.fargs[1] or "help"
  local command = commands[name]
  if not command then
    local meant = nearest_command(name)
    local nearest = meant and (" Did you mean :Parley %s?"):format(meant) or ""
    warn(("There is no :Parley %s.%s :Parley help lists the commands."):format(name, nearest))
    return
  end
  local open = require("parley.screen.windows.open")
  if name ~= "stop" and open.is_refused() then
    return
  end
  open.place(options.smods)
  local words = vim.list_slice(options.fargs, 2)
  if not system.interruptible(command.run, words, options) then
    warn((":Parley %s was interrupted."):format(name))
  end
end

--- Completes the word at the cursor in `line`.
---@param line string
---@param position integer in bytes
---@return string[]
function M.complete(line, position)
  local before = line:sub(1, position):gsub("^.-Parley%s+", "")
  local words = vim.split(before, "%s+")
  local candidates = vim.tbl_keys(commands)
  if #words > 1 then
    local command = commands[words[1]]
    candidates = command and (#words == 2 and command.words or #words == 3 and command.names) or {}
    candidates = type(candidates) == "function" and candidates(words[2]) or candidates
  end
  local typed = words[#words]
  local matching = vim.tbl_filter(function(word)
    return vim.startswith(word, typed)
  end, candidates)
  table.sort(matching)
  return matching
end

return M
