/** The user's own rules for calls: which run without a key (recorded as `[auto]`), which never. */

import { realpathSync } from "node:fs";
import { isAbsolute, join, relative } from "node:path";
import type { PolicyAnswer } from "../../conversation/chat-tools.ts";
import type { CallPath, CallSubject, Tool } from "../../conversation/ports.ts";
import {
  builtinGroup,
  builtinToolsThat,
  matchesPattern,
  parseSelection,
  type SelectableTool,
  selectable,
  selects,
} from "../../conversation/settings/tool-selection.ts";
import { jsonText } from "../../shared/hash.ts";
import { objectOf, ownValue, parseJson } from "../../shared/json.ts";
import { withoutEnd } from "../../shared/without-end.ts";
import { foldedPath, foldedReadings, isBelow, slashed } from "../../system/paths.ts";
import { homeFolder } from "../../system/standard-folders.ts";
import type { ToolCall } from "../../transcript/transcript.ts";
import type { RuleConfiguration } from "../configuration/options.ts";
import { looksSecret } from "../references/secret-files.ts";
import { isExecutedByOthers } from "./executed-files.ts";

export interface Rules {
  /** A tool selection (`Configuration.auto_approve`): what it selects is allowed. */
  readonly autoApprove: string;
  readonly allow: readonly RuleConfiguration[];
  readonly ask: readonly RuleConfiguration[];
  readonly deny: readonly RuleConfiguration[];
}

const ours = (name: string): SelectableTool => ({ name, server: builtinGroup, serverTool: name });
const reading = builtinToolsThat("reads").map(ours);
const changing = builtinToolsThat("changes").map(ours);

export interface Verdict {
  readonly answer: PolicyAnswer;
  /** The rule that decided, or would allow it if it said more, as it is written; null when none speaks of the call. */
  readonly rule: string | null;
  /** Why it is asked about although it is remembered, or that rule allows it, as the end of a sentence; null: it is not. */
  readonly guard: string | null;
}

export type Policy = (tool: Tool, call: ToolCall, subject: CallSubject | null) => Verdict;

/** One argument as rules see it: a path in all its forms, or the texts of any other value. */
type Value =
  | { readonly type: "path"; readonly path: CallPath }
  | { readonly type: "texts"; readonly texts: readonly string[] };

/** What rules are held against. */
interface Judged {
  readonly offered: Tool;
  readonly tool: SelectableTool;
  readonly call: ToolCall;
  /** What the tool itself makes of the call; null, as for a server's tools: rules see what the model wrote. */
  readonly subject: CallSubject | null;
  readonly frame: PathFrame;
}

/** Deny beats ask, and ask beats allow; what no rule speaks of is asked. */
export function policyOf(rules: Rules, frame: PathFrame): Policy {
  const { selection } = parseSelection(rules.autoApprove);
  return (offered, call, subject) => {
    const tool = selectable(offered);
    const guard = guardOf(tool, subject, frame);
    const judged: Judged = { offered, tool, call, subject, frame };
    const denied = forbidding(rules.deny, judged);
    if (denied !== undefined) return { answer: "deny", rule: written("deny", denied), guard: null };
    const asked = forbidding(rules.ask, judged);
    if (asked !== undefined) return guarded("ask", written("ask", asked), guard);
    const about = allowing(rules.allow, judged);
    const allowed = about.filter((rule) => leavesOut(rule, subject, frame) === null);
    // One that names the file says more than one that is about any.
    const named = allowed.find((one) => namesFile(one, subject, frame));
    if (named !== undefined) return { answer: "allow", rule: written("allow", named), guard: null };
    const [first] = allowed;
    if (first !== undefined) return guarded("allow", written("allow", first), guard);
    const short = about.find(namesCommand) ?? about[0];
    if (short !== undefined) {
      return {
        answer: "ask",
        rule: written("allow", short),
        guard: leavesOut(short, subject, frame),
      };
    }
    if (subject?.command !== undefined) return { answer: "ask", rule: null, guard: null };
    if (!selects(selection, tool)) return guarded("ask", null, guard);
    return guarded("allow", `auto_approve ${JSON.stringify(rules.autoApprove)}`, guard);
  };
}

