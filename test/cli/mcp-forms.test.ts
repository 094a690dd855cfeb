/** `parley mcp check` with configuration files of other programs, and the entries that READMEs suggest for them. */
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the variables of configurations look like this
import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, expect, it, vi } from "vitest";
import { projectRoot } from "../../scripts/lib/paths.mjs";
import { mcp } from "../../src/cli/mcp.ts";
import { everything, modern } from "../support/remote-server.ts";
import { openPlace, script, scripted } from "./command-line.ts";
import { openIn } from "./in-process.ts";

const folder = realpathSync(mkdtempSync(join(tmpdir(), "parley-forms-")));
const bin = join(folder, "bin");
const isWindows = process.platform === "win32";

/** The launchers that READMEs use; here they all start an existing server, whatever the arguments. */
function writeLaunchers(): void {
  mkdirSync(bin, { recursive: true });
  const server = join(projectRoot, "dist", "mock-server.js");
  for (const name of ["npx", "uvx", "docker", "python"]) {
    const path = join(bin, isWindows ? `${name}.cmd` : name);
    const text = isWindows
      ? `@"${process.execPath}" "${server}"\r\n`
      : `#!/bin/sh\nexec "${process.execPath}" "${server}"\n`;
    writeFileSync(path, text);
    chmodSync(path, 0o755);
  }
}

beforeAll(writeLaunchers);
beforeEach(() => {
  vi.stubEnv("PATH", `${bin}${delimiter}${process.env.PATH}`);
});
afterEach(() => {
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
});
afterAll(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));

interface Checked {
  readonly code: number;
  /** One line per server. */
  readonly lines: readonly string[];
  /** The messages on stderr. */
  readonly told: readonly string[];
}

/** `parley mcp check --config FILE`. */
async function check(name: string, text: string): Promise<Checked> {
  const file = join(folder, name);
  writeFileSync(file, text);
  const place = join(folder, name.replace(/\W/g, "-"));
  mkdirSync(place);
  const opened = await openIn(place, file);
  try {
    const { code, stdout, told } = await opened.act((app, tell) =>
      mcp(app, { name: "mcp", action: "check", config: file }, tell),
    );
    return { code, lines: stdout.trim().split("\n").filter(Boolean), told };
  } finally {
    await opened.close();
  }
}

const json = (value: unknown) => JSON.stringify(value, null, 2);

