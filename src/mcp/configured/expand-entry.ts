/**
 * Turns a server's entry into its launch configuration: expands variables, and makes `~` and relative folders
 * absolute. The caller (a chat or a program) decides in `StartRules` what a server may see and where it starts.
 */
import { resolve } from "node:path";
import { given } from "../../shared/given.ts";
import { expandHome } from "../../system/paths.ts";
import type { OAuthLogin } from "../oauth/login.ts";
import type { RemoteLaunch, ServerEntry, StdioLaunch } from "./entry.ts";
import { expandText, type VariableSources, variablesOfFile } from "./expand-variables.ts";
import { checkHeaders, hasAuthorization, readHttpAddress } from "./http-address.ts";
import type {
  HttpConfiguration,
  ServerConfiguration,
  StdioConfiguration,
} from "./launch-configuration.ts";

export interface StartRules {
  /** Which of our own environment variables the process gets, out of those that its entry names. */
  readonly passed: (names: readonly string[]) => readonly string[];
  /** The working directory of a process whose entry has no `cwd`. */
  readonly folder: (launch: StdioLaunch) => Promise<Pick<StdioConfiguration, "cwd" | "emptyFor">>;
  /** Throws an error for the user if these headers must not be sent to the address. */
  readonly mayGo: (address: URL, headers: Readonly<Record<string, string>>) => Promise<void>;
  /** Null: Parley never logs in. */
  readonly login: (address: URL) => Promise<OAuthLogin | null>;
}

/** Throws an error for the user if a value cannot be obtained, or the expanded text is not valid. */
export async function expandEntry(
  { launch, protocol, timeoutMs, startTimeoutMs, sharesRoots }: ServerEntry,
  sources: VariableSources,
  rules: StartRules,
): Promise<ServerConfiguration> {
  const reached =
    launch.type === "remote"
      ? await expandRemote(launch, sources, rules)
      : await expandStdio(launch, sources, rules);
  const roots = sharesRoots ? null : false;
  return { ...reached, ...given({ protocol, timeoutMs, startTimeoutMs, roots }) };
}

async function expandRemote(
  { url, headers: written, transport }: RemoteLaunch,
  sources: VariableSources,
  { mayGo, login }: StartRules,
): Promise<HttpConfiguration> {
  const address = readHttpAddress(await expandText(url, sources));
  const headers = await expandTable(written, sources);
  checkHeaders(headers);
  await mayGo(address, headers);
  // An Authorization header in the entry replaces the login.
  const isLoggedIn = hasAuthorization(headers);
  return { url: address, headers, transport, login: isLoggedIn ? null : await login(address) };
}

async function expandStdio(
  launch: StdioLaunch,
  sources: VariableSources,
  { passed, folder }: StartRules,
): Promise<StdioConfiguration> {
  const { workspaceFolder, userHome } = sources;
  const text = (written: string) => expandText(written, sources);
  const place = (path: string) => expandHome(path, userHome);
  const command = place(await text(launch.command));
  const args: string[] = [];
  for (const arg of launch.args) args.push(await text(arg));
  const env = await expandTable(launch.env, sources);
  const cwd = launch.cwd === null ? null : place(await text(launch.cwd));
  const envFile = launch.envFile === null ? null : place(await text(launch.envFile));
  const write: string[] = [];
  for (const path of launch.sandbox?.write ?? []) {
    write.push(resolve(workspaceFolder, place(await text(path))));
  }
  const base = resolve(workspaceFolder, cwd ?? "");
  const ofFile = envFile === null ? {} : await variablesOfFile(resolve(base, envFile));
  return {
    command,
    args,
    env: { ...ofFile, ...env },
    envPass: passed(launch.envPass),
    ...(cwd === null ? await folder({ ...launch, command, args }) : { cwd: base }),
    ...given({ sandbox: launch.sandbox === undefined ? null : { ...launch.sandbox, write } }),
  };
}

/** Expands the values one by one, so that the user never sees two questions at once. */
async function expandTable(
  table: Readonly<Record<string, string>>,
  sources: VariableSources,
): Promise<Readonly<Record<string, string>>> {
  const expanded: Record<string, string> = {};
  for (const [name, value] of Object.entries(table)) {
    expanded[name] = await expandText(value, sources);
  }
  return expanded;
}
