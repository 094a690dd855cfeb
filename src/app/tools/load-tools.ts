/** Loads one tool file; imported only when there is one, since the libraries for making tools take time to load. */

import { Console } from "node:console";
import { readFile } from "node:fs/promises";
import { pathToFileURL } from "node:url";
import * as z from "zod";
import { messageOf } from "../../shared/json.ts";
import { within } from "../../shared/waiting.ts";
import { withoutEnd } from "../../shared/without-end.ts";
import { outputOfCommand } from "../../system/commands.ts";
import { defineTool } from "../../tools/define-tool.ts";
import { fromJSONSchema } from "../../tools/from-json-schema.ts";
import type { TypedTool } from "../../tools/typed-tool.ts";

// stdout belongs to Neovim or to the output of a command, so what a tool file prints goes to stderr.
globalThis.console = new Console(process.stderr, process.stderr);

/** The argument of a tool file's function: a bare import would not resolve from the file's folder. */
const given = { defineTool, fromJSONSchema, z };

export interface LoadedTools {
  readonly tools: readonly TypedTool[];
  /** A sentence with the file and, where known, the line; null when the file could be used. */
  readonly problem: string | null;
}

const loadTimeoutMs = 10_000;

/** Never rejects. `version` must differ for each text of the file, or the module cache returns the first one. */
export async function loadTools(path: string, version: string): Promise<LoadedTools> {
  const url = `${pathToFileURL(path).href}?v=${encodeURIComponent(version)}`;
  try {
    const tools = await within(callModule(url), loadTimeoutMs);
    if (tools !== null) return { tools, problem: null };
    const seconds = loadTimeoutMs / 1000;
    return unusable(path, null, `it was not loaded within ${seconds} seconds`);
  } catch (error) {
    return unusable(path, await lineOf(error, path), importFailure(error));
  }
}

async function callModule(url: string): Promise<readonly TypedTool[]> {
  const module: unknown = await import(/* @vite-ignore */ url);
  const make =
    typeof module === "object" && module !== null && "default" in module ? module.default : null;
  if (typeof make !== "function") {
    throw new TypeError(
      "its default export is not a function; write export default ({ defineTool, z }) => [ … ]",
    );
  }
  const tools: unknown = await make(given);
  if (!Array.isArray(tools)) throw new TypeError("its function does not return a list of tools");
  return tools.map(checkTool);
}

function checkTool(tool: unknown, index: number): TypedTool {
  if (isTool(tool)) return tool;
  throw new TypeError(
    `number ${index + 1} of its list is not a tool; make it with defineTool or fromJSONSchema`,
  );
}

function isTool(value: unknown): value is TypedTool {
  const isNamed = typeof value === "object" && value !== null && "name" in value;
  return isNamed && "inputSchema" in value && "parse" in value && typeof value.parse === "function";
}

function unusable(path: string, line: number | null, reason: string): LoadedTools {
  const place = line === null ? path : `${path}:${line}`;
  const problem = `${place}: ${withoutEnd(reason, ". \n")}. The tools of this file are left out; they come back when you fix and save it.`;
  return { tools: [], problem };
}

const missingPackage = /^Cannot find package '([^']+)'/;

function importFailure(error: unknown): string {
  const [first = ""] = messageOf(error).split("\n");
  if (!missingPackage.test(first)) return first;
  return `${first}. Packages are found only in a node_modules folder beside or above the file; z is given to its function`;
}

/** The line of a mistake, from the stack, the file's syntax, or the import that was not found. */
async function lineOf(error: unknown, path: string): Promise<number | null> {
  const stack = error instanceof Error ? (error.stack ?? "") : "";
  const inStack = lineInStack(stack, [pathToFileURL(path).href, path]);
  if (inStack !== null) return inStack;
  if (error instanceof SyntaxError) return syntaxLine(path);
  const [, name] = missingPackage.exec(messageOf(error)) ?? [];
  return name === undefined ? null : lineNaming(path, name);
}

/** The line of the first stack frame in the file, which is named by its URL or its path. */
function lineInStack(stack: string, names: readonly string[]): number | null {
  for (const frame of stack.split("\n")) {
    for (const name of names) {
      const at = frame.indexOf(name);
      const [, line] = (at >= 0 && /^(?:\?[^:]*)?:(\d+)/.exec(frame.slice(at + name.length))) || [];
      if (line !== undefined) return Number(line);
    }
  }
  return null;
}

/** V8 does not expose the line of a module's syntax error, but `node --check` prints it. */
async function syntaxLine(path: string): Promise<number | null> {
  const { stderr } = await outputOfCommand(process.execPath, ["--check", path], {
    timeoutMs: 5000,
  });
  const [, line] = /^.*:(\d+)$/m.exec(stderr) ?? [];
  return line === undefined ? null : Number(line);
}

async function lineNaming(path: string, name: string): Promise<number | null> {
  const text = await readFile(path, "utf8").catch(() => "");
  const index = text
    .split("\n")
    .findIndex((line) => line.includes(`"${name}`) || line.includes(`'${name}`));
  return index < 0 ? null : index + 1;
}
