/** The user's own rules for calls: which run without a key (recorded as `[auto]`), which never. */

import type { PolicyAnswer } from "../../conversation/chat-tools.ts";
import type { Tool } from "../../conversation/ports.ts";
import {
  matchesPattern,
  parseSelection,
  type SelectableTool,
  selectable,
  selects,
} from "../../conversation/settings/tool-selection.ts";
import { isObject, parseJson } from "../../shared/json.ts";
import type { ToolCall } from "../../transcript/transcript.ts";
import type { RuleConfiguration } from "../configuration/options.ts";

export interface Rules {
  /** A tool selection (`Configuration.auto_approve`): what it selects is allowed. */
  readonly autoApprove: string;
  readonly allow: readonly RuleConfiguration[];
  readonly ask: readonly RuleConfiguration[];
  readonly deny: readonly RuleConfiguration[];
}

export interface Verdict {
  readonly answer: PolicyAnswer;
  /** The rule that decided, as it is written; null when none speaks of the call. */
  readonly rule: string | null;
}

/** Deny beats ask, and ask beats allow; what no rule speaks of is asked. */
export function policyOf(rules: Rules): (tool: Tool, call: ToolCall) => Verdict {
  const { selection } = parseSelection(rules.autoApprove);
  return (offered, call) => {
    const tool = selectable(offered);
    const args = readArguments(call.arguments);
    const some = (value: unknown, pattern: string) =>
      values(value).some((text) => matchesPattern(pattern, text));
    const verdict = (answer: "allow" | "ask" | "deny", fits: typeof some): Verdict | null => {
      const rule = rules[answer].find((one) => isAbout(one, tool) && argumentsFit(one, args, fits));
      return rule === undefined ? null : { answer, rule: `${answer} ${JSON.stringify(rule)}` };
    };
    const decided =
      verdict("deny", some) ?? verdict("ask", some) ?? verdict("allow", everyValueFits);
    if (decided !== null) return decided;
    return selects(selection, tool)
      ? { answer: "allow", rule: `auto_approve ${JSON.stringify(rules.autoApprove)}` }
      : { answer: "ask", rule: null };
  };
}

function isAbout(rule: RuleConfiguration, tool: SelectableTool): boolean {
  const pattern = typeof rule === "string" ? rule : rule.tool;
  return selects(parseSelection(pattern).selection, tool);
}

function argumentsFit(
  rule: RuleConfiguration,
  args: Readonly<Record<string, unknown>>,
  fits: (value: unknown, pattern: string) => boolean,
): boolean {
  if (typeof rule === "string" || rule.arguments === undefined) return true;
  return Object.entries(rule.arguments).every(
    ([key, pattern]) => Object.hasOwn(args, key) && fits(args[key], pattern),
  );
}

/** `/notes/*` allows nothing that leads out of /notes again, and all items of a list must fit. */
function everyValueFits(value: unknown, pattern: string): boolean {
  const texts = values(value);
  const leadsOut = (text: string) => /(^|[\\/])\.\.($|[\\/])/.test(text);
  return (
    texts.length > 0 && texts.every((text) => matchesPattern(pattern, text) && !leadsOut(text))
  );
}

/** The texts of a value: of a list, those of its items; of what is no text, its JSON. */
function values(value: unknown): readonly string[] {
  if (Array.isArray(value)) return value.flatMap(values);
  return [typeof value === "string" ? value : (JSON.stringify(value) ?? "")];
}

function readArguments(text: string): Readonly<Record<string, unknown>> {
  const value = parseJson(text);
  return isObject(value) ? value : {};
}
