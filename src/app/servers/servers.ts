/** The MCP servers as the app has them: what is configured, what was agreed to, and the values of their variables. */

import { execFile } from "node:child_process";
import { homedir } from "node:os";
import { resolve } from "node:path";
import type { ServerConfiguration } from "../../mcp/configured/server-configuration.ts";
import type { Launch } from "../../mcp/configured/server-entry.ts";
import {
  expandLaunch,
  expandOAuth,
  expandRemote,
  expandText,
  type VariableSources,
} from "../../mcp/configured/variables.ts";
import { wirePrefix } from "../../mcp/names.ts";
import type { OAuthSession } from "../../mcp/oauth/login.ts";
import type { FindServers, FoundServer } from "../../mcp/registry.ts";
import { mayWant, readSelection } from "../../mcp/selection.ts";
import {
  checkHeaders,
  hasAuthorization,
  readHttpAddress,
} from "../../mcp/transport/http-transport.ts";
import { given } from "../../shared/given.ts";
import { clip, visible } from "../../shared/visible.ts";
import { expandHome } from "../configuration/config.ts";
import { type DeclaredServer, findServers, type ServerPlaces } from "./declared-servers.ts";
import { launchLines } from "./launch-lines.ts";
import { createOAuthSessions, type OAuthSessions } from "./oauth-store.ts";
import { createServerFiles, type ServerFiles } from "./server-files.ts";
import { createTrust, trustQuestion } from "./trust.ts";

/** The one who sits there; nobody does on the command line. */
export interface Person {
  confirm(question: string): Promise<boolean>;
  /** Null when nothing was typed. */
  secret(prompt: string): Promise<string | null>;
}

export interface ServersOptions {
  readonly stateFolder: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly person: Person | null;
  readonly places: () => Omit<ServerPlaces, "withProject">;
  /** Read from the disk when absent. */
  readonly files?: ServerFiles;
  /** A person said yes or no to a server. */
  readonly trustChanged: () => void;
}

export interface Servers {
  readonly find: FindServers;
  /** Asks about each project's server that the selection may mean or that is named, and nobody was asked about. */
  agree(selection: string | null, named?: readonly string[]): Promise<void>;
  /** Asks about this one (or all) again; false when there is no such server of a project. */
  trust(name: string | null): Promise<boolean>;
  /** The login of this server; null when there is no such server, or it is never logged in to. */
  session(name: string): Promise<OAuthSession | null>;
  /** Forgets what was not given when it was asked for. */
  forgetRefusedInputs(): void;
  /** How it is reached, line by line, without secrets; none when there is no such server. */
  launch(name: string): Promise<readonly string[]>;
  /** As of the last look. */
  names(): readonly string[];
  /** Patterns of tools that the project forbids, as of the last look. */
  denied(): readonly string[];
}

export function createServers(options: ServersOptions): Servers {
  const { person, stateFolder, files = createServerFiles() } = options;
  const trust = createTrust(stateFolder, options.trustChanged);
  const inputs = createInputs(person);
  const sessions = createOAuthSessions(stateFolder);
  let names: readonly string[] = [];
  let denied: readonly string[] = [];
  let asking: Promise<void> = Promise.resolve();

  const look = async () => {
    const found = await findServers({ ...options.places(), withProject: person !== null }, files);
    const servers = found.servers.filter(({ entry }) => !entry.isDisabled);
    names = servers.map(({ entry }) => entry.name);
    denied = found.deny;
    return { servers, mistakes: found.mistakes };
  };
  const ask = async (isMeant: (server: DeclaredServer) => boolean) => {
    const { servers } = await look();
    for (const server of servers) {
      if (person === null || server.project === null || !isMeant(server)) continue;
      if ((await trust.of(server)) !== "unknown") continue;
      await trust.decide(server, await person.confirm(trustQuestion(server)));
    }
  };
  // One question at a time, also when two chats ask at once.
  const askNext = (isMeant: (server: DeclaredServer) => boolean) => {
    const next = asking.then(() => ask(isMeant));
    asking = next.catch(() => {});
    return next;
  };

  return {
    async find() {
      const { servers, mistakes } = await look();
      const toFound = async (server: DeclaredServer): Promise<FoundServer> => ({
        name: server.entry.name,
        version: JSON.stringify([server.entry, server.from]),
        leftOut: await reasonToLeaveOut(server, trust.of),
        transport: transportOf(server),
        ...given({ projectFile: server.project === null ? null : server.from }),
        start: () => startOf(server, options, inputs.ask, sessions),
      });
      return { servers: await Promise.all(servers.map(toFound)), notices: mistakes };
    },
    agree(selectionText, named = []) {
      const selection = readSelection(selectionText);
      return askNext(
        ({ entry }) => named.includes(entry.name) || mayWant(selection, entry.name, wirePrefix),
      );
    },
    async trust(name) {
      const { servers } = await look();
      const isMeant = ({ entry, project }: DeclaredServer) =>
        project !== null && (name === null || entry.name === name);
      const meant = servers.filter(isMeant);
      for (const server of meant) trust.askAgain(server);
      await askNext(isMeant);
      return meant.length > 0;
    },
    async session(name) {
      const { servers } = await look();
      const server = servers.find(({ entry }) => entry.name === name);
      return server === undefined
        ? null
        : sessionOf(server, sessions, sourcesOf(server, options, inputs.ask));
    },
    forgetRefusedInputs: inputs.forgetRefused,
    launch: async (name) => (await look()).servers.filter(isNamed(name)).flatMap(launchLines),
    names: () => names,
    denied: () => denied,
  };
}

