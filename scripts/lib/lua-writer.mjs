// Writes types and values in Lua: LuaCATS annotations from JSON schemas, and literals formatted as by stylua.

/**
 * Returns the Lua type of a JSON schema. `nameOf(schema)` returns the class of a table if it has one; other tables are
 * written inline.
 */
export function luaType(schema, nameOf = () => undefined) {
  const inner = (part) => luaType(part, nameOf);
  if (schema.$ref) return schema.$ref.replace(/^#\/\$defs\//, "");
  const types = Array.isArray(schema.type)
    ? schema.type.map((type) => ({ ...schema, type }))
    : null;
  const parts = schema.anyOf ?? schema.oneOf ?? types;
  if (parts) return [...new Set(parts.map(inner))].map(nilForNull).join("|");
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.enum) return schema.enum.map((word) => JSON.stringify(word)).join("|");
  if (schema.type === "array") {
    const item = inner(schema.items ?? {});
    return item.includes("|") ? `(${item})[]` : `${item}[]`;
  }
  if (schema.properties) return nameOf(schema) ?? `{ ${fields(schema, inner).join(", ")} }`;
  if (schema.type === "object") return `table<string, ${inner(schema.additionalProperties ?? {})}>`;
  return nilForNull(schema.type ?? "any");
}

const nilForNull = (type) => (type === "null" ? "nil" : type);

const isRequired = ({ required = [] }, name) => required.includes(name);

function fields(schema, typeOf) {
  return Object.entries(schema.properties).map(
    ([name, property]) => `${name}${isRequired(schema, name) ? "" : "?"}: ${typeOf(property)}`,
  );
}

/** Returns a class with a line for each property of the schema. `typeOf(property, name)` returns their types. */
export function luaClass(name, schema, typeOf = (property) => luaType(property)) {
  const lines = Object.entries(schema.properties).map(([field, property]) => {
    const words = property.description === undefined ? "" : ` ${property.description}`;
    return `---@field ${field}${isRequired(schema, field) ? "" : "?"} ${typeOf(property, field)}${words}`;
  });
  return [`---@class ${name}`, ...lines].join("\n");
}

/** Returns the type of a function that takes the schema's properties in order. */
export function luaFunction(parameters, answer, typeOf = luaType) {
  const taken = Object.entries(parameters.properties).map(
    ([name, property]) => `${name}: ${typeOf(property)}`,
  );
  const given = typeOf(answer);
  return `fun(${taken.join(", ")})${given === "any" ? "" : `: ${given}`}`;
}

const luaWords = new Set(["and", "end", "false", "for", "if", "in", "not", "or", "true"]);

function luaKey(key) {
  return /^[A-Za-z_]\w*$/.test(key) && !luaWords.has(key) ? key : `[${JSON.stringify(key)}]`;
}

/**
 * Writes tables with one entry per line, short lists of strings on one line, and leaves null out of tables. `named`
 * maps the JSON of values to the Lua names that replace them.
 */
export function luaValue(value, indent = "", named = new Map()) {
  if (value === null) return "nil";
  const name = named.get(JSON.stringify(value));
  if (name !== undefined) return name;
  if (typeof value !== "object") return JSON.stringify(value);
  const inner = `${indent}  `;
  if (Array.isArray(value) && value.every((item) => typeof item === "string")) {
    const line = `{ ${value.map((item) => JSON.stringify(item)).join(", ")} }`;
    if (value.length > 0 && line.length <= longestList) return line;
  }
  const lines = Array.isArray(value)
    ? value.map((item) => `${inner}${luaValue(item, inner, named)},\n`)
    : Object.entries(value)
        .filter(([, item]) => item !== null && item !== undefined)
        .map(([key, item]) => `${inner}${luaKey(key)} = ${luaValue(item, inner, named)},\n`);
  return lines.length === 0 ? "{}" : `{\n${lines.join("")}${indent}}`;
}

/** In characters, since the line also has a key. */
const longestList = 60;
