--- What the host wants seen beside the text: status, open calls, problems. All of it is virtual.
local buffer = require("parley.text.buffer")
local reveal = require("parley.screen.reveal")
local spinner = require("parley.screen.spinner")
local wrap = require("parley.screen.wrap")

local M = {}

local namespace = vim.api.nvim_create_namespace("parley.show")
local problem_namespace = vim.api.nvim_create_namespace("parley.problems")

local status_highlights = {
  progress = "ParleyProgress",
  waiting = "ParleyWaiting",
  error = "ParleyError",
  info = "ParleyVirtual",
  usage = "ParleyUsage",
}

local severities = {
  error = vim.diagnostic.severity.ERROR,
  warning = vim.diagnostic.severity.WARN,
  info = vim.diagnostic.severity.INFO,
}

--- By buffer: `{ calls = { {id, text, lines, cut, full}, … } }`.
local shown = {}
--- By buffer: the diagnostics as the host gave them last.
local drawn_problems = {}

local function line_at(buf, row)
  return vim.api.nvim_buf_get_lines(buf, row, row + 1, false)[1] or ""
end

local function set_mark(buf, row, column, options)
  return vim.api.nvim_buf_set_extmark(buf, namespace, row, column, options)
end

--- By buffer: called after each drawing until it gives back false.
local watchers = {}

--- Tells `changed` whenever the calls of the buffer were drawn again, until it says false.
function M.watch(buf, changed)
  watchers[buf] = changed
end

local function tell_watcher(buf)
  if watchers[buf] and not watchers[buf]() then
    watchers[buf] = nil
  end
end

--- The colour of a line that a diff adds or takes away; nil for others.
function M.diff_highlight(line)
  local sign = line:match("^  ([+-])")
  return sign == "+" and "ParleyAdded" or sign == "-" and "ParleyRemoved" or nil
end

