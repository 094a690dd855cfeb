/** Changes texts in a file. The diff is shown before approval, and only a text that the model has read is changed. */

import * as z from "zod";
import { sizeText } from "../../shared/counted.ts";
import { createYield } from "../../shared/event-loop.ts";
import { countOf, firstPlace, onlyPlace, replaceEach } from "../../shared/occurrences.ts";
import { defineTool } from "../../tools/define-tool.ts";
import { largestText } from "../files/file-content.ts";
import { diffLines } from "./change-lines.ts";
import { type PlannedTool, plannedTool } from "./planned-tool.ts";
import type { BuiltinContext, TextChange } from "./surroundings.ts";

const input = z.object({
  path: z.string().min(1).describe("Path of the file, relative to the working folder."),
  old_text: z
    .string()
    .describe(
      "The text to replace, exactly as read_file returned it, with enough lines around it that it occurs only once. Empty: a new file is created, or an empty one filled.",
    ),
  new_text: z.string().describe("The replacement."),
  replace_all: z.boolean().default(false).describe("Replace every occurrence of old_text."),
});

type Edit = z.infer<typeof input>;

export function editFileTool(context: BuiltinContext): PlannedTool {
  const tool = defineTool({
    name: "edit_file",
    description:
      "Replaces a text in a file that was read with read_file before, or creates a new file. The user sees the change as a diff first. Fails if the file has unsaved changes, or has changed since it was read.",
    input,
  });
  return plannedTool(context, tool, {
    verb: "change",
    change: (edit, path, here) =>
      edit.old_text === "" ? planNew(edit.new_text, path, here) : planEdits([edit], path, here),
    learns: null,
    perform: (edit, { change }) => writeChange(edit.path, change, context),
  });
}

const several = z.object({
  path: z.string().min(1).describe("Path of the file, relative to the working folder."),
  edits: z
    .array(
      z.object({
        old_text: z.string().min(1).describe("As for edit_file; it must occur only once."),
        new_text: z.string().describe("The replacement."),
      }),
    )
    .min(1)
    .describe("Applied in order, each to the result of the one before."),
});

/**
 * In one call, or in one code block. Each edit searches the whole file, and a call's plan is computed before the user
 * has approved anything.
 */
export const mostEdits = 200;

/** Does all of the edits or none. */
export function editSeveralTool(context: BuiltinContext): PlannedTool {
  const tool = defineTool({
    name: "edit_places",
    description:
      "Replaces several texts in one file, as edit_file does with one. Either all of them are applied, as one change, or none.",
    input: several,
  });
  return plannedTool(context, tool, {
    verb: "change",
    change: ({ edits }, path, here) => planEdits(edits, path, here),
    learns: null,
    perform: ({ path }, { change }) => writeChange(path, change, context),
  });
}

const made = z.object({
  path: z.string().min(1).describe("Path of the file, relative to the working folder."),
  text: z.string().describe("Its whole text."),
});

export function makeFileTool(context: BuiltinContext): PlannedTool {
  const tool = defineTool({
    name: "make_file",
    description:
      "Creates a new file, or fills an empty one. Fails if the file has a text; use edit_file to change it.",
    input: made,
  });
  return plannedTool(context, tool, {
    verb: "change",
    change: ({ text }, path, here) => planNew(text, path, here),
    learns: null,
    perform: ({ path }, { change }) => writeChange(path, change, context),
  });
}

/** A replacement of one text by another. */
export type Replacement = Pick<Edit, "old_text" | "new_text"> & Partial<Pick<Edit, "replace_all">>;

/** What a call of an edit tool asks for: replacements, or the whole text of a file that has none yet. */
export type EditArguments = { readonly path: string } & (
  | { readonly replacements: readonly Replacement[] }
  | { readonly whole: string }
);

/** The change that a call of one of these tools describes; null: it is another tool, or its arguments do not fit. */
export function editArguments(tool: string, given: unknown): EditArguments | null {
  switch (tool) {
    case "edit_file": {
      const { data } = input.safeParse(given);
      if (!data) return null;
      const { path, old_text, new_text } = data;
      return old_text === "" ? { path, whole: new_text } : { path, replacements: [data] };
    }
    case "edit_places": {
      const { data } = several.safeParse(given);
      return data ? { path: data.path, replacements: data.edits } : null;
    }
    case "make_file": {
      const { data } = made.safeParse(given);
      return data ? { path: data.path, whole: data.text } : null;
    }
    default:
      return null;
  }
}

/**
 * In characters: the longest text that an edit may leave. It is computed before the user has approved anything, and each
 * call of a step may multiply what the one before it leaves.
 */
const longestResult = 4 * largestText;

/** The length that the text would have with all occurrences replaced, where that is too long; else null. */
export function tooLongAfter(text: string, { old_text, new_text }: Replacement): number | null {
  const length = text.length + countOf(text, old_text) * (new_text.length - old_text.length);
  return length > longestResult && length > text.length ? length : null;
}

