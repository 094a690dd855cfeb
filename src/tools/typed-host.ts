/** A tool host for typed tools: lists them, and plans and runs their calls. */
import type { ToolHost, ToolOutput } from "../conversation/ports.ts";
import { failedOutput, unknownToolText } from "../conversation/results.ts";
import { readSelection, selects } from "../conversation/settings/tool-selection.ts";
import { counted } from "../shared/counted.ts";
import { given } from "../shared/given.ts";
import { messageOf } from "../shared/json.ts";
import { longestTimer } from "../shared/waiting.ts";
import type { ToolCall } from "../transcript/transcript.ts";
import { executeTool } from "./execute-tool.ts";
import { changedEffect, type Planning, planTyped } from "./plan-typed.ts";
import { ToolExecutionError, ToolSchemaError } from "./tool-errors.ts";
import { parseArguments, type ToolContext, type TypedTool } from "./typed-tool.ts";

export interface TypedHostOptions {
  /** Milliseconds that a call may take without reporting progress; a function is evaluated for each call. */
  readonly timeoutMs?: number | (() => number);
  /** Receives the stacks of tools that throw. */
  readonly log?: (text: string) => void;
  /** What plans are made with; null: no plans are made. */
  readonly planning?: Planning | null;
  /** Receives what the `run` of a tool returned for a call, before it is turned into a text. */
  readonly gave?: (call: ToolCall, value: unknown) => void;
}

/** Creates a host of typed tools. Those without a `run` are not offered, since this host could not run them. */
export function createTypedToolHost(
  tools: readonly TypedTool[],
  { timeoutMs = 60_000, log = () => {}, planning = null, gave = () => {} }: TypedHostOptions = {},
): ToolHost {
  const byName = new Map<string, TypedTool>();
  for (const tool of tools) {
    if (byName.has(tool.name)) {
      throw new ToolSchemaError(tool.name, "there are two tools of this name.");
    }
    byName.set(tool.name, tool);
  }
  const closing = new AbortController();

  return {
    async list(selectionText) {
      const selection = readSelection(selectionText);
      const isMeant = ({ name }: TypedTool) =>
        selection === null || selects(selection, { name, server: null, serverTool: name });
      const meant = tools.filter(isMeant);
      return {
        tools: meant.filter(({ run }) => run !== undefined),
        notices: meant
          .filter(({ run }) => run === undefined)
          .map(({ name }) => `The tool ${name} has no run function, so it is left out.`),
      };
    },

    async subject(call) {
      const tool = byName.get(call.name);
      const args = tool === undefined ? null : await parseArguments(tool, call).catch(() => null);
      if (typeof args !== "object" || args === null) return null;
      return { arguments: { ...args }, paths: {}, changes: null };
    },

    async plan(call, world) {
      const tool = byName.get(call.name);
      return tool?.plan === undefined || planning === null
        ? null
        : planTyped(tool, call, world, planning);
    },

    async run(call, { signal, progress, effect }) {
      const tool = byName.get(call.name);
      if (tool === undefined) return failedOutput(unknownToolText(call.name, [...byName.keys()]));
      if (effect !== undefined && effect !== "" && tool.plan !== undefined && planning !== null) {
        const now = await planTyped(tool, call, { texts: new Map(), seen: new Set() }, planning);
        if (now?.hash !== effect) return failedOutput(changedEffect(tool.name));
      }
      return runGuarded(tool, call, {
        // A separate signal for each call: Node warns about more than ten listeners on one signal.
        stopped: AbortSignal.any([signal, closing.signal]),
        progress,
        effect,
        timeoutMs: typeof timeoutMs === "number" ? timeoutMs : timeoutMs(),
        log,
        gave,
      });
    },

    async close() {
      closing.abort();
    },
  };
}

interface Guard
  extends Required<Omit<TypedHostOptions, "planning" | "timeoutMs">>,
    Pick<ToolContext, "progress"> {
  readonly timeoutMs: number;
  readonly effect: string | undefined;
  readonly stopped: AbortSignal;
}

/** A tool that was stopped or is too slow is not waited for, whether it reacts to its signal or not. */
async function runGuarded(
  tool: TypedTool,
  call: ToolCall,
  { stopped, progress, effect, timeoutMs, log, gave }: Guard,
): Promise<ToolOutput> {
  if (stopped.aborted) return cancelled("Stopped before it was run.");
  const abort = new AbortController();
  let isOver = false;
  let stop: (output: ToolOutput) => void = () => {};
  const ended = new Promise<ToolOutput>((resolve) => {
    stop = (output) => {
      resolve(output);
      abort.abort();
    };
  });
  const seconds = timeoutMs / 1000;
  const timer = setTimeout(
    () => {
      const text = `The call was stopped: it took longer than ${counted(seconds, "second")}. It is not known what it did.`;
      stop({ status: "timeout", text, media: [] });
    },
    Math.min(timeoutMs, longestTimer),
  );
  const onStop = () => stop(cancelled("The call was stopped. It is not known what it did."));
  stopped.addEventListener("abort", onStop, { once: true });
  const context: ToolContext = {
    signal: abort.signal,
    ...given({ effect }),
    progress: (text) => {
      if (isOver) return;
      timer.refresh();
      progress(String(text));
    },
  };
  const running = executeTool(tool, call, context, (value) => {
    if (!isOver) gave(call, value);
  }).catch((error) => failure(error, log));
  try {
    return await Promise.race([ended, running]);
  } finally {
    isOver = true;
    clearTimeout(timer);
    stopped.removeEventListener("abort", onStop);
  }
}

function failure(error: unknown, log: (text: string) => void): ToolOutput {
  if (error instanceof ToolExecutionError) {
    const { cause } = error;
    const stack = cause instanceof Error ? cause.stack : undefined;
    log(`tool ${error.toolName}: ${stack ?? messageOf(cause ?? error)}`);
  }
  return failedOutput(messageOf(error));
}

function cancelled(text: string): ToolOutput {
  return { status: "cancelled", text, media: [] };
}
