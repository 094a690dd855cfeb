/** The user's rules for calls: which run without a key (recorded as `[auto]`), and which never run. */

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
  /** A tool selection (`Configuration.auto_approve`): the tools that it selects are allowed. */
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
  /** The rule, as written, that decided, or would allow the call if it were more specific; null: no rule matches. */
  readonly rule: string | null;
  /** Why the user is asked although the call is remembered or a rule allows it, as the end of a sentence; else null. */
  readonly guard: string | null;
}

export type Policy = (tool: Tool, call: ToolCall, subject: CallSubject | null) => Verdict;

/** An argument as rules see it: a path in all its forms, or the texts of any other value. */
type Value =
  | { readonly type: "path"; readonly path: CallPath }
  | { readonly type: "texts"; readonly texts: readonly string[] };

/** What rules are matched against. */
interface Judged {
  readonly offered: Tool;
  readonly tool: SelectableTool;
  readonly call: ToolCall;
  /** The tool's own reading of the call; null, as for tools of servers: rules see the model's arguments. */
  readonly subject: CallSubject | null;
  readonly frame: PathFrame;
}

/** Deny rules win over ask rules, and those over allow rules; without a matching rule, the user is asked. */
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
    // A rule that names the file outranks one for any file.
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

/** The first deny or ask rule for the call: it applies when any form of a value matches. */
function forbidding(
  rules: readonly RuleConfiguration[],
  { offered, tool, call, subject, frame }: Judged,
): RuleConfiguration | undefined {
  const valueIn = valuesIn(call, subject, offered);
  const changes = tool.server === builtinGroup && changing.some(({ name }) => name === tool.name);
  // A rule that denies edit_file also denies every other built-in tool that could make the same change.
  const forms = changes ? [tool, ours("edit_file")] : [tool];
  return rules.find(
    (rule) =>
      forms.some((form) => isAbout(rule, form)) &&
      argumentsFit(rule, valueIn, (...of) => fitsOnce(frame, ...of)),
  );
}

/** The allow rules for the call: they apply only when all forms of a value match. See also `leavesOut` for commands. */
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
 * Finds the rule that keeps a file from all built-in reading tools: a deny rule with a path for any one of them. Null:
 * there is none.
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

/** Finds the rule that keeps a file from the built-in tools that change files, whichever it names. Null: none. */
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
 * A command is allowed only by a rule about its text: a rule about the tool alone would allow any command, and a
 * pattern that begins with any characters names none. The folder matters too: in another one, the same words use
 * another package.json, Makefile or repository configuration, so a rule without a folder is about the working folder.
 * Returns what the rule leaves out, as the end of a sentence; null: nothing.
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
  return "it names no folder, so it applies only in the working folder";
}

function namesCommand(rule: RuleConfiguration): boolean {
  return /^[^*\s]/.test(patternOf(rule, "command") ?? "");
}

function patternOf(rule: RuleConfiguration, argument: string): string | undefined {
  return typeof rule === "string" ? undefined : rule.arguments?.[argument];
}

/** Changing a file that programs execute, or reading one that looks secret, needs a key or a rule naming the file. */
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
  // The name of the working folder says nothing about the files in it.
  const isSecret = (path: string) => {
    const folder = folders.find((one) => path !== one && isBelow(one, path));
    return looksSecret(folder === undefined ? path : relative(folder, path));
  };
  return isReading && paths.some(isSecret) ? "this file looks like it contains a secret" : null;
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

/** `/notes/*` allows nothing that leads out of /notes again, and all items of a list must match. */
function fitsAlways(frame: PathFrame, value: Value, pattern: string): boolean {
  if (value.type === "path") return pathFitsAlways(pattern, value.path, frame);
  const { texts } = value;
  return (
    texts.length > 0 && texts.every((text) => matchesPattern(pattern, text) && !leadsOut(text))
  );
}

/**
 * Whether `..` is a folder of a path, in any spelling that addresses and other systems accept: dots as `%2E`, with tabs
 * or line ends between them, which addresses drop, or blanks after them. Three dots are a name (`go test ./...`). Some
 * servers decode twice, read `..;` as `..` (Java), and stop at a NUL (C).
 */
function leadsOut(text: string): boolean {
  const path = text
    .replace(/[\t\r\n]/g, "")
    .replace(/%(?:25)+/g, "%")
    .replace(/%00/g, "\0")
    .replace(/%2e/gi, ".")
    .replace(/%(?:2f|5c)/gi, "/");
  return /(?:^|[\\/])\.\.(?: [. ]*)?(?:$|[\\/?#;\0])/.test(path);
}

/**
 * Returns an argument by name. With `tool`, an argument that the call leaves out has the default of the tool's schema,
 * so a deny rule also forbids an implied value. Servers in Go and C# accept `Path` for `path` and use the last of both:
 * deny rules see the values of all spellings, and no allow rule matches where another spelling occurs.
 */
function valuesIn(
  call: ToolCall,
  subject: CallSubject | null,
  tool: Tool | null,
): (key: string) => Value {
  // Empty for JSON that cannot be parsed: such a call does not run.
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
    // Null is not a default: Python servers write it for every optional argument.
    const values = [value, usual ?? undefined, ...alike.map(([, one]) => one)];
    return { type: "texts", texts: textsOf(values.filter((one) => one !== undefined)) };
  };
}

/** The name for comparison without case; the detour folds `ſ` and the Kelvin sign, too. */
const inCase = (name: string) => name.toUpperCase().toLowerCase();

/** The texts of a value: for a list, those of its items; for anything but a text, its JSON. */
function textsOf(value: unknown): readonly string[] {
  // A loop, since nested lists may have any depth.
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
  /** The working folder, as written and with links resolved. */
  readonly folders: readonly string[];
  readonly home: string;
}

/** The frame of rules for this working folder. */
export function pathFrame(workingFolder: string): PathFrame {
  const folders = new Set([workingFolder]);
  try {
    folders.add(realpathSync(workingFolder));
  } catch {
    // A folder that no longer exists has only one name.
  }
  return { folders: [...folders], home: homeFolder() };
}

/** For ask and deny rules: matches when one form of the path does, in any spelling. */
function pathFitsOnce(pattern: string, path: CallPath, frame: PathFrame): boolean {
  const forms = [path.written, path.absolute, path.real].flatMap(foldedReadings);
  return [pattern, ...absoluteForms(pattern, frame)].some((one) =>
    forms.some((form) => matchesPattern(foldedPath(one), form)),
  );
}

/** For allow rules: both the path without links resolved and the real path must match. */
function pathFitsAlways(pattern: string, path: CallPath, frame: PathFrame): boolean {
  const patterns = absoluteForms(pattern, frame).map((one) => slashed(one));
  return [path.absolute, path.real].every((form) =>
    patterns.some((one) => matchesPattern(one, slashed(form))),
  );
}

/** A pattern that begins with `*` may begin anywhere; any other is relative to the working folder, or to `~`. */
function absoluteForms(pattern: string, { folders, home }: PathFrame): readonly string[] {
  if (pattern.startsWith("*") || isAbsolute(pattern)) return [withoutSlash(pattern)];
  if (pattern === "~" || pattern.startsWith("~/")) return [join(home, pattern.slice(1))];
  return folders.map((folder) => withoutSlash(join(folder, pattern)));
}

/** A folder is the same with a slash at its end. */
function withoutSlash(pattern: string): string {
  return pattern.length > 1 ? withoutEnd(pattern, "\\/") : pattern;
}
