/** The logins of this process, one for each server and way to log in to it. */
import { createOAuthSession, type OAuthSession } from "../mcp/oauth/session.ts";
import type { OAuthSettings } from "../mcp/oauth/settings.ts";
import { createOAuthStore } from "./oauth-store.ts";

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
