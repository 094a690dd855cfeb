/** Work on what a server sent, with an end: a pattern or a schema of it may take years. */
import { type Context, createContext, Script } from "node:vm";

/** The work took longer than it may. */
export class OvertimeError extends Error {}

let box: { readonly context: Context; readonly script: Script } | null = null;

/**
 * What `work` gives, or an `OvertimeError` after so many milliseconds. It runs here and now, and V8 ends it, a regular
 * expression that goes back and forth included; what it changed until then stays changed.
 */
export function withinTime<T>(milliseconds: number, work: () => T): T {
  box ??= { context: createContext({}), script: new Script("work()") };
  const { context, script } = box;
  const before: unknown = context.work;
  const result: { value?: T } = {};
  context.work = () => {
    result.value = work();
  };
  try {
    script.runInContext(context, { timeout: milliseconds });
  } catch (error) {
    if (isTimeout(error)) throw new OvertimeError(`It took longer than ${milliseconds} ms.`);
    throw error;
  } finally {
    context.work = before;
  }
  return result.value as T;
}

/** Thrown by the other context, so it is no `Error` of this one. */
function isTimeout(error: unknown): boolean {
  return (
    typeof error === "object" &&
    error !== null &&
    "code" in error &&
    error.code === "ERR_SCRIPT_EXECUTION_TIMEOUT"
  );
}
