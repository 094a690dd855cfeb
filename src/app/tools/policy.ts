/** The user's own rules for calls: which run without a key (recorded as `[auto]`), which never. */

import { realpathSync } from "node:fs";
import { isAbsolute, join } from "node:path";
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
import { foldedPath, foldedReadings, slashed } from "../../system/paths.ts";
import { homeFolder } from "../../system/standard-folders.ts";
import type { ToolCall } from "../../transcript/transcript.ts";
import type { RuleConfiguration } from "../configuration/options.ts";
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
  /** The rule that decided, as it is written; null when none speaks of the call. */
  readonly rule: string | null;
}

export type Policy = (tool: Tool, call: ToolCall, subject: CallSubject | null) => Verdict;

/** One argument as rules see it: a path in all its forms, or the texts of any other value. */
type Value =
  | { readonly type: "path"; readonly path: CallPath }
  | { readonly type: "texts"; readonly texts: readonly string[] };

/**
 * Deny beats ask, and ask beats allow; what no rule speaks of is asked. Deny and ask hold when any form of a value
 * fits, allow only when all do. `subject` is what the tool itself makes of the call: without one, as for a server's
 * tools, rules see the arguments as the model wrote them.
 */
export function policyOf(rules: Rules, frame: PathFrame): Policy {
  const { selection } = parseSelection(rules.autoApprove);
  return (offered, call, subject) => {
    const tool = selectable(offered);
    const verdict = (answer: "allow" | "ask" | "deny"): Verdict | null => {
      const fits = answer === "allow" ? fitsAlways : fitsOnce;
      const valueIn = valuesIn(call, subject, answer === "allow" ? null : offered);
      // Who forbids a change by edit_file means every tool of ours that could make it.
      const isStrict =
        answer !== "allow" &&
        tool.server === builtinGroup &&
        changing.some(({ name }) => name === tool.name);
      const forms = isStrict ? [tool, ours("edit_file")] : [tool];
      const rule = rules[answer].find(
        (one) =>
          forms.some((form) => isAbout(one, form)) &&
          argumentsFit(one, valueIn, (...of) => fits(frame, ...of)),
      );
      if (rule === undefined) return null;
      // What runs is allowed by its words alone: a rule about the tool is about any command.
      if (answer === "allow" && subject?.command !== undefined && !namesCommand(rule)) return null;
      const isOpen = answer === "allow" && !mayAllow(rule, subject, frame);
      return { answer: isOpen ? "insist" : answer, rule: `${answer} ${JSON.stringify(rule)}` };
    };
    const decided = verdict("deny") ?? verdict("ask") ?? verdict("allow");
    if (decided !== null) return decided;
    if (subject?.command !== undefined) return { answer: "ask", rule: null };
    const isGuarded = isExecuted(subject);
    if (!selects(selection, tool)) return { answer: isGuarded ? "insist" : "ask", rule: null };
    const rule = `auto_approve ${JSON.stringify(rules.autoApprove)}`;
    return { answer: isGuarded ? "insist" : "allow", rule };
  };
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

/** What other programs execute is changed without a key only by a rule that names that very file. */
function mayAllow(rule: RuleConfiguration, subject: CallSubject | null, frame: PathFrame): boolean {
  if (subject === null || !isExecuted(subject)) return true;
  const patterns = typeof rule === "string" ? [] : Object.entries(rule.arguments ?? {});
  return patterns.some(([key, pattern]) => {
    const path = ownValue(subject.paths, key);
    return path !== undefined && !pattern.includes("*") && pathFitsAlways(pattern, path, frame);
  });
}

/** A pattern that begins with any characters names no command. */
function namesCommand(rule: RuleConfiguration): boolean {
  const pattern = typeof rule === "string" ? undefined : rule.arguments?.command;
  return pattern !== undefined && /^[^*\s]/.test(pattern);
}

function isExecuted(subject: CallSubject | null): boolean {
  if (subject?.changes == null) return false;
  const paths = Object.values(subject.paths).flatMap(({ absolute, real }) => [absolute, real]);
  return [subject.changes, ...paths].some(isExecutedByOthers);
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
