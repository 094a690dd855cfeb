--- Keeps the marker of a question for who types in its line: Insert mode begins behind it, also with `I`, and it comes
--- back when a key such as `cc` or <C-u> empties the line.
local chats = require("parley.text.chats")
local highlights = require("parley.screen.highlights")
local markers = require("parley.text.markers")

local M = {}

local function move_behind()
  local cursor = vim.api.nvim_win_get_cursor(0)
  local column = markers.question_column(vim.api.nvim_get_current_line())
  local is_before = column ~= nil and cursor[2] < column
  if is_before then
    vim.api.nvim_win_set_cursor(0, { cursor[1], column })
  end
  return is_before
end

--- Whether Insert mode may begin for all lines of a block, which Neovim compares with what they were.
local function may_be_block()
  return vim.fn.visualmode() == "\22" and vim.fn.line("'<") == vim.fn.line(".")
end

--- Runs when Insert mode is about to begin. Neovim notes then where it begins, up to where <C-u> deletes.
local function enter()
  if vim.v.insertmode == "i" and not may_be_block() and move_behind() then
    -- Otherwise Neovim would put the cursor back.
    vim.v.char = "."
  end
end

local namespace = vim.api.nvim_create_namespace("parley.behind_marker")
local group = vim.api.nvim_create_augroup("parley.behind_marker", {})

--- Takes back a marker that was given back, where the user has typed or pasted their own behind it.
local function take_second(buf, mark)
  local row = vim.api.nvim_buf_get_extmark_by_id(buf, namespace, mark, {})[1]
  local line = vim.api.nvim_buf_get_lines(buf, row, row + 1, false)[1] or ""
  local given = #markers.next_question
  local has_two = line:sub(1, given) == markers.next_question
    and markers.read(line:sub(given + 1)) == "question"
  if has_two then
    vim.api.nvim_buf_set_text(buf, row, 0, row, given, {})
  end
  return has_two
end

local function give_back(buf, row)
  vim.api.nvim_buf_set_text(buf, row, 0, row, 0, { markers.next_question })
  move_behind()
  local mark = vim.api.nvim_buf_set_extmark(buf, namespace, row, 0, { right_gravity = false })
  vim.api.nvim_create_autocmd({ "TextChangedI", "InsertLeavePre" }, {
    group = group,
    buffer = buf,
    callback = function(event)
      if take_second(buf, mark) or event.event == "InsertLeavePre" then
        vim.api.nvim_buf_del_extmark(buf, namespace, mark)
        vim.api.nvim_del_autocmd(event.id)
      end
    end,
  })
end

--- Runs when Insert mode has begun, so that the cursor may be behind the last character of its line.
local function begin(buf)
  local row = vim.api.nvim_win_get_cursor(0)[1] - 1
  if vim.api.nvim_get_current_line() == "" and highlights.is_drawn_as_question(buf, row) then
    give_back(buf, row)
  else
    move_behind()
  end
end

--- Runs when a question was drawn without its marker.
local function look(buf, row)
  local is_here = vim.api.nvim_get_current_buf() == buf
    and vim.api.nvim_win_get_cursor(0)[1] - 1 == row
    and vim.api.nvim_get_current_line() == ""
  if is_here and vim.api.nvim_get_mode().mode:find("^i") then
    give_back(buf, row)
  end
end

local is_watching = false

--- Watches all chats.
function M.watch()
  if is_watching then
    return
  end
  is_watching = true
  local function on(event, pattern, run)
    vim.api.nvim_create_autocmd(event, {
      group = group,
      pattern = pattern,
      callback = function(at)
        if chats.is_chat(at.buf) then
          run(at.buf)
        end
      end,
    })
  end
  on("InsertEnter", "*", enter)
  on("ModeChanged", { "n*:i*", "[vV]*:i*" }, begin)
  highlights.on_unmarked(look)
end

return M
