/** Logins at a real authorization server on the loopback. */
import { readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { InsufficientScopeError, UnauthorizedError } from "@modelcontextprotocol/client";
import { describe, expect, it } from "vitest";
import type { LoginRequest, Visit } from "../../../src/mcp/oauth/flow.ts";
import { browse, callTool, logIn, loginAs, openScene, type Scene } from "./scene.ts";

it("asks nobody and registers nothing before a login, then calls with its token", async () => {
  const scene = await openScene();
  const session = scene.session();
  await expect(callTool(scene, session, "read")).rejects.toThrow(UnauthorizedError);
  expect(scene.server.asked).toEqual([]);
  let request: LoginRequest | null = null;
  await session.login(
    loginAs((asked) => {
      request = asked;
      return browse(asked);
    }),
  );
  expect(request).toMatchObject({ host: new URL(scene.server.issuer).host });
  expect(scene.server.asked).toEqual(["register", "authorize", "token authorization_code"]);
  expect(scene.server.scopes).toEqual(["read"]);
  expect(await callTool(scene, session, "read")).toBe("done: read");
});

it("keeps the tokens in a file that only the user can read, where another Neovim finds them", async () => {
  const scene = await openScene();
  await logIn(scene, scene.session());
  const { mode } = await stat(join(scene.folder, "oauth.json"));
  expect(mode & 0o777).toBe(0o600);
  expect((await stat(scene.folder)).mode & 0o777).toBe(0o700);
  expect(Object.keys(JSON.parse(await scene.file()).servers)).toEqual([scene.server.url]);
  expect(await callTool(scene, scene.session(), "read")).toBe("done: read");
});

it("renews an expired token without a user, once for all requests and all Neovims", async () => {
  const scene = await openScene();
  const [one, other] = [scene.session(), scene.session()];
  await logIn(scene, one);
  await callTool(scene, other, "read");
  scene.server.expire();
  scene.server.asked.length = 0;
  const calls = [one, one, other, other].map((session) => callTool(scene, session, "read"));
  expect(await Promise.all(calls)).toEqual(Array(4).fill("done: read"));
  expect(scene.server.asked).toContain("token refresh_token");
  expect(scene.server.asked).not.toContain("authorize");
  expect(scene.server.reused()).toBe(0);
});

it("wants a login again when the refresh token is refused, and forgets it", async () => {
  const scene = await openScene();
  const session = scene.session();
  await logIn(scene, session);
  scene.server.revoke();
  await expect(callTool(scene, session, "read")).rejects.toThrow(UnauthorizedError);
  expect(await scene.file()).not.toContain("refresh-");
  expect(scene.server.asked.filter((what) => what === "register")).toHaveLength(1);
  await session.login(loginAs(browse));
  expect(await callTool(scene, session, "read")).toBe("done: read");
});

it("keeps the login when only the authorization server is out of order", async () => {
  const scene = await openScene();
  const session = scene.session();
  await logIn(scene, session);
  scene.server.expire();
  scene.server.behaviour = { tokenFailure: { status: 503, body: "down" } };
  await expect(callTool(scene, session, "read")).rejects.toThrow(/could not be renewed: .*503/);
  scene.server.behaviour = {};
  expect(await callTool(scene, session, "read")).toBe("done: read");
});

it("asks for more rights at the next login when a call needs them, beside those it has", async () => {
  const scene = await openScene();
  const session = scene.session();
  await logIn(scene, session);
  const refused = await callTool(scene, session, "write").catch((error: unknown) => error);
  expect(refused).toBeInstanceOf(InsufficientScopeError);
  await session.wantsScope((refused as InsufficientScopeError).requiredScope ?? "");
  // Another Neovim, or the command line, may be where the login is made.
  const other = scene.session();
  expect(await other.needsLogin()).toBe(true);
  await other.login(loginAs(browse));
  expect(scene.server.scopes).toEqual(["read", "read write"]);
  expect(await session.needsLogin()).toBe(false);
  expect(await callTool(scene, session, "write")).toBe("done: write");
});

it("asks for the configured rights in place of those that the server names", async () => {
  const scene = await openScene();
  const session = scene.session({ scope: "read write" });
  await logIn(scene, session);
  expect(scene.server.scopes).toEqual(["read write"]);
});

const refusals: readonly [string, object, RegExp][] = [
  ["iss", { iss: "https://other.example" }, /not from the authorization server that was asked/],
  ["a no", { error: "access_denied" }, /refused: access_denied not \\u\{202e\}this time/],
  [
    "a no of somebody else",
    { error: "access_denied", iss: "https://other.example" },
    /not from the authorization server/,
  ],
  [
    "no token",
    { tokenFailure: { status: 400, body: '{"error":"x","access_token":"secret-token"}' } },
    /^The authorization server refused: (?!.*secret-token)/,
  ],
];

it.each(refusals)(
  "keeps nothing after an answer with another %s",
  async (_, behaviour, sentence) => {
    const scene = await openScene(behaviour);
    const session = scene.session();
    await expect(logIn(scene, session)).rejects.toThrow(sentence);
    await expect(scene.file()).rejects.toThrow(/ENOENT/);
  },
);

it.each([
  { client: { id: "known", secret: "very-secret" } },
  { registration: 403 },
  { registration: 400 },
])("says what can be done where no program is registered: %j", async (behaviour) => {
  const scene = await openScene(behaviour);
  await expect(logIn(scene, scene.session())).rejects.toThrow(
    /did not register Parley .* into headers, .* write its clientId/,
  );
});

describe("an authorization server that calls itself another name", () => {
  const named = ({ server }: Scene, name = "auth") => server.issuer.replace("127.0.0.1", name);

  it("gets nothing, and the message says how to allow it", async () => {
    const scene = await openScene({ issuer: "https://auth.example.com" });
    await expect(logIn(scene, scene.session())).rejects.toThrow(
      /calls itself https:\/\/auth\.example\.com, .* write "oauth": \{ "issuer": "https:\/\/auth\.example\.com" \}/,
    );
    expect(scene.server.asked).toEqual([]);
    await expect(scene.file()).rejects.toThrow(/ENOENT/);
  });

  it("is used where the user named it, and its tokens are renewed", async () => {
    const scene = await openScene();
    const issuer = `${scene.server.issuer}/tenant`;
    scene.server.behaviour = { issuer };
    const session = scene.session({ issuer: `${issuer}/` });
    await logIn(scene, session);
    expect(await callTool(scene, session, "read")).toBe("done: read");
    scene.server.expire();
    expect(await callTool(scene, session, "read")).toBe("done: read");
    expect(scene.server.asked).toContain("token refresh_token");
  });

  it("has its tokens at another host, where its own address says so", async () => {
    const scene = await openScene();
    const tokens = named(scene, "localhost");
    scene.server.behaviour = { tokens };
    const session = scene.session({ issuer: scene.server.issuer });
    await logIn(scene, session);
    expect(await callTool(scene, session, "read")).toBe("done: read");
  });

  it("gets nothing where another one is named, or where its tokens come from elsewhere", async () => {
    const scene = await openScene();
    const elsewhere = named(scene);
    for (const issuer of [scene.server.issuer, elsewhere]) {
      scene.server.behaviour = { issuer };
      const session = scene.session({ issuer: elsewhere });
      await expect(logIn(scene, session)).rejects.toThrow(
        issuer === elsewhere ? /would have its tokens fetched from 127/ : /configured issuer is/,
      );
    }
    expect(scene.server.asked).toEqual([]);
  });
});

it("opens nothing after a no, and the port is closed", async () => {
  const scene = await openScene();
  const session = scene.session();
  let redirect = "";
  const decline = async ({ url }: LoginRequest): Promise<Visit> => {
    redirect = new URL(url).searchParams.get("redirect_uri") ?? "";
    return { type: "declined" };
  };
  await expect(session.login(loginAs(decline))).rejects.toThrow("You declined");
  expect(redirect).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/callback$/);
  await expect(fetch(redirect)).rejects.toThrow();
});

