/** Lists the files of a folder and of its subfolders. */
import { basename, relative } from "node:path";
import * as z from "zod";
import { matchesPattern } from "../../conversation/settings/tool-selection.ts";
import { slashed } from "../../system/paths.ts";
import { defineTool } from "../../tools/define-tool.ts";
import { filesBelow } from "../files/files-below.ts";
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
      const all = await filesBelow(path, signal);
      const files = all.files
        .map((file) => slashed(relative(workingFolder(), file.path)))
        .filter((file) => matchesPattern(name, basename(file)));
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
