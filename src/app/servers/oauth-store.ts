/** Stores the logins of MCP servers in `oauth.json` of the state folder, readable only by the user. */

import { randomUUID } from "node:crypto";
import { chmod } from "node:fs/promises";
import { join } from "node:path";
import {
  type CredentialStore,
  type Credentials,
  type KeptLogins,
  readCredentials,
  readLogins,
} from "../../mcp/oauth/credentials.ts";
import { createOAuthLogin, type OAuthLogin } from "../../mcp/oauth/login.ts";
import type { OAuthSettings } from "../../mcp/oauth/settings.ts";
import { sha256 } from "../../shared/hash.ts";
import { ownValue, parseJson } from "../../shared/json.ts";
import { replaceBy } from "../../system/replace.ts";
import { withLock } from "../state/locks.ts";
import { readOwn, writeOwn } from "../state/own-files.ts";
import type { LoginKeeper } from "./login-keeper.ts";

/** In bytes; the tokens of some services take several kilobytes. */
const largestFile = 4 * 1024 * 1024;

const fileName = "oauth.json";

/**
 * Reads the file each time, so that a login in another Neovim counts at once. With a keychain, the file only lists the
 * servers whose logins are in it.
 */
export function createOAuthStore(
  stateFolder: string,
  keeperNow: () => LoginKeeper | null = () => null,
): CredentialStore {
  const file = join(stateFolder, fileName);
  const known: KnownLogins = new Map();
  const keptNow = () => {
    const keeper = keeperNow();
    return keeper && keptLogins(keeper, known);
  };
  const write = async (logins: KeptLogins) => {
    await writeOwn(stateFolder, fileName, `${JSON.stringify(logins, null, 2)}\n`);
    // Other code may have made the folder with wider permissions, for example for the first log.
    await chmod(stateFolder, 0o700);
  };
  const change: CredentialStore["change"] = (server, to) =>
    withLock(`${file}.lock`, async () => {
      const kept = keptNow();
      const logins = await loginsIn(file);
      const { [server]: plain, ...servers } = logins.servers;
      const { [server]: revision, ...others } = logins.kept ?? {};
      const before = kept === null || revision === undefined ? null : kept.read(server, revision);
      // A login that cannot be read can only be replaced or forgotten.
      const now = await before?.catch((error: unknown) => ({ error }));
      const isLost = now != null && "error" in now;
      const changed = to(isLost ? null : (now ?? plain ?? null));
      if (kept === null) {
        await write({ ...logins, servers: changed ? { ...servers, [server]: changed } : servers });
        return;
      }
      if (changed !== null) {
        const next = await kept.write(server, changed);
        await write({ version: 1, servers, kept: { ...others, [server]: next } });
        return;
      }
      await write({ version: 1, servers, kept: others });
      if (revision !== undefined) await kept.clear(server);
    });
  return {
    async read(server) {
      const kept = keptNow();
      const logins = await loginsIn(file);
      const revision = ownValue(logins.kept ?? {}, server);
      const plain = ownValue(logins.servers, server) ?? null;
      if (kept === null) return plain;
      if (revision !== undefined) return kept.read(server, revision);
      // The login is older than the keychain setting, so it is moved there now.
      if (plain !== null) await change(server, (now) => now);
      return plain;
    },
    change,
    alone: (server, work) => withLock(join(stateFolder, `oauth-${sha256(server)}.lock`), work),
  };
}

type KnownLogins = Map<string, { readonly revision: string; readonly value: Credentials }>;

/** Credentials in a keychain; each revision is read only once, since each reading starts a program. */
function keptLogins(keeper: LoginKeeper, known: KnownLogins) {
  return {
    async read(server: string, revision: string): Promise<Credentials> {
      const found = known.get(server);
      if (found?.revision === revision) return found.value;
      const value = readCredentials(parseJson(await keeper.read(server)));
      if (value === null) {
        throw new Error(
          `What “${keeper.name}” of login_commands.read printed is not a login that Parley wrote. :Parley mcp logout forgets it; then log in again.`,
        );
      }
      known.set(server, { revision, value });
      return value;
    },
    async write(server: string, value: Credentials): Promise<string> {
      await keeper.write(server, JSON.stringify(value));
      const revision = randomUUID();
      known.set(server, { revision, value });
      return revision;
    },
    async clear(server: string): Promise<void> {
      known.delete(server);
      await keeper.clear(server);
    },
  };
}

async function loginsIn(file: string): Promise<KeptLogins> {
  const text = await readOwn(file, largestFile);
  if (text === "gone") return { version: 1, servers: {} };
  if (text === "foreign") {
    throw new Error(
      `${file} is not private to you, so Parley reads no login from it. Delete it and log in again.`,
    );
  }
  const logins = readLogins(parseJson(text));
  if (logins !== null) return logins;
  const aside = `${file}.broken`;
  await replaceBy(file, aside);
  throw new Error(
    `${file} is not in Parley's format, so it was moved to ${aside}; log in again with :Parley mcp login.`,
  );
}

/** Returns the same object for the same server, so that a login of the user has what a connection learned from it. */
export type OAuthLogins = (server: string, settings: OAuthSettings) => OAuthLogin;

export function createOAuthLogins(
  stateFolder: string,
  keeper: () => LoginKeeper | null,
): OAuthLogins {
  const store = createOAuthStore(stateFolder, keeper);
  const logins = new Map<string, OAuthLogin>();
  return (server, settings) => {
    const key = JSON.stringify([server, settings]);
    const login = logins.get(key) ?? createOAuthLogin({ server, settings, store });
    logins.set(key, login);
    return login;
  };
}
