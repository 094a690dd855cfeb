/** A proposed call as a person reads it before deciding: below its line, and in full (format, section 9). */

import { canonicalJson } from "../shared/canonical-json.ts";
import { isObject, parseJson } from "../shared/json.ts";
import { clip, visible, visibleText } from "../shared/visible.ts";
import { type ApprovalKey, approvalKeys, decisionRows } from "../transcript/decisions.ts";
import type { CallBlock } from "../transcript/transcript.ts";
import type { OpenCall } from "./decide/next-step.ts";
import { type OwnKeys, pressFor } from "./keys.ts";
import type { CallPlan, Tool } from "./ports.ts";

export interface CallView {
  /** For the lines below the call; long values and long lists are cut, with their size. */
  readonly lines: readonly string[];
  /** Whether `lines` shows less than `full`. A call that is cut is decided in the full list only. */
  readonly cut: boolean;
  readonly full: readonly string[];
}

/** In characters of one shown value or name, in arguments, and in lines of a plan. */
const limits = { value: 200, name: 60, arguments: 12, plan: 30 };

/** What is known of a call beside its text. */
export interface CallContext {
  /** What the chat offers under its name now; null when it offers none. */
  readonly tool: Tool | null;
  /** Seconds for which the tools are being listed; null or absent: they are known. */
  readonly listingFor?: number | null;
  /** What it would do; null: nobody can know, or nobody has looked yet. */
  readonly plan: CallPlan | null;
  /** A call above it may change what it would do. */
  readonly isGuess?: boolean;
  /** What will be filled in for arguments that it leaves out. */
  readonly defaults?: Readonly<Record<string, unknown>>;
  /** What of the tool is another than when it was approved last; null when nothing is. */
  readonly change?: string | null;
  /** What of the tool is another than when this call was first shown; null when nothing is. */
  readonly changeSinceShown?: string | null;
}

const guess =
  "  (as if the calls above change nothing that it needs; if they do, you are asked again)";

export function callView(block: CallBlock, context: CallContext): CallView {
  const { call } = block;
  if (call === null) {
    const line = visible(block.broken ?? "This line cannot be read as a call.");
    return { lines: [line], cut: false, full: [line] };
  }
  const { tool, isGuess = false, listingFor = null } = context;
  const [name, ...about] =
    listingFor === null
      ? headingOf(call.name, tool)
      : [visibleText(call.name), `its tools are being listed, ${listingFor} s`];
  const other = changeSinceShown(context);
  const heading = [name, ...changesOf(context), ...about, ...block.notes.map(visibleText)].join(
    " · ",
  );
  const head = clip(heading, limits.value);
  const body = bodyOf(call.arguments, context);
  const plan = shortPlan(body.plan);
  const entries = body.entries.slice(0, limits.arguments).map((entry) => shorten(entry));
  const left = body.entries.length - entries.length;
  const notes = isGuess ? [guess] : [];
  return {
    lines: [
      head.cut ? `${head.text}…` : head.text,
      ...plan.lines,
      ...entries.map(({ line }) => line),
      ...(left > 0 ? [`  … ${left} more ${left === 1 ? "argument" : "arguments"}`] : []),
      ...notes,
    ],
    cut: other !== null || head.cut || left > 0 || plan.cut || entries.some(({ cut }) => cut),
    full: [heading, ...fullBody(body), ...(other === null ? [] : descriptionNow(tool)), ...notes],
  };
}

/** While nothing is offered under the name there is nothing to compare. */
function changeSinceShown({ tool, changeSinceShown: change = null }: CallContext): string | null {
  return tool === null ? null : change;
}

function changesOf(context: CallContext): readonly string[] {
  const other = changeSinceShown(context);
  if (other !== null) return [`definition changed since this call was shown: ${other}`];
  return context.change == null ? [] : [context.change];
}

/** A second look is at what is there now. */
function descriptionNow(tool: Tool | null): readonly string[] {
  const lines = (tool?.description ?? "").split("\n");
  return ["  its description now:", ...lines.map((line) => `    ${visibleText(line)}`)];
}

interface Body {
  readonly plan: readonly string[];
  readonly entries: readonly Entry[];
}

