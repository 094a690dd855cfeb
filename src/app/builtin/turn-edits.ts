/**
 * Finds what the edit tools did in one turn, from the text of the chat, and plans taking it back. The text can claim
 * anything: an edit is only taken back where the file still holds what the call left, and after the user has seen it.
 */
import { createYield } from "../../shared/event-loop.ts";
import { messageOf, parseJson } from "../../shared/json.ts";
import { firstPlace, onlyPlace, replaceEach } from "../../shared/occurrences.ts";
import { visible } from "../../shared/visible.ts";
import type { CallBlock, Exchange } from "../../transcript/transcript.ts";
import type { Workspace } from "../files/workspace.ts";
import { editArguments, mostShownLines, type Replacement, tooLongAfter } from "./edit-file.ts";
import type { PathAccess } from "./path-access.ts";
import type { TextChange } from "./surroundings.ts";

export interface SettledEdit {
  readonly tool: string;
  /** The path as the call has it. */
  readonly path: string;
  /** Null: the call made the file. */
  readonly replacements: readonly Replacement[] | null;
  /** The result that the model got. */
  readonly result: string;
  /** For a call or an applied block that gave the whole text: the text after and before; null for a new file. */
  readonly whole?: Pick<TextChange, "before" | "after">;
}

/** The edits of a turn that succeeded, in order. */
export function settledEdits({ answer }: Exchange): readonly SettledEdit[] {
  const calls = answer?.steps.flatMap((step) => step.calls) ?? [];
  return calls.flatMap((block) => settledEdit(block) ?? []);
}

function settledEdit({ call, result }: CallBlock): SettledEdit | null {
  if (call === null || result?.status !== "ok") return null;
  return editOf(call.name, parseJson(call.arguments), result.text);
}

/** The edit that a call with this result made; null: it is a call of another tool, or its arguments do not fit. */
export function editOf(tool: string, given: unknown, result: string): SettledEdit | null {
  const edit = editArguments(tool, given);
  if (edit === null) return null;
  const settled = { path: edit.path, tool, result };
  if ("replacements" in edit) return { ...settled, replacements: edit.replacements };
  // Otherwise the file was there before, and empty.
  const isMade = !/ was changed: \S+ \S+ lines\.$/.test(result.split("\n", 1)[0] ?? "");
  const whole = { before: isMade ? null : "", after: edit.whole };
  return { ...settled, replacements: isMade ? null : [], whole };
}

interface Surroundings {
  readonly workspace: Workspace;
  readonly access: PathAccess;
}

export interface ChangedPlace {
  /** Real path. */
  readonly path: string;
  /** Zero-based line of the edit in the file as it is now, as far as it can be found. */
  readonly line: number;
  readonly text: string;
}

/** The places of the edits, one for each. */
export function changedPlaces(
  edits: readonly SettledEdit[],
  { workspace, access }: Surroundings,
): Promise<readonly ChangedPlace[]> {
  return Promise.all(
    edits.map(async (edit) => {
      const path = await access.find(edit.path);
      // A file that is gone or no longer a text is still listed.
      const found = await workspace.read(path).catch((error: unknown) => messageOf(error));
      const text = found === null || typeof found === "string" ? "" : found.text;
      const size = /\+\d+ −\d+(?= lines)/.exec(edit.result.split("\n", 1)[0] ?? "")?.[0] ?? "";
      return { path, line: lineOf(edit, text), text: visible(`${edit.tool} ${size}`.trim()) };
    }),
  );
}

function lineOf({ replacements, result }: SettledEdit, text: string): number {
  for (const { new_text } of replacements ?? []) {
    const at = firstPlace(text, new_text);
    if (at !== null) return text.slice(0, at).split("\n").length - 1;
  }
  const [first] = (replacements && hunksOf(result)) ?? [];
  if (first === undefined) return 0;
  return first.start + first.after.findIndex((line, index) => line !== first.before[index]);
}

export interface UndoPlan {
  /** One change for each file; `before` is the text as it is now. */
  readonly changes: readonly (TextChange & { readonly before: string })[];
  /** How many edits these changes take back. */
  readonly count: number;
  /** Sentences that say why other files are left alone. */
  readonly left: readonly string[];
}

