/** How a server is started or reached, with the values of its variables put in. */
import { homedir } from "node:os";
import { resolve } from "node:path";
import type { Launch } from "../../mcp/configured/entry.ts";
import {
  expandLaunch,
  expandOAuth,
  expandRemote,
  expandText,
  type VariableSources,
  valueOfCommand,
  variablesOfFile,
} from "../../mcp/configured/expand-variables.ts";
import type { ServerConfiguration } from "../../mcp/configured/launch-configuration.ts";
import type { OAuthLogin } from "../../mcp/oauth/login.ts";
import {
  checkHeaders,
  hasAuthorization,
  readHttpAddress,
} from "../../mcp/transport/http-address.ts";
import { given } from "../../shared/given.ts";
import { expandHome } from "../../system/paths.ts";
import type { Sandbox } from "../../system/sandbox.ts";
import type { DeclaredServer } from "./declared-servers.ts";
import type { AskInput } from "./inputs.ts";
import type { OAuthLogins } from "./oauth-store.ts";
import { startFolder } from "./start-folder.ts";
import { isPlain } from "./trust.ts";

export interface StartSources {
  readonly stateFolder: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly workingDirectory: string;
  /** A file of servers that the person named for this run. */
  readonly namedFile: string | null;
  /** Names of variables that hold keys of model providers. */
  readonly keyVariables: ReadonlySet<string>;
  readonly askInput: AskInput;
  readonly logins: OAuthLogins;
  /** Whether the person agreed that this server's keys and headers go there unencrypted. */
  readonly mayGoPlain: (server: DeclaredServer, url: URL) => Promise<boolean>;
}

/** `named` is what the entry names in the folder worked in, and was agreed to. Throws a sentence. */
export async function startOf(
  server: DeclaredServer,
  named: readonly string[],
  start: StartSources,
): Promise<ServerConfiguration> {
  const { entry, project } = server;
  const { launch } = entry;
  const sources = sourcesOf(server, start);
  const { protocol, timeoutMs, startTimeoutMs } = entry;
  const common = given({
    protocol,
    timeoutMs,
    startTimeoutMs,
    roots: entry.tellsRoots ? null : false,
    // What a project's file says of it is not the person's word.
    sampling: project === null ? entry.sampling : null,
  });
  if (launch.type === "remote") {
    const { url, headers } = await expandRemote(launch, sources);
    const address = readHttpAddress(url);
    checkHeaders(headers);
    if (Object.keys(headers).length > 0 && !(await isPermitted(server, address, start))) {
      throw new Error(
        `It would send its headers over http:// to ${address.host}, where others can read them. Write https:// into url; or :Parley mcp trust ${entry.name} asks you.`,
      );
    }
    // Who writes the header is logged in by it.
    const login = hasAuthorization(headers) ? null : await loginOf(server, start);
    return { ...common, url: address, headers, transport: launch.transport, login };
  }
  const expanded = await expandLaunch(launch, sources);
  const { command, args, env, sandbox = null } = expanded;
  const { workspaceFolder, userHome } = sources;
  const folders = { workspaceFolder, userHome, stateFolder: start.stateFolder };
  const folder =
    project === null
      ? await startFolder(expanded, named, folders)
      : { cwd: resolve(workspaceFolder, expandHome(expanded.cwd ?? "", userHome)) };
  return {
    ...common,
    command: expandHome(command, userHome),
    args,
    env: { ...(await variablesOf(expanded, sources)), ...env },
    envPass: passed(server, start),
    ...folder,
    ...given({ sandbox: sandbox && withFolders(sandbox, sources) }),
  };
}

/** Relative folders begin at the folder worked in, of a project's server at the project's. */
function withFolders(sandbox: Sandbox, { workspaceFolder, userHome }: VariableSources): Sandbox {
  const write = (sandbox.write ?? []).map((folder) =>
    resolve(workspaceFolder, expandHome(folder, userHome)),
  );
  return { ...sandbox, write };
}

/** A project's file gets no key of a provider by it. */
function passed(
  { entry: { launch }, project }: DeclaredServer,
  { keyVariables }: StartSources,
): readonly string[] {
  const names = launch.type === "stdio" ? launch.envPass : [];
  return project === null ? names : names.filter((name) => !keyVariables.has(name));
}

async function variablesOf(
  { envFile, cwd }: Extract<Launch, { type: "stdio" }>,
  { workspaceFolder, userHome }: VariableSources,
): Promise<Readonly<Record<string, string>>> {
  if (envFile === null) return {};
  const folder = resolve(workspaceFolder, expandHome(cwd ?? "", userHome));
  return variablesOfFile(resolve(folder, expandHome(envFile, userHome)));
}

/** The login of a server; null: it is never logged in to. Throws a sentence when a value is missing. */
export async function loginOf(
  server: DeclaredServer,
  start: StartSources,
): Promise<OAuthLogin | null> {
  const { launch } = server.entry;
  if (launch.type === "stdio" || launch.oauth === null) return null;
  const sources = sourcesOf(server, start);
  const url = readHttpAddress(await expandText(launch.url, sources));
  // A login is a key too.
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
    userHome: homedir(),
    run: project === null ? valueOfCommand : null,
    input: (id) => askInput(server, id),
    refusal: (name) =>
      isSent && keyVariables.has(name)
        ? `It would send ${name}, which is the key of a model provider, to an address that the project's file ${from} names. That is never done; if you want it, write this server into your own mcp.json.`
        : null,
  };
}
