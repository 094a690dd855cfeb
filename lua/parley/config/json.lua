--- Reads config.json before the host runs: JSON with comments and trailing commas. It recovers from mistakes as the
--- host's parser (jsonc-parser) does, so that both halves use the same values; the host reports the mistakes.
local M = {}

local escapes = { b = "\b", f = "\f", n = "\n", r = "\r", t = "\t" }
escapes['"'], escapes["\\"], escapes["/"] = '"', "\\", "/"

local literals = { ["true"] = true, ["false"] = false, null = vim.NIL }

--- Returns the character of a `\u` escape, combined with the second half of a surrogate pair when that follows.
local function unicode(text, at)
  local unit = tonumber(text:match("^%x%x%x%x", at) or "", 16)
  if not unit then
    return "", at + #text:match("^%x?%x?%x?", at)
  elseif unit == 0 then
    return "\0", at + 4
  end
  local low = tonumber(text:match("^\\u(%x%x%x%x)", at + 4) or "", 16)
  if unit >= 0xD800 and unit < 0xDC00 and low and low >= 0xDC00 and low < 0xE000 then
    return vim.fn.nr2char(0x10000 + (unit - 0xD800) * 0x400 + (low - 0xDC00), true), at + 10
  end
  return vim.fn.nr2char(unit, true), at + 4
end

--- Returns the string that begins with the quote at `at`, and where it ends: at its closing quote, else the line's end.
local function read_string(text, at)
  local parts = {}
  at = at + 1
  while at <= #text do
    local plain = text:match('^[^"\\\r\n]+', at)
    if plain then
      parts[#parts + 1] = plain
      at = at + #plain
    end
    local char = text:sub(at, at)
    if char == '"' then
      return table.concat(parts), at + 1
    elseif char ~= "\\" then
      break
    end
    -- Takes a character of several bytes as a whole.
    local escape = text:match("^.[\128-\191]*", at + 1) or ""
    if escape == "u" then
      parts[#parts + 1], at = unicode(text, at + 2)
    else
      parts[#parts + 1] = escapes[escape] or ""
      at = at + 1 + #escape
    end
  end
  return table.concat(parts), math.min(at, #text + 1)
end

--- Reads the next token into `state`: its kind (`end`, a punctuation mark, `string`, `number`, `literal`) and value.
local function advance(state)
  local text = state.text
  while true do
    local at = text:find("[^ \t\r\n]", state.at) or #text + 1
    local char = text:sub(at, at)
    if char == "" then
      state.at, state.kind, state.value = at, "end", nil
      return
    elseif text:find("^//", at) then
      state.at = text:find("[\r\n]", at) or #text + 1
    elseif text:find("^/%*", at) then
      local _, stop = text:find("*/", at + 2, true)
      state.at = (stop or #text) + 1
    elseif char:find("[{}%[%]:,]") then
      state.at, state.kind, state.value = at + 1, char, nil
      return
    elseif char == '"' then
      state.kind = "string"
      state.value, state.at = read_string(text, at)
      return
    else
      local number = text:match("^-?0", at) or text:match("^-?%d+", at)
      local word = number
        or (char == "-" and char)
        or text:match('^[^ \t\r\n{}%[%]":,/]+', at)
        or char
      state.at = at + #word
      if number then
        local fraction = text:match("^%.%d*", state.at) or ""
        -- A number ends at a point without digits after it; an exponent without digits is ignored.
        local exponent = fraction ~= "." and text:match("^[eE][+-]?%d*", state.at + #fraction) or ""
        state.at = state.at + #fraction + #exponent
        exponent = exponent:find("%d") and exponent or ""
        state.kind, state.value = "number", tonumber(number .. fraction .. exponent)
        return
      elseif literals[word] ~= nil then
        state.kind, state.value = "literal", literals[word]
        return
      end
      -- Anything else is skipped.
    end
  end
end

local function skip_to(state, close)
  while state.kind ~= "end" and state.kind ~= close and state.kind ~= "," do
    advance(state)
  end
end

local read_value

--- Reads members up to `close`; extra and missing commas are tolerated.
local function read_members(state, close, read_member)
  advance(state)
  local is_first = true
  while state.kind ~= close and state.kind ~= "end" do
    if state.kind == "," then
      advance(state)
      if state.kind == close then
        break
      end
    end
    if not read_member(is_first) then
      skip_to(state, close)
    end
    is_first = false
  end
  advance(state)
end

local function read_object(state)
  local object = vim.empty_dict()
  read_members(state, "}", function()
    if state.kind ~= "string" then
      return false
    end
    local key = state.value
    advance(state)
    if state.kind ~= ":" then
      return false
    end
    advance(state)
    local ok, value = read_value(state)
    if ok then
      object[key] = value
    end
    return ok
  end)
  return object
end

local function read_array(state)
  local array = {}
  read_members(state, "]", function()
    local ok, value = read_value(state)
    if ok then
      array[#array + 1] = value
    end
    return ok
  end)
  return array
end

--- Returns whether a value begins here, and the value.
function read_value(state)
  if state.kind == "{" then
    return true, read_object(state)
  elseif state.kind == "[" then
    return true, read_array(state)
  elseif state.kind == "string" or state.kind == "number" or state.kind == "literal" then
    local value = state.value
    advance(state)
    return true, value
  end
  return false, nil
end

--- Deeper than any real settings. The host rejects deeper text too.
local deepest = 200

local function is_too_deep(text)
  local state, depth = { text = text, at = 1 }, 0
  repeat
    advance(state)
    if state.kind == "{" or state.kind == "[" then
      depth = depth + 1
    elseif state.kind == "}" or state.kind == "]" then
      depth = math.max(0, depth - 1)
    end
  until state.kind == "end" or depth > deepest
  return depth > deepest
end

--- Returns what can be read of the text; nil when nothing can. `null` becomes vim.NIL.
---@param text string
---@return any
function M.decode(text)
  local clean = text:gsub("^\239\187\191", "")
  if is_too_deep(clean) then
    return nil
  end
  local state = { text = clean, at = 1 }
  advance(state)
  local _, value = read_value(state)
  return value
end

return M