/** Takes back all edits of a file, or none of them. */
export async function planUndo(
  edits: readonly SettledEdit[],
  surroundings: Surroundings,
): Promise<UndoPlan> {
  const { access } = surroundings;
  const files = new Map<string, SettledEdit[]>();
  for (const edit of edits) {
    const path = await access.find(edit.path);
    files.set(path, [...(files.get(path) ?? []), edit]);
  }
  const changes: UndoPlan["changes"][number][] = [];
  const left: string[] = [];
  let count = 0;
  for (const [path, own] of files) {
    try {
      changes.push(await undoneFile(path, own, surroundings));
      count += own.length;
    } catch (error) {
      left.push(messageOf(error));
    }
  }
  return { changes, count, left };
}

/** Rejects with a sentence where the edits cannot be taken back. */
async function undoneFile(
  path: string,
  edits: readonly SettledEdit[],
  { workspace, access }: Surroundings,
): Promise<TextChange & { readonly before: string }> {
  const shown = access.shown(path);
  if (edits.some(({ replacements }) => replacements === null)) {
    throw new Error(
      `${shown} was created in this turn and was left alone; delete it if you do not want it.`,
    );
  }
  await access.enter(path, { verb: "take back edits in", writes: true, waiting: () => {} });
  const found = await workspace.read(path);
  if (found === null) throw new Error(`${shown} no longer exists.`);
  if (found.isUnsaved)
    throw new Error(`${shown} has unsaved changes and was left alone; save it first.`);
  const yieldNow = createYield();
  let after = found.text;
  for (const edit of edits.toReversed()) {
    await yieldNow();
    const before = takenBack(after, edit);
    if (before === null) {
      throw new Error(
        `${shown} has changed since and was left alone; undo still works in its buffer.`,
      );
    }
    after = before;
  }
  return { path, before: found.text, after };
}

/** The text before the edit; null when the text no longer holds what the edit left. */
function takenBack(text: string, edit: SettledEdit): string | null {
  if (edit.whole !== undefined) return text === edit.whole.after ? edit.whole.before : null;
  let before: string | null = text;
  for (const replacement of edit.replacements?.toReversed() ?? []) {
    before = before === null ? null : withOldText(before, replacement);
  }
  // Where the new text occurs more than once, the diff in the call's result tells the place.
  return before ?? beforeDiff(text, edit);
}

function withOldText(text: string, replacement: Replacement): string | null {
  const { old_text, new_text } = replacement;
  const at = onlyPlace(text, new_text);
  if (at === null) return null;
  const before = text.slice(0, at) + old_text + text.slice(at + new_text.length);
  return replay(before, [replacement]) === text ? before : null;
}

/** Applies the edits to a text; null when one of them cannot be applied. */
function replay(text: string, replacements: readonly Replacement[]): string | null {
  let after = text;
  for (const { old_text, new_text, replace_all = false } of replacements) {
    const place = replace_all ? firstPlace(after, old_text) : onlyPlace(after, old_text);
    if (place === null || tooLongAfter(after, { old_text, new_text }) !== null) return null;
    after = replaceEach(after, old_text, new_text);
  }
  return after;
}

interface Hunk {
  /** Zero-based number of its first line in the new text. */
  readonly start: number;
  readonly before: readonly string[];
  readonly after: readonly string[];
}

/** The whole diff of a result; null when it was cut, or has lines that do not belong to a diff. */
function hunksOf(result: string): readonly Hunk[] | null {
  const [, ...lines] = result.split("\n");
  if (lines.length === 0 || lines.length > mostShownLines) return null;
  const hunks: { start: number; before: string[]; after: string[] }[] = [];
  for (const line of lines) {
    const start = /^ {2}line (\d+)$/.exec(line)?.[1];
    const hunk = hunks.at(-1);
    const [, sign, text = ""] = /^ {2}([-+ ])(.*)$/s.exec(line) ?? [];
    if (start !== undefined) hunks.push({ start: Number(start) - 1, before: [], after: [] });
    else if (sign === undefined || hunk === undefined) return null;
    else {
      if (sign !== "+") hunk.before.push(text);
      if (sign !== "-") hunk.after.push(text);
    }
  }
  return hunks;
}

function beforeDiff(text: string, { result, replacements }: SettledEdit): string | null {
  const lines = text.split("\n");
  for (const { start, before, after } of hunksOf(result)?.toReversed() ?? []) {
    const isThere = after.every((line, index) => lines[start + index] === line);
    if (!isThere) return null;
    lines.splice(start, after.length, ...before);
  }
  const before = lines.join("\n");
  return before !== text && replay(before, replacements ?? []) === text ? before : null;
}
