/** The MCP servers of the app: what is configured, what was approved, and how each is started. */

import { mayWantServer, readSelection } from "../../conversation/settings/tool-selection.ts";
import { includesTool } from "../../mcp/configured/entry.ts";
import { expandText } from "../../mcp/configured/expand-variables.ts";
import { wirePrefix } from "../../mcp/names.ts";
import type { OAuthLogin } from "../../mcp/oauth/login.ts";
import type { FindServers, FoundServer } from "../../mcp/registry.ts";
import { given } from "../../shared/given.ts";
import type { Keep } from "../state/own-files.ts";
import type { SeenFiles } from "../tools/tool-changes.ts";
import { createServerFiles, type ServerFiles } from "./config-files.ts";
import { type DeclaredServer, findServers, type ServerSources } from "./declared-servers.ts";
import { createInputs } from "./inputs.ts";
import { launchLines } from "./launch-lines.ts";
import { createLoginKeeper, type LoginCommands } from "./login-keeper.ts";
import { createOAuthLogins } from "./oauth-store.ts";
import { loginOf, type StartSources, sourcesOf, startOf } from "./server-start.ts";
import { namedInFolder } from "./start-folder.ts";
import {
  askConsents,
  type Consent,
  createTrust,
  folderConsent,
  isPlain,
  plainConsent,
  projectConsent,
  type TrustStore,
} from "./trust.ts";
import type { ServersUser } from "./user.ts";

export interface ServersOptions {
  readonly stateFolder: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly user: ServersUser | null;
  readonly sources: () => Omit<ServerSources, "withProject">;
  /** As currently configured. Null: logins are kept in a file of the state folder. */
  readonly loginCommands?: () => LoginCommands | null;
  /** Names of variables that contain API keys of vendors. */
  readonly keyVariables: () => ReadonlySet<string>;
  /** The files that the list of servers is made from. */
  readonly seen: SeenFiles;
  /** By default, files are read from the disk. */
  readonly files?: ServerFiles;
  /** The user approved or declined a server. */
  readonly trustChanged: () => void;
  readonly keep: Keep;
}

export interface Servers {
  readonly find: FindServers;
  /** Asks about the selected or named servers that need approval and that the user has not been asked about yet. */
  agree(selection: string | null, named?: readonly string[]): Promise<void>;
  /** Asks about this server (or all) again; false when no such server needs approval. */
  trust(name: string | null): Promise<boolean>;
  /** The login of this server; null when there is no such server, or it uses none. */
  login(name: string): Promise<OAuthLogin | null>;
  /** Forgets inputs that the user declined to give, so that they are asked for again. */
  forgetRefusedInputs(): void;
  /** How the server is reached, line by line, without secrets; empty when there is no such server. */
  launch(name: string): Promise<readonly string[]>;
  /** As of the last look; without disabled servers. */
  names(): readonly string[];
  /** As of the last look: for each disabled server, by name, the file that disables it. */
  disabled(): ReadonlyMap<string, string>;
  /** Patterns of the project's deny rules, as of the last look. */
  denied(): readonly string[];
}

export function createServers(options: ServersOptions): Servers {
  const { user, stateFolder, loginCommands = () => null, seen } = options;
  const { files = createServerFiles(seen) } = options;
  const trust = createTrust(options);
  const inputs = createInputs(user);
  const keeper = () => {
    const commands = loginCommands();
    return commands && createLoginKeeper(commands, options.environment);
  };
  const logins = createOAuthLogins(stateFolder, keeper);
  let names: readonly string[] = [];
  let disabled: ReadonlyMap<string, string> = new Map();
  let denied: readonly string[] = [];

  const look = async () => {
    const where = { ...options.sources(), withProject: user !== null };
    const found = await findServers(where, { files, seen });
    const servers = found.servers.filter(({ entry }) => !entry.isDisabled);
    const off = found.servers.filter(({ entry }) => entry.isDisabled);
    names = servers.map(({ entry }) => entry.name);
    disabled = new Map(off.map(({ entry, from }) => [entry.name, from]));
    denied = found.deny;
    return { servers, mistakes: found.mistakes, remarks: found.remarks };
  };
  const sources = (): StartSources => ({
    ...options,
    workingDirectory: options.sources().workingDirectory,
    namedFile: options.sources().namedFile,
    keyVariables: options.keyVariables(),
    askInput: inputs.ask,
    logins,
    mayGoPlain: async (server, url) => (await trust.of(plainConsent(server, url))) === "yes",
  });
  const consents = createConsents({ look, sources, trust, user: user, seen });

  return {
    async find() {
      const { servers, mistakes, remarks } = await look();
      const toFound = (server: DeclaredServer) =>
        foundServer(server, sources(), { trust, user: user, seen });
      return { servers: await Promise.all(servers.map(toFound)), notices: mistakes, remarks };
    },
    agree(selectionText, named = []) {
      const selection = readSelection(selectionText);
      return consents.ask(
        ({ entry }) =>
          named.includes(entry.name) || mayWantServer(selection, entry.name, wirePrefix),
      );
    },
    trust: (name) => consents.askAgain(({ entry }) => name === null || entry.name === name),
    async login(name) {
      const server = (await look()).servers.find(isNamed(name));
      return server === undefined ? null : loginOf(server, sources());
    },
    forgetRefusedInputs: inputs.forgetRefused,
    launch: async (name) => (await look()).servers.filter(isNamed(name)).flatMap(launchLines),
    names: () => names,
    disabled: () => disabled,
    denied: () => denied,
  };
}