function written(answer: string, rule: RuleConfiguration): string {
  return `${answer} ${JSON.stringify(rule)}`;
}

function guarded(answer: "allow" | "ask", rule: string | null, guard: string | null): Verdict {
  return guard === null ? { answer, rule, guard } : { answer: "insist", rule, guard };
}

/** The first rule that denies or asks: it holds when any form of a value fits. */
function forbidding(
  rules: readonly RuleConfiguration[],
  { offered, tool, call, subject, frame }: Judged,
): RuleConfiguration | undefined {
  const valueIn = valuesIn(call, subject, offered);
  const changes = tool.server === builtinGroup && changing.some(({ name }) => name === tool.name);
  // Who forbids a change by edit_file means every tool of ours that could make it.
  const forms = changes ? [tool, ours("edit_file")] : [tool];
  return rules.find(
    (rule) =>
      forms.some((form) => isAbout(rule, form)) &&
      argumentsFit(rule, valueIn, (...of) => fitsOnce(frame, ...of)),
  );
}

/** The rules that allow: they hold when all forms of a value fit, and of a command only where they leave nothing out. */
function allowing(
  rules: readonly RuleConfiguration[],
  { tool, call, subject, frame }: Judged,
): readonly RuleConfiguration[] {
  const valueIn = valuesIn(call, subject, null);
  return rules.filter(
    (rule) =>
      isAbout(rule, tool) && argumentsFit(rule, valueIn, (...of) => fitsAlways(frame, ...of)),
  );
}

/**
 * The rule that keeps a file from being read, whatever tool of ours would read it: a deny of one of our reading tools
 * for a path. Null: none does.
 */
export function readDenialOf(
  deny: readonly RuleConfiguration[],
  frame: PathFrame,
): (path: CallPath) => string | null {
  const patterns = deny.flatMap((rule) => {
    if (typeof rule === "string" || rule.arguments === undefined) return [];
    const entries = Object.entries(rule.arguments);
    const [[key, pattern] = ["", ""]] = entries;
    const isOfPath = entries.length === 1 && key === "path";
    return isOfPath && reading.some((tool) => isAbout(rule, tool)) ? [{ rule, pattern }] : [];
  });
  return (path) => {
    const found = patterns.find(({ pattern }) => pathFitsOnce(pattern, path, frame));
    return found === undefined ? null : `deny ${JSON.stringify(found.rule)}`;
  };
}

/** The rule that keeps a file from our tools that change files, whichever of them it names. Null: none does. */
export function changeDenialOf(
  deny: readonly RuleConfiguration[],
  frame: PathFrame,
): (path: CallPath) => string | null {
  const about = deny.filter((rule) => changing.some((tool) => isAbout(rule, tool)));
  return (path) => {
    const valueIn = (key: string): Value | null => (key === "path" ? { type: "path", path } : null);
    const found = about.find((rule) =>
      argumentsFit(rule, valueIn, (...of) => fitsOnce(frame, ...of)),
    );
    return found === undefined ? null : `deny ${JSON.stringify(found)}`;
  };
}

/** Whether the rule names the very file that the call is about. */
function namesFile(
  rule: RuleConfiguration,
  subject: CallSubject | null,
  frame: PathFrame,
): boolean {
  const patterns = typeof rule === "string" ? [] : Object.entries(rule.arguments ?? {});
  return patterns.some(([key, pattern]) => {
    const path = subject === null ? undefined : ownValue(subject.paths, key);
    return path !== undefined && !pattern.includes("*") && pathFitsAlways(pattern, path, frame);
  });
}

