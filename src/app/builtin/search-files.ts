/**
 * Finds lines by a regular expression, without an external program, so that every machine finds the same lines. The
 * pattern runs on a thread of its own, which is ended when the pattern takes forever.
 */
import { stat } from "node:fs/promises";
import { relative } from "node:path";
import { Worker } from "node:worker_threads";
import * as z from "zod";
import { counted } from "../../shared/counted.ts";
import { filterInTurns } from "../../shared/event-loop.ts";
import { ellipsize } from "../../shared/visible.ts";
import { slashed } from "../../system/paths.ts";
import { defineTool } from "../../tools/define-tool.ts";
import { filesBelow, globFits } from "../files/files-below.ts";
import { refuseLong } from "../files/glob.ts";
import { looksSecret } from "../references/secret-files.ts";
import { type PlannedTool, plannedTool } from "./planned-tool.ts";
import type { BuiltinContext } from "./surroundings.ts";

/** The most lines that are returned, and characters of one line. */
const limits = { lines: 200, line: 300 };

const input = z.object({
  pattern: z
    .string()
    .min(1)
    .describe("A JavaScript regular expression, matched against each line."),
  path: z.string().min(1).default(".").describe("Folder or file to search in."),
  glob: z.string().min(1).optional().describe("Only files whose name matches, such as *.ts."),
  ignore_case: z.boolean().default(false),
});

type Search = z.infer<typeof input>;

export function searchFilesTool(context: BuiltinContext): PlannedTool {
  const tool = defineTool({
    name: "search_files",
    description:
      "Finds lines that match a regular expression, in all files below a folder except .git and what .gitignore files exclude. Returns path:line:text.",
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
          ? [
              `${counted(left, "large or unreadable file was", "large or unreadable files were")} left out`,
            ]
          : []),
      ];
      return [shownLines(context, found.lines), ...allNotes.map((note) => `(${note}.)`)].join("\n");
    },
  });
}

/** Tries the strict syntax first; only the older one accepts the common backslash before an ordinary character. */
function readPattern({ pattern, ignore_case }: Search): RegExp {
  // It is compiled before the search has its thread.
  refuseLong("search_files could not search: the pattern", pattern);
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

/** The files to search, without those that a rule keeps from being read, and notes about what was left out. */
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
  if (glob !== undefined) refuseLong("search_files could not search: the glob", glob);
  const fits = glob === undefined ? () => true : globFits(glob);
  const found = below.files.filter(({ isLink }) => !isLink).map((file) => file.path);
  const wanted = await filterInTurns(found, (file) => fits(path, file), signal);
  const isAllowed = (real: string) => {
    const written = slashed(relative(workingFolder(), real));
    return readDenial({ written, absolute: real, real }) === null;
  };
  const allowed = await filterInTurns(wanted, isAllowed, signal);
  const kept = wanted.length - allowed.length;
  // Approving a search in a folder does not approve reading the secrets in it.
  const isHarmless = (real: string) => !isFolder || !looksSecret(relative(path, real));
  const files = await filterInTurns(allowed, isHarmless, signal);
  const secret = allowed.length - files.length;
  return {
    files,
    notes: [
      ...(below.isCut
        ? ["There are too many folders to search all of them; name a subfolder"]
        : []),
      ...(kept > 0
        ? [
            `${counted(kept, "file is", "files are")} left out by a rule in the user's configuration`,
          ]
        : []),
      ...(secret > 0
        ? [
            secret === 1
              ? "1 file looks like it contains a secret; name it as the path to search it"
              : `${secret} files look like they contain secrets; name one as the path to search it`,
          ]
        : []),
    ],
  };
}

function shownLines({ access }: BuiltinContext, lines: readonly FoundLine[]): string {
  if (lines.length === 0) return "Nothing was found.";
  const shown = lines.slice(0, limits.lines).map(({ path, line, text }) => {
    return `${slashed(access.shown(path))}:${line}:${ellipsize(text, limits.line)}`;
  });
  if (lines.length <= limits.lines) return shown.join("\n");
  return `${shown.join("\n")}\n(The first ${shown.length} lines; search more narrowly for the rest.)`;
}

interface TextSearch {
  /** Absolute paths. */
  readonly files: readonly string[];
  readonly pattern: RegExp;
  /** The search stops after this many lines. */
  readonly limit: number;
}

interface FoundLine {
  readonly path: string;
  /** Counted from 1. */
  readonly line: number;
  readonly text: string;
}

interface FoundLines {
  readonly lines: readonly FoundLine[];
  /** Files that are too large or could not be read. Binary files are not among them. */
  readonly leftOut: readonly string[];
}

/** In bytes. */
const largestSearched = 16 * 1024 * 1024;
/** Characters of a line that are searched, and characters that are returned. */
const lineLimit = 100_000;
const shownLimit = 1000;

/** A text, because a worker starts from a file or a text and the program is bundled into one file. */
const program = `
const { closeSync, constants, fstatSync, openSync, readFileSync } = require("node:fs");
const { parentPort, workerData } = require("node:worker_threads");
const { files, pattern, limit, largest, lineLimit, shownLimit } = workerData;
const lines = [];
const leftOut = [];
const flags = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);
for (const path of files) {
  if (lines.length >= limit) break;
  let text = null;
  let handle = null;
  try {
    handle = openSync(path, flags);
    const found = fstatSync(handle);
    if (!found.isFile()) continue;
    if (found.size > largest) leftOut.push(path);
    else text = readFileSync(handle);
  } catch {
    leftOut.push(path);
  } finally {
    if (handle !== null) closeSync(handle);
  }
  if (text === null || text.includes(0)) continue;
  // Without a byte order mark.
  const all = new TextDecoder().decode(text).split("\\n");
  for (let at = 0; at < all.length && lines.length < limit; at += 1) {
    const line = all[at].replace(/\\r$/, "");
    if (at === all.length - 1 && line === "") continue;
    if (pattern.test(line.slice(0, lineLimit))) {
      lines.push({ path, line: at + 1, text: line.slice(0, shownLimit) });
    }
  }
}
parentPort.postMessage({ lines, leftOut });
`;

/** Rejects with the signal's reason when it is aborted; the thread has ended by then. */
async function searchTexts(
  { files, pattern, limit }: TextSearch,
  signal: AbortSignal,
): Promise<FoundLines> {
  signal.throwIfAborted();
  const workerData = {
    files,
    pattern,
    limit,
    largest: largestSearched,
    lineLimit,
    shownLimit,
  };
  const worker = new Worker(program, {
    eval: true,
    workerData,
    // The thread needs nothing of the environment, and stdout belongs to the host.
    env: {},
    stdout: true,
    stderr: true,
  });
  let onAbort = () => {};
  try {
    return await new Promise<FoundLines>((resolve, reject) => {
      onAbort = () => reject(signal.reason);
      signal.addEventListener("abort", onAbort, { once: true });
      worker.once("message", resolve);
      worker.once("error", reject);
      worker.once("exit", () => reject(new Error("The search ended without a result.")));
    });
  } finally {
    signal.removeEventListener("abort", onAbort);
    await worker.terminate();
  }
}
