--- Checks the options that the Lua half reads against the schemas of the option table. Wrong values are left out here;
--- the host checks against the same table and reports them.
local M = {}

local largest_integer = 2 ^ 53

local function is_number(value)
  return type(value) == "number" and math.abs(value) < math.huge
end

local function is_integer(value)
  return is_number(value) and value == math.floor(value) and math.abs(value) < largest_integer
end

local function is_list(value)
  return type(value) == "table" and vim.islist(value)
end

local is_type = {
  string = function(value)
    return type(value) == "string"
  end,
  boolean = function(value)
    return type(value) == "boolean"
  end,
  integer = is_integer,
  number = is_number,
  array = is_list,
  -- An empty Lua table may be an object or a list.
  object = function(value)
    return type(value) == "table" and (next(value) == nil or not is_list(value))
  end,
}

--- Whether the whole value matches the schema. Supports only the keywords that occur in options.lua.
local function fits(value, schema)
  if schema.anyOf then
    for _, part in ipairs(schema.anyOf) do
      if fits(value, part) then
        return true
      end
    end
    return false
  end
  if schema.type and not is_type[schema.type](value) then
    return false
  end
  if schema.const ~= nil and value ~= schema.const then
    return false
  end
  if schema.enum and not vim.list_contains(schema.enum, value) then
    return false
  end
  if schema.minLength and #value < schema.minLength then
    return false
  end
  if schema.minimum and value < schema.minimum then
    return false
  end
  if schema.exclusiveMinimum and value <= schema.exclusiveMinimum then
    return false
  end
  for _, item in ipairs(schema.items and value or {}) do
    if not fits(item, schema.items) then
      return false
    end
  end
  return true
end

--- Returns the usable part of the value, or nil. A mistake in a table drops its key; one in a list drops the list.
---@param value any
---@param schema table
---@return any
function M.usable(value, schema)
  if not schema.properties then
    if fits(value, schema) then
      return value
    end
    return nil
  end
  if not is_type.object(value) then
    return nil
  end
  local kept = {}
  for name, property in pairs(schema.properties) do
    if value[name] ~= nil then
      kept[name] = M.usable(value[name], property)
    end
  end
  return kept
end

return M