interface ConsentSources {
  readonly look: () => Promise<{ readonly servers: readonly DeclaredServer[] }>;
  readonly sources: () => StartSources;
  readonly trust: TrustStore;
  readonly user: ServersUser | null;
  readonly seen: SeenFiles;
}

/** Asks one question at a time, even when two chats ask at once. */
function createConsents({ look, sources, trust, user, seen }: ConsentSources) {
  let asking: Promise<void> = Promise.resolve();
  const wanted = async (isMeant: (server: DeclaredServer) => boolean) => {
    const { servers } = await look();
    const needs = servers.filter(isMeant).map((server) => needsOf(server, sources(), seen));
    return (await Promise.all(needs)).flatMap(({ consents }) => consents);
  };
  const askNow = async (isMeant: (server: DeclaredServer) => boolean) => {
    if (user === null) return;
    const all = await wanted(isMeant);
    const states = await Promise.all(all.map(trust.of));
    const open = all.filter((_, index) => states[index] === "unknown");
    await askConsents(open, user, trust);
  };
  const ask = (isMeant: (server: DeclaredServer) => boolean) => {
    const next = asking.then(() => askNow(isMeant));
    asking = next.catch(() => {});
    return next;
  };
  return {
    ask,
    /** Asks again about servers that were declined, too; false when none needs approval. */
    async askAgain(isMeant: (server: DeclaredServer) => boolean): Promise<boolean> {
      const consents = await wanted(isMeant);
      for (const consent of consents) trust.askAgain(consent);
      await ask(isMeant);
      return consents.length > 0;
    },
  };
}

async function foundServer(
  server: DeclaredServer,
  start: StartSources,
  { trust, user, seen }: Omit<ConsentSources, "look" | "sources">,
): Promise<FoundServer> {
  const { entry, from, project } = server;
  const { named, consents } = await needsOf(server, start, seen);
  const folder = named.length === 0 ? [] : [start.workingDirectory, ...named];
  const hashes = project === null ? [] : consents.map(({ hash }) => hash);
  const reason = await reasonToLeaveOut(consents, trust.of, user !== null);
  return {
    name: entry.name,
    version: JSON.stringify([entry, from, folder, hashes]),
    leftOut: reason?.text ?? null,
    isUnanswered: reason?.isUnanswered ?? false,
    instructs: entry.instructions !== false,
    transport: entry.launch.type === "stdio" ? "stdio" : entry.launch.transport,
    includes: (tool) => includesTool(entry.tools, tool),
    ...given({ projectFile: project === null ? null : from }),
    start: () => startOf(server, named, start),
  };
}

function isNamed(name: string) {
  return ({ entry }: DeclaredServer) => entry.name === name;
}

interface Needs {
  /** Absolute paths in the working folder that one of the user's own servers names. */
  readonly named: readonly string[];
  /** Everything that needs approval before the server starts. */
  readonly consents: readonly Consent[];
}

async function needsOf(
  server: DeclaredServer,
  start: StartSources,
  seen: SeenFiles,
): Promise<Needs> {
  const { entry, project } = server;
  const { launch } = entry;
  const sources = sourcesOf(server, start);
  if (launch.type === "stdio" && project === null) {
    const named = await namedInFolder(launch, sources, seen);
    // Naming a file of servers for this run approves them in this folder.
    const isAgreed = named.length === 0 || server.from === start.namedFile;
    return {
      named,
      consents: isAgreed ? [] : [folderConsent(server, named, start.workingDirectory)],
    };
  }
  const own = project === null ? [] : [await projectConsent(server, project, { sources, seen })];
  if (launch.type === "stdio" || Object.keys(launch.headers).length === 0) {
    return { named: [], consents: own };
  }
  // An address with variables that only the start can resolve is checked there.
  const text = await expandText(launch.url, { ...sources, run: null, input: refuse }).catch(
    () => "",
  );
  const url = URL.canParse(text) ? new URL(text) : null;
  const plain = url !== null && isPlain(url) ? [plainConsent(server, url)] : [];
  return { named: [], consents: [...own, ...plain] };
}

async function refuse(): Promise<never> {
  throw new Error("Values that you would have to type are not known before the server starts.");
}

async function reasonToLeaveOut(
  consents: readonly Consent[],
  trustOf: (consent: Consent) => Promise<string>,
  canAsk: boolean,
): Promise<{ readonly text: string; readonly isUnanswered: boolean } | null> {
  for (const consent of consents) {
    const trust = await trustOf(consent);
    if (trust === "yes") continue;
    const { name } = consent.server.entry;
    const reason = trust === "no" ? "you declined" : "you have not allowed it yet";
    const way = canAsk
      ? `:Parley mcp trust ${name} asks.`
      : `In Neovim, :Parley mcp trust ${name} asks; trusting it there counts here too.`;
    return {
      text: `It ${consent.wants}: ${reason}. ${way}`,
      isUnanswered: canAsk && trust === "unknown",
    };
  }
  return null;
}
