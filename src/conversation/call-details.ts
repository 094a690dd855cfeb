/** Everything that is known of a proposed call, for the person who decides about it (format, section 9). */
import type { CallBlock } from "../transcript/types.ts";
import { callView } from "./call-view.ts";
import type { Tool } from "./types.ts";
import { visible, visibleText } from "./visible.ts";

export interface CallFacts {
  /** What the chat offers under the call's name now; null when it offers none. */
  readonly tool: Tool | null;
  /** How the tool's server is reached, line by line, without secrets. */
  readonly launch: readonly string[];
  /** What the person's rules say of the call, as a sentence. */
  readonly rule: string;
  /** Whether the tool is remembered, and whether it is as it was approved last, as sentences. */
  readonly history: readonly string[];
  /** What the call would do, line by line; null when its arguments say all. */
  readonly preview: readonly string[] | null;
}

/** Lines without control characters and the like; foreign text stands indented below its name. */
export function callDetails(block: CallBlock, facts: CallFacts): readonly string[] {
  const { tool, launch, preview } = facts;
  if (block.call === null) return callView(block, tool).full;
  const [, ...inFull] = callView(block, tool).full;
  return [
    ...(tool === null ? notOffered(block.call.name) : toolLines(tool, launch)),
    "",
    "arguments:",
    ...inFull,
    ...(preview === null ? [] : ["", "what it would do:", ...preview]),
    "",
    `rules: ${visibleText(facts.rule)}`,
    ...facts.history.map((sentence) => `history: ${visibleText(sentence)}`),
    ...block.notes.map((note) => `note: ${visibleText(note)}`),
  ];
}

function notOffered(name: string): readonly string[] {
  return [`tool: ${visibleText(name)}, not offered in this chat`];
}

function toolLines(tool: Tool, launch: readonly string[]): readonly string[] {
  const { name, serverTool, title, server, description } = tool;
  const own = serverTool === undefined || serverTool === name ? "" : ` (${visibleText(name)})`;
  return [
    `tool: ${visibleText(serverTool ?? name)}${own}`,
    ...(title === undefined ? [] : [`title: ${visibleText(title)}`]),
    server === null ? "server: none, it is built in or your own" : `server: ${visibleText(server)}`,
    ...launch.map((line) => `  ${line}`),
    "",
    server === null ? "description:" : "description, in the server's words:",
    ...description.split("\n").map((line) => `  ${visibleText(line)}`),
    ...(server === null ? [] : claimLines(tool)),
  ];
}

/** The hints of the protocol, with what holds when a server says nothing. */
const hints = [
  ["readOnlyHint", "read-only", "no"],
  ["destructiveHint", "destructive", "yes"],
  ["idempotentHint", "idempotent", "no"],
  ["openWorldHint", "reaches other systems", "yes"],
] as const;

function claimLines({ annotations = {} }: Tool): readonly string[] {
  const claims = hints.map(([hint, words, otherwise]) => {
    const value = annotations[hint];
    if (typeof value === "boolean") return `  ${words}: ${value ? "yes" : "no"}`;
    return `  ${words}: not said, which means ${otherwise}`;
  });
  const known = new Set<string>(hints.map(([hint]) => hint));
  const others = Object.entries(annotations)
    .filter(([name, value]) => !known.has(name) && typeof value === "boolean")
    .map(([name, value]) => `  ${visible(name)}: ${value}`);
  return ["", "what the server claims, which nobody checked:", ...claims, ...others];
}