local function draw_call(buf, call)
  local text = line_at(buf, call.line)
  local width = wrap.width(buf)
  local below = {}
  for _, line in ipairs(call.lines or {}) do
    for _, part in ipairs(wrap.at_edge(line, width)) do
      below[#below + 1] = { { part, M.diff_highlight(line) or "ParleyVirtual" } }
    end
  end
  local id = set_mark(buf, call.line, 0, {
    end_col = #text,
    invalidate = true,
    virt_lines = below,
  })
  return {
    id = id,
    text = call.text,
    tool = call.tool or "",
    effect = call.effect or "",
    pending = call.pending == true,
    lines = call.lines or {},
    rows = #below,
    cut = call.cut == true,
    full = call.full,
  }
end

local function draw_below(buf, row, text, kind)
  local highlight = status_highlights[kind] or "ParleyVirtual"
  set_mark(buf, row, 0, {
    virt_lines = vim.tbl_map(function(line)
      return { { line, highlight } }
    end, wrap.words(text, wrap.width(buf))),
  })
end

--- Where a status without a line of its own belongs: below the last open call, else at the end.
local function status_row(buf, view)
  local row = view.status.line or view.unfinished_line
  if not row and view.calls and #view.calls > 0 then
    row = view.calls[#view.calls].line
  end
  local last = vim.api.nvim_buf_line_count(buf) - 1
  return math.min(row or last, last)
end

local function draw_status(buf, view)
  local status = view.status
  local moving = status and status.kind == "progress"
  local until_ms = moving and status.wait_ms and vim.uv.hrtime() / 1e6 + status.wait_ms or nil
  if view.unfinished_line then
    local text = line_at(buf, view.unfinished_line)
    local reason = text:match("parley:unfinished (%w+)") or "open"
    spinner.cover(buf, namespace, view.unfinished_line, {
      text = moving and status.text or ("(" .. reason .. ")"),
      width = vim.api.nvim_strwidth(text),
      moving = moving,
      until_ms = until_ms,
      highlight = moving and "ParleyProgress" or "ParleyStep",
    })
    if moving then
      return
    end
  end
  if not status then
    return
  end
  local row = status_row(buf, view)
  if moving then
    spinner.beside(
      buf,
      namespace,
      row,
      { text = status.text, until_ms = until_ms, highlight = "ParleyProgress" }
    )
  else
    draw_below(buf, row, status.text, status.kind)
  end
end

--- Beside the last line of the answer where there is room for it, else below.
local function draw_usage(buf, usage)
  if not usage then
    return
  end
  local last = vim.api.nvim_buf_line_count(buf) - 1
  local row = math.min(usage.line or last, last)
  local room = wrap.width(buf) - vim.api.nvim_strwidth(line_at(buf, row))
  if vim.api.nvim_strwidth(usage.text) + 2 < room then
    set_mark(
      buf,
      row,
      0,
      { virt_text = { { usage.text, "ParleyUsage" } }, virt_text_pos = "right_align" }
    )
  else
    draw_below(buf, row, usage.text, "usage")
  end
end

local function draw_problems(buf, problems)
  -- Setting them costs Neovim a reading of the whole buffer, and most views have the same ones, or none.
  local count = #vim.diagnostic.get(buf, { namespace = problem_namespace })
  if count == #problems and vim.deep_equal(drawn_problems[buf] or {}, problems) then
    return
  end
  drawn_problems[buf] = problems
  local last = vim.api.nvim_buf_line_count(buf) - 1
  vim.diagnostic.set(
    problem_namespace,
    buf,
    vim.tbl_map(function(problem)
      return {
        lnum = math.min(problem.line, last),
        col = problem.col or 0,
        severity = severities[problem.level] or severities.info,
        code = problem.code,
        message = problem.message,
        source = "parley",
      }
    end, problems)
  )
end

function M.clear(buf)
  spinner.stop(buf)
  shown[buf] = nil
  tell_watcher(buf)
  drawn_problems[buf] = nil
  if not buffer.is_loaded(buf) then
    return
  end
  vim.api.nvim_buf_clear_namespace(buf, namespace, 0, -1)
  vim.diagnostic.reset(problem_namespace, buf)
  vim.b[buf].parley_status = nil
  vim.b[buf].parley_usage = nil
  vim.b[buf].parley_statusline = nil
end

--- Says at a question, with the seconds, what it waits for while there is no host to draw anything.
function M.wait(buf, row, text)
  M.clear(buf)
  spinner.beside(
    buf,
    namespace,
    row,
    { text = text, since_ms = vim.uv.hrtime() / 1e6, highlight = "ParleyProgress" }
  )
end

--- Whether the lines that `view` is about are still where it says.
local function still_fits(buf, view)
  for _, call in ipairs(view.calls or {}) do
    if line_at(buf, call.line) ~= call.text then
      return false
    end
  end
  local unfinished = view.unfinished_line
  return unfinished == nil or vim.startswith(line_at(buf, unfinished), "<!-- parley:unfinished")
end

--- Statuslines are drawn again only when this one has something new to say.
local function set_statusline(buf, text)
  if vim.b[buf].parley_statusline ~= text then
    vim.b[buf].parley_statusline = text
    -- Marked only: drawing at once would parse a long chat in the middle of an answer.
    vim.api.nvim__redraw({ statusline = true, flush = false })
  end
end

--- Draws `view` in place of what was drawn before; `stale` when the text is no longer at `tick` and the view
--- does not fit it.
function M.show(buf, tick, view)
  if not buffer.is_loaded(buf) then
    return { status = "gone" }
  end
  local now = vim.api.nvim_buf_get_changedtick(buf)
  if now ~= tick and not still_fits(buf, view) then
    return { status = "stale", tick = now }
  end
  spinner.stop(buf)
  vim.api.nvim_buf_clear_namespace(buf, namespace, 0, -1)
  local calls = {}
  for _, call in ipairs(view.calls or {}) do
    calls[#calls + 1] = draw_call(buf, call)
  end
  shown[buf] = { calls = calls }
  for _, call in ipairs(view.running or {}) do
    local row = math.min(call.line, vim.api.nvim_buf_line_count(buf) - 1)
    spinner.beside(buf, namespace, row, { text = call.text, highlight = "ParleyProgress" })
  end
  draw_status(buf, view)
  draw_problems(buf, view.diagnostics or {})
  draw_usage(buf, view.usage)
  vim.b[buf].parley_status = view.status and view.status.text or ""
  vim.b[buf].parley_usage = view.usage and view.usage.text or ""
  set_statusline(buf, view.statusline or "")
  if view.keys and #calls > 0 then
    reveal.ends(buf, M.open_calls(buf))
  end
  tell_watcher(buf)
  return { status = "shown", tick = now }
end

--- A key decided the call in this row; it is drawn as open until the host has written that.
function M.set_decided(buf, row)
  for _, call in ipairs(shown[buf] and shown[buf].calls or {}) do
    local mark = vim.api.nvim_buf_get_extmark_by_id(buf, namespace, call.id, {})
    if mark[1] == row then
      call.decided = true
    end
  end
end

--- The open calls as they are drawn, with the lines they stand in now, from the top:
--- `{ {line, text, lines, rows, cut, full}, … }`. `rows` counts what is drawn below the call, `text` is what
--- was on screen when it was drawn.
function M.open_calls(buf)
  local calls = {}
  for _, call in ipairs(shown[buf] and shown[buf].calls or {}) do
    local mark = vim.api.nvim_buf_get_extmark_by_id(buf, namespace, call.id, { details = true })
    if mark[1] and not mark[3].invalid then
      calls[#calls + 1] = vim.tbl_extend("error", call, { line = mark[1] })
    end
  end
  return calls
end

return M
