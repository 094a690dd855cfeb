import { relative } from "node:path";
import { z } from "zod";
import { defineTool } from "../../tools/define-tool.ts";
import type { TypedTool } from "../../tools/typed-tool.ts";
import { type ProgramOutput, runProgram } from "./programs.ts";
import type { BuiltinContext } from "./surroundings.ts";

/** Lines given at most, and characters of one. */
const limits = { lines: 200, line: 300 };

const input = z.object({
  pattern: z.string().min(1).describe("A regular expression."),
  path: z.string().min(1).default(".").describe("Folder or file to search in."),
  glob: z.string().min(1).optional().describe("Only files whose name fits, such as *.ts."),
  ignore_case: z.boolean().default(false),
});

type Search = z.infer<typeof input>;

export function searchFilesTool({ places, workingFolder }: BuiltinContext): TypedTool {
  return defineTool({
    name: "search_files",
    description:
      "Finds the lines that a regular expression fits, in all files of a folder but those that Git ignores. Gives path:line:text.",
    input,
    async run(search, { progress, signal }) {
      const path = await places.enter(search.path, {
        verb: "search in",
        writes: false,
        waiting: progress,
      });
      const folder = workingFolder();
      const from = relative(folder, path) || ".";
      const options = { folder, signal };
      const output =
        (await found("rg", ripgrepArguments(search, from), options)) ??
        (await found("grep", grepArguments(search, from), options));
      if (output === null) {
        throw new Error(
          "Neither ripgrep (rg) nor grep is installed here, so nothing can be searched. Tell the person.",
        );
      }
      return shownLines(output);
    },
  });
}

/** Null: the program is not there. Both end with 1 when nothing was found. */
async function found(
  command: string,
  args: readonly string[],
  options: { readonly folder: string; readonly signal: AbortSignal },
): Promise<ProgramOutput | null> {
  const output = await runProgram(command, args, options);
  if (output.code === null) return null;
  if (output.code <= 1 || output.stdout !== "") return output;
  const [reason = "it did not say why"] = output.stderr.trim().split("\n").slice(-1);
  throw new Error(`${command} could not search: ${reason.slice(0, limits.line)}`);
}

function ripgrepArguments({ pattern, glob, ignore_case }: Search, from: string): string[] {
  return [
    "--no-config",
    "--line-number",
    "--with-filename",
    "--no-heading",
    "--color=never",
    "--sort=path",
    ...(ignore_case ? ["--ignore-case"] : []),
    ...(glob === undefined ? [] : [`--glob=${glob}`]),
    `--regexp=${pattern}`,
    "--",
    from,
  ];
}

function grepArguments({ pattern, glob, ignore_case }: Search, from: string): string[] {
  return [
    "-rnHIE",
    "--exclude-dir=.git",
    "--exclude-dir=node_modules",
    ...(ignore_case ? ["-i"] : []),
    ...(glob === undefined ? [] : [`--include=${glob}`]),
    "-e",
    pattern,
    "--",
    from,
  ];
}

function shownLines({ stdout, isCut }: ProgramOutput): string {
  const lines = stdout.split("\n").filter((line) => line !== "");
  if (lines.length === 0) return "Nothing was found.";
  const shown = lines
    .slice(0, limits.lines)
    .map((line) => (line.length > limits.line ? `${line.slice(0, limits.line)}…` : line))
    .map((line) => line.replace(/^\.\//, ""));
  if (lines.length <= limits.lines && !isCut) return shown.join("\n");
  const count = isCut ? `more than ${lines.length}` : lines.length;
  return `${shown.join("\n")}\n(The first ${shown.length} of ${count} lines; search more narrowly for the rest.)`;
}
