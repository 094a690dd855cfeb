// Whether every public function of the Lua half says what it takes and gives (LuaCATS), read from the text alone. The
// texts are as stylua writes them: a block ends at the indentation it began with.

/**
 * The functions of a module that others can call: the fields of the table it returns. Each with the names it takes,
 * the lines of its body and the comment above.
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

/** In lines: parameters may stand one a line. */
const longestHead = 12;

/** `M.send = send`: the local function that a field is. */
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

/** Whether the function itself returns a value, and not one written inside it. */
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

/** `parley.X` in annotations, but for those in words and names of modules. */
function typesIn(line) {
  const match = line.match(
    /^\s*---@(?:param \S+|return|field \S+|type|class [\w.]+:|alias \S+) (.*)/,
  );
  return match ? (match[1].match(/\bparley\.[\w.]*[A-Z]\w*/g) ?? []) : [];
}

/** Sentences on public functions without annotations and on types that no file has. `files`: texts by path. */
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