it.each<readonly [form: string, file: string, text: string, servers: readonly string[]]>([
  [
    "Claude Desktop and Claude Code",
    "claude_desktop_config.json",
    json({
      mcpServers: {
        filesystem: {
          command: "npx",
          args: ["-y", "@modelcontextprotocol/server-filesystem", "/d"],
        },
        git: { command: "uvx", args: ["mcp-server-git", "--repository", "/repo"] },
        time: { command: "python", args: ["-m", "mcp_server_time", "--local-timezone=UTC"] },
        github: {
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
      },
    }),
    ["filesystem", "git", "time", "github"],
  ],
  [
    "Cursor",
    "cursor-mcp.json",
    json({
      mcpServers: {
        playwright: { command: "npx", args: ["@playwright/mcp@latest"], env: { PORT: 80 } },
        context7: {
          command: "npx",
          args: ["-y", "@upstash/context7-mcp", "--api-key", "YOUR_API_KEY"],
        },
      },
    }),
    ["playwright", "context7"],
  ],
  [
    "VS Code, with comments",
    "vscode-mcp.json",
    `{
  // for everybody here
  "inputs": [{ "type": "promptString", "id": "token", "description": "A token", "password": true }],
  "servers": {
    "linear": { "type": "stdio", "command": "npx", "args": ["-y", "mcp-remote", "https://mcp.linear.app/sse"], },
  },
}`,
    ["linear"],
  ],
  [
    "opencode",
    "opencode.json",
    json({
      $schema: "https://opencode.ai/config.json",
      theme: "x",
      mcp: {
        serena: {
          type: "local",
          command: [
            "uvx",
            "--from",
            "git+https://github.com/oraios/serena",
            "serena",
            "start-mcp-server",
          ],
          enabled: true,
          environment: { A: "1" },
        },
        off: { type: "local", command: ["npx", "off"], enabled: false },
      },
    }),
    ["serena"],
  ],
  [
    "Zed",
    "zed-settings.json",
    json({
      theme: "One Dark",
      context_servers: {
        postgres: {
          command: {
            path: "docker",
            args: [
              "run",
              "-i",
              "--rm",
              "mcp/postgres",
              "postgresql://host.docker.internal:5432/mydb",
            ],
            env: {},
          },
        },
      },
    }),
    ["postgres"],
  ],
  [
    "mcphub, as JSON5",
    "servers.json",
    "{\n  // mine\n  mcpServers: {\n    'my memory': { command: 'npx', args: ['-y', '@modelcontextprotocol/server-memory',], disabled: false },\n  },\n}",
    ["my memory"],
  ],
  [
    "a bare table",
    "bare.json",
    json({
      sequential: {
        command: "npx",
        args: ["-y", "@modelcontextprotocol/server-sequential-thinking"],
      },
    }),
    ["sequential"],
  ],
])(
  "parley mcp check reads the file of %s and checks every server in it",
  async (_, file, text, servers) => {
    const { code, lines, told } = await check(file, text);
    expect(
      lines.filter((line) => line.includes(": ready, 1 tool")).map((line) => line.split(":")[0]),
    ).toEqual(servers);
    expect(told.filter((line) => !line.includes(" is disabled in "))).toEqual([]);
    expect(code).toBe(0);
  },
);

it("parley mcp check reads URLs as Gemini CLI, Windsurf and Cline write them, for newer and older servers", async () => {
  const [newer, older] = await Promise.all([modern("stateless"), everything("sse")]);
  const at = (port: number, path: string) => `http://127.0.0.1:${port}${path}`;
  const { code, lines, told } = await check(
    "settings.json",
    json({
      theme: "x",
      mcpServers: {
        gemini: { httpUrl: at(newer.port, "/mcp"), timeout: 600_000 },
        windsurf: { serverUrl: at(newer.port, "/mcp") },
        cline: { type: "streamableHttp", url: at(newer.port, "/mcp") },
        sse: { type: "sse", url: at(older.port, "/sse") },
        found: { url: at(older.port, "/sse") },
      },
    }),
  );
  expect(lines.map((line) => line.replace(/\d+ tools?/, "N tools"))).toEqual([
    expect.stringMatching(/^gemini: ready, N tools \(http, /),
    expect.stringMatching(/^windsurf: ready, N tools \(http, /),
    expect.stringMatching(/^cline: ready, N tools \(http, /),
    expect.stringMatching(/^sse: ready, N tools \(sse, /),
    expect.stringMatching(/^found: ready, N tools \(sse, /),
  ]);
  const ofTask = /^(sse|found): Its tool simulate-research-query runs only as a task/;
  expect(told.filter((line) => !ofTask.test(line))).toEqual([]);
  expect(code).toBe(0);

  // A whole chat with the older server: the call, its result, and the final answer.
  const chat = openPlace(`${scripted}💬: what is the sum?\n`);
  const mcpServers = { sse: { type: "sse", url: at(older.port, "/sse") } };
  chat.write("servers.json", json({ mcpServers }));
  const sum = { id: "c1", name: "mcp__sse__get-sum", arguments: { a: 40, b: 2 } };
  chat.write("script.json", script({ text: "I add.", calls: [sum] }, { text: "It is 42." }));
  const approved = ["--approve", "sse.get-sum", "--config", "servers.json"];
  const ended = await chat.parley(["run", "chat.md", ...approved]);
  expect(ended.code).toBe(0);
  expect(chat.read()).toMatch(/I add\.[\s\S]*sum of 40 and 2 is 42[\s\S]*It is 42\./);
});

it.each([
  ["a list", "[1]", /this is a list; write \{"mcpServers"/],
  [
    "an unknown key",
    '{"mcpServer": {"a": {"command": "npx"}}}',
    /contains no servers, but "mcpServer"/,
  ],
  ["half a file", '{"mcpServers": {"a": ', /not valid JSON here/],
  ["an entry without a command", '{"mcpServers": {"a": {"cmd": "npx"}}}', /a.*command/],
  [
    "a command that does not exist",
    '{"mcpServers": {"a": {"command": "no-such-launcher"}}}',
    /install/,
  ],
])("parley mcp check fails for %s and reports what is wrong", async (name, text, sentence) => {
  const { code, told } = await check(`${name.replaceAll(" ", "-")}.json`, text);
  expect(told.join("\n")).toMatch(sentence);
  expect(code).toBe(1);
});
