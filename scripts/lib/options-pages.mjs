// Generates files from the table of options: the JSON schema of config.json, the chapter of the help, and the Lua
// tables.
import { luaClass, luaType, luaValue } from "./lua-writer.mjs";

/** Removes help tags from a description, for the JSON schema. */
function plain(help) {
  return help.replaceAll(/, see \|[^|]+\|/g, "").replaceAll(/\|([^|]+)\|/g, ":help $1");
}

function describe(row) {
  const shown = plain(row.shownDefault ?? JSON.stringify(row.default));
  return `${plain(row.help)} Default: ${shown.replaceAll("`", "")}.`;
}

/** Returns a property with its row's description; properties of agents and models are rows of the same table. */
function described(name, property, options) {
  const row = options[name];
  const inner = property.additionalProperties;
  const isPreset = (name === "agents" || name === "models") && inner?.properties !== undefined;
  const properties = isPreset
    ? Object.fromEntries(
        Object.entries(inner.properties).map(([key, value]) => [
          key,
          { description: plain(options[key].help), ...value },
        ]),
      )
    : undefined;
  return {
    description: describe(row),
    ...property,
    ...(isPreset ? { additionalProperties: { ...inner, properties } } : {}),
  };
}

/** Returns the JSON schema of config.json. */
export function configurationSchema(z, valuesSchema, options) {
  const how = { io: "input", unrepresentable: "any", target: "draft-7" };
  const { properties, ...schema } = z.toJSONSchema(valuesSchema, how);
  const rows = Object.entries(properties).map(([name, property]) => [
    name,
    described(name, property, options),
  ]);
  const found = {
    ...schema,
    title: "Parley's config.json",
    properties: { $schema: { type: "string" }, ...Object.fromEntries(rows) },
  };
  return JSON.parse(JSON.stringify(found), (_, value) =>
    Math.abs(value) === Number.MAX_SAFE_INTEGER ? undefined : value,
  );
}

const classNames = {
  agents: "Agent",
  models: "Preset",
  prices: "Price",
  providers: "Provider",
  global_keys: "Keys",
  allow: "Rule",
  ask: "Rule",
  deny: "Rule",
};

function className(name) {
  const words = name.split("_").map((word) => word[0].toUpperCase() + word.slice(1));
  return `parley.${classNames[name] ?? words.join("")}`;
}

/** Returns lua/parley/config/types.lua: the types of the argument of `setup()`, for editors. */
export function luaOptionTypes(schema) {
  const { $schema: _, ...properties } = schema.properties;
  const classes = new Map([["parley.Options", { ...schema, properties }]]);
  const typeOf = (property, name) =>
    luaType(property, (table) => {
      const own = className(name);
      classes.set(own, table);
      return own;
    });
  const written = [];
  // Each class may refer to others, which are added to the end.
  for (const [own, each] of classes) written.push(luaClass(own, each, typeOf));
  return [
    "--- Written by `npm run docs` from the table of options: the argument of `setup()`.",
    "---@meta",
    "",
    written.join("\n\n"),
    "",
  ].join("\n");
}

/** The schema keywords that lua/parley/config/check.lua supports; it ignores unknown keys. */
const judgedByLua = new Set([
  ...["type", "const", "enum", "anyOf", "minLength", "minimum", "exclusiveMinimum"],
  ...["items", "properties", "additionalProperties"],
]);

/** Throws for a keyword that check.lua does not support, because Lua would accept values that the host rejects. */
function refuseUnjudged(name, { properties = {}, items, anyOf = [], ...schema }) {
  const unknown = Object.keys(schema).find((keyword) => !judgedByLua.has(keyword));
  if (unknown !== undefined) {
    throw new Error(
      `The option ${name} has isLua, and lua/parley/config/check.lua does not judge ${unknown}: teach it that first.`,
    );
  }
  const parts = [...Object.values(properties), ...anyOf, ...(items === undefined ? [] : [items])];
  for (const part of parts) refuseUnjudged(name, part);
}

/** Returns lua/parley/config/options.lua: the schemas of the options that Lua reads before the host runs. */
export function luaOptions(schema, options) {
  const read = Object.entries(schema.properties)
    .filter(([name]) => options[name]?.isLua)
    .map(([name, { description, ...property }]) => [
      name,
      { default: options[name].default, schema: property },
    ]);
  for (const [name, { schema: property }] of read) refuseUnjudged(name, property);
  // All rows of keys have the same schema.
  const oneKey = schema.properties.keys.properties.respond;
  return [
    "--- Written by `npm run docs` from the table of options: the options that the Lua half reads before the host runs,",
    "--- with their defaults and JSON schemas.",
    "",
    `local one_key = ${luaValue(oneKey)}`,
    "",
    "---@type table<string, { default: any, schema: table }>",
    `return ${luaValue(Object.fromEntries(read), "", new Map([[JSON.stringify(oneKey), "one_key"]]))}`,
    "",
  ].join("\n");
}

const width = 78;
const column = 24;

