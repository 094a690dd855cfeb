// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the variables of configurations look like this
/** Files of servers as other programs and the READMEs of well-known servers have them. */
import { describe, expect, it } from "vitest";
import { parseServerFile } from "../../../src/mcp/configured/config-file.ts";
import { includesTool } from "../../../src/mcp/configured/entry.ts";

function read(value: unknown) {
  return parseServerFile("f.json", typeof value === "string" ? value : JSON.stringify(value));
}

function entry(value: unknown) {
  const { entries, mistakes, remarks } = read({ mcpServers: { x: value } });
  expect(mistakes).toEqual([]);
  const [only] = entries;
  if (only === undefined) throw new Error("It was not read.");
  return { ...only, remarks };
}

describe("what READMEs tell people to write", () => {
  it.each([
    [
      "filesystem",
      { command: "npx", args: ["-y", "@modelcontextprotocol/server-filesystem", "/d"] },
    ],
    [
      "github by docker",
      {
        command: "docker",
        args: [
          "run",
          "-i",
          "--rm",
          "-e",
          "GITHUB_PERSONAL_ACCESS_TOKEN",
          "ghcr.io/github/github-mcp-server",
        ],
        env: { GITHUB_PERSONAL_ACCESS_TOKEN: "<YOUR_TOKEN>" },
      },
    ],
    [
      "github, remote",
      {
        type: "http",
        url: "https://api.githubcopilot.com/mcp/",
        headers: { Authorization: "Bearer ${input:github_mcp_pat}" },
      },
    ],
    [
      "context7",
      { command: "npx", args: ["-y", "@upstash/context7-mcp", "--api-key", "YOUR_API_KEY"] },
    ],
    [
      "context7, remote",
      { serverUrl: "https://mcp.context7.com/mcp", headers: { CONTEXT7_API_KEY: "YOUR_API_KEY" } },
    ],
    ["playwright", { command: "npx", args: ["@playwright/mcp@latest"] }],
    ["git", { command: "uvx", args: ["mcp-server-git", "--repository", "/repo"] }],
    ["sentry", { url: "https://mcp.sentry.dev/mcp" }],
    ["linear", { command: "npx", args: ["-y", "mcp-remote", "https://mcp.linear.app/sse"] }],
    [
      "serena",
      {
        command: "uvx",
        args: ["--from", "git+https://github.com/oraios/serena", "serena", "start-mcp-server"],
      },
    ],
    [
      "postgres",
      {
        command: "docker",
        args: ["run", "-i", "--rm", "mcp/postgres", "postgresql://host.docker.internal:5432/mydb"],
      },
    ],
    ["time", { command: "python", args: ["-m", "mcp_server_time", "--local-timezone=UTC"] }],
  ])("is read without a word: %s", (_, value) => {
    expect(entry(value).remarks).toEqual([]);
  });
});

