/**
 * Matches paths against the lines of a `.gitignore`, as Git does. Lines and names may come from anyone, so no regular
 * expression is built from them, and no comparison costs more than the length of the line times that of the path.
 */

export interface IgnoreRules {
  /** How many lines hold a rule. */
  readonly count: number;
  /**
   * Takes a path relative to the ignore file's folder, with `/` as separator and at the end of a folder's path. Returns
   * whether it is ignored; null where no line matches. Everything below an ignored folder is ignored.
   */
  test(path: string): boolean | null;
}

/** As in Git, but ignoring case, as the file systems of most users do. */
export function readIgnoreRules(lines: readonly string[]): IgnoreRules {
  const rules = lines.flatMap((line) => readRule(line) ?? []);
  const folders = new Map<string, boolean | null>();
  const testOne = (names: readonly string[], isFolder: boolean): boolean | null => {
    const last = rules.findLast((rule) => (isFolder || !rule.isOfFolders) && ruleFits(rule, names));
    return last === undefined ? null : !last.isKept;
  };
  const testFolder = (names: readonly string[]): boolean | null => {
    const key = names.join("/");
    const known = folders.get(key);
    if (known !== undefined) return known;
    const above = names.length > 1 ? testFolder(names.slice(0, -1)) : null;
    const answer = above === true ? above : testOne(names, true);
    folders.set(key, answer);
    return answer;
  };
  return {
    count: rules.length,
    test(path) {
      const isFolder = path.endsWith("/");
      const names = (isFolder ? path.slice(0, -1) : path).toLowerCase().split("/");
      if (isFolder) return testFolder(names);
      const above = names.length > 1 ? testFolder(names.slice(0, -1)) : null;
      return above === true ? above : testOne(names, false);
    },
  };
}

/** Splits the text of an ignore file into lines. */
export function ignoreLines(text: string): readonly string[] {
  return text.replace(/^\ufeff/, "").split(/\r?\n/);
}

interface Rule {
  /** The line begins with `!`. */
  readonly isKept: boolean;
  /** The line ends with `/`. */
  readonly isOfFolders: boolean;
  /** A line without a `/` applies to that name in any folder. */
  readonly isOfNames: boolean;
  readonly parts: readonly Part[];
}

/** The part of a pattern between two `/`. */
type Part =
  /** `**`, for any number of folders, including none. */
  | { readonly type: "folders" }
  | {
      readonly type: "name";
      readonly tokens: readonly Token[];
      /** The least number of characters of a matching name. */
      readonly least: number;
    };

type Token =
  | { readonly type: "character"; readonly is: string }
  /** `?` */
  | { readonly type: "any" }
  /** `*` */
  | { readonly type: "some" }
  | Choice;

/** `[a-z]` */
interface Choice {
  readonly type: "choice";
  readonly isOther: boolean;
  readonly ranges: readonly (readonly [from: string, to: string])[];
  readonly classes: readonly RegExp[];
}

/** Null where the line holds no rule, or one that can match nothing. */
function readRule(line: string): Rule | null {
  const trimmed = withoutTrailingBlanks(line);
  if (trimmed === "" || trimmed.startsWith("#")) return null;
  const isKept = trimmed.startsWith("!");
  const written = (isKept ? trimmed.slice(1) : trimmed).toLowerCase();
  const isOfFolders = written.endsWith("/");
  const pattern = isOfFolders ? written.slice(0, -1) : written;
  if (pattern === "") return null;
  const parts = readParts(pattern.startsWith("/") ? pattern.slice(1) : pattern);
  if (parts === null) return null;
  return { isKept, isOfFolders, isOfNames: !pattern.includes("/"), parts };
}

/** A backslash keeps the blank after it. */
function withoutTrailingBlanks(line: string): string {
  let end = line.length;
  while (end > 0 && line[end - 1] === " ") end -= 1;
  let backslashes = 0;
  while (line[end - 1 - backslashes] === "\\") backslashes += 1;
  return backslashes % 2 === 1 && end < line.length ? line.slice(0, end + 1) : line.slice(0, end);
}

function readParts(pattern: string): readonly Part[] | null {
  const names: Token[][] = [[]];
  for (let at = 0; at < pattern.length; ) {
    const character = pattern[at] ?? "";
    if (character === "/") {
      names.push([]);
      at += 1;
      continue;
    }
    const found = readToken(pattern, at);
    if (found === null) return null;
    names.at(-1)?.push(found.token);
    at = found.end;
  }
  const parts = names.map((tokens): Part => {
    const isFolders = names.length > 1 && tokens.length > 1 && tokens.every(isSome);
    const least = tokens.filter((token) => !isSome(token)).length;
    return isFolders ? { type: "folders" } : { type: "name", tokens: merged(tokens), least };
  });
  // At the end of a pattern it means everything inside, but not the folder itself.
  return parts.at(-1)?.type === "folders" ? [...parts, anyName] : parts;
}

const isSome = ({ type }: Token) => type === "some";

/** Several `*` in a row mean the same as one. */
function merged(tokens: readonly Token[]): readonly Token[] {
  return tokens.filter((token, at) => !isSome(token) || tokens[at - 1]?.type !== "some");
}