/** Wraps text for the help, indented by three tabs; text in backquotes is not broken. */
function filled(text) {
  const lines = [""];
  for (const word of text.match(/(?:`[^`]*`|[^\s`])+/g) ?? []) {
    const line = lines.at(-1);
    if (line !== "" && column + line.length + 1 + word.length > width) lines.push(word);
    else lines[lines.length - 1] = line === "" ? word : `${line} ${word}`;
  }
  return lines;
}

function range({ minimum, maximum, exclusiveMinimum }) {
  if (exclusiveMinimum !== undefined) {
    return maximum === undefined
      ? ` above ${exclusiveMinimum}`
      : ` above ${exclusiveMinimum}, up to ${maximum}`;
  }
  if (minimum === undefined) return "";
  return maximum === undefined ? `, ${minimum} or more` : ` from ${minimum} to ${maximum}`;
}

/** Describes the allowed values in words. */
function typeWords(schema) {
  if (schema.anyOf) return [...new Set(schema.anyOf.map(typeWords))].join(" or ");
  if (schema.const !== undefined) return `\`${schema.const}\``;
  if (schema.enum) return schema.enum.map((word) => `\`${word}\``).join(", ");
  if (schema.type === "array") return "list of strings";
  if (schema.properties && Object.keys(schema.properties).length <= 6) {
    return `table of ${Object.keys(schema.properties)
      .map((name) => `\`${name}\``)
      .join(", ")}`;
  }
  if (schema.type === "object") return "table by name";
  return `${schema.type}${range(schema)}`;
}

function defaultWords(row) {
  return row.shownDefault ?? `\`${JSON.stringify(row.default)}\``;
}

const places = {
  agent: "agents",
  model: "models",
  header: "headers",
  "command line": "the command line",
};

function placeWords(by) {
  const named = by.filter((place) => place !== "configuration").map((place) => places[place]);
  return named.length === 0 ? [] : [`Also in: ${named.join(", ")}.`];
}

function entry(name, row, property) {
  const tag = `*parley-option-${name}*`;
  const paragraphs = [
    `${typeWords(property)} (default: ${defaultWords(row)})`,
    row.help,
    ...placeWords(row.by),
    `Example: \`${name} = ${row.example}\``,
  ];
  const [first, ...others] = paragraphs.flatMap(filled);
  const tabs = "\t".repeat(Math.ceil((column - name.length) / 8));
  return [
    `${" ".repeat(Math.max(0, width - tag.length))}${tag}`,
    name.length < column ? `${name}${tabs}${first}` : name,
    ...(name.length < column ? [] : [`\t\t\t${first}`]),
    ...others.map((line) => `\t\t\t${line}`),
  ].join("\n");
}

/** Returns the help for options that only agents have. */
function agentEntries(options) {
  return Object.entries(options)
    .filter(([, { by }]) => by.includes("agent") && !by.includes("configuration"))
    .map(([name, row]) => entry(name, row, { type: "string" }));
}

const begin = /^OPTIONS +\*parley-options\*$/m;
const end = /^IMAGES IN QUESTIONS +\*parley-images\*$/m;

/** Returns a `setup()` call with all options and their defaults; those without a default are commented examples. */
function wholeConfiguration(names, options, keyRows) {
  const keys = keyRows.map(({ name, key }) => `    ${name} = ${luaValue(key ?? false)},`);
  const lines = names.flatMap((name) => {
    if (name === "keys") return ["  keys = {", ...keys, "  },"];
    const { default: value, example } = options[name];
    if (value !== null && value !== undefined)
      return [`  ${name} = ${luaValue(value).replaceAll("\n", "\n  ")},`];
    return [`  -- ${name} = ${example},`];
  });
  const whole = ['require("parley").setup({', ...lines, "})"].join("\n").split("\n");
  const code = whole.map((line) => `\t${line}`);
  const title = "The whole configuration as it is by default; a comment shows an example:";
  return `${"*parley-defaults*".padStart(78)}\n${title} >lua\n\n${code.join("\n")}\n<\n`;
}

/** Returns the help page with an updated list of options; throws when the page has no place for it. */
export function helpPage(page, schema, options, keyRows) {
  const from = begin.exec(page);
  const to = end.exec(page);
  if (from === null || to === null || to.index < from.index) {
    throw new Error("doc/parley.txt has lost the heading before or behind its options.");
  }
  const { $schema: _, ...properties } = schema.properties;
  const entries = Object.entries(properties).map(([name, property]) =>
    entry(name, options[name], property),
  );
  const headerOnly = Object.entries(options).filter(
    ([, { by }]) => by.includes("header") && !by.includes("configuration"),
  );
  const headers = headerOnly.map(([name, row]) => entry(name, row, { type: "string" }));
  const names = Object.keys(properties).filter(
    (name) => name !== "chat_dir" && name !== "chat_dirs",
  );
  const parts = [
    `${from[0]}\n`,
    wholeConfiguration(names, options, keyRows),
    `${entries.join("\n\n")}\n`,
    `Only in agents:\n\n${agentEntries(options).join("\n\n")}\n`,
    `Only in headers:\n\n${headers.join("\n\n")}\n`,
  ];
  return `${page.slice(0, from.index)}${parts.join("\n")}\n${page.slice(to.index)}`;
}