describe("the words of other programs", () => {
  it.each([
    [{ command: "a", enabled: false }, true],
    [{ command: "a", enabled: true }, false],
    [{ command: "a", disabled: true }, true],
    [{ command: "a", disabled: true, enabled: true }, true],
    [{ command: "a", disabled: false, enabled: false }, true],
    [{ command: "a", enable: false }, true],
    [{ command: "a", disable: true }, true],
    [{ command: "a", isActive: false }, true],
    [{ command: "a", is_active: false, enabled: true }, true],
    [{ command: "a", Disabled: true }, true],
    [{ command: "a", isActive: true }, false],
  ])("turn a server off: %j", (value, isDisabled) => {
    expect(entry(value).isDisabled).toBe(isDisabled);
  });

  it.each([
    [{ disabled_tools: ["write"] }, ["read", "search"]],
    [{ disabledTools: ["write", "search"] }, ["read"]],
    [{ excludeTools: ["w*e"] }, ["read", "search"]],
    [{ disabled_tools: ["write"], excludeTools: ["read"] }, ["search"]],
    [{ includeTools: ["read"] }, ["read"]],
    [{ enabled_tools: ["read", "write"], disabled_tools: ["write"] }, ["read"]],
    [{ exclude_tools: ["write"] }, ["read", "search"]],
    [{ "exclude-tools": ["write"], disabled_tools: {} }, ["read", "search"]],
    [{ disallowedTools: ["write"] }, ["read", "search"]],
    [{ include_tools: ["read"] }, ["read"]],
    [{ "included-tools": [] }, []],
    [{ allowed_tools: ["read"] }, ["read"]],
    [{ tools: [] }, []],
    [{ tools: {} }, ["read", "write", "search"]],
    [{ tools: ["*"] }, ["read", "write", "search"]],
    [{ tools: ["s*"] }, ["search"]],
    [{ tools: { write: false } }, ["read", "search"]],
    [{ tools: ["read", "write"], includeTools: ["write"] }, ["write"]],
  ])("say which tools are offered: %j", (value, offered) => {
    const { tools } = entry({ command: "a", ...value });
    expect(["read", "write", "search"].filter((name) => includesTool(tools, name))).toEqual(
      offered,
    );
  });

  it.each(["autoApprove", "alwaysAllow", "trust"])("grant nothing by %s, and say so", (word) => {
    expect(entry({ command: "a", [word]: true }).remarks).toEqual(
      [{ name: "x", path: [word], reason: expect.stringContaining("allows nothing here") }].map(
        () => expect.stringContaining(`mcpServers.x.${word}: allows nothing here`),
      ),
    );
  });

  it.each([
    { disabledTool: ["write"] },
    { enabledTool: ["read"] },
    { "tools-allow-list": ["read"] },
    { alwaysDeny: ["write"] },
    { disabled: "yes", enabled: true },
    { disabledTools: "write", excludeTools: ["read"] },
    { sandboxEnabled: true },
    { readOnly: true },
    { blockWrites: true },
    { deniedPaths: ["/etc"] },
    { disableToolCache: true },
    { anythingllm: { autoStart: false, suppressedTools: ["write"] } },
  ])("keep a server off where they forbid what is not understood: %j", (value) => {
    const { entries, mistakes } = read({ mcpServers: { x: { command: "a", ...value } } });
    expect(entries).toEqual([]);
    expect(mistakes).toEqual([expect.stringContaining("This server is left out.")]);
  });

  it.each([
    { disabled_prompts: ["a"] },
    { frobnicateDisabled: false },
    { disabledWords: [] },
    { disableTelemetry: true },
    { disable_auto_update: true },
    { "disabled-reason": "slow" },
    { excludeFromLogs: true },
    { blockNotifications: true },
    { anythingllm: { autoStart: false, suppressedTools: [] } },
  ])("keep no server off where there is nothing to forbid: %j", (value) => {
    expect(entry({ command: "a", ...value }).remarks).toHaveLength(1);
  });

  it.each([
    [{ uri: "https://a/" }, "uri: is unknown and does nothing; you may mean url"],
    [{ comand: "a" }, "comand: is unknown and does nothing; you may mean command"],
  ])("give one mistake one sentence: %j", (value, sentence) => {
    const { mistakes, remarks } = read({ mcpServers: { x: value } });
    expect(mistakes).toEqual([`f.json:1: mcpServers.x.${sentence}. This server is left out.`]);
    expect(remarks).toEqual([]);
  });

  it("are named once where nobody knows them, with the nearest that is known", () => {
    const { remarks } = entry({ command: "a", commnad: "b", frobnicate: 1, description: "fine" });
    expect(remarks).toEqual([
      "f.json:1: mcpServers.x.commnad: is unknown and does nothing; you may mean command.",
      "f.json:1: mcpServers.x.frobnicate: is unknown and does nothing.",
    ]);
  });

  it.each([
    ["streamableHttp", "http"],
    ["streamable_http", "http"],
    ["streamable-http", "http"],
    ["http", "http"],
    ["remote", "http"],
    ["sse", "sse"],
    ["SSE", "sse"],
  ])("name a transport %s", (type, transport) => {
    expect(entry({ type, url: "https://a/" }).launch).toMatchObject({ type: "remote", transport });
    expect(entry({ transport: type, url: "https://a/" }).launch).toMatchObject({ transport });
  });

  it.each(["url", "httpUrl", "serverUrl"])("name an address %s", (key) => {
    expect(entry({ [key]: "https://a/" }).launch).toMatchObject({ url: "https://a/" });
  });

  it("name a command as opencode and Zed do", () => {
    const launch = { type: "stdio", command: "npx", args: ["-y", "a"], env: { A: "1" } };
    const opencode = { type: "local", command: ["npx", "-y", "a"], environment: { A: "1" } };
    const zed = { command: { path: "npx", args: ["-y", "a"], env: { A: "1" } } };
    expect(entry(opencode).launch).toMatchObject(launch);
    expect(entry(zed).launch).toMatchObject(launch);
  });

  it("name keys of Codex", () => {
    const value = {
      url: "https://a/",
      bearer_token_env_var: "TOKEN",
      env_http_headers: { "X-A": "B" },
      startup_timeout_sec: 20,
      tool_timeout_sec: 90,
    };
    expect(entry(value)).toMatchObject({
      launch: { headers: { Authorization: "Bearer ${env:TOKEN}", "X-A": "${env:B}" } },
      startTimeoutMs: 20_000,
      timeoutMs: 90_000,
      remarks: [],
    });
  });

  it("take null from the environment, and numbers as text", () => {
    expect(
      entry({ command: "a", args: ["--port", 80, true], env: { A: null, B: 2 } }).launch,
    ).toMatchObject({
      args: ["--port", "80", "true"],
      env: { A: "${env:A}", B: "2" },
    });
  });

  it("give a time in seconds, and the server stays", () => {
    const { timeoutMs, remarks } = entry({ command: "a", timeout: 60 });
    expect(timeoutMs).toBe(60_000);
    expect(remarks).toEqual([
      "f.json:1: mcpServers.x.timeout: is read as 60 seconds; write 60000 milliseconds.",
    ]);
    expect(entry({ command: "a", timeout: 600_000 })).toMatchObject({
      timeoutMs: 600_000,
      remarks: [],
    });
  });

  it("name a file of variables, and what goes along", () => {
    expect(
      entry({ command: "a", envFile: "${workspaceFolder}/.env", envPass: ["A"] }).launch,
    ).toMatchObject({
      envFile: "${workspaceFolder}/.env",
      envPass: ["A"],
    });
  });

  it.each(["GitHub Copilot", "a/b", "@org/server", "日本", "x:y, z"])(
    "call a server %s",
    (name) => {
      const { entries, mistakes } = read({ mcpServers: { [name]: { command: "a" } } });
      expect(mistakes).toEqual([]);
      expect(entries.map((one) => one.name)).toEqual([name]);
    },
  );
});

