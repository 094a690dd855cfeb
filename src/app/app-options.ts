import type { Configuration } from "../conversation/configuration.ts";
import type { Dialogue } from "../mcp/dialogue.ts";
import type { Workspace } from "./builtin/workspace.ts";
import type { Person } from "./servers.ts";

/** What the host or the command line gives the app. */
export interface AppOptions {
  readonly configuration: Configuration;
  /** The package's folder, where dist/ is. */
  readonly root: string;
  /** Where the configuration file is. */
  readonly configurationFolder: string;
  /** Parley's own folder under the state folder. */
  readonly stateFolder: string;
  readonly workingDirectory: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly version: string;
  /** Null where nobody can be asked: there, a project's files start nothing. */
  readonly person: (Person & Dialogue) | null;
  /** A file of MCP servers that the person named. */
  readonly serversFile: string | null;
  /** The texts that the built-in tools work on; absent: files alone. */
  readonly workspace?: Workspace;
  /** The files of the open chats; absent: none. */
  chatPaths?(): readonly string[];
  /** A server's tools are not what they were. */
  toolsChanged?(): void;
  log(text: string): void;
  notify(level: "info" | "warn" | "error", message: string): void;
}
