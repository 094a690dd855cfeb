--- Names for the prefixes of the chat keys, for which-key and mini.clue. The maps themselves have descriptions already.
local key_table = require("parley.config.key_table")
local own_keys = require("parley.config.own_keys")

local M = {}

--- Returns the first key of a sequence, as written; nil for a single key.
local function prefix_of(key)
  local first = key:match("^<[^<>]+>") or vim.fn.strcharpart(key, 0, 1)
  -- These are Neovim's own prefixes: naming them would rename all of Neovim's maps there.
  local is_neovims = first:find("^[aigz%[%]]$") ~= nil
  return #first < #key and not is_neovims and first or nil
end

--- Returns the prefixes of the chat keys, each with its modes. The approval keys begin with Neovim's operators, which
--- already have names.
local function prefixes()
  local found, order = {}, {}
  for _, row in ipairs(key_table.rows) do
    for _, key in ipairs(row.where == "chat" and own_keys.of(row.name) or {}) do
      local prefix = prefix_of(key)
      if prefix then
        if not found[prefix] then
          found[prefix] = {}
          order[#order + 1] = prefix
        end
        for _, mode in ipairs(row.modes) do
          found[prefix][mode] = true
        end
      end
    end
  end
  return vim.tbl_map(function(prefix)
    local modes = vim.tbl_keys(found[prefix])
    table.sort(modes)
    return { keys = prefix, modes = modes }
  end, order)
end

--- For `require("which-key").add(…)`.
---@return table[]
function M.which_key()
  return vim.tbl_map(function(each)
    return { each.keys, group = "Parley", mode = each.modes }
  end, prefixes())
end

--- For `clues` of `require("mini.clue").setup(…)`; the same `keys` and modes belong in its `triggers`.
---@return table[]
function M.clues()
  local clues = {}
  for _, each in ipairs(prefixes()) do
    for _, mode in ipairs(each.modes) do
      clues[#clues + 1] = { mode = mode, keys = each.keys, desc = "+Parley" }
    end
  end
  return clues
end

return M
