/** Computes the plan of a typed tool, in the form in which it is shown and compared. */
import type { CallPlan, PlannedWorld } from "../conversation/ports.ts";
import { canonicalJson, sha256 } from "../shared/hash.ts";
import { messageOf } from "../shared/json.ts";
import { shownLines } from "../shared/visible.ts";
import type { ToolCall } from "../transcript/transcript.ts";
import { parseArguments, type TypedTool } from "./typed-tool.ts";

/** How texts are read and their changes drawn; rooms after this one implement both. */
export interface Planning {
  /** The text of the file at an absolute path; null: there is no such file. */
  read(path: string): Promise<string | null>;
  /** Draws the change of a text, in lines without control characters. */
  draw(path: string, before: string | null, after: string): Promise<readonly string[]>;
}

/** For the model: the call would no longer do what was shown. */
export function changedEffect(name: string): string {
  return `What ${name} would do changed since it was shown, so nothing was done.`;
}

/** For a call that would be refused; equal only for the same reason. */
export function failedPlan(refusal: string, changes: boolean): CallPlan {
  return { lines: [], saysAll: false, hash: sha256(`refused ${refusal}`), refusal, changes };
}

/** Null for a tool without a plan. What the plan writes is added to `world`. */
export async function planTyped(
  tool: TypedTool,
  call: ToolCall,
  world: PlannedWorld,
  { read, draw }: Planning,
): Promise<CallPlan | null> {
  if (tool.plan === undefined) return null;
  const readPlanned = async (path: string) => world.texts.get(path) ?? read(path);
  try {
    const args = await parseArguments(tool, call);
    const { lines = [], writes = [] } = await tool.plan(args, { read: readPlanned });
    const shown = lines.flatMap((line) => shownLines(String(line))).map((line) => `  ${line}`);
    const effects: unknown[] = [];
    for (const { path, text } of writes) {
      const before = await readPlanned(path);
      shown.push(...(await draw(path, before, text)));
      effects.push([path, before === null ? null : sha256(before), text]);
      world.texts.set(path, text);
    }
    const hash = sha256(canonicalJson([tool.name, args, shown, effects]));
    return { lines: shown, saysAll: false, hash, refusal: null, changes: true };
  } catch (error) {
    const refusal = messageOf(error);
    return failedPlan(refusal, true);
  }
}
