/** Reads the configuration: the file, then what `setup` was given, over the defaults. */

import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { type Configuration, defaults } from "../../conversation/settings/configuration.ts";
import { readCommentedJson } from "../../mcp/configured/commented-json.ts";
import { messageOf } from "../../shared/json.ts";
import { type ConfigurationValues, checkValues, type KeyPath } from "./config-schema.ts";

export interface ReadValues {
  readonly values: ConfigurationValues;
  /** Sentences, each with the place and the key; they never hold a value. */
  readonly mistakes: readonly string[];
}

/** Reads config.json: JSON with comments and trailing commas. A file that is not there is empty. */
export async function readConfigurationFile(path: string): Promise<ReadValues> {
  let text: string;
  try {
    text = await readFile(path, "utf8");
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") {
      return { values: {}, mistakes: [] };
    }
    const reason = messageOf(error);
    return { values: {}, mistakes: [`${path} could not be read, so the defaults hold. ${reason}`] };
  }
  return parseConfiguration(path, text);
}

/** `path` is only for the sentences. */
export function parseConfiguration(path: string, text: string): ReadValues {
  const json = readCommentedJson(text);
  const syntax = json.syntaxErrors.map(
    ({ line, reason }) =>
      `${path}:${line}: not readable as JSON here (${reason}). What could be read around it is used.`,
  );
  if (json.value === undefined) return { values: {}, mistakes: syntax };
  const { values, mistakes } = checkValues(json.value);
  const wrong = mistakes.map(
    ({ path: key, reason }) =>
      `${path}:${json.lineOf(key)}: ${keyText(key)}: ${reason}. It was passed over; the rest is used.`,
  );
  return { values, mistakes: [...syntax, ...wrong] };
}

/** Checks what `setup` was given. */
export function checkSetup(given: unknown): ReadValues {
  const { values, mistakes } = checkValues(given ?? {});
  return {
    values,
    mistakes: mistakes.map(
      ({ path, reason }) =>
        `setup: ${keyText(path)}: ${reason}. It was passed over; the rest is used.`,
    ),
  };
}

export interface Places {
  /** For `~`. */
  readonly home: string;
  /** The folder for chats when none is configured. */
  readonly chats: string;
  /** The folder of config.json: relative paths in the configuration begin there. */
  readonly config: string;
}

/** The whole configuration; what `setup` gives wins over the file, value by value. */
export function mergeConfiguration(
  file: ConfigurationValues,
  setup: ConfigurationValues,
  { home, chats, config }: Places,
): Configuration {
  const toolFiles = setup.tool_files ?? file.tool_files ?? null;
  const folders = [setup.chat_dirs, file.chat_dirs].find((list) => list && list.length > 0);
  return {
    ...defaults,
    ...file,
    ...setup,
    chat_dirs: (folders ?? [chats]).map((folder) => resolve(expandHome(folder, home))),
    tool_files: toolFiles?.map((path) => resolve(config, expandHome(path, home))) ?? null,
    providers: mergeProviders(file.providers ?? {}, setup.providers ?? {}),
    agents: { ...file.agents, ...setup.agents },
    models: { ...file.models, ...setup.models },
    system_prompts: { ...file.system_prompts, ...setup.system_prompts },
    prices: { ...file.prices, ...setup.prices },
    image_commands: { ...file.image_commands, ...setup.image_commands },
    rules: {
      allow: [...(setup.rules?.allow ?? []), ...(file.rules?.allow ?? [])],
      ask: [...(setup.rules?.ask ?? []), ...(file.rules?.ask ?? [])],
      deny: [...(setup.rules?.deny ?? []), ...(file.rules?.deny ?? [])],
    },
    mcp: {
      ...defaults.mcp,
      ...file.mcp,
      ...setup.mcp,
      servers: { ...file.mcp?.servers, ...setup.mcp?.servers },
    },
  };
}

function mergeProviders(
  file: Configuration["providers"],
  setup: Configuration["providers"],
): Configuration["providers"] {
  const ids = new Set([...Object.keys(file), ...Object.keys(setup)]);
  return Object.fromEntries([...ids].map((id) => [id, { ...file[id], ...setup[id] }]));
}

/** `~` and `~/…` at the start as the home folder. */
export function expandHome(path: string, home: string): string {
  return path === "~" || path.startsWith("~/") ? home + path.slice(1) : path;
}

function keyText(path: KeyPath): string {
  return path.length === 0 ? "the configuration" : path.join(".");
}
