// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the variables of configurations look like this
import { chmod, readdir, stat } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { haveFolders, open, path, project, write } from "../servers-scene.ts";

haveFolders();

describe("a project's server", () => {
  it("does not count before a yes to its whole command", async () => {
    await project({ x: { command: "run", args: ["a b", "\u202e"], env: { KEY: "${SECRET}" } } });
    const { servers, asked, find } = open({ says: true });
    expect((await find("x")).leftOut).toMatch(
      /you have not allowed it yet. :Parley mcp trust x asks/,
    );
    expect(asked).toEqual([]);
    await servers.agree(null);
    expect(asked).toHaveLength(1);
    expect(asked[0]).toContain(`file: ${path("project", ".mcp.json")}`);
    expect(asked[0]).toContain('command: run "a b" "\\u{202e}"');
    expect(asked[0]).toContain("env: KEY=${SECRET}");
    expect((await find("x")).leftOut).toBeNull();
  });

  it("is asked about with everything of a login that may come from this machine", async () => {
    const oauth = {
      grantType: "client_credentials",
      issuer: "https://evil.test",
      clientId: "${USER}",
      clientSecret: "${ANTHROPIC_API_KEY}",
      scope: "a\u202eb",
    };
    await project({ x: { url: "https://example.test", oauth } });
    const { servers, asked } = open();
    await servers.agree(null);
    expect(asked[0]).toContain("login: clientSecret=${ANTHROPIC_API_KEY}");
    expect(asked[0]).toContain("login: clientId=${USER}");
    expect(asked[0]).toContain("login: issuer=https://evil.test");
    expect(asked[0]).toContain('login: scope="a\\u{202e}b"');
    expect(asked[0]).toContain("login: without you");
  });

  it("is remembered after a yes, in a file that only the user can read", async () => {
    await project({ x: { command: "run" } });
    await open({ says: true }).servers.agree(null);
    const [file = ""] = await readdir(path("state", "mcp-trust"));
    expect((await stat(path("state", "mcp-trust"))).mode & 0o777).toBe(0o700);
    expect((await stat(path("state", "mcp-trust", file))).mode & 0o777).toBe(0o600);
    const { servers, asked, find } = open();
    await servers.agree(null);
    expect(asked).toEqual([]);
    expect((await find("x")).leftOut).toBeNull();
    await chmod(path("state", "mcp-trust", file), 0o666);
    expect((await find("x")).leftOut).toMatch(/you have not allowed it yet/);
  });

  it.each([
    ["command", { command: "other" }],
    ["arguments", { command: "run", args: ["--evil"] }],
    ["environment", { command: "run", env: { NODE_OPTIONS: "--require evil" } }],
    ["folder", { command: "run", cwd: "evil" }],
  ])("asks again when its %s changed", async (_, changed) => {
    await project({ x: { command: "run" } });
    await open({ says: true }).servers.agree(null);
    await project({ x: changed });
    const { servers, asked, find } = open();
    await servers.agree(null);
    expect(asked).toHaveLength(1);
    expect((await find("x")).leftOut).toMatch(/you declined/);
  });

  it("is not asked about again in a session after a no, but by command", async () => {
    await project({ x: { command: "run" } });
    const { servers, asked } = open();
    await servers.agree(null);
    await servers.agree(null);
    expect(asked).toHaveLength(1);
    expect(await servers.trust("x")).toBe(true);
    expect(asked).toHaveLength(2);
    expect(await servers.trust("y")).toBe(false);
  });

  it("is not asked about when the chat does not want it, nor twice by two chats", async () => {
    await project({ x: { command: "run" }, y: { command: "run", disabled: true } });
    const { servers, asked } = open();
    await servers.agree("z");
    expect(asked).toEqual([]);
    await Promise.all([servers.agree("x"), servers.agree("x")]);
    expect(asked).toHaveLength(1);
  });

  it("does not exist where nobody can be asked", async () => {
    await project({ x: { command: "run" } });
    const { servers } = open({ user: null });
    expect(await servers.find()).toEqual({ servers: [], notices: [], remarks: [] });
  });

  it("replaces none of the user's, runs no command for a value, and may only forbid", async () => {
    await write("config/mcp.json", { mcpServers: { x: { command: "mine" } } });
    await project(
      { x: { command: "theirs" }, y: { command: "${cmd:id}" } },
      { parley: { deny: ["x.write_*"], allow: ["x"] } },
    );
    const { servers, find } = open({ says: true });
    await servers.agree(null);
    const { notices } = await servers.find();
    expect(notices).toEqual([
      expect.stringMatching(
        /\.mcp\.json:1: parley\.allow: under parley, this file may contain only deny/,
      ),
      expect.stringMatching(
        /the MCP server x is left out: .*mcp\.json already has one with that name/,
      ),
    ]);
    expect(await (await find("x")).start()).toMatchObject({ command: "mine" });
    await expect((await find("y")).start()).rejects.toThrow(/only from your own configuration/);
    expect(servers.denied()).toEqual(["x.write_*"]);
  });

  it("is found up to the top of the repository and no further", async () => {
    await write(".mcp.json", { mcpServers: { above: { command: "run" } } });
    await write("project/.vscode/mcp.json", { servers: { code: { command: "run" } } });
    const { servers } = open();
    expect((await servers.find()).servers.map(({ name }) => name)).toEqual(["code"]);
  });
});

