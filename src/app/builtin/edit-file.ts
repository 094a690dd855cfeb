/** Changes one place of a text: shown as a diff before it is approved, done only to the text that was read. */

import { z } from "zod";
import { messageOf } from "../../shared/json.ts";
import { visibleText } from "../../shared/visible.ts";
import { defineTool } from "../../tools/define-tool.ts";
import { parseArguments, type TypedTool } from "../../tools/typed-tool.ts";
import type { ToolCall } from "../../transcript/transcript.ts";
import { textHash } from "./read-file.ts";
import type { BuiltinContext } from "./surroundings.ts";

const input = z.object({
  path: z.string().min(1).describe("Path of the file, relative to the working folder."),
  old_text: z
    .string()
    .describe(
      "The text to replace, exactly as read_file gave it, with enough lines around it that it stands there once. Empty: a new file is made.",
    ),
  new_text: z.string().describe("The text in its place."),
  replace_all: z.boolean().default(false).describe("Replace old_text wherever it stands."),
});

type Edit = z.infer<typeof input>;

export function editFileTool(context: BuiltinContext): TypedTool<Edit> {
  const { workspace, places, seen } = context;
  // Calls of one batch run together, and two may be about one file: the second begins with what the first left.
  let last: Promise<unknown> = Promise.resolve();
  const apply = async (path: string, edit: Edit) => {
    const { expected, text } = await planEdit(context, path, edit);
    // Another call, or anybody, may have put a link there since the path was looked at.
    if ((await places.find(path)) !== path) {
      throw new Error(`${places.shown(path)} is another file now, so nothing was written.`);
    }
    const written = await workspace.write(path, { expected, text });
    seen.set(path, textHash(written));
    return { isNew: expected === null, isAsPlanned: written === text };
  };
  return defineTool({
    name: "edit_file",
    description:
      "Replaces a text in a file that was read with read_file before, or makes a new file. The person sees the change as a diff before it is done. Refused when the file has unsaved changes or changed since it was read.",
    input,
    async run(edit, { progress }) {
      const path = await places.enter(edit.path, {
        verb: "change",
        writes: true,
        waiting: progress,
      });
      const done = last.then(() => apply(path, edit));
      last = done.catch(() => "told by the call itself");
      const { isNew, isAsPlanned } = await done;
      const note = isAsPlanned ? "" : " The editor changed it further when it was written.";
      return `${places.shown(path)} was ${isNew ? "made" : "changed"}.${note}`;
    },
  });
}

interface Planned {
  readonly expected: string | null;
  readonly text: string;
}

/** Rejects with a sentence when the edit cannot be done to the text as it is now. */
async function planEdit(
  { workspace, places, seen }: BuiltinContext,
  path: string,
  { old_text, new_text, replace_all }: Edit,
): Promise<Planned> {
  const shown = places.shown(path);
  const found = await workspace.read(path);
  if (old_text === "") {
    if (found === null) return { expected: null, text: new_text };
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
  if (seen.get(path) !== textHash(found.text)) {
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
      `old_text stands more than once in ${shown}, so nothing was changed. Give more lines around it, or set replace_all.`,
    );
  }
  if (old_text === new_text) throw new Error("old_text and new_text are the same.");
  return { expected: found.text, text: found.text.split(old_text).join(new_text) };
}

/** Unchanged lines shown around a change. */
const contextLines = 3;

/** Milliseconds; a change of thousands of places is told by its arguments alone. */
const diffTimeoutMs = 200;

/** What the call would do, or why it will be refused, in lines for the person who decides. Never rejects. */
export async function previewEdit(
  context: BuiltinContext,
  tool: TypedTool<Edit>,
  call: ToolCall,
): Promise<readonly string[] | null> {
  try {
    const edit = await parseArguments(tool, call);
    const path = await context.places.find(edit.path);
    const { expected, text } = await planEdit(context, path, edit);
    const { structuredPatch } = await import("diff");
    const patch = structuredPatch("", "", expected ?? "", text, "", "", {
      context: contextLines,
      timeout: diffTimeoutMs,
    });
    if (patch === undefined) return null;
    const title = expected === null ? "makes" : "changes";
    return [
      `  ${title} ${visibleText(context.places.shown(path))}`,
      ...patch.hunks.flatMap(({ newStart, lines }) => [
        `  line ${Math.max(1, newStart)}`,
        ...lines.map((line) => `  ${line.charAt(0)}${visibleText(line.slice(1))}`),
      ]),
    ];
  } catch (error) {
    return [`  would be refused: ${visibleText(messageOf(error))}`];
  }
}
