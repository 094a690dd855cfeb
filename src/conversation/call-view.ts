/** A proposed call as the user reads it before deciding: as one row, as lines, and in full (format, section 9). */

import { counted } from "../shared/counted.ts";
import { canonicalJson } from "../shared/hash.ts";
import { isObject, parseJson } from "../shared/json.ts";
import { clip, ellipsize, visible, visibleText } from "../shared/visible.ts";
import type { CallBlock, ResultBlock } from "../transcript/transcript.ts";
import type { CallPlan, Tool } from "./ports.ts";

export interface CallView {
  /** The tool's name, its arguments as far as they fit, and what is known of the call. */
  readonly row: string;
  /** True when the row shows every argument and there is nothing else to see before a decision. */
  readonly whole: boolean;
  /** Shown below the row when the row does not show everything; long values and lists are cut, with their size. */
  readonly lines: readonly string[];
  /** Whether row and `lines` show less than `full`. A call that is cut can only be decided in the full list. */
  readonly cut: boolean;
  readonly full: readonly string[];
}

/** Limits in characters for one shown value, one name and a row; in arguments; and in lines of a plan. */
const limits = { value: 200, name: 60, row: 200, arguments: 9, plan: 9 };

/** What is known of a call besides its text. */
export interface CallContext {
  /** The tool that the chat now offers under the call's name; null when it offers none. */
  readonly tool: Tool | null;
  /** What the call waits for before its tool is known or can run, such as the start of a server; null: nothing. */
  readonly waits?: string | null;
  /** Why the call waits although it was approved; null: it was not approved. */
  readonly reopened?: string | null;
  /** Why the call waits although its tool was remembered; null: it was not remembered. */
  readonly askedAgain?: string | null;
  /** What the call would do; null: this cannot be known, or has not been looked at yet. */
  readonly plan: CallPlan | null;
  /** True when a call above it may change what it would do. */
  readonly isGuess?: boolean;
  /** The values that will be filled in for arguments that the call leaves out. */
  readonly defaults?: Readonly<Record<string, unknown>>;
  /** What changed in the tool since it was last approved; null when nothing did. */
  readonly change?: string | null;
  /** What changed in the tool since this call was first shown; null when nothing did. */
  readonly changeSinceShown?: string | null;
}

const guess =
  "  (assuming the calls above change nothing it needs; if they do, you are asked again)";

export function callView(block: CallBlock, context: CallContext): CallView {
  const { call } = block;
  if (call === null) {
    const line = visible(block.broken ?? "This line cannot be read as a call.");
    return { row: line, whole: true, lines: [], cut: false, full: [line] };
  }
  const { tool, isGuess = false, waits = null } = context;
  const [name = "", ...about] = headingOf(call.name, tool, waits);
  const other = changeSinceShown(context);
  const again = [context.reopened, context.askedAgain].filter((remark) => remark != null);
  const remarks = [...changesOf(context), ...again, ...about, ...block.notes.map(visibleText)];
  const body = bodyOf(call.arguments, context);
  const called = calledWith(body, tool);
  const row = [called === "" ? name : `${name} ${called}`, ...remarks].join(" · ");
  const plan = shortPlan(body.plan);
  const entries = body.entries.slice(0, limits.arguments).map((entry) => shorten(entry));
  const left = body.entries.length - entries.length;
  const notes = isGuess ? [guess] : [];
  const shown = ellipsize(row, limits.row);
  const lines = [
    ...plan.lines,
    ...entries.map(({ line }) => line),
    ...(left > 0 ? [`  … ${counted(left, "more argument")}`] : []),
    ...notes,
  ];
  return {
    row: shown,
    whole: body.plan.length === 0 && notes.length === 0 && shown === row,
    lines,
    cut:
      other !== null ||
      clip([name, ...remarks].join(" · "), limits.row).cut ||
      left > 0 ||
      plan.cut ||
      entries.some(({ cut }) => cut),
    full: [
      [name, ...remarks].join(" · "),
      ...fullBody(body),
      ...(other === null ? [] : descriptionNow(tool)),
      ...notes,
    ],
  };
}

/**
 * For a change, the file and its size say most. A single argument is shown without its name if the tool requires it.
 */
