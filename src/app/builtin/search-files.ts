/** Finds lines by a regular expression, the same lines on every machine: no program searches for us. */

import { stat } from "node:fs/promises";
import { relative, sep } from "node:path";
import * as z from "zod";
import { defineTool } from "../../tools/define-tool.ts";
import { filesBelow, globFits } from "../files/files-below.ts";
import { type PlannedTool, plannedTool } from "./planned-tool.ts";
import { type FoundLine, searchTexts } from "./search-texts.ts";
import type { BuiltinContext } from "./surroundings.ts";

/** Lines given at most, and characters of one. */
const limits = { lines: 200, line: 300 };

const input = z.object({
  pattern: z.string().min(1).describe("A regular expression of JavaScript, for one line."),
  path: z.string().min(1).default(".").describe("Folder or file to search in."),
  glob: z.string().min(1).optional().describe("Only files whose name fits, such as *.ts."),
  ignore_case: z.boolean().default(false),
});

type Search = z.infer<typeof input>;

export function searchFilesTool(context: BuiltinContext): PlannedTool {
  const tool = defineTool({
    name: "search_files",
    description:
      "Finds the lines that a regular expression fits, in all files of a folder but .git and what .gitignore files leave out. Gives path:line:text.",
    input,
  });
  return plannedTool(context, tool, {
    verb: "search in",
    change: null,
    learns: null,
    async perform(search, { path }, { signal }) {
      if (path === null) throw new TypeError("A search without a path.");
      const pattern = readPattern(search);
      const { files, notes } = await searched(context, search, path, signal);
      const found = await searchTexts({ files, pattern, limit: limits.lines + 1 }, signal);
      const left = found.leftOut.length;
      const allNotes = [
        ...notes,
        ...(left > 0
          ? [`${left} large or unreadable ${left === 1 ? "file was" : "files were"} left out`]
          : []),
      ];
      return [shownLines(context, found.lines), ...allNotes.map((note) => `(${note}.)`)].join("\n");
    },
  });
}

/** In characters: a pattern is read here, before the search has its thread, and a few pages of it take seconds. */
const longestPattern = 2000;

/** As strict as it can be read; a backslash before an ordinary character is common, and only the older form takes it. */
function readPattern({ pattern, ignore_case }: Search): RegExp {
  if (pattern.length > longestPattern) {
    throw new Error(
      `search_files could not search: the pattern is longer than ${longestPattern} characters.`,
    );
  }
  const flags = ignore_case ? "i" : "";
  try {
    return new RegExp(pattern, `${flags}u`);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
  }
  try {
    return new RegExp(pattern, flags);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw new Error(`search_files could not search: ${error.message.slice(0, limits.line)}.`);
  }
}

/** The files to look into, without those that a rule keeps from reading, and what was left out. */
async function searched(
  { readDenial, workingFolder }: BuiltinContext,
  { glob }: Search,
  path: string,
  signal: AbortSignal,
): Promise<{ readonly files: readonly string[]; readonly notes: readonly string[] }> {
  const isFolder = (await stat(path)).isDirectory();
  const below = isFolder
    ? await filesBelow(path, signal)
    : { files: [{ path, isLink: false }], isCut: false };
  const fits = glob === undefined ? () => true : globFits(glob);
  const wanted = below.files.filter(({ path: file, isLink }) => !isLink && fits(path, file));
  const files = wanted
    .map((file) => file.path)
    .filter((real) => {
      const written = relative(workingFolder(), real).split(sep).join("/");
      return readDenial({ written, absolute: real, real }) === null;
    });
  const kept = wanted.length - files.length;
  return {
    files,
    notes: [
      ...(below.isCut ? ["There are more folders than are looked into; name a folder below"] : []),
      ...(kept > 0
        ? [
            `${kept} ${kept === 1 ? "file is" : "files are"} kept from reading by a rule of the user's configuration`,
          ]
        : []),
    ],
  };
}

function shownLines({ access }: BuiltinContext, lines: readonly FoundLine[]): string {
  if (lines.length === 0) return "Nothing was found.";
  const shown = lines.slice(0, limits.lines).map(({ path, line, text }) => {
    const clipped = text.length > limits.line ? `${text.slice(0, limits.line)}…` : text;
    return `${access.shown(path).split(sep).join("/")}:${line}:${clipped}`;
  });
  if (lines.length <= limits.lines) return shown.join("\n");
  return `${shown.join("\n")}\n(The first ${shown.length} lines; search more narrowly for the rest.)`;
}
