/** Applies a code block to a file: plans the change, under the same rules for paths as the edit tools. */
import { visibleText } from "../../shared/visible.ts";
import type { Workspace } from "../files/workspace.ts";
import { executedWords, isExecutedByOthers } from "../tools/executed-files.ts";
import { changeLines } from "./change-lines.ts";
import { appliedText, type CodeBlock } from "./code-block.ts";
import type { PathAccess } from "./path-access.ts";
import type { TextChange } from "./surroundings.ts";

export interface ApplySurroundings {
  readonly workspace: Workspace;
  readonly access: PathAccess;
  /** The rule, as written, that keeps Parley's tools from reading or changing the path; null: there is none. */
  denial(path: string): Promise<string | null>;
}

export interface ApplyPlan {
  readonly change: TextChange;
  /** The path as it is shown to the user. */
  readonly shown: string;
  /** What the user reads before approving: the diff, and whatever else matters. */
  readonly lines: readonly string[];
}

/** Plans the change. `written` is the path as the block or the user wrote it. Rejects with a sentence if refused. */
export async function planApply(
  block: CodeBlock,
  written: string,
  { workspace, access, denial }: ApplySurroundings,
): Promise<ApplyPlan> {
  const rule = await denial(written);
  if (rule !== null) {
    throw new Error(`A rule in your configuration forbids changing ${written} (${rule}).`);
  }
  const path = await access.enter(written, {
    ...{ who: "This code block", verb: "change", writes: true, waiting: () => {} },
  });
  const shown = access.shown(path);
  const found = await workspace.read(path);
  if (found?.isUnsaved === true) {
    throw new Error(`${shown} has unsaved changes; save it first.`);
  }
  const before = found?.text ?? null;
  const after = appliedText(block, before, shown);
  if (after === before)
    throw new Error(`${shown} already matches the block, so there is nothing to change.`);
  const change = { path, before, after };
  const executed = isExecutedByOthers(path) ? [executedWords] : [];
  const elsewhere =
    access.absolute(written) === path ? [] : [`  ${visibleText(written)} leads there`];
  return {
    change,
    shown,
    lines: [...executed, ...elsewhere, ...(await changeLines(change, path))],
  };
}

/** Writes exactly what was planned, or rejects with a sentence. */
export async function carryOutApply(
  { change: { path, before, after }, shown }: ApplyPlan,
  { workspace, access }: ApplySurroundings,
): Promise<string> {
  // A link may have been put at this path since the diff was shown.
  if ((await access.find(path)) !== path) {
    throw new Error(`${shown} is a different file now, so nothing was written.`);
  }
  return workspace.write(path, { expected: before, text: after });
}
