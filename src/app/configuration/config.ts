/** Reads the configuration: the file, then what `setup` was given, over the defaults. */

import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import type { InForce, Option } from "../../conversation/settings/option.ts";
import { readCommentedJson } from "../../mcp/configured/commented-json.ts";
import { expandHome } from "../../system/paths.ts";
import { isMissing } from "../../system/system-error.ts";
import { reasonOf } from "../files/reason-of.ts";
import { checkValues, type KeyPath } from "./check-values.ts";
import { type Configuration, type ConfigurationValues, configurationOptions } from "./options.ts";

export interface ReadValues {
  readonly values: ConfigurationValues;
  /** Each with the place and the key, without a point at its end; they never hold a value. */
  readonly mistakes: readonly string[];
}

/** Reads config.json: JSON with comments and trailing commas. A file that is not there is empty. */
export async function readConfigurationFile(path: string): Promise<ReadValues> {
  let text: string;
  try {
    text = await readFile(path, "utf8");
  } catch (error) {
    if (isMissing(error)) {
      return { values: {}, mistakes: [] };
    }
    const reason = reasonOf(error);
    return { values: {}, mistakes: [`${path}: could not be read (${reason})`] };
  }
  return parseConfiguration(path, text);
}

/** `path` is only for the sentences. */
export function parseConfiguration(path: string, text: string): ReadValues {
  const json = readCommentedJson(text);
  // What follows on the same line follows from the first.
  const first = new Map(json.syntaxErrors.toReversed().map((error) => [error.line, error]));
  const syntax = [...first.values()].map(({ line, reason }) => ({
    line,
    sentence: `not valid JSON here (${reason})`,
  }));
  const { values, mistakes } = checkValues(json.value ?? {});
  const wrong = mistakes.map(({ path: key, reason }) => ({
    line: json.lineOf(key),
    sentence: `${keyText(key)}: ${reason}`,
  }));
  const twice = json.duplicates.map((key) => ({
    line: json.lineOf(key),
    sentence: `${keyText(key)}: it is set twice; the last one counts`,
  }));
  const inOrder = [...syntax, ...twice, ...wrong].toSorted((a, b) => a.line - b.line);
  return { values, mistakes: inOrder.map(({ line, sentence }) => `${path}:${line}: ${sentence}`) };
}

/** Checks what `setup` was given. */
export function checkSetup(given: unknown): ReadValues {
  const { values, mistakes } = checkValues(given ?? {});
  return {
    values,
    mistakes: mistakes.map(({ path, reason }) => `setup: ${keyText(path)}: ${reason}`),
  };
}

export interface ReadConfiguration {
  readonly configuration: Configuration;
  /** Sentences about values that were passed over, for `:checkhealth parley`. */
  readonly configurationMistakes: readonly string[];
  /** The options that `setup` was given, which win over the file. */
  readonly optionsOfSetup: ReadonlySet<string>;
}

export interface Folders {
  /** For `~`. */
  readonly home: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** The folder for chats when none is configured. */
  readonly chats: string;
  /** The folder of config.json: relative paths in the configuration begin there. */
  readonly config: string;
}

/** The whole configuration; what `setup` gives wins over the file, value by value. */
export function mergeConfiguration(
  file: ConfigurationValues,
  setup: ConfigurationValues,
  folders: Folders,
): Configuration {
  const fileValues = new Map<string, unknown>(Object.entries(file));
  const setupValues = new Map<string, unknown>(Object.entries(setup));
  const merged = Object.entries<Option>(configurationOptions).map(([name, row]) => {
    const [below, above] = [fileValues.get(name), setupValues.get(name)];
    return [name, row.merge?.(below, above) ?? above ?? below ?? row.default];
  });
  const { chat_dir: _, ...values } = Object.fromEntries(merged) as InForce<
    typeof configurationOptions
  >;
  const chats = [setup.chat_dirs, file.chat_dirs].find((list) => list && list.length > 0);
  const absolute = (path: string) => resolve(folders.config, expandPath(path, folders));
  return {
    ...values,
    chat_dirs: (chats ?? [folders.chats]).map(absolute),
    tool_files: values.tool_files?.map(absolute) ?? null,
  };
}

/** `~`, `$NAME` and `${NAME}` put in, as lua/parley/config/init.lua does; a variable that is not set stays as written. */
function expandPath(path: string, { home, environment }: Folders): string {
  return expandHome(path, home).replaceAll(
    /\$(?:\{(\w+)\}|(\w+))/g,
    (written, braced?: string, bare?: string) => environment[braced ?? bare ?? ""] ?? written,
  );
}

function keyText(path: KeyPath): string {
  return path.length === 0 ? "the configuration" : path.join(".");
}
