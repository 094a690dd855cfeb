/** `parley mcp` with widely used servers. */
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the variables of configurations look like this
import { join } from "node:path";
import { expect, it } from "vitest";
import { projectRoot } from "../../scripts/lib/paths.mjs";
import { badServer } from "../support/mcp-server.ts";
import { everythingServer, filesystemServer, memoryServer } from "../support/real-servers.ts";
import { call, callLine, openPlace, question, script, scripted } from "./command-line.ts";

const node = process.execPath;

function place(chat = "") {
  const opened = openPlace(chat);
  opened.write("data/note.txt", "kept in a file\n");
  opened.write(
    "servers.json",
    JSON.stringify({
      mcpServers: {
        files: { command: node, args: [filesystemServer, "${workspaceFolder}/data"] },
        memory: {
          command: node,
          args: [memoryServer],
          env: { MEMORY_FILE_PATH: join(opened.folder, "memory.json") },
        },
        everything: { command: node, args: [everythingServer] },
      },
    }),
  );
  return opened;
}

it("parley mcp check starts all servers and prints how many tools each has", async () => {
  const { code, stdout } = await place().parley(["mcp", "check", "--config", "servers.json"]);
  expect(stdout).toMatch(
    /^files: ready, 14 tools \(stdio, 2025-11-25\)\nmemory: ready, 9 tools \(stdio, 2025-11-25\)\neverything: ready, 1\d tools \(stdio, 2025-11-25\)\n$/,
  );
  expect(code).toBe(0);
});

it("parley mcp reports that no server is configured, or none with the given name", async () => {
  const opened = openPlace("");
  const checked = await opened.parley(["mcp", "check"]);
  expect(checked).toMatchObject({ code: 0, stdout: "" });
  expect(checked.stderr).toMatch(/No MCP server is configured; parley mcp add/);
  const tools = await opened.parley(["mcp", "tools", "gone"]);
  expect(tools).toMatchObject({ code: 1, stdout: "" });
  expect(tools.stderr).toMatch(/There is no MCP server "gone"\. None is configured\./);
});

it("parley mcp reports where a server is disabled", async () => {
  const opened = openPlace("");
  const off = { command: node, isActive: false };
  opened.write("servers.json", JSON.stringify({ mcpServers: { off } }));
  const config = ["--config", "servers.json"];
  const checked = await opened.parley(["mcp", "check", ...config]);
  const sentence = "off is disabled in servers.json.\n";
  expect(checked).toMatchObject({ code: 0, stdout: "", stderr: `parley: ${sentence}` });
  const called = await opened.parley(["mcp", "call", "off", "echo", "{}", ...config]);
  expect(called.stderr).toBe('parley: The MCP server "off" is disabled in servers.json.\n');
  const other = await opened.parley(["mcp", "tools", "gone", ...config]);
  expect(other.stderr).toBe(`parley: There is no MCP server "gone". ${sentence}`);
  const login = await opened.parley(["mcp", "login", "off", ...config]);
  expect(login.stderr).toContain('The MCP server "off" is disabled in servers.json; ');
});

it("parley mcp lists and calls the tools of a server", async () => {
  const opened = place();
  const config = ["--config", "servers.json"];
  const listed = await opened.parley(["mcp", "tools", "files", ...config]);
  expect(listed.stdout).toContain("mcp__files__read_text_file\tfiles\tread_text_file\n");
  const json = JSON.stringify({ path: join(opened.folder, "data", "note.txt") });
  const read = await opened.parley(["mcp", "call", "files", "read_text_file", json, ...config]);
  expect(read).toMatchObject({ code: 0, stdout: expect.stringContaining("kept in a file") });
  const outside = JSON.stringify({ path: join(projectRoot, "package.json") });
  const refused = await opened.parley([
    "mcp",
    "call",
    "files",
    "read_text_file",
    outside,
    ...config,
  ]);
  expect(refused).toMatchObject({ code: 1, stdout: expect.stringContaining("Access denied") });
  const misfit = await opened.parley(["mcp", "call", "files", "read_text_file", "{}", ...config]);
  expect(misfit).toMatchObject({ code: 2, stdout: "", stderr: expect.stringContaining("path") });
  const unknown = await opened.parley(["mcp", "call", "files", "nothing", "{}", ...config]);
  expect(unknown.stderr).toContain('offers no tool "nothing"');
  const elsewhere = await opened.parley(["mcp", "call", "filse", "nothing", "{}", ...config]);
  expect(elsewhere.stderr).toMatch(/no MCP server "filse"\. There are files, memory, everything\./);
});

