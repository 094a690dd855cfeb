// Generates lua/parley/host/messages.lua, the classes of the messages between Lua and the host, from the tables in
// src/host/messages.ts and src/host/lua-calls.ts.
import { luaClass, luaFunction, luaType } from "./lua-writer.mjs";

/** Returns the tables as JSON schemas: Lua's messages by action, and the host's calls by name. */
export function wireSchemas(z, messages, luaCalls) {
  const schemas = new Map();
  const schemaOf = (type, io) => {
    const { $schema: _, $defs = {}, ...schema } = z.toJSONSchema(type, { io });
    for (const [name, shared] of Object.entries($defs)) schemas.set(name, shared);
    return schema;
  };
  const told = Object.entries(messages).map(([action, { fields }]) => {
    const { properties, required = [], ...schema } = schemaOf(fields, "input");
    return {
      ...schema,
      properties: { action: { const: action }, ...properties },
      required: ["action", ...required],
    };
  });
  const called = Object.entries(luaCalls).map(([name, { parameters, answer }]) => ({
    name,
    parameters: schemaOf(parameters, "input"),
    answer: schemaOf(answer, "output"),
  }));
  return { messages: told, calls: called, shared: [...schemas] };
}

export function messageTypes({ messages, calls, shared }) {
  const classes = messages.map((message) => {
    const name = className(message.properties.action.const);
    return { name, text: luaClass(name, message) };
  });
  const functions = calls.map(
    ({ name, parameters, answer }) => `---@field ${name} ${luaFunction(parameters, answer)}`,
  );
  return [
    "--- Written by `npm run docs` from src/host/messages.ts and src/host/lua-calls.ts: the messages that Lua",
    "--- sends to the host, and the functions that the host calls.",
    "---@meta",
    "",
    classes.map(({ text }) => text).join("\n\n"),
    "",
    "---@alias parley.Message",
    ...classes.map(({ name }) => `---| ${name}`),
    "",
    ...shared.flatMap(([name, schema]) => [luaShared(name, schema), ""]),
    "--- The functions that the host calls, by name.",
    "---@class parley.Calls",
    ...functions,
    "",
  ].join("\n");
}

function luaShared(name, schema) {
  return schema.properties ? luaClass(name, schema) : `---@alias ${name} ${luaType(schema)}`;
}

/** Returns the class name of an action: `stop_call` becomes `parley.StopCallMessage`. */
function className(action) {
  const words = action.split("_").map((word) => word[0].toUpperCase() + word.slice(1));
  return `parley.${words.join("")}Message`;
}
