/** Gives the model the diagnostics of the editor's language servers and linters. */
import * as z from "zod";
import { defineTool } from "../../tools/define-tool.ts";
import { diagnosticLine } from "../files/workspace.ts";
import { type PlannedTool, plannedTool } from "./planned-tool.ts";
import type { BuiltinContext } from "./surroundings.ts";

const limit = 200;

const input = z.object({
  path: z.string().min(1).optional().describe("A file; if left out, all open files."),
});

/** Null where the workspace keeps no diagnostics. */
export function diagnosticsTool(context: BuiltinContext): PlannedTool | null {
  const { workspace, access, readDenial } = context;
  const { diagnostics } = workspace;
  if (diagnostics === null) return null;
  const tool = defineTool({
    name: "diagnostics",
    description:
      "What the editor's language servers and linters report for the open files: path:line:column: severity: message.",
    input,
  });
  return plannedTool(context, tool, {
    verb: "read",
    change: null,
    learns: null,
    async perform(_, { path }) {
      const found = await diagnostics(path);
      // Diagnostics quote the text that they are about, so those of files that may not be read are left out.
      const all = found.filter(
        ({ path: real }) => readDenial({ written: real, absolute: real, real }) === null,
      );
      const kept = found.length - all.length;
      const lines = all.slice(0, limit).map((one) => diagnosticLine(one, access.shown(one.path)));
      if (all.length === 0) lines.push("There are no diagnostics.");
      if (all.length > limit) lines.push(`(The first ${limit} of ${all.length}.)`);
      if (kept > 0) {
        lines.push(`(${kept} in files that a rule in the user's configuration forbids reading.)`);
      }
      return lines.join("\n");
    },
  });
}