function calledWith({ plan, entries, all }: Body, tool: Tool | null): string {
  const changed = plan.filter((line) => /^ {2}[+-]/.test(line));
  if (changed.length > 0) {
    const added = changed.filter((line) => line.startsWith("  +")).length;
    const path = all.find(({ name }) => name === "path");
    const size = `+${added} −${changed.length - added}`;
    return path === undefined ? size : `${path.beside} ${size}`;
  }
  const named = entries.filter((entry) => entry !== noArguments);
  const [only, ...others] = named;
  const required = tool?.inputSchema.required;
  const isImplied = Array.isArray(required) && required.includes(only?.key);
  if (only !== undefined && others.length === 0 && isImplied) return only.beside;
  return named.map(({ name, beside }) => `${name}: ${beside}`).join(", ");
}

/** While no tool is offered under the name there is nothing to compare. */
function changeSinceShown({ tool, changeSinceShown: change = null }: CallContext): string | null {
  return tool === null ? null : change;
}

function changesOf(context: CallContext): readonly string[] {
  const other = changeSinceShown(context);
  if (other !== null) return [`definition changed since this call was shown: ${other}`];
  return context.change == null ? [] : [context.change];
}

/** The current description, which the user sees again because the definition changed since the call was shown. */
function descriptionNow(tool: Tool | null): readonly string[] {
  const lines = (tool?.description ?? "").split("\n");
  return ["  its description now:", ...lines.map((line) => `    ${visibleText(line)}`)];
}

interface Body {
  readonly plan: readonly string[];
  readonly entries: readonly Entry[];
  /** All arguments, including those that the plan already shows. */
  readonly all: readonly Entry[];
}

/** What is shown of a call: what it would do, and its arguments unless the plan already shows all of them. */
function bodyOf(text: string, { plan, defaults = {} }: CallContext): Body {
  const entries = [...argumentsOf(text), ...defaultsOf(defaults)];
  if (plan === null) return { plan: [], entries, all: entries };
  if (plan.refusal !== null) {
    return { plan: [`  would be refused: ${visibleText(plan.refusal)}`], entries, all: entries };
  }
  return { plan: plan.lines, entries: plan.saysAll ? [] : entries, all: entries };
}

function fullBody({ plan, entries }: Pick<Body, "plan" | "entries">): readonly string[] {
  return [...plan, ...entries.map((entry) => lineOf(entry))];
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
  const more = left > 0 ? [`  … ${counted(left, "more line")}`] : [];
  return { lines: [...shown, ...more], cut: left > 0 || lines.some(({ cut }) => cut) };
}

function defaultsOf(defaults: Readonly<Record<string, unknown>>): readonly Entry[] {
  return Object.entries(defaults).map(([key, value]) => {
    const entry = entryOf(key, value);
    return { ...entry, key: null, name: `${entry.name} (filled in)` };
  });
}

function headingOf(name: string, tool: Tool | null, waits: string | null): readonly string[] {
  if (tool === null) return [visibleText(name), waits ?? "not offered in this chat"];
  const waiting = waits === null ? [] : [waits];
  return [visibleText(name), ...waiting, originOf(tool), ...claimWords(tool)];
}

/** The server's claims about its tool, reduced to what matters for a decision; the details show all of them. */
function claimWords({ annotations = {} }: Tool): readonly string[] {
  if (annotations["readOnlyHint"] === true) return ["says it only reads"];
  if (annotations["destructiveHint"] === true) return ["says it may overwrite or delete"];
  if (annotations["destructiveHint"] === false) return ["says it only adds"];
  return [];
}

/** Where the tool comes from: a server, a file of the user, or Parley itself. */
function originOf({ server, file }: Tool): string {
  if (server !== null) return `server ${visibleText(server)}`;
  return file === undefined ? "built in" : `your file ${visibleText(file)}`;
}

/**
 * One argument in the form in which it is shown. No two different arguments may look alike, nor may one look like two:
 * the model chooses names and values, so a value with blanks is quoted wherever it appears next to Parley's text or
 * other arguments.
 */
