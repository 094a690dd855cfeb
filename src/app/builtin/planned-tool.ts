/** A built-in tool that computes its effect before approval, and then does exactly that effect or nothing. */
import type { CallPlan, CallSubject, PlannedWorld } from "../../conversation/ports.ts";
import { canonicalJson, sha256 } from "../../shared/hash.ts";
import { messageOf } from "../../shared/json.ts";
import { visibleText } from "../../shared/visible.ts";
import { changedEffect, failedPlan } from "../../tools/plan-typed.ts";
import { parseArguments, type ToolContext, type TypedTool } from "../../tools/typed-tool.ts";
import type { ToolCall } from "../../transcript/transcript.ts";
import { changeLines } from "./change-lines.ts";
import { type BuiltinContext, plannedContext, type TextChange } from "./surroundings.ts";

export interface PlannedTool {
  readonly tool: TypedTool;
  subject(call: ToolCall): Promise<CallSubject | null>;
  plan(call: ToolCall, world: PlannedWorld): Promise<CallPlan>;
}

interface Behaviour<Args> {
  /** For the question about what lies outside of the working folder: "read", "change". */
  readonly verb: string;
  /** Null for a tool that changes nothing. Rejects with a sentence for the model when the change is refused. */
  change: ((args: Args, path: string, context: BuiltinContext) => Promise<TextChange>) | null;
  /** Records what the model knows of the file afterwards; only for tools that change nothing. */
  learns: ((path: string, context: BuiltinContext) => Promise<void>) | null;
  perform(args: Args, found: Found, context: ToolContext): Promise<string>;
}

export interface Found {
  /** The real path; null where the call names none. */
  readonly path: string | null;
  /** The planned change; null for a tool that changes nothing. */
  readonly change: TextChange | null;
}

type Undone<Args> = Omit<TypedTool<Args>, "run">;

/** The hash of everything that the call does: the file, the old text and the new one. */
function effectHash(name: string, args: object, { path, change }: Found): string {
  const texts =
    change === null ? null : [change.before === null ? null : sha256(change.before), change.after];
  return sha256(canonicalJson([name, path, change === null ? args : null, texts]));
}

export function plannedTool<Args extends { readonly path?: string | undefined }>(
  context: BuiltinContext,
  tool: Undone<Args>,
  { verb, change, learns, perform }: Behaviour<Args>,
): PlannedTool {
  const { access } = context;
  const changes = change !== null;
  const find = async (args: Args, path: string | null, here: BuiltinContext): Promise<Found> => {
    if (path !== null && args.path !== undefined) refuseDenied(here, args.path, path);
    const done = path !== null && change !== null ? await change(args, path, here) : null;
    return { path, change: done };
  };
  // Two calls may change the same file, so each one starts from what the one before it left.
  let last: Promise<unknown> = Promise.resolve();
  const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
    if (!changes) return work();
    const done = last.then(work);
    last = done.catch(() => "told by the call itself");
    return done;
  };
  const run = async (args: Args, toolContext: ToolContext) => {
    const { progress: waiting, effect } = toolContext;
    const purpose = { verb, writes: changes, waiting };
    const path = args.path === undefined ? null : await access.enter(args.path, purpose);
    return inTurn(async () => {
      const found = await find(args, path, context);
      if (effect !== undefined && effect !== "" && effect !== effectHash(tool.name, args, found)) {
        throw new Error(changedEffect(tool.name));
      }
      return perform(args, found, toolContext);
    });
  };
  return {
    tool: {
      ...tool,
      run: async (args, how) => run(await tool.parse(args), how),
    },
    async subject(call) {
      const args = await parseArguments(tool, call).catch(() => null);
      if (args === null) return null;
      const path = args.path === undefined ? null : await access.callPath(args.path);
      return {
        arguments: { ...args },
        paths: path === null ? {} : { path },
        changes: changes ? (path?.real ?? null) : null,
      };
    },
    async plan(call, world) {
      const here = plannedContext(context, world);
      try {
        const args = await parseArguments(tool, call);
        const path = args.path === undefined ? null : await access.find(args.path);
        const found = await find(args, path, here);
        if (path !== null) await learns?.(path, here);
        const { change: done } = found;
        const lines =
          done === null
            ? leadingElsewhere(context, verb, args.path ?? null, path)
            : await changeLines(done, access.shown(done.path));
        if (done !== null) {
          world.texts.set(done.path, done.after);
          world.seen.add(done.path);
        }
        const hash = effectHash(tool.name, args, found);
        return { lines, saysAll: done !== null, hash, refusal: null, changes };
      } catch (error) {
        return failedPlan(messageOf(error), changes);
      }
    },
  };
}

/** Refuses a path that a rule keeps from the built-in reading tools, for every built-in tool, whatever its name. */
function refuseDenied({ access, readDenial }: BuiltinContext, written: string, real: string): void {
  const rule = readDenial({ written, absolute: access.absolute(written), real });
  if (rule === null) return;
  throw new Error(
    `A rule in the user's configuration forbids reading ${access.shown(real)} (${rule}), so nothing was done.`,
  );
}

/** Names the real path when the written path leads elsewhere. */
function leadingElsewhere(
  { access }: BuiltinContext,
  verb: string,
  written: string | null,
  real: string | null,
): readonly string[] {
  if (written === null || real === null || access.absolute(written) === real) return [];
  return [`  ${verb}s ${visibleText(access.shown(real))}`];
}