it("ends when it is stopped or nobody answers, with its port closed", async () => {
  const scene = await openScene();
  const session = scene.session();
  const stop = new AbortController();
  let redirect = "";
  const visit = async ({ url }: LoginRequest): Promise<Visit> => {
    redirect = new URL(url).searchParams.get("redirect_uri") ?? "";
    stop.abort();
    return { type: "opened" };
  };
  const stopped = session.login({ visit, signal: stop.signal, timeoutMs: 10_000 });
  await expect(stopped).rejects.toThrow("The login was stopped");
  await expect(fetch(redirect)).rejects.toThrow();
  const wait = async (): Promise<Visit> => ({ type: "opened" });
  const late = session.login({ visit: wait, signal: new AbortController().signal, timeoutMs: 1 });
  await expect(late).rejects.toThrow(/The browser sent no answer|stopped/);
});

it.each(["address", "code"])("takes a pasted %s", async (what) => {
  const scene = await openScene({});
  const session = scene.session();
  await callTool(scene, session, "read").catch(() => {});
  const paste = async ({ url }: LoginRequest): Promise<Visit> => {
    const page = await fetch(url, { redirect: "manual" });
    const target = page.headers.get("location") ?? "";
    const code = new URL(target).searchParams.get("code") ?? "";
    return { type: "pasted", text: ` ${what === "code" ? code : target}\n` };
  };
  const login = session.login(loginAs(paste));
  // The bare code says nothing of who gave it, and this server promises that its answers do.
  if (what === "code") await expect(login).rejects.toThrow(/not from the authorization server/);
  else {
    await login;
    expect(await callTool(scene, session, "read")).toBe("done: read");
  }
});

