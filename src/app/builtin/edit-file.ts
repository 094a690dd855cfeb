/** Changes one place of a text: shown as a diff before it is approved, done only to the text that was read. */

import { z } from "zod";
import { defineTool } from "../../tools/define-tool.ts";
import { diffLines } from "./change-lines.ts";
import { type PlannedTool, plannedTool } from "./planned-tool.ts";
import type { BuiltinContext, TextChange } from "./surroundings.ts";

const input = z.object({
  path: z.string().min(1).describe("Path of the file, relative to the working folder."),
  old_text: z
    .string()
    .describe(
      "The text to replace, exactly as read_file gave it, with enough lines around it that it occurs there once. Empty: a new file is made.",
    ),
  new_text: z.string().describe("The text in its place."),
  replace_all: z.boolean().default(false).describe("Replace old_text wherever it stands."),
});

type Edit = z.infer<typeof input>;

export function editFileTool(context: BuiltinContext): PlannedTool {
  const { access } = context;
  const tool = defineTool({
    name: "edit_file",
    description:
      "Replaces a text in a file that was read with read_file before, or makes a new file. The person sees the change as a diff before it is done. Refused when the file has unsaved changes or changed since it was read.",
    input,
  });
  return plannedTool(context, tool, {
    verb: "change",
    change: planEdit,
    learns: null,
    async perform(edit, { change }) {
      if (change === null) throw new TypeError("An edit without a change.");
      const { path, before, after } = change;
      // Another call, or anybody, may have put a link there since the path was looked at.
      if ((await access.find(edit.path)) !== path) {
        throw new Error(`${access.shown(path)} is another file now, so nothing was written.`);
      }
      const written = await context.workspace.write(path, { expected: before, text: after });
      context.seen.learn(path, written);
      const done = `${access.shown(path)} was ${before === null ? "made" : "changed"}.`;
      return written === after ? done : `${done}\n${await furtherChange(after, written)}`;
    },
  });
}

/** Programs of the editor, such as a formatter, may change the text as it is written. */
async function furtherChange(planned: string, written: string): Promise<string> {
  const lines = await diffLines(planned, written);
  return ["The editor changed it further when it was written:", ...lines].join("\n");
}

/** Rejects with a sentence when the edit cannot be done to the text as it is now. */
async function planEdit(
  { old_text, new_text, replace_all }: Edit,
  path: string,
  { workspace, access, seen }: BuiltinContext,
): Promise<TextChange> {
  const shown = access.shown(path);
  const found = await workspace.read(path);
  if (old_text === "") {
    if (found === null) return { path, before: null, after: new_text };
    throw new Error(`${shown} is there already; give the text to replace as old_text.`);
  }
  if (found === null) {
    throw new Error(`There is no file ${shown}; with an empty old_text it is made.`);
  }
  if (found.isUnsaved) {
    throw new Error(
      `${shown} has changes in the editor that are not saved, so it was not changed. Ask the person to save it, and read it again.`,
    );
  }
  if (!seen.knows(path, found.text)) {
    throw new Error(
      seen.has(path)
        ? `${shown} changed since it was read, so it was not changed. Read it again with read_file.`
        : `${shown} was not read yet, so it was not changed. Read it with read_file.`,
    );
  }
  const first = found.text.indexOf(old_text);
  if (first < 0) throw new Error(`old_text does not stand in ${shown}, so nothing was changed.`);
  // Places that overlap are two as well: it would not be known which one is meant.
  if (found.text.indexOf(old_text, first + 1) >= 0 && !replace_all) {
    throw new Error(
      `old_text occurs more than once in ${shown}, so nothing was changed. Give more lines around it, or set replace_all.`,
    );
  }
  if (old_text === new_text) throw new Error("old_text and new_text are the same.");
  return { path, before: found.text, after: found.text.split(old_text).join(new_text) };
}
