--- Completion of `@@ref@@` and `@server:uri` in questions, and of the arguments of `:Parley`. Candidates come from the
--- host's last answer; each completion requests a new one without waiting for it.
local chats = require("parley.text.chats")
local host = require("parley.host")
local markers = require("parley.text.markers")
local system = require("parley.system")

local M = {}

local omnifunc = "v:lua.require'parley.pickers.complete'.omni"

-- The host's last answers.
local servers = {}
--- By server: `{ {word, about}, … }`.
local resources = {}
local prompts = {}
local models = {}
local tools = {}
--- By buffer: the 'omnifunc' that ours replaced.
local before = {}
--- A completion that is waiting for the host's first answer: `{ buf, server }`.
local waiting = nil

local function ask(what)
  host.send(vim.tbl_extend("force", { action = "complete" }, what))
end

--- Returns the text from the last `@` that may begin a resource up to the cursor, and its 0-based byte column.
local function typed()
  local line = vim.api.nvim_get_current_line():sub(1, vim.fn.col(".") - 1)
  local start, reference = line:match("()(@@[^@]*)$")
  -- The closing `@@` of a reference does not begin another one.
  local _, marks = line:gsub("@@", "")
  if start and marks % 2 == 1 then
    return reference, start - 1
  end
  local column, text = line:match("()(@[^%s@]*)$")
  if not column or line:sub(1, column - 1):find("[%w_@./\\-]$") then
    return nil
  end
  return text, column - 1
end

local function in_question()
  local row = vim.fn.line(".")
  while row > 1 and not markers.begins_turn(vim.fn.getline(row)) do
    row = row - 1
  end
  return markers.read(vim.fn.getline(row)) == "question"
end

--- The names that a question can refer to (src/transcript/references.ts).
local reference_names = {
  diff = "changes that are not committed",
  diagnostics = "what language servers and linters report",
  buffers = "the texts of the open files",
  quickfix = "the quickfix list",
  tree = "the names of the files",
}

