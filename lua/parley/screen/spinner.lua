--- Animated progress: one timer for all buffers, which redraws only visible lines.
local fillers = require("parley.screen.fillers")
local wrap = require("parley.screen.wrap")

local M = {}

local frames = { "⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏" }
local frame_ms = 100
--- How early it may advance together with another redraw.
local early_ms = 20

--- By buffer: the animated extmarks and their texts.
local moving = {}
local timer = nil
local frame = 1
--- When it last advanced, by vim.uv.hrtime() in milliseconds.
local moved_ms = 0

--- Returns a text that counts down to `until_ms` or up from `since_ms` (vim.uv.hrtime() in milliseconds).
local function words_of(entry)
  if entry.since_ms then
    local seconds = math.floor((vim.uv.hrtime() / 1e6 - entry.since_ms) / 1000)
    if entry.stop then
      return entry.text .. (seconds > 0 and (" %d s"):format(seconds) or "") .. entry.stop
    end
    return ("%s, %d s"):format(entry.text, seconds)
  end
  if not entry.until_ms then
    return entry.text .. (entry.stop or "")
  end
  local left = math.ceil((entry.until_ms - vim.uv.hrtime() / 1e6) / 1000)
  local when = left > 0 and ("in %d s"):format(left) or "now"
  return ("retrying %s, %s%s"):format(when, entry.text, entry.stop or "")
end

--- A text that is animated or counts.
---@class parley.Moving
---@field text string
---@field highlight string
---@field moving? boolean
---@field width? integer of the line that is covered
---@field rows? integer drawn below the line
---@field since_ms? number of `vim.uv.hrtime`: the seconds since then are shown
---@field until_ms? number the seconds until then are counted down
---@field stop? string words on how to stop it

--- Returns the text over a line, and below it the part that does not fit.
local function covering(buf, entry, text)
  local width = wrap.width(buf)
  -- Runs ten times a second, and mostly for a few words.
  local fits = vim.api.nvim_strwidth(text) <= width
    and not text:find("%s%s")
    and not text:find("\n")
  local lines = fits and { text } or wrap.words(text, width)
  local rest = entry.width - vim.api.nvim_strwidth(lines[1])
  local below = {}
  for index = 2, #lines do
    below[index - 1] = { { lines[index], entry.highlight } }
  end
  return {
    virt_text = { { lines[1] .. (" "):rep(rest), entry.highlight } },
    virt_text_pos = "overlay",
    hl_mode = "replace",
    virt_lines = below,
  }
end

local function draw(buf, entry, row)
  local text = words_of(entry)
  text = entry.moving and (frames[frame] .. " " .. text) or text
  local chunks = { { " " .. text, entry.highlight } }
  local options
  if entry.position == "overlay" then
    options = covering(buf, entry, text)
  elseif entry.position == "below" then
    options = { virt_lines = { chunks } }
  else
    options = { virt_text = chunks, virt_text_pos = entry.position, hl_mode = "replace" }
  end
  local rows = #(options.virt_lines or {})
  local has_fewer = rows < (entry.rows or 0)
  entry.rows = rows
  options.id = entry.id
  entry.id = vim.api.nvim_buf_set_extmark(buf, entry.namespace, row, 0, options)
  if has_fewer then
    fillers.settle(buf)
  end
end

--- Draws the entries whose marks still exist, and returns them.
local function redraw(buf, entries)
  local count = vim.api.nvim_buf_line_count(buf)
  local standing = {}
  for _, entry in ipairs(entries) do
    local row = vim.api.nvim_buf_get_extmark_by_id(buf, entry.namespace, entry.id, {})[1]
    -- After a reload the buffer may end above its old marks.
    if row and row < count then
      draw(buf, entry, row)
      standing[#standing + 1] = entry
    end
  end
  return standing
end

local function tick()
  frame = frame % #frames + 1
  moved_ms = vim.uv.hrtime() / 1e6
  for buf, entries in pairs(moving) do
    if not vim.api.nvim_buf_is_loaded(buf) then
      moving[buf] = nil
    elseif #vim.fn.win_findbuf(buf) > 0 then
      local left = redraw(buf, entries)
      moving[buf] = #left > 0 and left or nil
    end
  end
  if next(moving) == nil then
    timer:stop()
  end
end

--- Whether it is time to advance, or nearly.
local function is_due()
  return vim.uv.hrtime() / 1e6 - moved_ms >= frame_ms - early_ms
end

local function start(buf, entry)
  moving[buf] = moving[buf] or {}
  table.insert(moving[buf], entry)
  timer = timer or assert(vim.uv.new_timer())
  if not timer:is_active() then
    timer:start(
      frame_ms,
      frame_ms,
      vim.schedule_wrap(function()
        -- A write may have advanced it since the timer fired.
        if is_due() then
          tick()
        end
      end)
    )
  end
end

local function add(buf, row, entry)
  draw(buf, entry, row)
  if entry.moving then
    start(buf, entry)
  end
  return entry.id
end

--- Covers a line with the entry's text.
---@param buf integer
---@param namespace integer
---@param row integer
---@param entry parley.Moving
---@return integer mark
function M.cover(buf, namespace, row, entry)
  local where = { namespace = namespace, position = "overlay" }
  return add(buf, row, vim.tbl_extend("error", entry, where))
end

--- Shows animated text after the end of a line, or below it when there is no room.
---@param buf integer
---@param namespace integer
---@param row integer
---@param entry parley.Moving
function M.beside(buf, namespace, row, entry)
  local line = vim.api.nvim_buf_get_lines(buf, row, row + 1, false)[1] or ""
  local position = wrap.has_room(buf, line, "  ⠋ " .. words_of(entry)) and "eol" or "below"
  local where = { namespace = namespace, position = position, moving = true }
  add(buf, row, vim.tbl_extend("error", entry, where))
end

--- Returns the animated text in this row, for the row of a fold; nil without one.
---@param buf integer
---@param row integer
---@return string?
function M.words_at(buf, row)
  for _, entry in ipairs(moving[buf] or {}) do
    if entry.position ~= "overlay" then
      local at = vim.api.nvim_buf_get_extmark_by_id(buf, entry.namespace, entry.id, {})[1]
      if at == row then
        return frames[frame] .. " " .. words_of(entry)
      end
    end
  end
end

--- Advances the animation along with another redraw of the buffer if it is nearly due, to save a redraw.
---@param buf integer
function M.go_along(buf)
  if moving[buf] and is_due() then
    tick()
    timer:again()
  end
end

---@param buf integer
function M.stop(buf)
  moving[buf] = nil
end

return M
