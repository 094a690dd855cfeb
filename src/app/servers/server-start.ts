/** How a server starts depends on who declared it: its values, its folder and its login. */

import { resolve } from "node:path";
import { expandEntry } from "../../mcp/configured/expand-entry.ts";
import {
  expandOAuth,
  expandText,
  type VariableSources,
  valueOfCommand,
} from "../../mcp/configured/expand-variables.ts";
import { readHttpAddress } from "../../mcp/configured/http-address.ts";
import type { ServerConfiguration } from "../../mcp/configured/launch-configuration.ts";
import type { OAuthLogin } from "../../mcp/oauth/login.ts";
import { given } from "../../shared/given.ts";
import { homeFolder } from "../../system/standard-folders.ts";
import { hasVariable } from "../../system/variables.ts";
import type { DeclaredServer } from "./declared-servers.ts";
import type { AskInput } from "./inputs.ts";
import type { OAuthLogins } from "./oauth-store.ts";
import { startFolder } from "./start-folder.ts";
import { isPlain } from "./trust.ts";

export interface StartSources {
  readonly stateFolder: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly workingDirectory: string;
  /** A file of servers that the user named for this run. */
  readonly namedFile: string | null;
  /** Names of variables that contain API keys of vendors. */
  readonly keyVariables: ReadonlySet<string>;
  readonly askInput: AskInput;
  readonly logins: OAuthLogins;
  /** Whether the user approved sending this server's keys and headers unencrypted. */
  readonly mayGoPlain: (server: DeclaredServer, url: URL) => Promise<boolean>;
}

/** `named`: the files in the working folder that the entry names, already approved. Throws a sentence. */
export async function startOf(
  server: DeclaredServer,
  named: readonly string[],
  start: StartSources,
): Promise<ServerConfiguration> {
  const { entry, project } = server;
  const sources = sourcesOf(server, start);
  const configuration = await expandEntry(entry, sources, {
    // A project's file cannot pass a vendor's API key to its server.
    passed: (names) =>
      project === null ? names : names.filter((name) => !hasVariable(start.keyVariables, name)),
    folder: async (launch) =>
      project === null
        ? startFolder(launch, named, start.workingDirectory, start.stateFolder)
        : { cwd: resolve(project) },
    async mayGo(address, headers) {
      if (Object.keys(headers).length === 0 || (await isPermitted(server, address, start))) return;
      throw new Error(
        `It would send its headers over http:// to ${address.host}, where others can read them. Write https:// into url; or :Parley mcp trust ${entry.name} asks you.`,
      );
    },
    login: () => loginOf(server, start),
  });
  // Only the user's own entry can grant sampling, not a project's file.
  return { ...configuration, ...given({ sampling: project === null ? entry.sampling : null }) };
}

/** The login of a server; null: it uses none. Throws a sentence when a value is missing. */
export async function loginOf(
  server: DeclaredServer,
  start: StartSources,
): Promise<OAuthLogin | null> {
  const { launch } = server.entry;
  if (launch.type === "stdio" || launch.oauth === null) return null;
  const sources = sourcesOf(server, start);
  const url = readHttpAddress(await expandText(launch.url, sources));
  // A login is as secret as a key.
  if (!(await isPermitted(server, url, start))) return null;
  return start.logins(url.href, await expandOAuth(launch.oauth, sources));
}

async function isPermitted(
  server: DeclaredServer,
  url: URL,
  { mayGoPlain }: StartSources,
): Promise<boolean> {
  return !isPlain(url) || (await mayGoPlain(server, url));
}

export function sourcesOf(
  server: DeclaredServer,
  { environment, workingDirectory, keyVariables, askInput }: StartSources,
): VariableSources {
  const { entry, project, from } = server;
  const isSent = project !== null && entry.launch.type === "remote";
  return {
    environment,
    workspaceFolder: project ?? workingDirectory,
    userHome: homeFolder(),
    run: project === null ? valueOfCommand : null,
    input: (id) => askInput(server, id),
    refusal: (name) =>
      isSent && hasVariable(keyVariables, name)
        ? `It would send ${name}, which is a model vendor's API key, to an address that the project's file ${from} names. Parley never does that; if you want it, add this server to your own mcp.json.`
        : null,
  };
}
