--- One row of the list of chats, cut to the width of its window.
local wrap = require("parley.screen.wrap")
local M = {}

local function padded(text, width)
  text = wrap.cut(text, width)
  return text .. (" "):rep(width - vim.api.nvim_strwidth(text))
end

--- Returns the widths of the columns after the topic: model, cost.
local function widths(width)
  if width < 60 then
    return 0, 0
  end
  return width < 80 and 14 or 20, 8
end

--- From this width on a long topic is shortened to make room for tags.
local shares_from = 36

--- Returns the chunks of the topic, with tags after it where there is room.
local function topic_chunks(row, width)
  local tags = ""
  for tag in row.tags:gmatch("[^,%s]+") do
    tags = ("%s #%s"):format(tags, tag)
  end
  local wanted = vim.api.nvim_strwidth(tags) + 1
  local share = width < shares_from and width or math.max(math.floor(width * 3 / 4), width - wanted)
  local topic = wrap.cut(row.topic, share)
  local left = width - vim.api.nvim_strwidth(topic)
  if tags == "" or left < 6 then
    return { { padded(row.topic, width), nil } }
  end
  return { { topic, nil }, { padded(" " .. tags, left), "ParleyUsage" } }
end

--- A count of two digits uses the blank before it and keeps the one before the topic.
local function sign_of(row)
  local sign = padded(row.sign, 4)
  return sign:sub(-1) == " " and " " .. sign or sign .. " "
end

--- Returns one row as chunks of text and highlight, exactly as wide as the window.
---@param row parley.ChatRow
---@param width integer in columns
---@return [string, string?][]
function M.chunks(row, width)
  local model_width, cost_width = widths(width)
  local behind = (model_width > 0 and model_width + 2 or 0)
    + (cost_width > 0 and cost_width + 1 or 0)
  local chunks = {
    { sign_of(row), row.sign:find("^❓") and "ParleyWaiting" or "ParleyUsage" },
  }
  vim.list_extend(chunks, topic_chunks(row, math.max(8, width - 5 - 8 - behind)))
  if model_width > 0 then
    local cost = (" "):rep(cost_width - vim.api.nvim_strwidth(row.cost)) .. row.cost
    chunks[#chunks + 1] = { "  " .. padded(row.model, model_width), "ParleyUsage" }
    chunks[#chunks + 1] = { " " .. cost, "ParleyUsage" }
  end
  chunks[#chunks + 1] = { (" %6s "):format(row.age), "ParleyUsage" }
  return chunks
end

return M
