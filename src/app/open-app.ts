/** Reads the configuration and puts the app together, for the host and for the command line. */

import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { isObject, parseJson, stringOf } from "../shared/json.ts";
import { homeFolder, type StandardPaths } from "../system/standard-folders.ts";
import { App } from "./app.ts";
import type { AppOptions } from "./app-parts.ts";
import {
  checkSetup,
  mergeConfiguration,
  type ReadConfiguration,
  type ReadValues,
  readConfigurationFile,
} from "./configuration/config.ts";
import { parleyFolders } from "./configuration/parley-folders.ts";
import { unknownNames } from "./configuration/unknown-names.ts";

/** Options that are made here from the paths and from the values given to `setup`. */
type Made =
  | "configuration"
  | "configurationMistakes"
  | "optionsOfSetup"
  | "configurationFolder"
  | "stateFolder"
  | "packageFolder"
  | "environment"
  | "version";

export interface OpenOptions extends Omit<AppOptions, Made> {
  readonly paths: StandardPaths;
  /** The values given to `setup`; undefined without Neovim. */
  readonly setup?: unknown;
}

type Sources = Pick<OpenOptions, "paths" | "setup" | "notify">;

/** Reads the configuration as it is now. `notify` reports the mistakes in it; the rest is used. */
async function readConfiguration(sources: Sources): Promise<ReadConfiguration> {
  return merged(
    await readConfigurationFile(parleyFolders(sources.paths).configurationFile),
    sources,
  );
}

/**
 * Like `readConfiguration`, for an app that is open. If the file is broken, what was read before is returned with the
 * mistakes: a rule or a limit that can no longer be read stays in force.
 */
export async function readConfigurationAgain(
  sources: Sources,
  { configuration, optionsOfSetup }: ReadConfiguration,
): Promise<ReadConfiguration> {
  const { configurationFile } = parleyFolders(sources.paths);
  const file = await readConfigurationFile(configurationFile);
  if (!file.isBroken) return merged(file, sources);
  const empty = `${configurationFile}: it is empty; write {} to remove all options`;
  const mistakes = file.mistakes.length === 0 ? [empty] : file.mistakes;
  const end = "Parley keeps the options that it has until this is mended.";
  sources.notify("warn", [...mistakes, end].join("\n"));
  return { configuration, optionsOfSetup, configurationMistakes: mistakes };
}

function merged(file: ReadValues, { paths, setup: given, notify }: Sources): ReadConfiguration {
  const folders = parleyFolders(paths);
  const setup = checkSetup(given);
  const { env: environment } = process;
  const places = { home: homeFolder(), environment, chats: folders.chats, config: folders.config };
  const configuration = mergeConfiguration(file.values, setup.values, places);
  const configurationMistakes = [
    ...file.mistakes,
    ...setup.mistakes,
    ...unknownNames(configuration),
  ];
  if (configurationMistakes.length > 0) {
    const end = "Parley ignores the settings that are wrong and uses the rest.";
    notify("warn", [...configurationMistakes, end].join("\n"));
  }
  const optionsOfSetup = new Set(Object.keys(setup.values));
  return { configuration, configurationMistakes, optionsOfSetup };
}

export async function openApp({ paths, setup, ...given }: OpenOptions): Promise<App> {
  const folders = parleyFolders(paths);
  return new App({
    ...given,
    ...(await readConfiguration({ paths, setup, notify: given.notify })),
    configurationFolder: folders.config,
    stateFolder: folders.state,
    packageFolder: folders.data,
    environment: process.env,
    version: await packageVersion(given.root),
  });
}

/** The version in the manifest of the plugin or package that lies in `root`. */
export async function packageVersion(root: string): Promise<string> {
  const value = parseJson(await readFile(join(root, "package.json"), "utf8"));
  return (isObject(value) && stringOf(value.version)) || "0";
}
