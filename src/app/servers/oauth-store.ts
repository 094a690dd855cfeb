/** The logins of MCP servers in `oauth.json` of the state folder, readable by the person alone. */

import { chmod } from "node:fs/promises";
import { join } from "node:path";
import {
  type CredentialStore,
  type Credentials,
  readCredentials,
} from "../../mcp/oauth/credentials.ts";
import { createOAuthSession, type OAuthSession } from "../../mcp/oauth/login.ts";
import type { OAuthSettings } from "../../mcp/oauth/settings.ts";
import { sha256 } from "../../shared/hash.ts";
import { ownValue } from "../../shared/json.ts";
import { replaceBy } from "../../system/replace.ts";
import { alone } from "../state/locks.ts";
import { readOwn, writeOwn } from "../state/own-files.ts";

/** In bytes; tokens of some services have several kilobytes. */
const largestFile = 4 * 1024 * 1024;

const fileName = "oauth.json";

type Servers = Readonly<Record<string, Credentials>>;

/** Reads the file each time, so that a login in another Neovim counts at once. */
export function createOAuthStore(stateFolder: string): CredentialStore {
  const file = join(stateFolder, fileName);
  return {
    async read(server) {
      const servers = await readServers(file);
      return ownValue(servers, server) ?? null;
    },
    async change(server, to) {
      await alone(`${file}.lock`, async () => {
        const servers = await readServers(file);
        const { [server]: now, ...others } = servers;
        const changed = to(now ?? null);
        const kept = changed === null ? others : { ...others, [server]: changed };
        const text = `${JSON.stringify({ version: 1, servers: kept }, null, 2)}\n`;
        await writeOwn(stateFolder, fileName, text);
        // Others may have made it, such as whoever wrote the first log.
        await chmod(stateFolder, 0o700);
      });
    },
    alone: (server, work) => alone(join(stateFolder, `oauth-${sha256(server)}.lock`), work),
  };
}

async function readServers(file: string): Promise<Servers> {
  const text = await readOwn(file, largestFile);
  if (text === "gone") return {};
  if (text === "foreign") {
    throw new Error(
      `${file} is not a file of yours alone, so no login is read from it. Delete it and log in again.`,
    );
  }
  const servers = readCredentials(parse(text));
  if (servers !== null) return servers;
  const aside = `${file}.broken`;
  await replaceBy(file, aside);
  throw new Error(
    `${file} was not as Parley writes it, so it is kept as ${aside}; log in again with :Parley mcp login.`,
  );
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}

/** The same session for the same server, so that a person's login knows what a connection met. */
export type OAuthSessions = (server: string, settings: OAuthSettings) => OAuthSession;

export function createOAuthSessions(stateFolder: string): OAuthSessions {
  const store = createOAuthStore(stateFolder);
  const sessions = new Map<string, OAuthSession>();
  return (server, settings) => {
    const key = JSON.stringify([server, settings]);
    const session = sessions.get(key) ?? createOAuthSession({ server, settings, store });
    sessions.set(key, session);
    return session;
  };
}
