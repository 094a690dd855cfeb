/** The configured servers, read from the configuration again at each use. */
import type { ServerInstructions } from "../conversation/ports.ts";
import { given } from "../shared/given.ts";
import type { ServerConnectionFacts } from "./client/connection.ts";
import type { ServerConfiguration } from "./configured/launch-configuration.ts";
import { isKnownOlder, type ServerMemory } from "./kept-servers.ts";
import { Server } from "./server.ts";
import type { ServerOptions, ServerStart, ServerStatus } from "./server-options.ts";

/** A server in the configuration. */
export interface FoundServer {
  /** Its key in the configuration. */
  readonly name: string;
  /** Changes with the server's configuration; a running server with another version is then ended. */
  readonly version: string;
  readonly start: ServerStart;
  /** The project's file that configures it; absent for a server of the user's own configuration. */
  readonly projectFile?: string;
  /** Whether one of its tools is offered, by the server's own name; absent: all are. */
  readonly includes?: (tool: string) => boolean;
  /** False: its instructions never go to the model. */
  readonly instructs?: boolean;
  /** The configured transport. */
  readonly transport?: ServerConnectionFacts["transport"];
  /** Why it is not used, as a sentence; null if it is used. */
  readonly leftOut: string | null;
  /** The user has not yet been asked about the reason in `leftOut`. */
  readonly isUnanswered?: boolean;
}

export interface FoundServers {
  readonly servers: readonly FoundServer[];
  /** Sentences about parts of the configuration that are not used. */
  readonly notices: readonly string[];
  /** Sentences about parts that are used, but which the user should know. */
  readonly remarks: readonly string[];
}

export type FindServers = () => Promise<FoundServers>;

/** A server other than the mock, for lists that are shown to the user. */
export interface ListedServer extends Omit<ServerStatus, "state" | "instructions"> {
  /** Null: it sends none, or the configuration turns them off. */
  readonly instructions: ServerInstructions | null;
  /** `untrusted`: a project's server that the user has not approved. */
  readonly state: ServerStatus["state"] | "untrusted";
  readonly leftOut: string | null;
  /** The transport in use, or the configured one. */
  readonly transport: ServerConnectionFacts["transport"] | null;
}

export interface ServerActions {
  /** Starts nothing. */
  status(): Promise<{
    readonly servers: readonly ListedServer[];
    readonly notices: readonly string[];
    readonly remarks: readonly string[];
  }>;
  /** Restarts the server and waits for it; null if there is no such server. */
  restart(name: string): Promise<ListedServer | null>;
  /** False if there is no such server. */
  stop(name: string): Promise<boolean>;
}

interface Entry {
  readonly found: FoundServer;
  readonly server: Server;
}

/** The server's instructions for its tools, unless the configuration turns them off. */
export function instructionsOf(
  { name, projectFile, instructs = true }: FoundServer,
  server: Server,
): ServerInstructions | null {
  const text = server.status().instructions.trim();
  if (text === "" || !instructs) return null;
  return { server: name, text, ...given({ serverFile: projectFile }) };
}

export interface RegistrySources {
  readonly servers: FindServers;
  readonly memory: Pick<ServerMemory, "recall">;
}

/** Keeps the list of servers up to date; a server whose configuration did not change keeps its process. */
export function createRegistry(
  { servers: find, memory }: RegistrySources,
  options: ServerOptions,
  reservedName: string,
) {
  let entries: readonly Entry[] = [];
  let isClosed = false;
  return {
    async read() {
      const { servers, notices, remarks } = await find();
      if (isClosed) return { entries: [], notices: [], remarks: [], isNameTaken: false };
      const old = entries;
      entries = servers
        .filter(({ name }) => name !== reservedName)
        .map((found) => {
          const same = old.find(
            (entry) => entry.found.name === found.name && entry.found.version === found.version,
          );
          return {
            found,
            server: same?.server ?? new Server(found.name, () => startOf(found, memory), options),
          };
        });
      const kept = new Set(entries.map(({ server }) => server));
      for (const { server } of old) {
        if (!kept.has(server)) server.retire().catch((error) => options.log(String(error)));
      }
      const isNameTaken = servers.some(({ name }) => name === reservedName);
      return { entries, notices, remarks, isNameTaken };
    },
    /** The servers of the last `read`. */
    servers: (): readonly Server[] => entries.map(({ server }) => server),
    async close(): Promise<void> {
      isClosed = true;
      await Promise.all(entries.map(({ server }) => server.close()));
    },
  };
}

/** A process that is known to use an older revision is started without trying the newer one. */
async function startOf(
  found: FoundServer,
  memory: RegistrySources["memory"],
): Promise<ServerConfiguration> {
  const { start } = found;
  const configuration = typeof start === "function" ? await start() : start;
  if ("url" in configuration || configuration.protocol !== undefined) return configuration;
  return { ...configuration, isOlder: isKnownOlder(await memory.recall(found)) };
}

/** What the user can do with the servers. */
export function registryActions(registry: ReturnType<typeof createRegistry>): ServerActions {
  const entryOf = async (name: string) => {
    const { entries } = await registry.read();
    return entries.find(({ found }) => found.name === name) ?? null;
  };
  const listed = ({ found, server }: Entry): ListedServer => {
    const status = server.status();
    return {
      ...status,
      instructions: instructionsOf(found, server),
      state: found.leftOut === null ? status.state : "untrusted",
      leftOut: found.leftOut,
      transport: status.reached?.transport ?? found.transport ?? null,
    };
  };
  return {
    async status() {
      const { entries, notices, remarks } = await registry.read();
      return { servers: entries.map(listed), notices, remarks };
    },
    async restart(name) {
      const entry = await entryOf(name);
      if (entry === null) return null;
      if (entry.found.leftOut === null) await entry.server.restart();
      return listed(entry);
    },
    async stop(name) {
      const entry = await entryOf(name);
      await entry?.server.stop();
      return entry !== null;
    },
  };
}