/**
 * What runs is allowed by its words alone: a rule about the tool is about any command, and a pattern that begins with any
 * characters names none. It is also where it runs: in another folder the same words find another package.json, another
 * Makefile or the configuration of another repository, so a rule that names no folder is about the working folder.
 * What the rule leaves out is the end of a sentence; null: nothing.
 */
function leavesOut(
  rule: RuleConfiguration,
  subject: CallSubject | null,
  frame: PathFrame,
): string | null {
  if (subject?.command === undefined) return null;
  if (!namesCommand(rule)) return "it names no command";
  const place = ownValue(subject.paths, "folder");
  const isHere = place !== undefined && pathFitsAlways(".", place, frame);
  if (isHere || patternOf(rule, "folder") !== undefined) return null;
  return "it names no folder, and so is about the working folder alone";
}

function namesCommand(rule: RuleConfiguration): boolean {
  return /^[^*\s]/.test(patternOf(rule, "command") ?? "");
}

function patternOf(rule: RuleConfiguration, argument: string): string | undefined {
  return typeof rule === "string" ? undefined : rule.arguments?.[argument];
}

/** What other programs execute is changed, and what looks like a secret read, without a key only by a rule that names it. */
function guardOf(
  { name, server }: SelectableTool,
  subject: CallSubject | null,
  { folders }: PathFrame,
): string | null {
  if (subject === null) return null;
  const paths = Object.values(subject.paths).flatMap(({ absolute, real }) => [absolute, real]);
  if (subject.changes !== null) {
    const isExecuted = [subject.changes, ...paths].some(isExecutedByOthers);
    return isExecuted ? "other programs execute this file" : null;
  }
  const isReading = server === builtinGroup && reading.some((tool) => tool.name === name);
  // What the working folder is called says nothing of the files in it.
  const isSecret = (path: string) => {
    const folder = folders.find((one) => path !== one && isBelow(one, path));
    return looksSecret(folder === undefined ? path : relative(folder, path));
  };
  return isReading && paths.some(isSecret) ? "this file looks like it holds a secret" : null;
}

function isAbout(rule: RuleConfiguration, tool: SelectableTool): boolean {
  const pattern = typeof rule === "string" ? rule : rule.tool;
  return selects(parseSelection(pattern).selection, tool);
}

type Fits = (value: Value, pattern: string) => boolean;

function argumentsFit(
  rule: RuleConfiguration,
  valueIn: (key: string) => Value | null,
  fits: Fits,
): boolean {
  if (typeof rule === "string" || rule.arguments === undefined) return true;
  return Object.entries(rule.arguments).every(([key, pattern]) => {
    const value = valueIn(key);
    return value !== null && fits(value, pattern);
  });
}

function fitsOnce(frame: PathFrame, value: Value, pattern: string): boolean {
  if (value.type === "path") return pathFitsOnce(pattern, value.path, frame);
  return value.texts.some((text) => matchesPattern(pattern, text));
}

/** `/notes/*` allows nothing that leads out of /notes again, and all items of a list must fit. */
function fitsAlways(frame: PathFrame, value: Value, pattern: string): boolean {
  if (value.type === "path") return pathFitsAlways(pattern, value.path, frame);
  const { texts } = value;
  return (
    texts.length > 0 && texts.every((text) => matchesPattern(pattern, text) && !leadsOut(text))
  );
}

/**
 * Whether `..` is a folder of a path, as addresses and other systems write it too: dots as `%2E`, with a tab or a line
 * end between them, which addresses leave out, with blanks behind them. Three dots are a name (`go test ./...`).
 */
