/** Logs in to servers and out of them, always on request of the user. */

import type { LoginRequest, Visit } from "../../mcp/oauth/flow.ts";
import type { OAuthLogin } from "../../mcp/oauth/login.ts";
import type { ListedServer, ServerActions } from "../../mcp/registry.ts";
import { messageOf } from "../../shared/json.ts";
import { noServerSentence, serverLine } from "./report.ts";

export interface LoginUser {
  /** Shows the server's name, the host and the whole address, and opens the address only after approval. */
  visit(server: string, request: LoginRequest, signal: AbortSignal): Promise<Visit>;
  /** Asks for the address at which the browser ended when a login already waits; null: the user wants a new login. */
  paste(server: string): Promise<string | null>;
}

/** The outcome, as a sentence. */
export interface LoginEnd {
  readonly isGood: boolean;
  readonly text: string;
}

export interface Logins {
  login(name: string, user: LoginUser): Promise<LoginEnd>;
  /** Forgets the tokens here; the service still accepts them. */
  logout(name: string): Promise<LoginEnd>;
  /** Stops a login that is waiting. */
  stop(name: string): void;
  /** Stops all logins that are waiting. */
  close(): void;
}

export interface LoginServers {
  /** Null: there is no such server, or it uses no login. Throws a sentence when a value is missing. */
  login(name: string): Promise<OAuthLogin | null>;
  /** Called each time, since another configuration has other servers. */
  readonly mcp: () => ServerActions;
  /** For each disabled server, by name: the file that disables it. */
  readonly disabled: () => ReadonlyMap<string, string>;
}

/** How long a login waits for the browser, in milliseconds. */
const patienceMs = 5 * 60_000;

interface Waiting {
  readonly stop: AbortController;
  readonly paste: (text: string) => void;
}

export function createLogins(servers: LoginServers): Logins {
  const waiting = new Map<string, Waiting>();
  return {
    async login(name, user) {
      const before = waiting.get(name);
      if (before) {
        const text = await user.paste(name);
        if (text !== null) {
          before.paste(text);
          return good(`The login to ${name} that was waiting now has its answer.`);
        }
        before.stop.abort();
      }
      return logIn(servers, waiting, name, user);
    },

    async logout(name) {
      waiting.get(name)?.stop.abort();
      if ((await find(servers, name)) === null)
        return bad(noServerSentence(name, servers.disabled()));
      const login = await servers.login(name);
      if (login === null) return bad(notLoggedInTo(name));
      const had = await login.logout();
      if (!had) return good(`There was no login to ${name}.`);
      // Its connection may still use the token.
      await servers.mcp().restart(name);
      return good(
        `Parley has forgotten the login to ${name}. Whoever runs the server can revoke it there, too.`,
      );
    },

    stop: (name) => waiting.get(name)?.stop.abort(),

    close() {
      for (const { stop } of waiting.values()) stop.abort();
    },
  };
}

async function find({ mcp }: LoginServers, name: string): Promise<ListedServer | null> {
  const { servers } = await mcp().status();
  return servers.find((server) => server.name === name) ?? null;
}

async function logIn(
  servers: LoginServers,
  waiting: Map<string, Waiting>,
  name: string,
  user: LoginUser,
): Promise<LoginEnd> {
  const listed = await find(servers, name);
  if (listed === null) return bad(noServerSentence(name, servers.disabled()));
  if (listed.leftOut !== null) return bad(listed.leftOut);
  const login = await servers.login(name);
  if (login === null) return bad(notLoggedInTo(name));
  // Connecting first makes the server refuse; the refusal says where to log in, and for what.
  const isMet = (await login.needsLogin()) || listed.state === "ready";
  const met = isMet ? listed : ((await servers.mcp().restart(name)) ?? listed);
  if (!login.isForPeople) return met.state === "ready" ? noNeed(met) : bad(logsInItself(met));
  if (!(await login.needsLogin())) return met.state === "ready" ? noNeed(met) : bad(why(met));
  try {
    await waitForLogin(waiting, name, login, user);
  } catch (error) {
    const reason = messageOf(error);
    return bad(`The login to ${name} failed. ${reason}`);
  }
  const now = await servers.mcp().restart(name);
  if (now === null) return bad(noServerSentence(name, servers.disabled()));
  return now.state === "ready" ? good(`Logged in. MCP server ${serverLine(now)}`) : bad(why(now));
}

async function waitForLogin(
  waiting: Map<string, Waiting>,
  name: string,
  login: OAuthLogin,
  user: LoginUser,
): Promise<void> {
  const stop = new AbortController();
  let paste: (text: string) => void = () => {};
  const pasted = new Promise<Visit>((take) => {
    paste = (text) => take({ type: "pasted", text });
  });
  const own = { stop, paste };
  waiting.set(name, own);
  try {
    await login.login({
      signal: stop.signal,
      timeoutMs: patienceMs,
      visit: async (request, signal) => {
        const how = await user.visit(name, request, signal);
        return how.type === "opened" ? pasted : how;
      },
    });
  } finally {
    if (waiting.get(name) === own) waiting.delete(name);
  }
}

function noNeed(server: ListedServer): LoginEnd {
  return good(
    `MCP server ${serverLine(server)}. It asks for no login; log out first to use another account.`,
  );
}

function why(server: ListedServer): string {
  return `MCP server ${serverLine(server)}. ${server.leftOut ?? server.problem ?? ""}`.trimEnd();
}

function logsInItself(server: ListedServer): string {
  return `The MCP server ${server.name} logs in without you, as the client named in its oauth; correct that. ${why(server)}`;
}

function notLoggedInTo(name: string): string {
  return `The MCP server ${name} is not logged in to: it is started by a command, or its oauth is false.`;
}

function good(text: string): LoginEnd {
  return { isGood: true, text };
}

function bad(text: string): LoginEnd {
  return { isGood: false, text };
}
