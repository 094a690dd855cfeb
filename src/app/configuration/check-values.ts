/** Checks a configuration value by value, so that one mistake costs one value and not the rest. */
import type { z } from "zod";
import { shapeOf } from "../../conversation/settings/option.ts";
import { table } from "../../conversation/settings/schema-words.ts";
import { isObject } from "../../shared/json.ts";
import { luaParleyReplacement } from "./lua-parley-options.ts";
import { type ConfigurationValues, configurationOptions } from "./options.ts";

export const valuesSchema = table(shapeOf(configurationOptions));

export type KeyPath = readonly (string | number)[];

export interface Mistake {
  readonly path: KeyPath;
  /** What is wrong with the value; never contains the value itself. */
  readonly reason: string;
}

/** The values that can be used, and a mistake for each that cannot. A null value counts as absent. */
export function checkValues(given: unknown): {
  readonly values: ConfigurationValues;
  readonly mistakes: readonly Mistake[];
} {
  const mistakes: Mistake[] = [];
  let rest: unknown = withoutSchemaName(withoutNulls(given));
  for (;;) {
    const checked = valuesSchema.safeParse(rest);
    if (checked.success) {
      const { chat_dir, ...read } = checked.data;
      const values = mistakes.some(({ path }) => path[0] === "rules") ? allowNothing(read) : read;
      if (chat_dir === undefined) return { values, mistakes };
      return { values: { chat_dirs: chat_dir, ...values }, mistakes };
    }
    const found = firstOfEach(checked.error.issues.flatMap(mistakesOf)).map((mistake) => {
      const { path, reason } = mistake;
      return { path, reason: luaParleyReplacement(path, valueAt(given, path)) ?? reason };
    });
    // A value that misses two keys is still wrong after the first was dropped, but its mistake is reported once.
    mistakes.push(
      ...found.filter(({ path }) => !mistakes.some((known) => isSame(known.path, path))),
    );
    // All paths are computed on the value that was checked, so that a part that two mistakes share is dropped once.
    const wrong = found.map(({ path }) => presentPath(rest, path));
    rest = wrong.reduce(without, rest);
  }
}

function valueAt(value: unknown, path: KeyPath): unknown {
  return path.reduce((inner, key) => (isObject(inner) ? inner[key] : undefined), value);
}

function isSame(one: KeyPath, other: KeyPath): boolean {
  return one.join("\n") === other.join("\n");
}

/** One sentence for each value: an empty text in place of a list has both a wrong type and a wrong length. */
function firstOfEach(mistakes: readonly Mistake[]): readonly Mistake[] {
  const byPath = new Map(
    mistakes.toReversed().map((mistake) => [mistake.path.join("\n"), mistake]),
  );
  return [...byPath.values()].toReversed();
}

/** An unreadable rule may be a deny rule: until it is fixed, no rule allows anything. */
function allowNothing(values: ConfigurationValues): ConfigurationValues {
  return { ...values, auto_approve: "none", rules: { ...values.rules, allow: [] } };
}

function mistakesOf(issue: z.core.$ZodIssue): Mistake[] {
  const path = issue.path.map((key) => (typeof key === "number" ? key : String(key)));
  if (issue.code !== "unrecognized_keys") return [{ path, reason: issue.message }];
  const reasons = issue.message.split("\n");
  return issue.keys.map((key, at) => ({ path: [...path, key], reason: reasons[at] ?? "" }));
}

/** The path of the value to drop. A missing key cannot be dropped, so the value that misses it is. */
function presentPath(value: unknown, [key, ...below]: KeyPath): KeyPath {
  if (key === undefined || !isObject(value) || !Object.hasOwn(value, key)) return [];
  return [key, ...presentPath(value[key], below)];
}

/** The value without what is at the path. A list is dropped as a whole, since half a command is another command. */
function without(value: unknown, path: KeyPath): unknown {
  const [key, ...below] = path;
  if (key === undefined || !isObject(value)) return {};
  const inner = value[key];
  const { [key]: _, ...others } = value;
  return below.length > 0 && isObject(inner) ? { ...others, [key]: without(inner, below) } : others;
}

/** `$schema` is for editors: it names the schema of the file. */
function withoutSchemaName(value: unknown): unknown {
  if (!isObject(value)) return value;
  const { $schema: _, ...rest } = value;
  return rest;
}

function withoutNulls(value: unknown): unknown {
  if (!isObject(value)) return value;
  const entries = Object.entries(value).filter(([, item]) => item !== null);
  return Object.fromEntries(entries.map(([key, item]) => [key, withoutNulls(item)]));
}