it("parley mcp call prints content that is only for the user", async () => {
  const json = JSON.stringify({ messageType: "success", includeImage: true });
  const words = ["everything", "get-annotated-message", json, "--config", "servers.json"];
  const { stdout, stderr } = await place().parley(["mcp", "call", ...words]);
  expect(stdout).toMatch(/only for the user\)\n[\s\S]*completed successfully/);
  expect(stderr).toContain("The result holds image/png, which is not shown here.");
});

it("parley mcp finds a server whose name contains spaces", async () => {
  const opened = openPlace("");
  const servers = { "My own server": { command: node, args: [badServer] } };
  opened.write("servers.json", JSON.stringify({ mcpServers: servers }));
  const mcp = (...words: string[]) => opened.parley(["mcp", ...words, "--config", "servers.json"]);
  expect((await mcp("tools", "My own server")).stdout).toMatch(/^mcp__My_own_server__echo_\w+\t/);
  const called = await mcp("call", "My own server", "echo", '{"text":"hi"}');
  expect(called).toMatchObject({ code: 0, stdout: "hi\n" });
});

it("parley run uses MCP servers, and reports a broken one without delaying the answer", async () => {
  const opened = place(`${scripted}💬: ${question}\n`);
  const path = join(opened.folder, "data", "note.txt");
  opened.write(
    "script.json",
    script(
      { calls: [{ ...call("c1", { path }), name: "mcp__files__read_text_file" }] },
      { text: "Done." },
    ),
  );
  opened.write(
    "home/.config/nvim/parley/mcp.json",
    '{"mcpServers":{"broken":{"command":"no-such-command"}}}',
  );
  const ended = await opened.parley([
    "run",
    "chat.md",
    "--approve",
    "files.read_*",
    "--config",
    "servers.json",
  ]);
  expect(ended.stderr).toContain(
    "MCP server broken: It could not be used. Its command no-such-command",
  );
  expect(ended.code).toBe(0);
  expect(opened.read()).toMatch(/kept in a file[\s\S]*Done\./);
});

it("parley run runs no call that a rule denies, even with --approve all", async () => {
  const open = `${scripted}💬: ${question}\n\n🤖:[model]\n\n${callLine("c1")}\n`;
  const opened = openPlace(open.replace("mock/file:script.json", "mock/demo"));
  opened.write("home/.config/nvim/parley/config.json", '{"rules":{"deny":["web_search"]}}');
  await opened.parley(["run", "chat.md", "--approve", "all"]);
  expect(opened.read()).toMatch(/\[c1\] \(declined\)\n\n.*declined by a rule/);
});

it("parley mcp check starts no server of the project", async () => {
  const opened = openPlace();
  opened.write(
    ".mcp.json",
    JSON.stringify({ mcpServers: { evil: { command: "touch", args: ["ran"] } } }),
  );
  const { code, stdout } = await opened.parley(["mcp", "check"]);
  expect({ code, stdout }).toEqual({ code: 0, stdout: "" });
  expect(() => opened.read("ran")).toThrow();
});

it("parley mcp call declines and reports a server's request for input", async () => {
  const tool = ["everything", "trigger-elicitation-request", "{}"];
  const asked = await place().parley(["mcp", "call", ...tool, "--config", "servers.json"]);
  expect(asked.stdout).toContain('"action": "decline"');
  expect(asked.stderr).toContain(
    "parley: MCP server everything asked for input, which was declined because there is no user to ask here.\n",
  );
  expect(asked.stderr).not.toMatch(/^parley: $/m);
});

