--- One row of the list of chats, cut to the width of its window.
local M = {}

local function cut(text, width)
  if vim.api.nvim_strwidth(text) <= width then
    return text
  end
  while text ~= "" and vim.api.nvim_strwidth(text) > width - 1 do
    text = vim.fn.strcharpart(text, 0, vim.fn.strchars(text) - 1)
  end
  return text .. "…"
end

local function padded(text, width)
  text = cut(text, width)
  return text .. (" "):rep(width - vim.api.nvim_strwidth(text))
end

--- One row as chunks of text and highlight, just as wide as the window.
---@param row parley.ChatRow
---@param width integer in columns
---@return [string, string?][]
function M.chunks(row, width)
  local model_width = width >= 60 and 20 or 0
  local topic_width = math.max(8, width - 5 - 8 - (model_width > 0 and model_width + 2 or 0))
  local chunks = {
    { " " .. padded(row.sign, 4), row.sign:find("^❓") and "ParleyWaiting" or "ParleyUsage" },
    { padded(row.topic, topic_width), nil },
  }
  if model_width > 0 then
    chunks[#chunks + 1] = { "  " .. padded(row.model, model_width), "ParleyUsage" }
  end
  chunks[#chunks + 1] = { (" %6s "):format(row.age), "ParleyUsage" }
  return chunks
end

return M
