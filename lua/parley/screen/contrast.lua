--- Finds the first of several highlight groups that is readable on its background.
local M = {}

--- The minimum contrast ratio (WCAG 2.2 requires 3 for large text and for indicators of state).
local least = 3

--- Returns one of the 240 terminal colours with a fixed value, as 0xRRGGBB; nil for the 16 that the terminal defines.
local function of_terminal(index)
  if index == nil or index < 16 then
    return nil
  end
  if index >= 232 then
    return 0x010101 * (8 + 10 * (index - 232))
  end
  local levels = { [0] = 0, 95, 135, 175, 215, 255 }
  local place = index - 16
  local red, green, blue = math.floor(place / 36), math.floor(place / 6) % 6, place % 6
  return levels[red] * 0x10000 + levels[green] * 0x100 + levels[blue]
end

--- Returns the relative luminance of 0xRRGGBB, from 0 to 1 (WCAG 2.2).
local function luminance(color)
  local function part(shift)
    local value = bit.band(bit.rshift(color, shift), 255) / 255
    return value <= 0.03928 and value / 12.92 or ((value + 0.055) / 1.055) ^ 2.4
  end
  return 0.2126 * part(16) + 0.7152 * part(8) + 0.0722 * part(0)
end

local function contrast(one, other)
  local low, high = luminance(one), luminance(other)
  if low > high then
    low, high = high, low
  end
  return (high + 0.05) / (low + 0.05)
end

local function is_true_color()
  local is_true = vim.o.termguicolors
  for _, ui in ipairs(vim.api.nvim_list_uis()) do
    is_true = is_true or ui.rgb
  end
  return is_true
end

--- Returns foreground and background of a group, as 0xRRGGBB; nil where only the terminal knows them.
local function colors_of(name)
  local own = vim.api.nvim_get_hl(0, { name = name, link = false })
  local normal = vim.api.nvim_get_hl(0, { name = "Normal", link = false })
  local is_true = is_true_color()
  local function color(key, of_nothing)
    if is_true then
      return own[key] or normal[key] or of_nothing
    end
    local index = own["cterm" .. key] or normal["cterm" .. key]
    return index == nil and of_nothing or of_terminal(index)
  end
  local is_dark = vim.o.background == "dark"
  local ink, ground = color("fg", is_dark and 0xFFFFFF or 0), color("bg", is_dark and 0 or 0xFFFFFF)
  if (is_true and own or own.cterm or {}).reverse then
    return ground, ink
  end
  return ink, ground
end

local function is_readable(name)
  local ink, ground = colors_of(name)
  return ink == nil or ground == nil or contrast(ink, ground) >= least
end

--- Returns the first readable group, or "Normal".
---@param names string[]
---@return string
function M.first_readable(names)
  for _, name in ipairs(names) do
    if is_readable(name) then
      return name
    end
  end
  return "Normal"
end

--- By group: the group that replaces it in a row; cached until the colours change.
local in_rows = {}

function M.forget()
  in_rows = {}
end

--- Returns the group to draw text with in a row, which has the background of "Folded": the group itself, or the row's
--- own group when the text would be unreadable there.
---@param name string
---@return string
function M.in_row(name)
  if not in_rows[name] then
    local has_ground = vim.api.nvim_get_hl(0, { name = name, link = false }).bg ~= nil
    local ink = colors_of(name)
    local _, ground = colors_of("Folded")
    local can_be_read = has_ground or not ink or not ground or contrast(ink, ground) >= least
    in_rows[name] = can_be_read and name or "ParleyRow"
  end
  return in_rows[name]
end

--- Returns the highlight for text on a group's background: a link to the group, or the foreground of "Normal" when the
--- group's own is unreadable.
---@param name string
---@return vim.api.keyset.highlight
function M.ink_on(name)
  if is_readable(name) then
    return { link = name }
  end
  local ink = colors_of("Normal")
  return { fg = ink, ctermfg = vim.api.nvim_get_hl(0, { name = "Normal", link = false }).ctermfg }
end

return M
