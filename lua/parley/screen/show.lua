--- Draws what the host wants to show around the text: status, open calls, problems. All of it is virtual text.
local fillers = require("parley.screen.fillers")
local folds = require("parley.screen.folds")
local open_rows = require("parley.screen.calls.open_rows")
local progress = require("parley.messages.progress")
local reveal = require("parley.screen.calls.reveal")
local spinner = require("parley.screen.spinner")
local tip = require("parley.text.tip")
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

--- Names in `vim.diagnostic.severity`.
local severities = { error = "ERROR", warning = "WARN", info = "INFO" }

--- By buffer: the diagnostics that the host sent last.
local drawn_problems = {}
--- By buffer: the sentence drawn at a line, with its extmark and the number of rows it takes below the line.
local said = {}

local function line_at(buf, row)
  return vim.api.nvim_buf_get_lines(buf, row, row + 1, false)[1] or ""
end

local function set_mark(buf, row, column, options)
  return vim.api.nvim_buf_set_extmark(buf, namespace, row, column, options)
end

--- By buffer: called after each drawing, until it returns false.
local watchers = {}

--- Calls `changed` whenever the calls of the buffer were drawn again, until it returns false.
---@param buf integer
---@param changed fun(): boolean
function M.watch(buf, changed)
  watchers[buf] = changed
end

local function report_to_watcher(buf)
  if watchers[buf] and not watchers[buf]() then
    watchers[buf] = nil
  end
end

--- Draws a text below a line; returns its extmark and the number of rows.
local function draw_below(buf, row, text, kind)
  local highlight = status_highlights[kind] or "ParleyVirtual"
  local lines = wrap.words(text, wrap.width(buf))
  local mark = set_mark(buf, row, 0, {
    virt_lines = vim.tbl_map(function(line)
      return { { line, highlight } }
    end, lines),
  })
  return mark, #lines
end

--- Returns the row for the status: its own line, else the last one.
local function status_row(buf, view)
  local row = view.status.line or view.unfinished_line
  local last = vim.api.nvim_buf_line_count(buf) - 1
  return math.min(row or last, last)
end

--- Returns a spinner entry: its text, the time it counts from or to, and the key that stops it. The host sends both
--- times as durations.
local function movement(text, what, highlight)
  local now = vim.uv.hrtime() / 1e6
  return {
    text = text,
    until_ms = what.wait_ms and now + what.wait_ms or nil,
    since_ms = what.elapsed_ms and now - what.elapsed_ms or nil,
    stop = what.stop,
    highlight = highlight,
  }
end

--- Draws over the mark of an unfinished answer; returns whether that shows the status.
local function cover_mark(buf, row, status)
  local moving = status ~= nil and status.kind == "progress"
  local line = line_at(buf, row)
  local reason = line:match("parley:unfinished (%w+)") or "open"
  -- The mark has only one word for what the sentence explains.
  local is_here = status ~= nil and (moving or status.line == row)
  local words = is_here and status.text or ("(" .. reason .. ")")
  local highlight = is_here and status_highlights[status.kind] or "ParleyStep"
  local drawn = movement(words, moving and status or {}, highlight)
  drawn.width, drawn.moving = vim.api.nvim_strwidth(line), moving
  local mark = spinner.cover(buf, namespace, row, drawn)
  if is_here then
    local below = #wrap.words(words, wrap.width(buf)) - 1
    said[buf] = not moving and { text = words, mark = mark, count = below } or nil
  end
  return is_here
end

local function draw_status(buf, view)
  local status = view.status
  if view.unfinished_line and cover_mark(buf, view.unfinished_line, status) or not status then
    return
  end
  local moving = status.kind == "progress"
  -- Waiting is described below the calls, running in the rows of the calls.
  if status.kind == "waiting" and #view.calls > 0 or moving and #(view.running or {}) > 0 then
    return
  end
  local row = status_row(buf, view)
  if moving then
    spinner.beside(buf, namespace, row, movement(status.text, status, "ParleyProgress"))
  else
    local mark, count = draw_below(buf, row, status.text, status.kind)
    said[buf] = { text = status.text, mark = mark, count = count }
  end
end

--- Whether this text is visible at a line of the chat now.
---@param buf integer
---@param text string
---@return boolean
function M.says(buf, text)
  local known = said[buf]
  if not known or known.text ~= text or not vim.api.nvim_buf_is_loaded(buf) then
    return false
  end
  local row = vim.api.nvim_buf_get_extmark_by_id(buf, namespace, known.mark, {})[1]
  return row ~= nil
    and vim.iter(vim.api.nvim_tabpage_list_wins(0)):any(function(win)
      return vim.api.nvim_win_get_buf(win) == buf
        and vim.api.nvim_win_call(win, function()
          return row + 1 >= vim.fn.line("w0") and reveal.is_block_visible(win, row + 1, known.count)
        end)
    end)
end

--- Draws the usage after the last line of the answer if there is room, else below it.
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
  if #problems == 0 and not drawn_problems[buf] then
    return
  end
  -- Setting diagnostics makes Neovim read the whole buffer, and most views have the same ones, or none.
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
        severity = vim.diagnostic.severity[severities[problem.level] or severities.info],
        code = problem.code,
        message = problem.message,
        source = "parley",
      }
    end, problems)
  )
end

