/** Runs a command that the user approved: a list of words, without a shell, standard input, a terminal or API keys. */

import { randomUUID } from "node:crypto";
import { resolve } from "node:path";
import * as z from "zod";
import { canonicalJson, sha256 } from "../../shared/hash.ts";
import { messageOf } from "../../shared/json.ts";
import { clip } from "../../shared/visible.ts";
import { startCommand } from "../../system/commands.ts";
import { expandHome } from "../../system/paths.ts";
import { endGroup, killGroup, markVariable, watchGroup } from "../../system/process-group.ts";
import { ownGroup } from "../../system/process-tree.ts";
import { sandboxWords } from "../../system/sandbox.ts";
import { homeFolder } from "../../system/standard-folders.ts";
import { withAbsolutePath, withoutVariables, withVariables } from "../../system/variables.ts";
import { defineTool } from "../../tools/define-tool.ts";
import { changedEffect, failedPlan } from "../../tools/plan-typed.ts";
import { parseArguments, type ToolContext } from "../../tools/typed-tool.ts";
import type { PlannedTool } from "./planned-tool.ts";
import type { BuiltinContext, CommandOptions } from "./surroundings.ts";

const input = z.object({
  command: z
    .array(z.string())
    .min(1)
    .describe(
      'The program and its arguments, one word each: ["npm", "test"]. No shell reads them.',
    ),
  folder: z.string().min(1).default(".").describe("The folder to run in."),
});

type Command = z.infer<typeof input>;

/** Milliseconds between two progress reports. */
const signMs = 500;

export function runCommandTool(context: BuiltinContext): PlannedTool {
  const { access, command: options } = context;
  const tool = defineTool({
    name: "run_command",
    description:
      'Runs a command and gives its output. No shell reads it: where pipes or patterns are needed, run ["sh", "-c", "…"]. It has no input and no terminal, and is ended after a while.',
    input,
  });
  const sandboxOf = () => {
    const { sandbox } = options();
    // The folders that a sandbox lets it write to may be relative to the working folder.
    return (
      sandbox && {
        write: sandbox.write ?? [],
        net: sandbox.net === true,
        from: context.workingFolder(),
      }
    );
  };
  const hashOf = ({ command }: Command, folder: string) =>
    sha256(canonicalJson([command, folder, sandboxOf()]));
  return {
    tool: {
      ...tool,
      async run(args, how) {
        const parsed = await tool.parse(args);
        const folder = await access.enter(parsed.folder, {
          verb: "run a command in",
          writes: false,
          waiting: how.progress,
        });
        const { effect = "" } = how;
        // What a command will do is unknown, but not where: `.` is another folder once the working folder changes.
        if (effect !== "" && effect !== hashOf(parsed, folder)) {
          throw new Error(changedEffect(tool.name));
        }
        return run(parsed, folder, context, options(), how);
      },
    },
    async plan(call) {
      try {
        const args = await parseArguments(tool, call);
        const hash = hashOf(args, await access.find(args.folder));
        return { lines: [], saysAll: false, hash, refusal: null, changes: false };
      } catch (error) {
        return failedPlan(messageOf(error), false);
      }
    },
    async subject(call) {
      const args = await parseArguments(tool, call).catch(() => null);
      if (args === null) return null;
      const folder = await access.callPath(args.folder);
      const command = commandLine(args.command);
      return { arguments: { ...args, command }, paths: { folder }, changes: null, command };
    },
  };
}

/** One line that no other list of words produces; patterns of rules are compared with it. */
export function commandLine(words: readonly string[]): string {
  return words
    .map((word) => (/^[\w@%+=:,./-]+$/.test(word) ? word : JSON.stringify(word)))
    .join(" ");
}

async function run(
  { command }: Command,
  folder: string,
  { workingFolder }: Pick<BuiltinContext, "workingFolder">,
  options: CommandOptions,
  how: ToolContext,
): Promise<string> {
  const { signal } = how;
  const environment = environmentOf(options);
  const before = workingFolder();
  const place = (text: string) => resolve(before, expandHome(text, homeFolder()));
  const places = {
    folder,
    path: environment.PATH ?? "",
    resolve: place,
    environment: options.environment,
  };
  const { sandbox } = options;
  const words = sandbox === null ? command : [...(await sandboxWords(sandbox, places)), ...command];
  signal.throwIfAborted();
  const output = keepEnds();
  const { end, seconds } = await follow(words, { folder, environment }, options, how, output);
  const text = output.text();
  const shown = text === "" ? "(It printed nothing.)" : text;
  if (end === null) return shown;
  throw new Error(`${end} after ${seconds} s.\n\n${shown}`);
}