function transportOf({ entry: { launch } }: DeclaredServer): "stdio" | "http" | "sse" {
  return launch.type === "stdio" ? "stdio" : launch.transport;
}

function isNamed(name: string) {
  return ({ entry }: DeclaredServer) => entry.name === name;
}

async function reasonToLeaveOut(
  server: DeclaredServer,
  trustOf: (server: DeclaredServer) => Promise<string>,
): Promise<string | null> {
  const { entry, from, project } = server;
  if (project === null) return null;
  const trust = await trustOf(server);
  if (trust === "yes") return null;
  const reason = trust === "no" ? "you said no" : "nobody said yes";
  return `It is of the project's file ${from} and was not started: ${reason}. :Parley mcp trust ${entry.name} asks.`;
}

type AskInput = (server: DeclaredServer, id: string) => Promise<string>;

async function sessionOf(
  { entry: { launch } }: DeclaredServer,
  sessions: OAuthSessions,
  sources: VariableSources,
): Promise<OAuthSession | null> {
  if (launch.type === "stdio" || launch.oauth === null) return null;
  const url = await expandText(launch.url, sources);
  return sessions(new URL(url).href, await expandOAuth(launch.oauth, sources));
}

async function startOf(
  server: DeclaredServer,
  options: ServersOptions,
  askInput: AskInput,
  sessions: OAuthSessions,
): Promise<ServerConfiguration> {
  const { entry, project } = server;
  const launch: Launch = entry.launch;
  const sources = sourcesOf(server, options, askInput);
  const common = {
    ...given({ protocol: entry.protocol, roots: entry.tellsRoots ? null : false }),
    // What a project's file says of it is not the person's word.
    ...given({
      sampling: entry.sampling === null || project !== null ? null : entry.sampling,
      timeoutMs: entry.timeoutMs,
    }),
  };
  if (launch.type === "remote") {
    const { url, headers } = await expandRemote(launch, sources);
    const address = readHttpAddress(url);
    checkHeaders(headers);
    // Who writes the header is logged in by it.
    const session = hasAuthorization(headers) ? null : await sessionOf(server, sessions, sources);
    return { ...common, url: address, headers, transport: launch.transport, session };
  }
  const { command, args, env, cwd } = await expandLaunch(launch, sources);
  return {
    ...common,
    command: expandHome(command, sources.userHome),
    args,
    env,
    cwd: resolve(sources.workspaceFolder, expandHome(cwd ?? "", sources.userHome)),
  };
}

function sourcesOf(
  server: DeclaredServer,
  { environment, places }: ServersOptions,
  askInput: AskInput,
): VariableSources {
  const { project } = server;
  return {
    environment,
    workspaceFolder: project ?? places().workingDirectory,
    userHome: homedir(),
    run: project === null ? (words) => outputOf(words) : null,
    input: (id) => askInput(server, id),
  };
}

const commandTimeoutMs = 10_000;

/** Never tells what the command printed: it is a secret as a rule. */
function outputOf([command = "", ...args]: readonly string[]): Promise<string> {
  return new Promise((done, fail) => {
    execFile(command, args, { timeout: commandTimeoutMs, encoding: "utf8" }, (error, stdout) => {
      const text = stdout.replace(/[\r\n]+$/, "");
      if (error === null && text !== "") return done(text);
      const reason =
        error === null ? "it printed nothing" : `it failed (${error.code ?? error.signal})`;
      fail(new Error(`The command ${command} in \${cmd:…} gave no value: ${reason}.`));
    });
  });
}

/** In characters of what a file says of an input. */
const longestPrompt = 200;

/** Each input is asked once and kept in memory, a refusal too: it must not be asked at every step. */
function createInputs(person: Person | null): { ask: AskInput; forgetRefused(): void } {
  const asked = new Map<string, Promise<string | null>>();
  const refused = new Set<string>();
  return {
    async ask({ entry, inputs, from }, id) {
      if (person === null) {
        throw new Error(`Its input ${id} can be asked for only in Neovim; use \${VAR} instead.`);
      }
      const key = JSON.stringify([from, id]);
      const said = clip(inputs.find((input) => input.id === id)?.prompt ?? id, longestPrompt);
      const prompt = `${visible(said.text)}${said.cut ? "…" : ""}`;
      const answer = asked.get(key) ?? person.secret(`${prompt} (MCP server ${entry.name}): `);
      asked.set(key, answer);
      const text = await answer;
      if (text !== null && text !== "") return text;
      refused.add(key);
      throw new Error(
        `Its input ${id} was not given. :Parley mcp restart ${entry.name} asks again.`,
      );
    },
    forgetRefused() {
      for (const key of refused) asked.delete(key);
      refused.clear();
    },
  };
}
