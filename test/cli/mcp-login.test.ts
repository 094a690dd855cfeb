/** `parley mcp login` at a terminal; the test plays the browser. */
import { chmodSync, existsSync } from "node:fs";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { startOAuthScene } from "../support/oauth-server.ts";
import { openPlace } from "./command-line.ts";

async function openScene() {
  const server = await startOAuthScene();
  onTestFinished(server.close);
  const place = openPlace();
  const servers = { safe: { type: "http", url: server.url } };
  place.write("servers.json", JSON.stringify({ mcpServers: servers }));
  // Records the address that the desktop's program for addresses gets.
  const program = place.write("bin/xdg-open", '#!/bin/sh\nprintf "%s\\n" "$@" > "$0.opened"\n');
  chmodSync(program, 0o755);
  const env = { PATH: `${join(place.folder, "bin")}:${process.env.PATH}` };
  const words = (...rest: string[]) => ["mcp", ...rest, "--config", "servers.json"];
  return {
    server,
    opened: `${program}.opened`,
    read: place.read,
    start: (...rest: string[]) => place.start(words(...rest), env, "there"),
    parley: (...rest: string[]) => place.parley(words(...rest), env),
  };
}

const addressIn = (text: string) =>
  /http:\/\/127\.0\.0\.1:\d+\/authorize\?\S+/.exec(text)?.[0] ?? "";

it.runIf(process.platform === "linux")(
  "parley mcp login opens the address after approval, and parley mcp logout forgets the login",
  async () => {
    const { server, start, parley, opened, read } = await openScene();
    const check = await parley("check");
    expect(check).toMatchObject({ code: 1, stderr: expect.stringContaining("mcp login safe") });
    const login = start("login", "safe");
    const address = addressIn(await login.said("Type y to open it"));
    expect(existsSync(opened)).toBe(false);
    login.type("y");
    await expect.poll(() => existsSync(opened) && read("bin/xdg-open.opened")).toBe(`${address}\n`);
    await (await fetch(address)).text();
    const ended = await login.ended;
    expect(ended).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^Logged in. MCP server safe: ready, 2 tools/),
    });
    expect(`${ended.stdout}${ended.stderr}`).not.toMatch(/(access|refresh|code)-[0-9a-f]{8}/);
    const called = await parley("call", "safe", "read", "{}");
    expect(called).toMatchObject({ code: 0, stdout: "done: read\n" });
    const refused = await parley("call", "safe", "write", "{}");
    expect(refused).toMatchObject({ code: 1, stdout: expect.stringMatching(/mcp login safe/) });
    server.expire();
    expect((await parley("check")).code).toBe(0);
    expect((await parley("logout", "safe")).stdout).toMatch(/Parley has forgotten the login/);
    expect((await parley("check")).code).toBe(1);
  },
);

it("parley mcp login accepts a pasted answer and stops when the user declines", async () => {
  const { server, start, opened, parley } = await openScene();
  const declined = start("login", "safe");
  await declined.said("Type y to open it");
  declined.type("n");
  expect(await declined.ended).toMatchObject({ code: 1, stdout: "" });
  expect(server.asked).not.toContain("authorize");
  const login = start("login", "safe");
  const address = addressIn(await login.said("Type y to open it"));
  const page = await fetch(address, { redirect: "manual" });
  login.type(page.headers.get("location") ?? "");
  expect(await login.ended).toMatchObject({ code: 0 });
  expect(existsSync(opened)).toBe(false);
  expect((await parley("login", "safe")).stdout).toMatch(/ready, 2 tools.*It asks for no login/);
});

it("parley mcp login waits for the browser when stdin is closed, and stops on SIGINT", async () => {
  const { start, parley } = await openScene();
  const login = start("login", "safe");
  const address = addressIn(await login.said("Type y to open it"));
  login.process.stdin?.end();
  login.process.kill("SIGINT");
  expect(await login.ended).toMatchObject({ code: 1, stderr: expect.stringMatching(/stopped/) });
  const callback = new URL(address).searchParams.get("redirect_uri") ?? "";
  await expect(fetch(callback)).rejects.toThrow();
  const unknown = await parley("login", "nobody");
  expect(unknown).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/no MCP server "nobody"/),
  });
});

it("parley mcp login works in several processes at once, and a login is renewed only once", async () => {
  const { server, start, parley, read } = await openScene();
  const logins = [start("login", "safe"), start("login", "safe")];
  // Both wait before either is answered, because a later one would need no login.
  const said = await Promise.all(logins.map((login) => login.said("Type y to open it")));
  await Promise.all(said.map(async (text) => (await fetch(addressIn(text))).text()));
  const both = await Promise.all(logins.map(({ ended }) => ended));
  expect(both.map(({ code }) => code)).toEqual([0, 0]);
  const kept = JSON.parse(read("home/.local/state/nvim/parley/oauth.json"));
  expect(Object.keys(kept.servers)).toEqual([server.url]);
  server.expire();
  const checks = await Promise.all([parley("check"), parley("check"), parley("check")]);
  expect(checks.map(({ code }) => code)).toEqual([0, 0, 0]);
  expect(server.asked.filter((what) => what === "token refresh_token")).toHaveLength(1);
  expect(server.reused()).toBe(0);
});