interface Entry {
  /** As the model wrote it; null: the call has no such argument. */
  readonly key: string | null;
  readonly name: string;
  /** As shown on a line of its own. */
  readonly value: string;
  /** As shown in the row. */
  readonly beside: string;
}

const noArguments: Entry = { key: null, name: "(no arguments)", value: "", beside: "" };

function entryOf(key: string, value: unknown): Entry {
  return {
    key,
    name: /^[^\s"]+$/.test(key) ? visibleText(key) : visible(JSON.stringify(key)),
    value: shownValue(value),
    beside:
      typeof value === "string" && /\s/.test(value)
        ? visible(JSON.stringify(value))
        : shownValue(value),
  };
}

function lineOf({ name, value }: Pick<Entry, "name" | "value">): string {
  return value === "" ? `  ${name}` : `  ${name}: ${value}`;
}

function argumentsOf(text: string): readonly Entry[] {
  const value = parseJson(text);
  if (!isObject(value)) {
    const shown = visibleText(text);
    return [{ key: null, name: "arguments, not a JSON object", value: shown, beside: shown }];
  }
  const entries = Object.entries(value);
  if (entries.length === 0) return [noArguments];
  return entries.map(([key, item]) => entryOf(key, item));
}

/** Shows texts as they are, quoted only where they could be read as another value or as nothing. */
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
    line: lineOf({
      name: `${shortName.text}${shortName.cut ? "…" : ""}`,
      value: `${shortValue.text}${size}`,
    }),
    cut: shortName.cut || shortValue.cut,
  };
}

export interface CallFacts {
  /** The tool that the chat now offers under the call's name; null when it offers none. */
  readonly tool: Tool | null;
  /** How the tool's server is reached, line by line, without secrets. */
  readonly launch: readonly string[];
  /** What the user's rules say about the call, as a sentence. */
  readonly rule: string;
  /** As sentences: whether the tool is remembered, and whether it is the same as when it was last approved. */
  readonly history: readonly string[];
  /** What the call would do, and which arguments will be filled in; null: nothing is known. */
  readonly forecast: Omit<CallContext, "tool"> | null;
}

/** Returns lines without control characters; text from outside is indented below its name. */
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

/** Details of a call that has its result: the result (for an edit, the diff) and the arguments. */
export function settledDetails(block: CallBlock, result: ResultBlock): readonly string[] {
  const { call, decision } = block;
  const { entries } = bodyOf(call?.arguments ?? "{}", { tool: null, plan: null });
  return [
    `tool: ${visibleText(call?.name ?? result.name)}`,
    ...(decision === null ? [] : [`decided: ${decision}`]),
    "",
    result.status === "ok" ? "result:" : `result (${result.status}):`,
    ...result.text.split("\n").map((line) => `  ${visibleText(line)}`),
    ...(result.fullText === null ? [] : [`all of it: ${visibleText(result.fullText)}`]),
    "",
    "arguments:",
    ...fullBody({ plan: [], entries }),
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

/** The hints of the protocol, each with the value that applies when a server does not state it. */
const hints = [
  ["readOnlyHint", "read-only", "no"],
  ["destructiveHint", "destructive", "yes"],
  ["idempotentHint", "idempotent", "no"],
  ["openWorldHint", "reaches other systems", "yes"],
] as const;

function claimLines({ annotations = {} }: Tool): readonly string[] {
  // The protocol defines these two hints only for tools that write.
  const isMoot = (hint: string) =>
    annotations["readOnlyHint"] === true &&
    (hint === "destructiveHint" || hint === "idempotentHint");
  const claims = hints.flatMap(([hint, words, otherwise]) => {
    const value = annotations[hint];
    if (typeof value === "boolean") return [`  ${words}: ${value ? "yes" : "no"}`];
    return isMoot(hint) ? [] : [`  ${words}: not stated, which means ${otherwise}`];
  });
  const known = new Set<string>(hints.map(([hint]) => hint));
  const others = Object.entries(annotations)
    .filter(([name, value]) => !known.has(name) && typeof value === "boolean")
    .map(([name, value]) => `  ${visible(name)}: ${value}`);
  return ["", "what the server claims, which nobody checked:", ...claims, ...others];
}