const anyName: Part = { type: "name", tokens: [{ type: "some" }], least: 0 };

interface Found {
  readonly token: Token;
  readonly end: number;
}

/** Null: the pattern can match nothing. */
function readToken(pattern: string, at: number): Found | null {
  switch (pattern[at]) {
    case "*":
      return { token: { type: "some" }, end: at + 1 };
    case "?":
      return { token: { type: "any" }, end: at + 1 };
    case "[":
      return readChoice(pattern, at + 1);
    case "\\": {
      const is = pattern[at + 1];
      return is === undefined ? null : { token: { type: "character", is }, end: at + 2 };
    }
    default:
      return { token: { type: "character", is: pattern[at] ?? "" }, end: at + 1 };
  }
}

/** The POSIX classes; names are compared in lower case. */
const classes: Readonly<Record<string, RegExp>> = {
  alnum: /[a-z0-9]/,
  alpha: /[a-z]/,
  blank: /[ \t]/,
  cntrl: /\p{Cc}/u,
  digit: /[0-9]/,
  graph: /[!-~]/,
  lower: /[a-z]/,
  print: /[ -~]/,
  punct: /[!-/:-@[-`{-~]/,
  space: /\s/,
  upper: /[a-z]/,
  xdigit: /[0-9a-f]/,
};

/** `start` is the position after the `[`. */
function readChoice(pattern: string, start: number): Found | null {
  const isOther = pattern[start] === "!" || pattern[start] === "^";
  const ranges: (readonly [string, string])[] = [];
  const ofClasses: RegExp[] = [];
  const first = isOther ? start + 1 : start;
  for (let at = first; at < pattern.length; ) {
    const character = pattern[at] ?? "";
    if (character === "]" && at > first) {
      return { token: { type: "choice", isOther, ranges, classes: ofClasses }, end: at + 1 };
    }
    const [whole, name = ""] =
      character === "[" ? (/^\[:([a-z]{1,6}):\]/.exec(pattern.slice(at, at + 12)) ?? []) : [];
    if (whole !== undefined) {
      const known = Object.hasOwn(classes, name) ? classes[name] : undefined;
      if (known === undefined) return null;
      ofClasses.push(known);
      at += whole.length;
      continue;
    }
    const from = readLiteral(pattern, at);
    const isRange = pattern[from.end] === "-" && !["]", undefined].includes(pattern[from.end + 1]);
    const to = isRange ? readLiteral(pattern, from.end + 1) : from;
    ranges.push([from.is, to.is]);
    at = to.end;
  }
  return null;
}

function readLiteral(pattern: string, at: number) {
  const isEscaped = pattern[at] === "\\";
  const place = isEscaped ? at + 1 : at;
  return { is: pattern[place] ?? "", end: place + 1 };
}

function ruleFits({ isOfNames, parts }: Rule, names: readonly string[]): boolean {
  const least = parts.filter(({ type }) => type === "name").length;
  if (isOfNames) {
    const [part] = parts;
    return part !== undefined && partFits(part, names.at(-1) ?? "");
  }
  if (least > names.length) return false;
  return fits(parts, names, { isWild: ({ type }) => type === "folders", fitsOne: partFits });
}

function partFits(part: Part, name: string): boolean {
  if (part.type === "folders") return true;
  if (part.least > name.length) return false;
  return fits(part.tokens, name, { isWild: isSome, fitsOne: tokenFits });
}

function tokenFits(token: Token, character: string): boolean {
  switch (token.type) {
    case "character":
      return token.is === character;
    case "any":
    case "some":
      return true;
    case "choice":
      return choiceHas(token, character) !== token.isOther;
  }
}

function choiceHas({ ranges, classes: ofClasses }: Choice, character: string): boolean {
  return (
    ranges.some(([from, to]) => from <= character && character <= to) ||
    ofClasses.some((one) => one.test(character))
  );
}

interface Fitting<P, T> {
  /** Whether the pattern stands for any number of items. */
  readonly isWild: (pattern: P) => boolean;
  readonly fitsOne: (pattern: P, item: T) => boolean;
}

/**
 * Whether the patterns match all items: one item each, except for wildcards. After a mismatch, only the last wildcard
 * needs to take more: what came before it matched as early as possible, which leaves the most to what follows.
 */
function fits<P, T>(
  patterns: readonly P[],
  items: ArrayLike<T>,
  { isWild, fitsOne }: Fitting<P, T>,
): boolean {
  let at = 0;
  let item = 0;
  let wild = -1;
  let taken = 0;
  while (item < items.length) {
    const pattern = patterns[at];
    const one = items[item];
    if (pattern !== undefined && isWild(pattern)) {
      wild = at;
      taken = item;
      at += 1;
    } else if (pattern !== undefined && one !== undefined && fitsOne(pattern, one)) {
      at += 1;
      item += 1;
    } else if (wild >= 0) {
      taken += 1;
      at = wild + 1;
      item = taken;
    } else return false;
  }
  return patterns.slice(at).every(isWild);
}