/** How the command ended; null: successfully. Rejects when it cannot be started. */
async function follow(
  [program = "", ...args]: readonly string[],
  {
    folder,
    environment,
  }: { readonly folder: string; readonly environment: Record<string, string> },
  { timeoutMs }: CommandOptions,
  { signal, progress }: ToolContext,
  output: KeptEnds,
): Promise<{ readonly end: string | null; readonly seconds: number }> {
  const mark = randomUUID();
  const started = Date.now();
  const env = { ...environment, [markVariable]: mark };
  const child = startCommand(program, args, { ...ownGroup, cwd: folder, env });
  watchGroup(child, mark);
  let why: string | null = null;
  const stop = (reason: string) => {
    why ??= reason;
    // If the command cannot be ended, that shows: it keeps running.
    endGroup(child, "quick").catch(() => killGroup(child));
  };
  const onAbort = () => stop("It was stopped");
  signal.addEventListener("abort", onAbort, { once: true });
  const limit = setTimeout(() => stop("It took too long and was stopped"), timeoutMs);
  const sign = setInterval(() => progress(output.lastLine()), signMs);
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (text: string) => output.push(text));
  }
  child.stdin.on("error", () => {});
  child.stdin.end();
  try {
    const end = await new Promise<string | null>((resolve, reject) => {
      child.on("error", (error: NodeJS.ErrnoException) => {
        const isMissing = error.code === "ENOENT";
        reject(isMissing ? new Error(`There is no program ${JSON.stringify(program)}.`) : error);
      });
      // Processes that it left behind may hold its output open for ever.
      child.on("exit", () => killGroup(child));
      child.on("close", (code, by) => {
        if (why !== null) resolve(why);
        else if (code === 0) resolve(null);
        else resolve(code === null ? `It was killed by ${by}` : `It exited with code ${code}`);
      });
    });
    return { end, seconds: Math.round((Date.now() - started) / 100) / 10 };
  } finally {
    signal.removeEventListener("abort", onAbort);
    clearTimeout(limit);
    clearInterval(sign);
  }
}

/**
 * The user's environment, without the API keys of vendors, without the address of this Neovim, and without relative
 * folders in PATH: with those, a program approved by its name would be whichever lies in the folder that it runs in.
 */
function environmentOf({ environment, withheldVariables }: CommandOptions): Record<string, string> {
  const left = [...withheldVariables, "NVIM", "NVIM_LISTEN_ADDRESS"];
  const plain = { TERM: "dumb", NO_COLOR: "1", PAGER: "cat", GIT_PAGER: "cat" };
  const kept = withAbsolutePath(withoutVariables(environment, left));
  return withVariables(kept, { ...plain, GIT_TERMINAL_PROMPT: "0" });
}

interface KeptEnds {
  push(text: string): void;
  /** All of the output, or both ends with a line that says how much is missing. */
  text(): string;
  /** The last line that is not blank, cut. */
  lastLine(): string;
}

/** Characters kept of each end. */
const endLimit = 50_000;
const lineLimit = 120;

export function keepEnds(limit = endLimit): KeptEnds {
  let head = "";
  let tail = "";
  let dropped = 0;
  return {
    push(text) {
      const room = limit - head.length;
      head += text.slice(0, room);
      tail += text.slice(Math.max(0, room));
      // Cut only now and then, so that many small pieces cost no more than a few large ones.
      if (tail.length > 2 * limit) {
        dropped += tail.length - limit;
        tail = tail.slice(-limit);
      }
    },
    text() {
      const left = dropped + Math.max(0, tail.length - limit);
      if (left === 0) return head + tail;
      return `${head}\n[… ${left} characters left out …]\n${tail.slice(-limit)}`;
    },
    lastLine() {
      const end = (tail === "" ? head : tail).slice(-4 * lineLimit).trimEnd();
      return clip(end.slice(end.lastIndexOf("\n") + 1), lineLimit).text;
    },
  };
}