describe("other shapes of the file", () => {
  const servers = { a: { command: "a" }, b: { url: "https://b/" } };
  it.each([
    [{ mcpServers: servers }],
    [{ servers, inputs: [] }],
    [{ $schema: "https://opencode.ai/config.json", theme: "x", mcp: servers }],
    [{ mcp: { servers } }],
    [{ context_servers: servers, theme: "One Dark" }],
    [{ mcp_servers: servers }],
    [servers],
    [{ mcp: { command: "a" }, b: { url: "https://b/" } }],
  ])("are read: %j", (value) => {
    const { entries, mistakes } = read(value);
    expect(mistakes).toEqual([]);
    expect(entries.map(({ launch }) => launch.type)).toEqual(["stdio", "remote"]);
  });

  it.each([
    ["[1]", /this is a list; write \{"mcpServers"/],
    ["3", /this is not a table/],
    ['{"secret": "value", "other": 1}', /this contains no servers, but "secret", "other"; write/],
    ['{"mcpServer": {"a": {"command": "a"}}}', /contains no servers, but "mcpServer"/],
  ])("are told what was found and what is wanted: %s", (text, sentence) => {
    const { entries, mistakes } = read(text);
    expect(entries).toEqual([]);
    expect(mistakes).toEqual([expect.stringMatching(sentence)]);
    expect(mistakes[0]).not.toContain("value");
  });

  it("may be JSON5", () => {
    const { entries, mistakes, remarks } = read(
      "{\n  // mcphub\n  mcpServers: {\n    'a b': {\n      command: 'npx',\n      args: ['-y', 'x',],\n      wrong: +1,\n    },\n  },\n}",
    );
    expect(mistakes).toEqual([]);
    expect(entries[0]).toMatchObject({
      name: "a b",
      launch: { command: "npx", args: ["-y", "x"] },
    });
    expect(remarks).toEqual([expect.stringMatching(/^f\.json:7: mcpServers\.a b\.wrong/)]);
  });

  it("are told where a key occurs twice", () => {
    const { remarks, entries } = read(
      '{"mcpServers": {\n"a": {"command": "one"},\n"a": {"command": "two", "args": ["x"], "args": []}\n}}',
    );
    expect(entries.map(({ launch }) => launch)).toMatchObject([{ command: "two", args: [] }]);
    expect(remarks.map((remark) => remark.replace(/^f\.json:\d+: /, "")).sort()).toEqual([
      "mcpServers.a.args: is written twice; the last one counts.",
      "mcpServers.a: is written twice; the last one counts.",
    ]);
  });
});

describe("inputs", () => {
  it("are typed or picked, with what Enter gives", () => {
    const inputs = [
      { type: "promptString", id: "key", description: "A key", password: true },
      { type: "promptString", id: "name", password: false, default: "me" },
      {
        type: "pickString",
        id: "zone",
        options: ["eu", { label: "US", value: "us" }],
        default: "eu",
      },
    ];
    expect(read({ servers: {}, inputs }).inputs).toEqual([
      { id: "key", prompt: "A key", options: null, preset: null, isSecret: true },
      { id: "name", prompt: "name", options: null, preset: "me", isSecret: false },
      { id: "zone", prompt: "zone", options: ["eu", "us"], preset: "eu", isSecret: false },
    ]);
  });

  it("of a kind that is not there are named", () => {
    const inputs = [{ type: "command", id: "x", command: "y" }, { type: "pickString", id: "z" }, 3];
    const { inputs: usable, mistakes } = read({ servers: {}, inputs });
    expect(usable).toEqual([]);
    expect(mistakes).toEqual([
      expect.stringContaining("only promptString and pickString are known"),
      expect.stringContaining("pickString needs a list of options"),
      expect.stringContaining("write a table with an id"),
    ]);
  });
});