it("parley mcp imports the servers of Codex from its TOML, and says what is wrong with a file", async () => {
  const opened = openPlace();
  const env = { XDG_CONFIG_HOME: join(opened.folder, "config") };
  opened.write(
    "home/.codex/config.toml",
    `model = "gpt-5"
[mcp_servers.docs]
command = "npx"
args = ["-y", "docs-server"] # comments stay there
env = { DOCS_TOKEN = "t" }
startup_timeout_sec = 20

[mcp_servers."far away"]
url = "https://far.test/mcp"
bearer_token_env_var = "FAR_TOKEN"
`,
  );
  const listed = await opened.parley(["mcp", "import"], env);
  expect(listed.stdout).toMatch(/^codex\t.*config\.toml\tdocs, far away$/m);
  const taken = await opened.parley(["mcp", "import", "codex"], env);
  expect(taken.code).toBe(0);
  const [, , path = ""] = taken.stdout.trim().split("\n")[0]?.split("\t") ?? [];
  const { mcpServers } = JSON.parse(opened.read(path.slice(opened.folder.length + 1)));
  expect(mcpServers).toEqual({
    docs: {
      command: "npx",
      args: ["-y", "docs-server"],
      env: { DOCS_TOKEN: "t" },
      startup_timeout_sec: 20,
    },
    "far away": { url: "https://far.test/mcp", bearer_token_env_var: "FAR_TOKEN" },
  });
  opened.write("home/.codex/config.toml", 'a = 1\nkey = "sk-secret\n[mcp_servers.docs]\n');
  const broken = await opened.parley(["mcp", "import", "codex"], env);
  expect(broken.code).not.toBe(0);
  expect(broken.stderr).toMatch(
    /config\.toml is no valid TOML: .+ \(line \d, column \d+\)\. Nothing/,
  );
  expect(broken.stderr).not.toContain("sk-secret");
});

it("parley mcp adds a server and imports those of other programs without overwriting any", async () => {
  const opened = openPlace();
  const env = { XDG_CONFIG_HOME: join(opened.folder, "config") };
  const added = await opened.parley(
    ["mcp", "add", "files", "--env", "A=b=c", "--", "npx", "-y", "server", "--flag"],
    env,
  );
  expect(added.code).toBe(0);
  const [, , path = ""] = added.stdout.trim().split("\t");
  const own = () => JSON.parse(opened.read(path.slice(opened.folder.length + 1)));
  expect(own().mcpServers.files).toEqual({
    command: "npx",
    args: ["-y", "server", "--flag"],
    env: { A: "b=c" },
  });
  const far = ["mcp", "add", "far", "--url", "https://far.test/", "--header", "X-Key=${KEY}"];
  expect((await opened.parley(far, env)).code).toBe(0);
  expect((await opened.parley(far, env)).stderr).toContain("and was left alone");
  opened.write(
    "home/.cursor/mcp.json",
    JSON.stringify({ mcpServers: { files: { command: "other" }, more: { command: "more" } } }),
  );
  const listed = await opened.parley(["mcp", "import"], env);
  expect(listed.stdout).toMatch(/^cursor\t.*mcp\.json\tfiles, more$/m);
  const taken = await opened.parley(["mcp", "import", "cursor"], env);
  expect(taken.stdout).toMatch(/^added\tmore\t/);
  expect(taken.stderr).toContain("files is already in");
  expect(Object.keys(own().mcpServers)).toEqual(["more", "far", "files"]);
  expect(own().mcpServers.files.command).toBe("npx");
  expect((await opened.parley(["mcp", "import", "zed"], env)).code).not.toBe(0);
  const unknown = await opened.parley(["mcp", "import", "wind"], env);
  expect(unknown.stderr).toMatch(/There is no file wind; known programs are .*cursor, windsurf/);
  const wrong = await opened.parley(["mcp", "add", "odd", "--url", "ftp://far.test/"], env);
  expect(wrong.stderr).toMatch(/odd was not added\. Its url is not an address/);
  expect(wrong.code).not.toBe(0);
});