function leadsOut(text: string): boolean {
  const path = text
    .replace(/[\t\r\n]/g, "")
    .replace(/%2e/gi, ".")
    .replace(/%(?:2f|5c)/gi, "/");
  return /(?:^|[\\/])\.\.(?: [. ]*)?(?:$|[\\/?#])/.test(path);
}

/**
 * The argument of a name. With the tool, one that the call leaves out is what the tool's own schema says that it is
 * then: a rule that forbids a value forbids it unsaid, too. Servers in Go and C# take `Path` for `path`, and the last of
 * both: what is in any case forbids, and of two nothing is allowed.
 */
function valuesIn(
  call: ToolCall,
  subject: CallSubject | null,
  tool: Tool | null,
): (key: string) => Value {
  // None where nothing can be read: such a call does not run.
  const args = subject?.arguments ?? objectOf(parseJson(call.arguments));
  const schemas = objectOf(tool?.inputSchema.properties);
  return (key) => {
    const path = subject === null ? null : (ownValue(subject.paths, key) ?? null);
    if (path != null) return { type: "path", path };
    const value = ownValue(args, key);
    const alike = Object.entries(args).filter(
      ([name]) => name !== key && inCase(name) === inCase(key),
    );
    if (tool === null && alike.length > 0) return { type: "texts", texts: [] };
    const usual = value == null ? objectOf(ownValue(schemas, key)).default : undefined;
    // Null, which Python's servers write for whatever may be left out, is no value.
    const values = [value, usual ?? undefined, ...alike.map(([, one]) => one)];
    return { type: "texts", texts: textsOf(values.filter((one) => one !== undefined)) };
  };
}

/** As it is compared where case does not count, `ſ` and the sign of the Kelvin included. */
const inCase = (name: string) => name.toUpperCase().toLowerCase();

/** The texts of a value: of a list, those of its items; of what is no text, its JSON. */
function textsOf(value: unknown): readonly string[] {
  // Lists in lists may be of any depth.
  const waiting = [value];
  const texts: string[] = [];
  while (waiting.length > 0) {
    const next = waiting.pop();
    if (!Array.isArray(next)) texts.push(typeof next === "string" ? next : jsonText(next));
    else for (const item of next) waiting.push(item);
  }
  return texts;
}

/** What patterns that are not absolute are relative to. */
export interface PathFrame {
  /** The working folder, as it is called and behind its links. */
  readonly folders: readonly string[];
  readonly home: string;
}

/** The frame of rules while `workingFolder` is the working folder. */
export function pathFrame(workingFolder: string): PathFrame {
  const folders = new Set([workingFolder]);
  try {
    folders.add(realpathSync(workingFolder));
  } catch {
    // A folder that is gone has one name only.
  }
  return { folders: [...folders], home: homeFolder() };
}

/** For rules that ask or deny: it fits when one of the forms of the path does, however it is spelled. */
function pathFitsOnce(pattern: string, path: CallPath, frame: PathFrame): boolean {
  const forms = [path.written, path.absolute, path.real].flatMap(foldedReadings);
  return [pattern, ...absoluteForms(pattern, frame)].some((one) =>
    forms.some((form) => matchesPattern(foldedPath(one), form)),
  );
}

/** For rules that allow: where the path seems to lead and where it leads fit both. */
function pathFitsAlways(pattern: string, path: CallPath, frame: PathFrame): boolean {
  const patterns = absoluteForms(pattern, frame).map((one) => slashed(one));
  return [path.absolute, path.real].every((form) =>
    patterns.some((one) => matchesPattern(one, slashed(form))),
  );
}

/** A pattern that begins with `*` may begin anywhere; else it is relative to the working folder, or to `~`. */
function absoluteForms(pattern: string, { folders, home }: PathFrame): readonly string[] {
  if (pattern.startsWith("*") || isAbsolute(pattern)) return [withoutSlash(pattern)];
  if (pattern === "~" || pattern.startsWith("~/")) return [join(home, pattern.slice(1))];
  return folders.map((folder) => withoutSlash(join(folder, pattern)));
}

/** A folder is the same with a slash behind it. */
function withoutSlash(pattern: string): string {
  return pattern.length > 1 ? withoutEnd(pattern, "\\/") : pattern;
}
