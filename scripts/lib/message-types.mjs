// lua/parley/host/messages.lua: the classes of what Lua tells the host, from the schemas in src/host/protocol.ts.

/** `schema`: the JSON schema of all messages. */
export function messageTypes(schema) {
  const messages = schema.oneOf ?? schema.anyOf;
  const classes = messages.map((message) => {
    const name = className(message.properties.action.const);
    return { name, text: luaClass(name, message) };
  });
  return [
    "--- Written by `npm run docs` from src/host/protocol.ts: what this half tells the host.",
    "---@meta",
    "",
    classes.map(({ text }) => text).join("\n\n"),
    "",
    "---@alias parley.Message",
    ...classes.map(({ name }) => `---| ${name}`),
    "",
  ].join("\n");
}

/** `stop_call` is `parley.StopCallMessage`. */
function className(action) {
  const words = action.split("_").map((word) => word[0].toUpperCase() + word.slice(1));
  return `parley.${words.join("")}Message`;
}

function luaClass(name, { properties, required = [] }) {
  const fields = Object.entries(properties).map(
    ([field, property]) =>
      `---@field ${field}${required.includes(field) ? "" : "?"} ${luaType(property)}`,
  );
  return [`---@class ${name}`, ...fields].join("\n");
}

function luaType(schema) {
  if (schema.anyOf) return schema.anyOf.map(luaType).join("|");
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.enum) return schema.enum.map((word) => JSON.stringify(word)).join("|");
  if (schema.type === "array") return `${inBrackets(luaType(schema.items ?? {}))}[]`;
  if (schema.properties) {
    const fields = Object.entries(schema.properties).map(([field, property]) => {
      const isRequired = (schema.required ?? []).includes(field);
      return `${field}${isRequired ? "" : "?"}: ${luaType(property)}`;
    });
    return `{ ${fields.join(", ")} }`;
  }
  if (schema.type === "object") {
    return `table<string, ${luaType(schema.additionalProperties ?? {})}>`;
  }
  return schema.type ?? "any";
}

function inBrackets(type) {
  return type.includes("|") ? `(${type})` : type;
}
