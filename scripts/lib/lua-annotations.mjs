// Checks that every public Lua function has annotations (LuaCATS). It works on the text as stylua formats it: a block
// ends at the indentation it began with.

/**
 * Returns the public functions of a module, which are the fields of the table it returns: each with its parameters, the
 * lines of its body and the comment above.
 */
function publicFunctions(text) {
  const lines = text.split("\n");
  const module = text.match(/^return (\w+)$/m)?.[1];
  if (module === undefined) return [];
  const start = new RegExp(
    `^(?:function ${module}\\.(\\w+)|${module}\\.(\\w+) = function)\\(([^)]*)\\)`,
  );
  return lines.flatMap((line, index) => {
    const given = line.match(new RegExp(`^${module}\\.(\\w+) = (\\w+)$`));
    if (given) return localFunction(lines, given[1], given[2]);
    const match = lines
      .slice(index, index + longestHead)
      .join(" ")
      .match(start);
    return match ? [functionAt(lines, index, match[1] ?? match[2], match[3])] : [];
  });
}

/** In lines, since each parameter may have its own line. */
const longestHead = 12;

/** Returns the local function assigned to a field, as in `M.send = send`. */
function localFunction(lines, name, local) {
  const index = lines.findIndex((line) => line.startsWith(`local function ${local}(`));
  if (index < 0) return [];
  return [functionAt(lines, index, name, lines[index].match(/\(([^)]*)\)/)[1])];
}

function functionAt(lines, index, name, taken) {
  let first = index;
  while (lines[first - 1]?.startsWith("--")) first -= 1;
  const length = lines.slice(index).indexOf("end");
  return {
    name,
    line: index + 1,
    taken: taken
      .split(",")
      .map((part) => part.trim())
      .filter(Boolean),
    comment: lines.slice(first, index),
    body: lines.slice(index + 1, index + Math.max(length, 0)),
  };
}

/** Whether the function itself, and not a function inside it, returns a value. */
function givesBack(body) {
  const inner = [];
  return body.some((line) => {
    const indent = line.search(/\S/);
    if (inner.length > 0) {
      if (indent === inner.at(-1) && /^end\b/.test(line.trim())) inner.pop();
      else if (opensFunction(line)) inner.push(indent);
      return false;
    }
    if (opensFunction(line)) inner.push(indent);
    return /^\s*return [^\s]/.test(line);
  });
}

const opensFunction = (line) => /\bfunction\b[^()]*\([^)]*\)$/.test(line);

/** Returns the types `parley.X` in annotations, without those in prose and module names. */
function typesIn(line) {
  const match = line.match(
    /^\s*---@(?:param \S+|return|field \S+|type|class [\w.]+:|alias \S+) (.*)/,
  );
  return match ? (match[1].match(/\bparley\.[\w.]*[A-Z]\w*/g) ?? []) : [];
}

/** Returns messages about public functions without annotations and undefined types. `files`: texts by path. */
export function annotationMistakes(files) {
  const texts = [...files];
  const known = new Set(
    texts.flatMap(([, text]) =>
      [...text.matchAll(/^\s*---@(?:class|alias) ([\w.]+)/gm)].map((match) => match[1]),
    ),
  );
  return texts.flatMap(([path, text]) => [
    ...publicFunctions(text).flatMap((found) =>
      mistakesOf(found).map((words) => `${path}:${found.line}: ${found.name} ${words}.`),
    ),
    ...text.split("\n").flatMap((line, index) =>
      typesIn(line)
        .filter((type) => !known.has(type))
        .map((type) => `${path}:${index + 1}: there is no type ${type}.`),
    ),
  ]);
}

function mistakesOf({ taken, comment, body }) {
  const described = comment.flatMap((line) => line.match(/^---@param ([\w.]+)\??/)?.[1] ?? []);
  const types = comment.filter((line) => /^---@(?:type|overload)\b/.test(line));
  if (types.length > 0) return [];
  const returns = comment.some((line) => line.startsWith("---@return"));
  return [
    ...taken
      .filter((name) => name !== "_" && !described.includes(name))
      .map((name) => `has no ---@param for ${name}`),
    ...described
      .filter((name) => !taken.includes(name))
      .map((name) => `takes no ${name}, which a ---@param names`),
    ...(givesBack(body) && !returns ? ["has no ---@return"] : []),
    ...(!givesBack(body) && returns ? ["returns nothing, and a ---@return says so"] : []),
  ];
}
