/**
 * A form with several fields as one text that the user fills in and writes: a line `name: value` for each field, with
 * its description above in lines that begin with `#`. Lines that begin with two spaces continue a value.
 */

import { summariseNames } from "../../shared/counted.ts";
import type { Page, PageMistake } from "./dialogue.ts";
import { checked, type Field, type FieldValue, parseTyped } from "./form-fields.ts";

/** One field, for any type of value. */
export interface PageField {
  readonly name: string;
  /** The name for people, without invisible characters. */
  readonly label: string;
  /** What a value must look like, without invisible characters; empty if there is nothing to say. */
  readonly hint: string;
  readonly isRequired: boolean;
  /** The initial text; empty: none. */
  readonly initial: string;
  /** The completions of the value, as they are written. */
  readonly choices: readonly string[];
  /** The value may list several of the choices, separated by commas. */
  readonly takesSeveral: boolean;
  read(text: string): { readonly value: unknown } | { readonly reason: string };
}

export interface PageForm {
  /** Who asks, on one line. */
  readonly title: string;
  /** Lines to read first. */
  readonly details: readonly string[];
  /** What writing the page does, such as `sends it`. */
  readonly purpose: string;
  readonly fields: readonly PageField[];
}

/** Maximum number of choices listed above a field. */
const mostShown = 12;

export function formPage({ title, details, purpose, fields }: PageForm): Page {
  const head = [
    title,
    ...details,
    "",
    `Fill in after the colons. :w ${purpose}, :q declines. An empty field is left out.`,
  ];
  const lines = head.map(remark);
  const completions: Record<string, readonly string[]> = {};
  let cursor: number | null = null;
  for (const [key, field] of keysOf(fields)) {
    lines.push("", ...hintsOf(key, field).map(remark));
    // The first field that is still empty.
    if (field.initial === "") cursor ??= lines.length;
    lines.push(
      ...`${key}: ${field.initial}`.split("\n").map((line, at) => (at > 0 ? `  ${line}` : line)),
    );
    if (field.choices.length > 0) completions[key] = field.choices;
  }
  const first = lines.findIndex((line) => line !== "" && !line.startsWith("#"));
  return { title, lines, cursor: cursor ?? Math.max(0, first), completions };
}

/** Parses the page; `values` is complete if there are no mistakes. */
export function readPage(
  fields: readonly PageField[],
  lines: readonly string[],
): {
  readonly values: Readonly<Record<string, unknown>>;
  readonly mistakes: readonly PageMistake[];
} {
  const mistakes: PageMistake[] = [];
  const keys = keysOf(fields);
  const written = writtenFields(lines, keys, mistakes);
  const values: [string, unknown][] = [];
  const end = Math.max(0, lines.length - 1);
  for (const [key, field] of keys) {
    const found = written.get(key);
    const line = found?.line ?? end;
    if (found === undefined || found.text.trim() === "") {
      if (field.isRequired) mistakes.push({ line, text: `${key} is required.` });
      continue;
    }
    const read = field.read(meantText(found.text, field));
    if ("reason" in read) mistakes.push({ line, text: read.reason });
    else values.push([field.name, read.value]);
  }
  return { values: Object.fromEntries(values), mistakes: mistakes.sort((a, b) => a.line - b.line) };
}

/** Removes the spaces around a value typed behind a colon, but not those of a default or of a longer text. */
function meantText(text: string, { initial }: PageField): string {
  return text === initial || text.includes("\n") ? text : text.trim();
}

interface Written {
  readonly line: number;
  readonly text: string;
}

function writtenFields(
  lines: readonly string[],
  keys: ReadonlyMap<string, PageField>,
  mistakes: PageMistake[],
): ReadonlyMap<string, Written> {
  const written = new Map<string, Written>();
  let last: string | null = null;
  for (const [line, text] of lines.entries()) {
    const known = last === null ? undefined : written.get(last);
    if (text.startsWith("  ") && last !== null && known !== undefined) {
      written.set(last, { ...known, text: `${known.text}\n${text.slice(2)}` });
      continue;
    }
    if (text.trim() === "" || text.startsWith("#")) continue;
    const colon = text.indexOf(":");
    const key = colon < 0 ? "" : text.slice(0, colon).trim();
    if (!keys.has(key)) {
      mistakes.push({
        line,
        text: "This is not a field of the form. Begin a line with two spaces to continue the value above.",
      });
      last = null;
    } else if (written.has(key)) {
      mistakes.push({ line, text: `${key} occurs twice.` });
      last = null;
    } else {
      written.set(key, { line, text: text.slice(colon + 1).replace(/^ /, "") });
      last = key;
    }
  }
  return written;
}