/** What is shown of a call: what it would do, and its arguments where that does not say all of them. */
function bodyOf(text: string, { plan, defaults = {} }: CallContext): Body {
  const entries = [...argumentsOf(text), ...defaultsOf(defaults)];
  if (plan === null) return { plan: [], entries };
  if (plan.refusal !== null) {
    return { plan: [`  would be refused: ${visibleText(plan.refusal)}`], entries };
  }
  return { plan: plan.lines, entries: plan.saysAll ? [] : entries };
}

function fullBody({ plan, entries }: Body): readonly string[] {
  return [...plan, ...entries.map(({ name, value }) => `  ${name}: ${value}`)];
}

function shortPlan(all: readonly string[]): {
  readonly lines: readonly string[];
  readonly cut: boolean;
} {
  const left = all.length - limits.plan;
  const lines = all.slice(0, limits.plan).map((line) => clip(line, limits.value));
  const shown = lines.map(({ text, cut }, index) =>
    cut ? `${text}… (${all[index]?.length} characters)` : text,
  );
  const more = left > 0 ? [`  … ${left} more ${left === 1 ? "line" : "lines"}`] : [];
  return { lines: [...shown, ...more], cut: left > 0 || lines.some(({ cut }) => cut) };
}

function defaultsOf(defaults: Readonly<Record<string, unknown>>): readonly Entry[] {
  return Object.entries(defaults).map(([name, value]) => ({
    name: visibleText(name),
    value: `${shownValue(value)} (filled in)`,
  }));
}

function headingOf(name: string, tool: Tool | null): readonly string[] {
  if (tool === null) return [visibleText(name), "not offered in this chat"];
  const claims = Object.entries(tool.annotations ?? {})
    .filter(([, value]) => typeof value === "boolean")
    .map(([claim, value]) => `${visible(claim)}=${value}`);
  return [
    visibleText(name),
    originOf(tool),
    ...(claims.length > 0 ? [`it says of itself ${claims.join(", ")}`] : []),
  ];
}

/** Whose tool it is. */
function originOf({ server, file }: Tool): string {
  if (server !== null) return `server ${visibleText(server)}`;
  return file === undefined ? "built in" : `your file ${visibleText(file)}`;
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

/** What waits and what the person's keys do, in one line; empty when nothing waits. */
export function promptText(open: readonly OpenCall[], keys: OwnKeys): string {
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
      count("changed"),
      "call changed after you approved it and waits again",
      "calls changed after you approved them and wait again",
    ),
    counted(
      count("broken"),
      "line cannot be read as a call: repair it or say no on it",
      "lines cannot be read as calls: repair them or say no on each",
    ),
  ].filter((state) => state !== null);
  return `${states.join(", ")}: ${whatKeysDo(keys)}`;
}

/** The keys that there are; the commands where the person removed all of them. */
function whatKeysDo(keys: OwnKeys): string {
  const has = (key: ApprovalKey) => (keys[decisionRows[key].option]?.length ?? 0) > 0;
  const shown = approvalKeys.some(has) ? approvalKeys.filter(has) : approvalKeys;
  return shown
    .map((key) => `${pressFor(keys, decisionRows[key].option)} ${meaning(key)}`)
    .join(" · ");
}

function meaning(key: ApprovalKey): string {
  const { answer, scope, remember } = decisionRows[key];
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
  /** What it would do, and what will be filled in; null: nothing is known. */
  readonly forecast: Omit<CallContext, "tool"> | null;
}

/** Lines without control characters and the like; foreign text stands indented below its name. */
export function callDetails(block: CallBlock, facts: CallFacts): readonly string[] {
  const { tool, launch, forecast } = facts;
  const context = { plan: null, ...forecast, tool };
  if (block.call === null) return callView(block, context).full;
  const body = bodyOf(block.call.arguments, context);
  return [
    ...(tool === null ? notOffered(block.call.name) : toolLines(tool, launch)),
    ...(body.plan.length === 0 ? [] : ["", "what it would do:", ...body.plan]),
    ...(forecast?.isGuess ? [guess] : []),
    ...(body.entries.length === 0
      ? []
      : ["", "arguments:", ...fullBody({ plan: [], entries: body.entries })]),
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
    server === null ? `from: ${originOf(tool)}` : `server: ${visibleText(server)}`,
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
