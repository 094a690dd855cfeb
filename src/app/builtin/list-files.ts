/** Lists the files of a folder and of its subfolders. */
import { basename, relative } from "node:path";
import * as z from "zod";
import { matchesPattern } from "../../conversation/settings/tool-selection.ts";
import { filterInTurns } from "../../shared/event-loop.ts";
import { slashed } from "../../system/paths.ts";
import { defineTool } from "../../tools/define-tool.ts";
import { filesBelow } from "../files/files-below.ts";
import { refuseLong } from "../files/glob.ts";
import { type PlannedTool, plannedTool } from "./planned-tool.ts";
import type { BuiltinContext } from "./surroundings.ts";

/** The most files that are listed. */
const limit = 1000;

const input = z.object({
  path: z.string().min(1).default(".").describe("The folder."),
  name: z
    .string()
    .min(1)
    .default("*")
    .describe("Only files whose name matches, with * for any characters, such as *.ts."),
});

export function listFilesTool(context: BuiltinContext): PlannedTool {
  const { workingFolder } = context;
  const tool = defineTool({
    name: "list_files",
    description:
      "Lists the files in a folder and its subfolders, except .git and what .gitignore files exclude.",
    input,
  });
  return plannedTool(context, tool, {
    verb: "list",
    change: null,
    learns: null,
    async perform({ name }, { path }, { signal }) {
      if (path === null) throw new TypeError("A folder without a path.");
      refuseLong("list_files could not list: the name", name);
      const all = await filesBelow(path, signal);
      const paths = all.files.map((file) => slashed(relative(workingFolder(), file.path)));
      const fits = (file: string) => matchesPattern(name, basename(file));
      const files = await filterInTurns(paths, fits, signal);
      const rest = all.isCut ? "There are too many folders to look into all of them" : null;
      const shown = files.slice(0, limit);
      const notes = [
        ...(files.length === 0 ? ["No files were found."] : shown),
        ...(shown.length < files.length
          ? [`(The first ${shown.length} of ${files.length} files; name a subfolder for the rest.)`]
          : []),
        ...(rest === null ? [] : [`(${rest}; name a subfolder.)`]),
      ];
      return notes.join("\n");
    },
  });
}