const longestKey = 40;

/** A unique key for each field that can be written before a colon. */
function keysOf(fields: readonly PageField[]): ReadonlyMap<string, PageField> {
  const keys = new Map<string, PageField>();
  for (const field of fields) {
    const plain = field.name.replace(/[^\p{L}\p{N}_.-]+/gu, "_").slice(0, longestKey) || "field";
    let key = plain;
    for (let number = 2; keys.has(key); number += 1) key = `${plain}_${number}`;
    keys.set(key, field);
  }
  return keys;
}

function hintsOf(key: string, field: PageField): readonly string[] {
  const { label, hint, isRequired, choices, takesSeveral } = field;
  const parts = [label === key ? "" : label, isRequired ? "required" : "optional", hint];
  const which = takesSeveral ? "any of" : "one of";
  const shown = summariseNames(choices, mostShown);
  const listed = choices.length === 0 ? [] : [`  ${which}: ${shown} (<C-x><C-o> completes)`];
  return [parts.filter((part) => part !== "").join("; "), ...listed];
}

function remark(line: string): string {
  return line === "" ? "#" : `# ${line}`;
}

/** The page field for a field of a server's form. */
export function pageField(field: Field): PageField {
  const { name, label, hint, isRequired, kind, initial } = field;
  const choices = kind === "yes-or-no" ? ["yes", "no"] : choicesOf(field);
  const word = (value: string) =>
    choices[field.options.findIndex((option) => option.value === value)] ?? value;
  return {
    name,
    label,
    hint,
    isRequired,
    choices,
    takesSeveral: kind === "several",
    initial: initial === null ? "" : shown(initial, word),
    read: (text) => readField(field, choices, text),
  };
}

function shown(value: FieldValue, word: (value: string) => string): string {
  if (typeof value === "boolean") return value ? "yes" : "no";
  if (typeof value === "object") return value.map(word).join(", ");
  return typeof value === "string" ? word(value) : String(value);
}

/** A unique text without a comma for each option. */
function choicesOf({ options }: Field): readonly string[] {
  const count = (label: string) => options.filter((one) => one.label === label).length;
  return options.map(({ label, value }, index) => {
    const fitting = [count(label) === 1 ? label : value, value].find((word) =>
      /^[^,\n]+$/.test(word),
    );
    return fitting?.trim() ?? `option ${index + 1}`;
  });
}

function readField(
  field: Field,
  choices: readonly string[],
  text: string,
): { readonly value: FieldValue } | { readonly reason: string } {
  const choose = (word: string) => chosen(field, choices, word);
  switch (field.kind) {
    case "text":
    case "number":
      return parseTyped(field, text);
    case "yes-or-no": {
      const word = text.trim().toLowerCase();
      if (["yes", "y", "true"].includes(word)) return checked(field, true);
      return ["no", "n", "false"].includes(word)
        ? checked(field, false)
        : { reason: "Write yes or no." };
    }
    case "one": {
      const value = choose(text);
      return value === null ? { reason: noChoice(text, choices) } : checked(field, value);
    }
    case "several": {
      const words = text.split(/[,\n]/).filter((word) => word.trim() !== "");
      const wrong = words.find((word) => choose(word) === null);
      if (wrong !== undefined) return { reason: noChoice(wrong, choices) };
      return checked(field, [...new Set(words.flatMap((word) => choose(word) ?? []))]);
    }
  }
}

/** Matches an offered choice or the server's value; upper and lower case only matter if both occur. */
function chosen({ options }: Field, choices: readonly string[], text: string): string | null {
  const word = text.trim();
  const indexOf = (same: (one: string) => boolean) => {
    const offered = choices.findIndex((one) => same(one.trim()));
    return offered >= 0 ? offered : options.findIndex(({ value }) => same(value.trim()));
  };
  const exact = indexOf((one) => one === word);
  const index = exact >= 0 ? exact : indexOf((one) => one.toLowerCase() === word.toLowerCase());
  return options[index]?.value ?? null;
}

function noChoice(word: string, choices: readonly string[]): string {
  const more = choices.length > mostShown ? ", …" : "";
  return `${JSON.stringify(word.trim())} is not one of: ${choices.slice(0, mostShown).join(", ")}${more}.`;
}
