--- Texts that are drawn below lines, broken so that all of them is seen.
local M = {}

--- Words in lines of at most `width` columns.
function M.words(text, width)
  local lines = {}
  for _, paragraph in ipairs(vim.split(text, "\n", { plain = true })) do
    local line = ""
    for word in paragraph:gmatch("%S+") do
      local longer = line == "" and word or (line .. " " .. word)
      if line ~= "" and vim.api.nvim_strwidth(longer) > width then
        lines[#lines + 1] = line
        longer = word
      end
      line = longer
    end
    lines[#lines + 1] = line
  end
  return lines
end

--- A line as it is, broken where the window ends: nothing of a call may be hidden behind its edge.
function M.at_edge(line, width)
  local lines = {}
  while vim.api.nvim_strwidth(line) > width do
    local taken, columns = 0, 0
    for _, character in ipairs(vim.fn.split(line, "\\zs")) do
      columns = columns + vim.api.nvim_strwidth(character)
      if columns > width and taken > 0 then
        break
      end
      taken = taken + #character
    end
    lines[#lines + 1] = line:sub(1, taken)
    line = "    " .. line:sub(taken + 1)
  end
  lines[#lines + 1] = line
  return lines
end

return M