---@param buf integer
function M.clear(buf)
  spinner.stop(buf)
  progress.stop(buf, "failed")
  said[buf] = nil
  open_rows.clear(buf)
  report_to_watcher(buf)
  local had_problems = drawn_problems[buf] ~= nil
  drawn_problems[buf] = nil
  if not vim.api.nvim_buf_is_loaded(buf) then
    return
  end
  vim.api.nvim_buf_clear_namespace(buf, namespace, 0, -1)
  fillers.settle(buf)
  if had_problems then
    vim.diagnostic.reset(problem_namespace, buf)
  end
  vim.b[buf].parley = nil
  vim.b[buf].parley_status = nil
  vim.b[buf].parley_usage = nil
  vim.b[buf].parley_statusline = nil
end

--- Shows at a question what it is waiting for, with a timer, while there is no host to draw anything.
---@param buf integer
---@param row integer
---@param text string
---@param since_ms number of `hrtime`
function M.wait(buf, row, text, since_ms)
  M.clear(buf)
  spinner.beside(
    buf,
    namespace,
    row,
    { text = text, since_ms = since_ms, highlight = "ParleyProgress" }
  )
end

--- Whether the lines that `view` refers to are still in place.
local function still_fits(buf, view)
  for _, call in ipairs(view.calls or {}) do
    if line_at(buf, call.line) ~= call.text then
      return false
    end
  end
  local unfinished = view.unfinished_line
  return unfinished == nil or vim.startswith(line_at(buf, unfinished), "<!-- parley:unfinished")
end

--- Whether all of its lines exist in the buffer: a view of another text must not be drawn, whatever its tick.
local function is_inside(buf, view)
  local last = view.unfinished_line or 0
  for _, call in ipairs(view.calls or {}) do
    last = math.max(last, call.line)
  end
  return last < vim.api.nvim_buf_line_count(buf)
end

--- Moves the progress to the current tip: the answer may have grown since the host made the view.
local function follow_tip(buf, view)
  local _, _, below = tip.place(buf)
  if below and view.unfinished_line then
    view.unfinished_line = below
    view.usage = nil
    if view.status and view.status.line then
      view.status.line = below
    end
  end
end

--- Redraws statuslines only when this chat's text has changed.
local function set_statusline(buf, text)
  if vim.b[buf].parley_statusline ~= text then
    vim.b[buf].parley_statusline = text
    -- Only marks them: drawing at once would parse a long chat in the middle of an answer.
    vim.api.nvim__redraw({ statusline = true, flush = false })
  end
end

--- Publishes the chat's state to statuslines, terminals and other plugins.
local function publish(buf, view)
  local status, usage = view.status and view.status.text or "", view.usage and view.usage.text or ""
  vim.b[buf].parley_status, vim.b[buf].parley_usage = status, usage
  vim.b[buf].parley = {
    status = status,
    waiting = #view.calls,
    running = #(view.running or {}),
    usage = usage,
    context = view.context,
  }
  set_statusline(buf, view.statusline or "")
  if view.status and view.status.kind == "progress" then
    progress.run(buf, status)
  else
    progress.stop(buf, view.status and view.status.kind == "error" and "failed" or "success")
  end
end

--- Returns the longest description of the keys that fits in one row of the narrowest window.
local function prompt_of(buf, status)
  local texts = vim.list_extend({ status.text }, status.shorter or {})
  return wrap.fitting(texts, wrap.width(buf))
end

--- Draws `view` and replaces the previous one. Returns `stale` when the text is no longer at `tick` and the view does
--- not fit it.
---@param buf integer
---@param tick integer
---@param view parley.View
---@return { status: "shown"|"stale"|"gone", tick?: integer }
function M.show(buf, tick, view)
  if not vim.api.nvim_buf_is_loaded(buf) then
    return { status = "gone" }
  end
  local now = vim.api.nvim_buf_get_changedtick(buf)
  follow_tip(buf, view)
  if not is_inside(buf, view) or (now ~= tick and not still_fits(buf, view)) then
    return { status = "stale", tick = now }
  end
  spinner.stop(buf)
  said[buf] = nil
  vim.api.nvim_buf_clear_namespace(buf, namespace, 0, -1)
  view.calls = view.calls or {}
  local has_shrunk =
    folds.open_calls(buf, vim.list_extend(vim.list_slice(view.calls), view.running or {}))
  local prompt = view.status and view.status.kind == "waiting" and prompt_of(buf, view.status)
    or nil
  open_rows.draw(buf, view.calls, {
    { prompt, "ParleyWaiting" },
    { view.usage and view.usage.text, "ParleyUsage" },
  }, folds.can_fold)
  for _, call in ipairs(view.running or {}) do
    local row = math.min(call.line, vim.api.nvim_buf_line_count(buf) - 1)
    spinner.beside(buf, namespace, row, movement(call.text, call, "ParleyProgress"))
  end
  draw_status(buf, view)
  draw_problems(buf, view.diagnostics or {})
  if #view.calls == 0 then
    draw_usage(buf, view.usage)
  end
  fillers.settle(buf)
  reveal.count_rows(buf)
  publish(buf, view)
  if view.keys and #view.calls > 0 then
    reveal.ends(buf, has_shrunk)
  end
  report_to_watcher(buf)
  return { status = "shown", tick = now }
end

--- The open calls as drawn, with their current lines, top to bottom: `{ {line, text, lines, rows, cut, full}, … }`.
--- `rows` counts the rows drawn for the call below it or below all calls; `text` is the line when it was drawn.
M.open_calls = open_rows.list
M.set_decided = open_rows.set_decided

return M
