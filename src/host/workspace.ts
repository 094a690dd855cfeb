/** The workspace in Neovim: loaded buffers before files, and changes through a buffer, so that undo takes them back. */
import { z } from "zod";
import { changedMeanwhile, fileWorkspace } from "../app/builtin/file-workspace.ts";
import { type Diagnostic, readTextFile, type Workspace } from "../app/builtin/workspace.ts";
import type { Lua } from "./lua.ts";

const buffer = z.object({ text: z.string(), modified: z.boolean() }).nullable();
const written = z.object({ text: z.string().optional(), message: z.string().optional() });
const diagnostics = z.array(
  z.object({
    path: z.string(),
    line: z.number(),
    column: z.number(),
    severity: z.enum(["error", "warning", "info", "hint"]),
    message: z.string(),
    source: z.string(),
  }),
);

export function createWorkspace(lua: Lua): Workspace {
  return {
    async read(path) {
      const open = buffer.parse(await lua.call("workspace_read", path));
      if (open === null) return fileWorkspace.read(path);
      return { text: open.text, source: "buffer", isUnsaved: open.modified };
    },
    async write(path, { expected, text }) {
      // The buffer is compared in Neovim; a file that changed under it must not be written over.
      if ((await readTextFile(path)) !== expected) throw new Error(changedMeanwhile(path));
      const answer = written.parse(await lua.call("workspace_write", path, expected, text));
      if (answer.text === undefined) throw new Error(answer.message ?? changedMeanwhile(path));
      return answer.text;
    },
    async diagnostics(path): Promise<readonly Diagnostic[]> {
      return diagnostics.parse(await lua.call("workspace_diagnostics", path));
    },
  };
}
