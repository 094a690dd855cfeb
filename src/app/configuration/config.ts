/** Reads the configuration: the defaults, then the file, then the values given to `setup`, which win. */

import { resolve } from "node:path";
import type { Option, OptionValues } from "../../conversation/settings/option.ts";
import { readCommentedJson } from "../../mcp/configured/commented-json.ts";
import { withoutEnd } from "../../shared/without-end.ts";
import { expandHome } from "../../system/paths.ts";
import { readRegularText } from "../../system/regular-file.ts";
import { isMissing } from "../../system/system-error.ts";
import { reasonOf } from "../files/reason-of.ts";
import { checkValues, type KeyPath } from "./check-values.ts";
import { type Configuration, type ConfigurationValues, configurationOptions } from "./options.ts";

export interface ReadValues {
  readonly values: ConfigurationValues;
  /** Each names the place and the key, without a full stop at its end; none contains a value. */
  readonly mistakes: readonly string[];
}

/** Bytes. */
const largestFile = 4 * 1024 * 1024;

/** Values of the file. `isBroken`: there may be others, since it could not be read, or is no JSON object. */
export interface ReadFile extends ReadValues {
  readonly isBroken: boolean;
}

/** Reads config.json: JSON with comments and trailing commas. A missing file counts as empty. */
export async function readConfigurationFile(path: string): Promise<ReadFile> {
  let text: string;
  try {
    text = await readRegularText(path, largestFile);
  } catch (error) {
    if (isMissing(error)) {
      return { values: {}, mistakes: [], isBroken: false };
    }
    const reason = withoutEnd(reasonOf(error), ".");
    const mistakes = [`${path}: could not be read (${reason})`];
    return { values: {}, mistakes, isBroken: true };
  }
  return parseConfiguration(path, text);
}

/** `path` is only used in the messages. */
export function parseConfiguration(path: string, text: string): ReadFile {
  const json = readCommentedJson(text);
  // Later syntax errors on a line are consequences of the first one.
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
  const sentences = inOrder.map(({ line, sentence }) => `${path}:${line}: ${sentence}`);
  // A program that writes the file in place empties it first.
  const isEmpty = text.trim() === "";
  const isBroken =
    isEmpty || syntax.length > 0 || mistakes.some((mistake) => mistake.path.length === 0);
  return { values, mistakes: sentences, isBroken };
}

/** Checks the values given to `setup`. */
export function checkSetup(given: unknown): ReadValues {
  const { values, mistakes } = checkValues(given ?? {});
  return {
    values,
    mistakes: mistakes.map(({ path, reason }) => `setup: ${keyText(path)}: ${reason}`),
  };
}

export interface ReadConfiguration {
  readonly configuration: Configuration;
  /** Sentences about values that were ignored, for `:checkhealth parley`. */
  readonly configurationMistakes: readonly string[];
  /** The options given to `setup`, which win over the file. */
  readonly optionsOfSetup: ReadonlySet<string>;
}

export interface Folders {
  /** What `~` stands for. */
  readonly home: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** The folder for chats when none is configured. */
  readonly chats: string;
  /** The folder of config.json; relative paths in the configuration start there. */
  readonly config: string;
}

/** The whole configuration; values of `setup` win over the file, value by value. */
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
  const { chat_dir: _, ...values } = Object.fromEntries(merged) as OptionValues<
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

/** Expands `~`, `$NAME` and `${NAME}` as lua/parley/config/init.lua does; an unset variable stays as written. */
function expandPath(path: string, { home, environment }: Folders): string {
  return expandHome(path, home).replaceAll(
    /\$(?:\{(\w+)\}|(\w+))/g,
    (written, braced?: string, bare?: string) => environment[braced ?? bare ?? ""] ?? written,
  );
}

function keyText(path: KeyPath): string {
  return path.length === 0 ? "the configuration" : path.join(".");
}