--- Returns files and folders whose path begins as written; folders end with a slash. Neovim's own file completion is
--- not used, because it executes text in backticks, which a question or a folder name may contain. Network paths are
--- not listed.
local function paths(written)
  local folder, beginning = written:match(system.is_windows and "^(.*[/\\])(.*)$" or "^(.*/)(.*)$")
  if not folder then
    folder, beginning = "", written
  end
  local at = system.expand_home(folder)
  if system.is_network(folder) then
    return {}
  end
  if not system.is_absolute(at) then
    at = vim.fs.joinpath(require("parley.text.chats").folder(), at)
  end
  local found = {}
  for name, kind in vim.fs.dir(at) do
    local is_hidden = vim.startswith(name, ".") and not vim.startswith(beginning, ".")
    -- A line break in a name would start a new line of the question.
    if vim.startswith(name, beginning) and not is_hidden and not name:find("%c") then
      if kind ~= "file" and kind ~= "directory" then
        kind = (vim.uv.fs_stat(vim.fs.joinpath(at, name)) or {}).type
      end
      found[#found + 1] = folder .. name .. (kind == "directory" and "/" or "")
    end
  end
  table.sort(found)
  return found
end

local function reference_items(written)
  local items = {}
  if written:find("^[./~]") then
    for _, path in ipairs(paths(written)) do
      local is_folder = vim.endswith(path, "/")
      items[#items + 1] = {
        word = "@@" .. path .. (is_folder and "" or "@@"),
        menu = is_folder and "folder" or "file",
      }
    end
    return items
  end
  for name, about in vim.spairs(reference_names) do
    items[#items + 1] = { word = "@@" .. name .. "@@", menu = about }
  end
  items[#items + 1] = { word = "@@./", menu = "a file or folder of this working folder" }
  return items
end

local function items_for(base)
  if vim.startswith(base, "@@") then
    return vim.tbl_filter(function(item)
      return vim.startswith(item.word, base)
    end, reference_items(base:sub(3)))
  end
  local server = base:match("^@([^:]*):")
  local candidates = {}
  if server then
    for _, item in ipairs(resources[server] or {}) do
      candidates[#candidates + 1] = { word = item.word, menu = item.about }
    end
  else
    for _, name in ipairs(servers) do
      -- A name with a blank cannot be used in a question.
      if not name:find("%s") then
        candidates[#candidates + 1] = { word = "@" .. name .. ":", menu = "MCP server" }
      end
    end
  end
  return vim.tbl_filter(function(item)
    return vim.startswith(item.word, base)
  end, candidates)
end

--- Calls the 'omnifunc' that ours replaced, for everything else.
local function fall_through(findstart, base)
  local name = before[vim.api.nvim_get_current_buf()] or ""
  if name == "" then
    return findstart == 1 and -3 or {}
  end
  local arguments = ("(%d, %s)"):format(findstart, vim.fn.string(base))
  if name:find("^func") or name:find("^{") then
    return vim.fn.call(vim.fn.eval(name), { findstart, base })
  end
  return vim.api.nvim_eval(name .. arguments)
end

---@param findstart 0|1
---@param base string
---@return integer|table[]
function M.omni(findstart, base)
  if findstart == 1 then
    local text, column = typed()
    if text and in_question() then
      return column
    end
    waiting = nil
    return fall_through(1, base)
  end
  if not vim.startswith(base, "@") then
    return fall_through(0, base)
  end
  if vim.startswith(base, "@@") then
    return items_for(base)
  end
  local server = base:match("^@([^:]*):")
  ask({ server = server })
  local items = items_for(base)
  waiting = #items == 0 and { buf = vim.api.nvim_get_current_buf(), server = server } or nil
  return items
end

--- Shows a late answer to a completion, if the user is still waiting for it there.
local function show_late()
  if not waiting or waiting.buf ~= vim.api.nvim_get_current_buf() then
    return
  end
  local text, column = typed()
  local is_same = text and text:match("^@([^:]*):") == waiting.server
  if is_same and vim.api.nvim_get_mode().mode:find("^i") then
    local items = items_for(text)
    if #items > 0 then
      waiting = nil
      vim.fn.complete(column + 1, items)
    end
  end
end

--- Takes `{ servers = names }`, `{ server = name, resources = items }`, or names as `prompts`, `models` or `tools`.
---@param told parley.Completions
function M.receive(told)
  servers = told.servers or servers
  prompts = told.prompts or prompts
  models = told.models or models
  tools = told.tools or tools
  if told.server then
    resources[told.server] = told.resources
  end
  show_late()
end

---@return string[]
function M.servers()
  ask({})
  return servers
end

---@return string[]
function M.prompts()
  ask({ prompts = true })
  return prompts
end

---@return string[]
function M.tools()
  ask({ tools = true })
  return tools
end

---@return string[]
function M.models()
  ask({ models = true })
  return models
end

local function set(buf)
  if vim.bo[buf].omnifunc ~= omnifunc then
    before[buf] = vim.bo[buf].omnifunc
    vim.bo[buf].omnifunc = omnifunc
  end
end

---@param buf integer
function M.attach(buf)
  set(buf)
  vim.api.nvim_create_autocmd("FileType", {
    group = vim.api.nvim_create_augroup("parley.complete." .. buf, {}),
    buffer = buf,
    callback = function()
      -- The file type's own scripts also set 'omnifunc', before or after this.
      vim.schedule(function()
        if vim.api.nvim_buf_is_loaded(buf) and chats.is_chat(buf) then
          set(buf)
        end
      end)
    end,
  })
end

---@param buf integer
function M.detach(buf)
  pcall(vim.api.nvim_del_augroup_by_name, "parley.complete." .. buf)
  if vim.api.nvim_buf_is_valid(buf) and vim.bo[buf].omnifunc == omnifunc then
    vim.bo[buf].omnifunc = before[buf] or ""
  end
  before[buf] = nil
end

return M
