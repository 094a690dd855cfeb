import { z } from "zod";
import { defineTool } from "../../tools/define-tool.ts";
import type { TypedTool } from "../../tools/typed-tool.ts";
import type { BuiltinContext } from "./surroundings.ts";

const limit = 200;

const input = z.object({
  path: z.string().min(1).optional().describe("One file; all open files when it is left out."),
});

/** Null where nobody keeps diagnostics. */
export function diagnosticsTool({ workspace, places }: BuiltinContext): TypedTool | null {
  const { diagnostics } = workspace;
  if (diagnostics === null) return null;
  return defineTool({
    name: "diagnostics",
    description:
      "What the editor's language servers and linters say of the open files: path:line:column: severity: message.",
    input,
    async run({ path: given }, { progress }) {
      const path =
        given === undefined
          ? null
          : await places.enter(given, { verb: "read", writes: false, waiting: progress });
      const all = await diagnostics(path);
      if (all.length === 0) return "There are no diagnostics.";
      const lines = all.slice(0, limit).map(({ path: file, line, column, severity, ...said }) => {
        const source = said.source === "" ? "" : ` (${said.source})`;
        const message = said.message.replaceAll("\n", " ");
        return `${places.shown(file)}:${line}:${column}: ${severity}: ${message}${source}`;
      });
      if (all.length > limit) lines.push(`(The first ${limit} of ${all.length}.)`);
      return lines.join("\n");
    },
  });
}
