// Checks that the messages Lua sends and handles match the message tables, by reading the Lua code.

/** Returns the text between the bracket before `from` and its closing bracket, without strings and comments. */
function between(text, from) {
  let depth = 0;
  const code = text.slice(from).replaceAll(/"(?:[^"\\\n]|\\.)*"/g, '""');
  for (const [index, character] of [...code].entries()) {
    if ("{([".includes(character)) depth += 1;
    if ("})]".includes(character)) depth -= 1;
    if (depth < 0)
      return [...code]
        .slice(0, index)
        .join("")
        .replaceAll(/--[^\n]*/g, "");
  }
  return code;
}

/** Returns the field names of a Lua table, from the text after its `{`. */
export function fieldsOf(text) {
  const code = between(text, 0).replaceAll(/\bfunction\b[\s\S]*?\bend\b/g, "");
  let depth = 0;
  let own = "";
  for (const character of code) {
    if ("})]".includes(character)) depth -= 1;
    if (depth === 0) own += character;
    if ("{([".includes(character)) depth += 1;
  }
  return [...own.matchAll(/(?:^|,)\s*([a-z_]+) = /g)].map(([, name]) => name);
}

/** Returns the messages that a Lua file sends: `{ action, fields }`. */
function messagesIn(text) {
  return [...text.matchAll(/\{\s*action = "(\w+)"/g)].map((match) => ({
    action: match[1],
    fields: fieldsOf(text.slice(match.index + 1)),
  }));
}

/** Returns the functions that the host calls, with their parameters, from the text of rpc.lua. */
function callsIn(text) {
  const start = text.indexOf("\nlocal calls = {");
  const table = text.slice(start, text.indexOf("\n}\n", start));
  return [...table.matchAll(/^ {2}(\w+) = function\(([^)]*)\)/gm)].map(([, name, taken]) => ({
    name,
    parameters: taken === "" ? [] : taken.split(/,\s*/),
  }));
}

/** Returns messages about mismatches. `files`: the texts of all Lua files by path; `wire`: see `wireSchemas`. */
export function wireMistakes(files, { messages, calls }) {
  const known = new Map(messages.map((schema) => [schema.properties.action.const, schema]));
  const sent = [...files].flatMap(([path, text]) =>
    messagesIn(text).map((message) => ({ path, ...message })),
  );
  const told = new Set(sent.map(({ action }) => action));
  const silent = [...known.keys()].filter((action) => !told.has(action));
  return [
    ...silent.map((action) => `No file of Lua tells the message ${action}.`),
    ...sent.flatMap(({ path, action, fields }) => {
      const schema = known.get(action);
      if (schema === undefined) return [`${path} tells ${action}, which is no message.`];
      const { properties, required } = schema;
      const odd = fields.filter((name) => !Object.hasOwn(properties, name));
      const missing = required.filter((name) => !fields.includes(name));
      return [
        ...odd.map((name) => `${path}: the message ${action} has no field ${name}.`),
        ...missing.map((name) => `${path}: the message ${action} lacks ${name}.`),
      ];
    }),
    ...callMistakes(callsIn(files.get("lua/parley/rpc.lua") ?? ""), calls),
  ];
}

function callMistakes(found, calls) {
  const taken = new Map(found.map(({ name, parameters }) => [name, parameters.join(", ")]));
  const wanted = new Map(
    calls.map(({ name, parameters }) => [name, Object.keys(parameters.properties).join(", ")]),
  );
  return [
    ...[...taken.keys()]
      .filter((name) => !wanted.has(name))
      .map((name) => `rpc.lua has ${name}, which the host never calls.`),
    ...[...wanted].flatMap(([name, parameters]) => {
      const own = taken.get(name);
      if (own === undefined) return [`rpc.lua has no ${name}, which the host calls.`];
      return own === parameters ? [] : [`rpc.lua: ${name} takes (${own}), not (${parameters}).`];
    }),
  ];
}