describe("the user's own servers", () => {
  it("start with their variables put in, in the working directory", async () => {
    const { find } = open({
      configured: {
        x: {
          command: "~/run",
          args: ["${A}", "${workspaceFolder}"],
          env: { K: "${cmd:echo 'a b'}" },
          timeout: 2000,
        },
      },
      environment: { A: "1" },
    });
    expect(await (await find("x")).start()).toEqual({
      command: expect.stringMatching(/^\/.*\/run$/),
      args: ["1", path("project", "src")],
      env: { K: "a b" },
      envPass: [],
      cwd: path("project", "src"),
      timeoutMs: 2000,
    });
  });

  it("stay off, with a sentence, while a value is missing", async () => {
    const { find } = open({
      configured: {
        x: { command: "run", args: ["${A}"] },
        y: { command: "run", env: { K: "${cmd:false}" } },
      },
    });
    await expect((await find("x")).start()).rejects.toThrow("The variable A is not set");
    await expect((await find("y")).start()).rejects.toThrow(/The command false in .* it failed/);
  });

  it("ask for an input once, and again only on demand when it was not given", async () => {
    const configured = { x: { command: "run", args: ["${input:token}"] } };
    const given = open({ configured, types: "t" });
    for (let time = 0; time < 2; time += 1) {
      expect(await (await given.find("x")).start()).toMatchObject({ args: ["t"] });
    }
    expect(given.asked).toHaveLength(1);
    const refused = open({ configured });
    for (let time = 0; time < 2; time += 1) {
      await expect((await refused.find("x")).start()).rejects.toThrow(/token was not entered/);
    }
    expect(refused.asked).toHaveLength(1);
    refused.servers.forgetRefusedInputs();
    await expect((await refused.find("x")).start()).rejects.toThrow(/token was not entered/);
    expect(refused.asked).toHaveLength(2);
    const alone = open({ configured, user: null });
    await expect((await alone.find("x")).start()).rejects.toThrow(/only in Neovim/);
  });

  it("are reached by url, with the values of variables, and logged in to unless a header does", async () => {
    const configured = {
      far: { url: "https://example.test/${MCP_PATH:-mcp}", type: "sse", protocol: "legacy" },
      token: {
        url: "https://example.test/mcp",
        headers: { authorization: "Bearer ${env:MCP_PATH}" },
      },
      never: { url: "https://example.test/mcp", oauth: false },
    };
    const { find } = open({ configured, environment: { MCP_PATH: "secret" } });
    expect(await (await find("far")).start()).toMatchObject({
      url: new URL("https://example.test/secret"),
      transport: "sse",
      protocol: "legacy",
      login: { isForPeople: true },
    });
    expect(await (await find("token")).start()).toMatchObject({
      headers: { authorization: "Bearer secret" },
      transport: "http",
      login: null,
    });
    expect(await (await find("never")).start()).toMatchObject({ login: null });
  });

  it("are not reached when url or headers cannot be sent, with no value in the sentence", async () => {
    const configured = {
      file: { url: "file:///etc/secret" },
      user: { url: "https://me:secret@example.test" },
      line: { url: "https://example.test", headers: { "x-key": "a\nsecret" } },
    };
    const { find } = open({ configured });
    for (const [name, reason] of [
      ["file", /begins with http/],
      ["user", /user name or password/],
      ["line", /header "x-key"/],
    ] as const) {
      const failed = (await find(name)).start();
      await expect(failed).rejects.toThrow(reason);
      await expect(failed).rejects.not.toThrow(/secret/);
    }
  });

  it("of a project are reached by url only after a yes to address and headers", async () => {
    const far = { url: "https://example.test", headers: { "x-key": "${TOKEN}" } };
    await write("project/.mcp.json", { mcpServers: { far } });
    const { find, servers, asked } = open({ says: true });
    expect((await find("far")).leftOut).toMatch(/you have not allowed it yet/);
    await servers.agree(null);
    expect(asked[0]).toContain("url: https://example.test\nheader: x-key: ${TOKEN}\n");
    expect((await find("far")).leftOut).toBeNull();
    far.headers["x-key"] = "${OTHER}";
    await write("project/.mcp.json", { mcpServers: { far } });
    expect((await find("far")).leftOut).toMatch(/you have not allowed it yet/);
  });

  it("of a project show what a login would send, and where", async () => {
    const oauth = {
      grantType: "client_credentials",
      clientId: "parley",
      clientSecret: "${CLOUD_KEY}",
      issuer: "https://issuer.test",
    };
    await write("project/.mcp.json", { mcpServers: { far: { url: "https://a.test", oauth } } });
    const { servers, asked } = open({ says: false });
    await servers.agree(null);
    expect(asked[0]).toContain(
      "login: clientId=parley\nlogin: clientSecret=${CLOUD_KEY}\nlogin: issuer=https://issuer.test\nlogin: without you\n",
    );
  });
});
