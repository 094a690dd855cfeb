/** Gives a text, or some of its lines, to the model, which may then change it. */
import * as z from "zod";
import { counted } from "../../shared/counted.ts";
import { defineTool } from "../../tools/define-tool.ts";
import { type PlannedTool, plannedTool } from "./planned-tool.ts";
import type { BuiltinContext } from "./surroundings.ts";

/** How many lines are returned when the model does not say. */
const defaultLines = 1000;

const input = z.object({
  path: z.string().min(1).describe("Path of the file, relative to the working folder."),
  first_line: z.int().min(1).default(1).describe("First line to read, counted from 1."),
  last_line: z
    .int()
    .min(1)
    .optional()
    .describe(`Last line to read; if left out, at most ${defaultLines} lines are returned.`),
});

export function readFileTool(context: BuiltinContext): PlannedTool {
  const { workspace, access, seen } = context;
  const tool = defineTool({
    name: "read_file",
    description:
      "Reads a text file, or its lines from first_line to last_line. If it is open in the editor, the text includes changes that are not saved yet. Lines are returned as they are, without numbers.",
    input,
  });
  return plannedTool(context, tool, {
    verb: "read",
    change: null,
    async learns(path, planned) {
      planned.seen.learn(path, "");
    },
    async perform({ first_line, last_line }, { path }) {
      if (path === null) throw new TypeError("A file without a path.");
      const found = await workspace.read(path);
      if (found === null) throw new Error(`There is no file ${access.shown(path)}.`);
      seen.learn(path, found.text);
      const lines = found.text.replace(/\n$/, "").split("\n");
      const last = Math.min(last_line ?? first_line + defaultLines - 1, lines.length);
      if (first_line > lines.length || last < first_line) {
        throw new Error(
          `${access.shown(path)} has ${counted(lines.length, "line")}; there are none from ${first_line} to ${last_line ?? lines.length}.`,
        );
      }
      const range = lines.slice(first_line - 1, last).join("\n");
      const isWhole = first_line === 1 && last === lines.length;
      const unsaved = found.isUnsaved ? ", with unsaved changes" : "";
      const head = `${access.shown(path)}, lines ${first_line} to ${last} of ${lines.length}${unsaved}:`;
      return isWhole && !found.isUnsaved ? range : `${head}\n${range}`;
    },
  });
}
