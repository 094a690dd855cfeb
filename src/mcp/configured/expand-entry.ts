/**
 * From a server's entry to what its start needs: variables put in, `~` and relative folders made absolute. Who may see
 * what, and where a process starts, is for those to say who start it: a chat or a program.
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
  /** Which variables of our own environment a process gets, of those that its entry names. */
  readonly passed: (names: readonly string[]) => readonly string[];
  /** Where a process starts whose entry has no `cwd`. */
  readonly folder: (launch: StdioLaunch) => Promise<Pick<StdioConfiguration, "cwd" | "emptyFor">>;
  /** Throws a sentence where these headers may not go to the address. */
  readonly mayGo: (address: URL, headers: Readonly<Record<string, string>>) => Promise<void>;
  /** Null: it is never logged in to. */
  readonly login: (address: URL) => Promise<OAuthLogin | null>;
}

/** Throws a sentence when a value cannot be had, or what it is put into cannot be used. */
export async function expandEntry(
  { launch, protocol, timeoutMs, startTimeoutMs, tellsRoots }: ServerEntry,
  sources: VariableSources,
  rules: StartRules,
): Promise<ServerConfiguration> {
  const reached =
    launch.type === "remote"
      ? await expandRemote(launch, sources, rules)
      : await expandStdio(launch, sources, rules);
  const roots = tellsRoots ? null : false;
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
  // Who writes the header is logged in by it.
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

/** One value after the other: two questions to the person must not stand on the screen at once. */
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