async function writeChange(
  written: string,
  change: TextChange | null,
  { access, workspace, seen }: BuiltinContext,
): Promise<string> {
  if (change === null) throw new TypeError("An edit without a change.");
  const { path, before, after } = change;
  // Another call or another program may have put a link there since the path was resolved.
  if ((await access.find(written)) !== path) {
    throw new Error(`${access.shown(path)} is a different file now, so nothing was written.`);
  }
  const text = await workspace.write(path, { expected: before, text: after });
  seen.learn(path, text);
  return doneText(change, text, access.shown(path));
}

/** Describes what was done: the size of the change, the diff, and what the editor changed on writing. */
export async function doneText(
  { before, after }: TextChange,
  text: string,
  shown: string,
): Promise<string> {
  const lines = await diffLines(before ?? "", after);
  const done = `${shown} was ${before === null ? "made" : "changed"}: ${sizeOf(lines)}.`;
  // The model knows every line of a file that it has just made or filled.
  const isNew = (before ?? "") === "";
  const diff = isNew ? [] : lines.slice(0, mostShownLines);
  const rest = !isNew && lines.length > mostShownLines ? ["  (and more)"] : [];
  const further = text === after ? [] : [await furtherChange(after, text)];
  return [done, ...diff, ...rest, ...further].join("\n");
}

/** The most lines of a diff that a result holds. */
export const mostShownLines = 60;

function sizeOf(lines: readonly string[]): string {
  const count = (sign: string) => lines.filter((line) => line.startsWith(`  ${sign}`)).length;
  return `+${count("+")} −${count("-")} lines`;
}

/** Describes changes made while the text was written: the editor may run a formatter, for example. */
async function furtherChange(planned: string, written: string): Promise<string> {
  const lines = await diffLines(planned, written);
  return ["The editor changed it further when it was written:", ...lines].join("\n");
}

async function planNew(
  text: string,
  path: string,
  { workspace, access }: BuiltinContext,
): Promise<TextChange> {
  const found = await workspace.read(path);
  if (found === null) return { path, before: null, after: text };
  // Such a file, as `touch` makes it, has no text that an edit could name.
  if (found.text === "" && !found.isUnsaved) {
    if (text === "") throw new Error(`${access.shown(path)} exists already, and is empty.`);
    return { path, before: "", after: text };
  }
  throw new Error(
    `${access.shown(path)} already exists; edit_file changes it, with the text to replace as old_text.`,
  );
}

/** Rejects with a sentence when an edit cannot be done to the text that the edits before it leave. */
async function planEdits(
  edits: readonly Replacement[],
  path: string,
  { workspace, access, seen }: BuiltinContext,
): Promise<TextChange> {
  const shown = access.shown(path);
  if (edits.length > mostEdits) {
    throw new Error(
      `One call takes ${mostEdits} edits at most, not ${edits.length}, so ${shown} was not changed. Do the rest in another call.`,
    );
  }
  const found = await workspace.read(path);
  if (found === null) throw new Error(`There is no file ${shown}; make_file creates it.`);
  if (found.isUnsaved) {
    throw new Error(
      `${shown} has unsaved changes in the editor, so it was not changed. Ask the user to save it, then read it again.`,
    );
  }
  if (!seen.knows(path, found.text)) {
    throw new Error(
      seen.has(path)
        ? `${shown} has changed since it was read, so it was not changed. Read it again with read_file.`
        : `${shown} has not been read yet, so it was not changed. Read it with read_file.`,
    );
  }
  const yieldNow = createYield();
  let after = found.text;
  for (const [index, edit] of edits.entries()) {
    await yieldNow();
    const which = edits.length === 1 ? "" : ` of edit ${index + 1}`;
    after = replaced(after, edit, { shown, which });
  }
  return { path, before: found.text, after };
}

function replaced(
  text: string,
  { old_text, new_text, replace_all = false }: Replacement,
  { shown, which }: { readonly shown: string; readonly which: string },
): string {
  if (firstPlace(text, old_text) === null)
    throw new Error(`old_text${which} is not in ${shown}, so nothing was changed.`);
  // Overlapping places count as two: it would be unclear which one is meant.
  if (onlyPlace(text, old_text) === null && !replace_all) {
    const way = which === "" ? ", or set replace_all" : "";
    throw new Error(
      `old_text${which} occurs more than once in ${shown}, so nothing was changed. Give more lines around it${way}.`,
    );
  }
  if (old_text === new_text) throw new Error(`old_text and new_text${which} are the same.`);
  const length = tooLongAfter(text, { old_text, new_text });
  if (length !== null) {
    throw new Error(
      `${shown} would have ${sizeText(length)} with new_text${which}, more than the ${sizeText(longestResult)} that an edit may leave, so nothing was changed.`,
    );
  }
  return replaceEach(text, old_text, new_text);
}
