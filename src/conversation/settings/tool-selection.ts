/** The one grammar for selecting tools: in the header's `tools:`, in the configuration, and in rules. */
import { visible } from "../../shared/visible.ts";

/** One word of a selection: a server, a tool's bare name, or `server.tool`, each with `*` for any characters. */
interface SelectionWord {
  readonly pattern: string;
  readonly removes: boolean;
}

export interface ToolSelection {
  /** Applied from left to right; the last word that matches a tool decides. */
  readonly words: readonly SelectionWord[];
  /** Whether a tool that no word matches is selected: true when the list only removes. */
  readonly others: boolean;
}

export interface ParsedSelection {
  readonly selection: ToolSelection;
  /** Sentences about words that cannot be read; the other words count. */
  readonly problems: readonly string[];
}

/** The group of the built-in tools, which a selection includes only when it names them. */
export const builtinGroup = "builtin";

/**
 * The built-in tools, known without loading any. A rule about one that reads or changes a file also covers the others
 * that do.
 */
const builtinTools = {
  read_file: "reads",
  list_files: "lists",
  search_files: "reads",
  diagnostics: "reads",
  edit_file: "changes",
  edit_places: "changes",
  make_file: "changes",
  run_command: "runs",
} as const;

export const builtinToolNames: readonly string[] = Object.keys(builtinTools);

/** The names of the built-in tools that do this with files. */
export function builtinToolsThat(effect: "reads" | "changes"): readonly string[] {
  return Object.entries(builtinTools).flatMap(([name, does]) => (does === effect ? [name] : []));
}

/** The built-in tool that runs commands. */
export const commandTool = "run_command";

/** What a selection looks at in a tool. */
export interface SelectableTool {
  /** The name on the wire. */
  readonly name: string;
  /** Configuration key of its server, or the group of a tool that no server provides; null: neither. */
  readonly server: string | null;
  /** The server's own name for the tool. */
  readonly serverTool: string;
}

export function selectable({
  name,
  server,
  serverTool,
  group,
}: {
  readonly name: string;
  readonly server: string | null;
  readonly serverTool?: string;
  readonly group?: string;
}): SelectableTool {
  return { name, server: server ?? group ?? null, serverTool: serverTool ?? name };
}

/**
 * Parses a comma-separated list of words; `-` in front removes, `none` drops all words before it. A list that only
 * removes starts from all tools; an empty list (or `none`) selects no tool at all.
 */
export function parseSelection(text: string): ParsedSelection {
  let words: SelectionWord[] = [];
  let others = true;
  const problems: string[] = [];
  const items = text.split(",").map((item) => item.trim());
  for (const item of items) {
    if (item === "") continue;
    if (item === "none") {
      words = [];
      others = false;
      continue;
    }
    const removes = item.startsWith("-");
    const pattern = removes ? item.slice(1).trim() : item;
    if (pattern === "" || visible(pattern) !== pattern) {
      problems.push(
        `${JSON.stringify(item)} names no tool, so it was ignored: write servers, tools or server.tool, with commas between them.`,
      );
      continue;
    }
    words.push({ pattern, removes });
    if (!removes) others = false;
  }
  if (words.length === 0) others = false;
  return { selection: { words, others }, problems };
}

/**
 * Whether a selection can contain this name of a server or tool without matching any other. Names are the keys of
 * mcp.json, so they may have blanks and any letters, as in the files of other programs.
 */
export function isWord(name: string): boolean {
  return (
    name !== "" &&
    name !== "none" &&
    name.trim() === name &&
    !/^-|[,*]/.test(name) &&
    visible(name) === name
  );
}

/**
 * The selection of all tools of this server; null, which selects all tools, when a selection cannot contain its name.
 */
export function selectionOfServer(name: string): string | null {
  return isWord(name) ? name : null;
}

/** Whether the selection includes this tool. */
export function selects({ words, others }: ToolSelection, tool: SelectableTool): boolean {
  const last = words.findLast(({ pattern }) => fits(pattern, tool));
  return last === undefined ? others : !last.removes;
}

/**
 * Whether the selection asks for something of this server by the server's name, so that the server is to be started.
 */
export function mentionsServer({ words }: ToolSelection, server: string): boolean {
  return words.some(
    ({ pattern, removes }) => !removes && (pattern === server || pattern.startsWith(`${server}.`)),
  );
}

/**
 * Whether the selection includes this built-in tool: it must be named, by its own name or by its group; the tool that
 * runs commands only by its own name.
 */
