--- A form with several fields: a buffer that the user fills in and writes. The host supplies its text and validates it.
local notify = require("parley.messages.notify")
local undisturbed = require("parley.system.undisturbed")

local M = {}

local namespace = vim.api.nvim_create_namespace("parley.form")

--- The open forms by id: `{ buf, lines = as last written, page, tell, is_written, is_meant = one of the commands below
--- is about to write it }`.
local forms = {}

--- The commands that submit a form.
local writing = { write = true, update = true, wq = true, xit = true, exit = true }

local function valid(form)
  return vim.api.nvim_buf_is_valid(form.buf)
end

local function lines_of(form)
  return valid(form) and vim.api.nvim_buf_get_lines(form.buf, 0, -1, false) or form.lines
end

--- Highlights comments and field names.
local function colour(buf)
  vim.api.nvim_buf_clear_namespace(buf, namespace, 0, -1)
  for row, line in ipairs(vim.api.nvim_buf_get_lines(buf, 0, -1, false)) do
    local name = line:match("^%S[^:]*:")
    if vim.startswith(line, "#") then
      local whole = { end_col = #line, hl_group = "Comment" }
      vim.api.nvim_buf_set_extmark(buf, namespace, row - 1, 0, whole)
    elseif name then
      local head = { end_col = #name, hl_group = "Identifier" }
      vim.api.nvim_buf_set_extmark(buf, namespace, row - 1, 0, head)
    end
  end
end

--- 'omnifunc' of a form: completes the values that the field on this line accepts.
---@param findstart 0|1
---@param base string
---@return integer|string[]
function M.complete(findstart, base)
  local form = vim.iter(vim.tbl_values(forms)):find(function(one)
    return one.buf == vim.api.nvim_get_current_buf()
  end)
  local line = vim.api.nvim_get_current_line()
  local name = line:match("^(%S[^:]*):")
  local words = form and name and form.page.completions[name] or {}
  if findstart == 1 then
    if #words == 0 then
      return -3
    end
    -- After the last comma, since a field may take several values.
    local before = line:sub(1, vim.fn.col(".") - 1)
    return #before:match("^.*[,:]%s*")
  end
  return vim.tbl_filter(function(word)
    return vim.startswith(word:lower(), base:lower())
  end, words)
end

local function show(form)
  local height = math.max(3, math.min(#form.lines, math.floor(vim.o.lines * 0.6)))
  if not require("parley.screen.windows.open").try(("botright %dsplit"):format(height)) then
    vim.cmd("tab split")
  end
  local win = vim.api.nvim_get_current_win()
  undisturbed.run(vim.api.nvim_win_set_buf, win, form.buf)
  vim.wo[win].winfixheight = true
  vim.wo[win].wrap = true
  vim.wo[win].linebreak = true
end

--- Returns a buffer name that is not in use.
local function name_of(page)
  local name = "parley://form " .. page.title:gsub("[^%w%s_.-]", "")
  local is_taken = require("parley.system.scratch").named(name) ~= nil
  return is_taken and ("%s (%d)"):format(name, vim.uv.hrtime()) or name
end

local function make(id, form)
  local buf = require("parley.system.scratch").buffer()
  form.buf = buf
  vim.bo[buf].buftype = "acwrite"
  vim.bo[buf].swapfile = false
  undisturbed.run(vim.api.nvim_buf_set_name, buf, name_of(form.page))
  vim.api.nvim_buf_set_lines(buf, 0, -1, false, form.lines)
  vim.bo[buf].modified = false
  vim.bo[buf].omnifunc = "v:lua.require'parley.asking.form'.complete"
  undisturbed.run(vim.api.nvim_set_option_value, "filetype", "parley_form", { buf = buf })
  colour(buf)
  local function on(event, act)
    vim.api.nvim_create_autocmd(event, { buffer = buf, callback = act })
  end
  -- Submitting a form is consent: it may run a tool. `:wall`, 'autowrite' and autosave plugins must not submit it.
  on("CmdlineLeave", function()
    local ok, command = pcall(vim.api.nvim_parse_cmd, vim.fn.getcmdline(), {})
    form.is_meant = ok
      and vim.fn.getcmdtype() == ":"
      and not vim.v.event.abort
      and writing[command.cmd] == true
    -- The defaults may be right unchanged, but `:x` only writes a modified buffer.
    vim.bo[buf].modified = form.is_meant or vim.bo[buf].modified
    vim.schedule(function()
      form.is_meant = false
    end)
  end)
  vim.keymap.set("n", "ZZ", ":xit<CR>", { buffer = buf, silent = true })
  on("BufWriteCmd", function()
    if not form.is_meant then
      notify.notify(
        "The form is still open; :w or ZZ in it sends your answer.",
        vim.log.levels.INFO
      )
      return
    end
    form.lines = lines_of(form)
    form.is_written = true
    vim.bo[buf].modified = false
    vim.diagnostic.reset(namespace, buf)
    form.tell({ lines = form.lines })
  end)
  on({ "TextChanged", "TextChangedI" }, function()
    colour(buf)
    form.is_written = false
  end)
  on("BufWipeout", function()
    -- A form that was just written is validated first, and is shown again when something is wrong with it.
    if forms[id] == form and not form.is_written then
      forms[id] = nil
      form.tell(nil)
    end
  end)
  -- Closing declines the form, whatever was typed. A modified buffer would make `:q` fail.
  on("QuitPre", function()
    vim.bo[buf].modified = form.is_meant and vim.bo[buf].modified
  end)
end

--- Calls `tell` with `{ lines }` for each write, and with nil when the form is closed.
---@param id integer
---@param page parley.Page
---@param tell fun(written?: { lines: string[] })
function M.open(id, page, tell)
  local form = { page = page, lines = page.lines, tell = tell }
  forms[id] = form
  make(id, form)
  show(form)
  local row = page.cursor + 1
  vim.api.nvim_win_set_cursor(0, { row, #(page.lines[row] or "") })
end

--- Shows each mistake at its line. A form that was closed meanwhile is opened again.
---@param id integer
---@param mistakes { line: integer, text: string }[]
function M.mistakes(id, mistakes)
  local form = forms[id]
  if not form then
    return
  end
  form.is_written = false
  if not valid(form) then
    make(id, form)
    show(form)
    vim.bo[form.buf].modified = true
  end
  local last = vim.api.nvim_buf_line_count(form.buf) - 1
  vim.diagnostic.set(
    namespace,
    form.buf,
    vim.tbl_map(function(mistake)
      return {
        lnum = math.min(mistake.line, last),
        col = 0,
        message = mistake.text,
        severity = vim.diagnostic.severity.ERROR,
        source = "parley",
      }
    end, mistakes)
  )
  local first = mistakes[1]
  local row = math.min(first.line, last) + 1
  local win = vim.fn.bufwinid(form.buf)
  if win > 0 then
    local line = vim.api.nvim_buf_get_lines(form.buf, row - 1, row, false)[1] or ""
    vim.api.nvim_win_set_cursor(win, { row, #line })
  end
  local more = #mistakes > 1 and (" (and %d more)"):format(#mistakes - 1) or ""
  notify.notify(("Line %d: %s%s"):format(row, first.text, more), vim.log.levels.WARN)
end

--- Closes a form that was accepted or withdrawn.
---@param id integer
function M.close(id)
  local form = forms[id]
  forms[id] = nil
  if not form or not valid(form) then
    return
  end
  local win = vim.fn.bufwinid(form.buf)
  if win > 0 then
    -- The last window that does not float cannot be closed.
    pcall(undisturbed.run, vim.api.nvim_win_close, win, true)
  end
  if valid(form) then
    vim.api.nvim_buf_delete(form.buf, { force = true })
  end
end

--- Handles the end of the host: the text stays in its buffer, in case the same is asked again.
---@param id integer
function M.abandon(id)
  local form = forms[id]
  forms[id] = nil
  if not form then
    return
  end
  form.tell = function()
    -- Kept modified, so that :wq and ZZ do not discard it.
    vim.bo[form.buf].modified = true
    notify.notify(
      "Nobody waits for this answer any more, so nothing was sent. Your text stays here; :q closes it."
    )
  end
end

return M
