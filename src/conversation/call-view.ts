/** A proposed call as a person reads it before deciding: below its line, and in full (format, section 9). */

import { canonicalJson } from "../shared/canonical-json.ts";
import { isObject, parseJson } from "../shared/json.ts";
import { clip, visible, visibleText } from "../shared/visible.ts";
import type { CallBlock } from "../transcript/transcript.ts";
import { type ApprovalKey, keyRules } from "./decide/decisions.ts";
import type { OpenCall } from "./decide/next-step.ts";
import type { Tool } from "./ports.ts";

export interface CallView {
  /** For the lines below the call; long values and long lists are cut, with their size. */
  readonly lines: readonly string[];
  /** Whether `lines` shows less than `full`. A call that is cut is decided in the full list only. */
  readonly cut: boolean;
  readonly full: readonly string[];
}

/** In characters of one shown value or name, in arguments, and in lines of a preview. */
const limits = { value: 200, name: 60, arguments: 12, preview: 30 };

/**
 * `tool`: what the chat offers under the call's name now; null when it offers none. `preview`: what the call would do,
 * line by line, which says more than its arguments; null when there is none. `change`: what of the tool is another than
 * when it was approved last; null when nothing is.
 */
export function callView(
  block: CallBlock,
  tool: Tool | null,
  preview: readonly string[] | null = null,
  change: string | null = null,
): CallView {
  const { call } = block;
  if (call === null) {
    const line = visible(block.broken ?? "This line cannot be read as a call.");
    return { lines: [line], cut: false, full: [line] };
  }
  const [name, ...about] = headingOf(call.name, tool);
  const changed = change === null ? [] : [change];
  const heading = [name, ...changed, ...about, ...block.notes.map(visibleText)].join(" · ");
  const entries = argumentsOf(call.arguments);
  const shown = entries.slice(0, limits.arguments).map((entry) => shorten(entry));
  const left = entries.length - shown.length;
  const head = clip(heading, limits.value);
  const inFull = entries.map(({ name, value }) => `  ${name}: ${value}`);
  if (preview !== null) return previewView(heading, preview, inFull);
  return {
    lines: [
      head.cut ? `${head.text}…` : head.text,
      ...shown.map(({ line }) => line),
      ...(left > 0 ? [`  … ${left} more ${left === 1 ? "argument" : "arguments"}`] : []),
    ],
    cut: head.cut || left > 0 || shown.some(({ cut }) => cut),
    full: [heading, ...inFull],
  };
}

function previewView(
  heading: string,
  preview: readonly string[],
  inFull: readonly string[],
): CallView {
  const left = preview.length - limits.preview;
  const lines = preview.slice(0, limits.preview).map((line) => clip(line, limits.value));
  const shown = lines.map(({ text, cut }, index) =>
    cut ? `${text}… (${preview[index]?.length} characters)` : text,
  );
  const more = left > 0 ? [`  … ${left} more ${left === 1 ? "line" : "lines"}`] : [];
  return {
    lines: [heading, ...shown, ...more],
    cut: left > 0 || lines.some(({ cut }) => cut),
    full: [heading, ...preview, ...inFull],
  };
}

function headingOf(name: string, tool: Tool | null): readonly string[] {
  if (tool === null) return [visibleText(name), "not offered in this chat"];
  const claims = Object.entries(tool.annotations ?? {})
    .filter(([, value]) => typeof value === "boolean")
    .map(([claim, value]) => `${visible(claim)}=${value}`);
  return [
    visibleText(name),
    tool.server === null ? "built in" : `server ${visibleText(tool.server)}`,
    ...(claims.length > 0 ? [`it says of itself ${claims.join(", ")}`] : []),
  ];
}

/** One argument, in the form it is shown in. */
interface Entry {
  readonly name: string;
  readonly value: string;
}

function argumentsOf(text: string): readonly Entry[] {
  const value = parseJson(text);
  if (!isObject(value)) {
    return [{ name: "arguments, not a JSON object", value: visibleText(text) }];
  }
  const entries = Object.entries(value);
  if (entries.length === 0) return [{ name: "arguments", value: "none" }];
  return entries.map(([name, item]) => ({ name: visibleText(name), value: shownValue(item) }));
}

/** Texts stand as they are, in quotes only where they would read as another value or as nothing. */
function shownValue(value: unknown): string {
  if (typeof value !== "string") return visible(canonicalJson(value));
  const isPlain = value.trim() === value && value !== "" && parseJson(value) === undefined;
  return isPlain ? visibleText(value) : visible(JSON.stringify(value));
}

function shorten({ name, value }: Entry): { readonly line: string; readonly cut: boolean } {
  const shortName = clip(name, limits.name);
  const shortValue = clip(value, limits.value);
  const size = shortValue.cut ? `… (${value.length} characters)` : "";
  return {
    line: `  ${shortName.text}${shortName.cut ? "…" : ""}: ${shortValue.text}${size}`,
    cut: shortName.cut || shortValue.cut,
  };
}

/** The keys as they are typed, where they are not those of the records. */
export type KeyNames = Readonly<Partial<Record<ApprovalKey, string>>>;

/** What waits and what the keys do, in one line; empty when nothing waits. */
export function promptText(open: readonly OpenCall[], keys: KeyNames = {}): string {
  if (open.length === 0) return "";
  const count = (reason: OpenCall["reason"]) =>
    open.filter((call) => call.reason === reason).length;
  const states = [
    counted(count("undecided"), "call waits", "calls wait"),
    counted(
      count("interrupted"),
      "call was interrupted and may have run or not",
      "calls were interrupted and may have run or not",
    ),
    counted(
      count("broken"),
      "line cannot be read as a call: repair it or say no on it",
      "lines cannot be read as calls: repair them or say no on each",
    ),
  ].filter((state) => state !== null);
  return `${states.join(", ")}: ${promptKeys.map((key) => `${keys[key] ?? key} ${meaning(key)}`).join(" · ")}`;
}

const promptKeys: readonly ApprovalKey[] = ["ya", "yA", "yo", "yO", "yn", "yN"];

function meaning(key: ApprovalKey): string {
  const { answer, scope, remember } = keyRules[key];
  return `${answer} to ${scope === "all" ? "all" : "this one"}${remember ? ", always" : ""}`;
}

function counted(count: number, one: string, many: string): string | null {
  return count === 0 ? null : `${count} ${count === 1 ? one : many}`;
}

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