export function selectsBuiltin(selection: ToolSelection, name: string): boolean {
  const isWritten = (word: string) =>
    selection.words.some(({ pattern, removes }) => !removes && pattern === word);
  const isNamed =
    isWritten(name) ||
    (name === commandTool
      ? isWritten(`${builtinGroup}.${name}`)
      : mentionsServer(selection, builtinGroup));
  return isNamed && selects(selection, { name, server: builtinGroup, serverTool: name });
}

/** Sentences about words that match none of the existing tools and servers. A word that removes may match nothing. */
export function unknownWords(
  { words }: ToolSelection,
  tools: readonly SelectableTool[],
  {
    servers,
    disabled,
  }: { readonly servers: readonly string[]; readonly disabled: readonly string[] },
): readonly string[] {
  const unknown = words.filter(
    ({ pattern, removes }) =>
      !removes &&
      !servers.some((server) => matchesPattern(pattern, server)) &&
      !tools.some((tool) => fits(pattern, tool)),
  );
  return unknown.map(({ pattern }) => {
    const off = disabled.find(
      (name) => pattern.startsWith(`${name}.`) || matchesPattern(pattern, name),
    );
    const commas = /\s/.test(pattern) ? "put commas between names, " : "";
    return off === undefined
      ? `There is no tool or server ${JSON.stringify(pattern)} here; ${commas}correct it in tools:, or remove it.`
      : `The MCP server ${JSON.stringify(off)} is disabled, so ${JSON.stringify(pattern)} in tools: offers nothing; :Parley mcp shows its file.`;
  });
}

function fits(pattern: string, { name, server, serverTool }: SelectableTool): boolean {
  if (matchesPattern(pattern, name)) return true;
  if (server === null) return false;
  const pieces = pattern.split(".");
  if (pieces.length === 1) {
    return matchesPattern(pattern, server) || matchesPattern(pattern, `${server}.${serverTool}`);
  }
  if (pattern === server) return true;
  // Both names may hold a dot, but `github.*` must not mean the server `github.other`.
  return pieces.some(
    (_, at) =>
      at > 0 &&
      matchesPattern(pieces.slice(0, at).join("."), server) &&
      matchesPattern(pieces.slice(at).join("."), serverTool),
  );
}

/** `*` matches any characters. Uses no regular expression: a pattern with many `*` must not take exponential time. */
export function matchesPattern(pattern: string, text: string): boolean {
  const [head = "", ...rest] = pattern.split("*");
  if (rest.length === 0) return pattern === text;
  const tail = rest.pop() ?? "";
  if (!text.startsWith(head)) return false;
  let at = head.length;
  for (const piece of rest) {
    const found = text.indexOf(piece, at);
    if (found < 0) return false;
    at = found + piece.length;
  }
  return text.length - tail.length >= at && text.endsWith(tail);
}

/** A parsed selection, or null for the default: all tools. */
export type ServerSelection = ToolSelection | null;

/** Parses a selection and skips words that cannot be read; `parseSelection` reports those to whoever shows problems. */
export function readSelection(text: string | null): ServerSelection {
  return text === null ? null : parseSelection(text).selection;
}

/** Whether the selection includes the tool `name` (on the wire), which its server calls `serverTool`. */
export function wantsTool(
  selection: ServerSelection,
  tool: { readonly name: string; readonly server: string; readonly serverTool: string },
): boolean {
  return selection === null || selects(selection, tool);
}

/** Whether the selection names the server, or the tool by its name on the wire; the default names nothing. */
export function namesTool(selection: ServerSelection, server: string, tool: string): boolean {
  if (selection === null) return false;
  if (mentionsServer(selection, server)) return true;
  return selection.words.some(({ pattern, removes }) => !removes && pattern === tool);
}

/**
 * Whether the selection may include any tool of the server; if not, the server need not be started to find out.
 * `prefix` is what the names of its tools begin with on the wire.
 */
export function mayWantServer(selection: ServerSelection, server: string, prefix: string): boolean {
  if (selection === null) return true;
  const { words, others } = selection;
  const removal = words.findLastIndex(({ pattern, removes }) => removes && pattern === server);
  if (removal < 0 && others) return true;
  return words.slice(removal + 1).some(({ pattern, removes }) => {
    if (removes) return false;
    const [head = "", ...rest] = pattern.split("*");
    const beginnings = [`${server}.`, prefix];
    if (rest.length === 0)
      return head === server || beginnings.some((text) => head.startsWith(text));
    return beginnings.some((text) => text.startsWith(head) || head.startsWith(text));
  });
}