it("keeps two logins at once apart", async () => {
  const [one, other] = [await openScene(), await openScene()];
  const [left, right] = [one.session(), one.session()];
  await Promise.all([logIn(one, left), logIn(one, right), logIn(other, other.session())]);
  expect(await callTool(one, left, "read")).toBe("done: read");
  expect(await callTool(one, right, "read")).toBe("done: read");
  expect(JSON.parse(await readFile(join(one.folder, "oauth.json"), "utf8")).version).toBe(1);
});

it("logs in as a client registered by hand, whose secret stays out of the file", async () => {
  const client = { id: "known", secret: "very-secret" };
  const scene = await openScene({ client });
  const settings = { clientId: client.id, clientSecret: client.secret };
  await logIn(scene, scene.session(settings));
  expect(scene.server.asked).not.toContain("register");
  expect(await scene.file()).not.toContain(client.secret);
  scene.server.expire();
  expect(await callTool(scene, scene.session(settings), "read")).toBe("done: read");
  const another = scene.session({ clientId: "other", clientSecret: "x" });
  await expect(callTool(scene, another, "read")).rejects.toThrow(UnauthorizedError);
});

it("says a client's secret in no spelling that a server sends back", async () => {
  const client = { id: "known", secret: "very-secret" };
  const basic = Buffer.from(`${client.id}:${client.secret}`).toString("base64");
  const said = `cannot read Basic ${basic}`;
  const body = JSON.stringify({ error: "invalid_client", error_description: said });
  const scene = await openScene({ client, tokenFailure: { status: 401, body } });
  const session = scene.session({ clientId: client.id, clientSecret: client.secret });
  await expect(logIn(scene, session)).rejects.toThrow(/cannot read Basic (?!\S*dmVyeS1zZWNyZ)/);
});

it("sends a client's secret to no other authorization server than its own", async () => {
  const scene = await openScene({ client: { id: "known", secret: "very-secret" } });
  const issuer = "https://mine.example";
  const session = scene.session({ clientId: "known", clientSecret: "very-secret", issuer });
  await expect(logIn(scene, session)).rejects.toThrow(/configured issuer is https:\/\/mine/);
  expect(scene.server.asked).toEqual([]);
});

it("names itself by a metadata document where the server takes one", async () => {
  const scene = await openScene({ metadataDocuments: true });
  const session = scene.session({ clientMetadataUrl: "https://parley.example/client.json" });
  await logIn(scene, session);
  expect(scene.server.asked).toEqual(["authorize", "token authorization_code"]);
  expect(await callTool(scene, session, "read")).toBe("done: read");
});

it("logs a machine in without a user, with nothing in the file", async () => {
  const client = { id: "robot", secret: "very-secret" };
  const scene = await openScene({ client });
  const session = scene.session({
    clientId: client.id,
    clientSecret: client.secret,
    isMachine: true,
    issuer: scene.server.issuer,
  });
  expect(await callTool(scene, session, "read")).toBe("done: read");
  scene.server.expire();
  expect(await callTool(scene, session, "read")).toBe("done: read");
  expect(scene.server.asked).toEqual(["token client_credentials", "token client_credentials"]);
  await expect(scene.file()).rejects.toThrow(/ENOENT/);
});

it("risks no secret of a machine where the authorization server calls itself another name", async () => {
  const client = { id: "robot", secret: "very-secret" };
  const scene = await openScene({ client });
  const issuer = `${scene.server.issuer}/tenant`;
  scene.server.behaviour = { client, issuer };
  const session = scene.session({
    clientId: client.id,
    clientSecret: client.secret,
    isMachine: true,
    issuer,
  });
  const failed = await callTool(scene, session, "read").catch(String);
  expect(failed).toMatch(/calls itself .*\/tenant, .* so nothing was sent there\.$/);
  expect(scene.server.asked).toEqual([]);
});

it("forgets the tokens at a logout", async () => {
  const scene = await openScene();
  const session = scene.session();
  expect(await session.logout()).toBe(false);
  await logIn(scene, session);
  expect(await session.logout()).toBe(true);
  expect(await scene.file()).not.toContain("access-");
  await expect(callTool(scene, session, "read")).rejects.toThrow(UnauthorizedError);
});
