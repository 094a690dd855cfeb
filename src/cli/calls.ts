/** `parley calls`: finds the calls in a text with the detectors of the text protocols. */
import { readFile } from "node:fs/promises";
import { reasonOf } from "../app/files/reason-of.ts";
import type { DetectorEvent, KnownTool } from "../providers/text-tools/detection.ts";
import { createDetector } from "../providers/text-tools/detector.ts";
import { isObject, parseJson } from "../shared/json.ts";
import type { Command } from "./arguments.ts";
import { exitCodes } from "./end.ts";
import { jsonForTerminal, print } from "./terminal.ts";

/** Prints what a detector finds in the text on standard input, one JSON event per line. */
export async function calls(command: Extract<Command, { name: "calls" }>): Promise<number> {
  const detector = createDetector({
    protocols: command.protocols,
    tools: command.tools === null ? [] : await readTools(command.tools),
    asked: command.protocols,
  });
  // Decodes characters that are split between two chunks.
  process.stdin.setEncoding("utf8");
  for await (const chunk of process.stdin) printEvents(detector.push(String(chunk)));
  printEvents(detector.end(command.finish));
  return exitCodes.finished;
}

function printEvents(events: readonly DetectorEvent[]): void {
  for (const event of events) print(`${jsonForTerminal(event, 0)}\n`);
}

async function readTools(file: string): Promise<KnownTool[]> {
  const value = parseJson(await readTextFile(file));
  if (Array.isArray(value) && value.every(isTool)) return value;
  throw new Error(
    `${file} must hold a list of tools as JSON, each with a "name" and an "inputSchema", so nothing was read. Fix the file, or leave out --tools: then every name counts as a tool.`,
  );
}

async function readTextFile(file: string): Promise<string> {
  try {
    return await readFile(file, "utf8");
  } catch (error) {
    const reason = reasonOf(error);
    throw new Error(`The tools in ${file} cannot be read: ${reason}.`);
  }
}

function isTool(value: unknown): value is KnownTool {
  if (!isObject(value) || typeof value.name !== "string") return false;
  return value.inputSchema === undefined || typeof value.inputSchema === "object";
}
