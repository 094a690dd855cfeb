/** The configured servers, as the configuration is whenever it is asked. */
import type { ServerInstructions } from "../conversation/ports.ts";
import { given } from "../shared/given.ts";
import type { Reached } from "./client/connection.ts";
import type { ServerConfiguration } from "./configured/launch-configuration.ts";
import { isKnownOlder, type ServerMemory } from "./kept-servers.ts";
import { Server } from "./server.ts";
import type { ServerOptions, ServerStart, ServerStatus } from "./server-options.ts";

/** A server that is configured. */
export interface FoundServer {
  /** Its key in the configuration. */
  readonly name: string;
  /** Another one means that it is configured otherwise: then the running one ends. */
  readonly version: string;
  readonly start: ServerStart;
  /** The project's file that configures it; absent for a server of the person's own. */
  readonly projectFile?: string;
  /** Whether a tool of it is offered, by the server's own name; absent: all are. */
  readonly includes?: (tool: string) => boolean;
  /** False: its instructions never go to the model. */
  readonly instructs?: boolean;
  /** How it is configured to be reached. */
  readonly transport?: Reached["transport"];
  /** Why it is not used, as a sentence; null when it is. */
  readonly leftOut: string | null;
  /** Nobody was asked yet about what leaves it out. */
  readonly isUnanswered?: boolean;
}

export interface FoundServers {
  readonly servers: readonly FoundServer[];
  /** Sentences on what of the configuration is not used. */
  readonly notices: readonly string[];
  /** Sentences on what of it is used and is to be known. */
  readonly remarks: readonly string[];
}

export type FindServers = () => Promise<FoundServers>;

/** A server but the mock, for whoever shows it. */
export interface ListedServer extends Omit<ServerStatus, "state" | "instructions"> {
  /** Null: it says none, or they are configured away. */
  readonly instructions: ServerInstructions | null;
  /** `untrusted`: a project's server that nobody said yes to. */
  readonly state: ServerStatus["state"] | "untrusted";
  readonly leftOut: string | null;
  /** How it is reached, or is to be. */
  readonly transport: Reached["transport"] | null;
}

export interface ServerActions {
  /** Starts nothing. */
  status(): Promise<{
    readonly servers: readonly ListedServer[];
    readonly notices: readonly string[];
    readonly remarks: readonly string[];
  }>;
  /** Starts it anew and waits for it; null when there is no such server. */
  restart(name: string): Promise<ListedServer | null>;
  /** False when there is no such server. */
  stop(name: string): Promise<boolean>;
}

interface Entry {
  readonly found: FoundServer;
  readonly server: Server;
}

/** What the server says of its tools, unless that is not to be heard. */
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

/** The configured servers as they are now; one whose configuration stayed is the same process. */
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
    /** Those that were found last. */
    servers: (): readonly Server[] => entries.map(({ server }) => server),
    async close(): Promise<void> {
      isClosed = true;
      await Promise.all(entries.map(({ server }) => server.close()));
    },
  };
}

/** A process that is known to speak the older revisions is not asked for the newer one. */
async function startOf(
  found: FoundServer,
  memory: RegistrySources["memory"],
): Promise<ServerConfiguration> {
  const { start } = found;
  const configuration = typeof start === "function" ? await start() : start;
  if ("url" in configuration || configuration.protocol !== undefined) return configuration;
  return { ...configuration, isOlder: isKnownOlder(await memory.recall(found)) };
}

/** What a person does with the servers. */
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
