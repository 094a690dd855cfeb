/** What servers print and want logged may hold the secrets that they were started with. */
import { expect, it, onTestFinished, vi } from "vitest";
import { start } from "../support/mcp-server.ts";

const script = `
  const message = { jsonrpc: "2.0", method: "notifications/message",
    params: { level: "info", data: { note: "my key is " + process.env.KEY } } };
  console.log("started with " + process.env.KEY);
  process.stdin.once("data", (line) => {
    const { id } = JSON.parse(line);
    const serverInfo = { name: "talkative", version: "1" };
    const result = { protocolVersion: "2025-11-25", capabilities: { tools: {}, logging: {} }, serverInfo };
    console.log(JSON.stringify({ jsonrpc: "2.0", id, result }));
    console.log(JSON.stringify(message));
    setTimeout(() => process.exit(1), 50);
  });
`;

it("the log hides the values of a server's environment", async () => {
  const env = { KEY: "secret-value" };
  const { server, logged } = start({ command: process.execPath, args: ["-e", script], env });
  const { problems } = await server.tools(15_000);
  expect(problems).toHaveLength(1);
  expect(logged.join("\n")).toMatch(/Not a JSON-RPC message: "started with \[hidden\]"/);
  expect(logged.join("\n")).toContain("my key is [hidden]");
  expect([...logged, ...problems].join("\n")).not.toContain("secret-value");
});

const printing = `
  const { LONG, PASSED, PROXY } = process.env;
  const words = [...process.argv, LONG, PASSED, PROXY].map((word) => word.replace(/^Bearer /, ""));
  console.error(words.join("\\n"));
  console.log(words.join(" "));
  process.exit(1);
`;

it("neither the log nor a problem has a secret that it was given, however it was given", async () => {
  vi.stubEnv("PASSED", "S3CRET-passed");
  onTestFinished(() => void vi.unstubAllEnvs());
  const given = [
    "plain",
    "--token=S3CRET-equals",
    "--api-key",
    "S3CRET-flag",
    "Authorization: Bearer S3CRET-bearer",
    "Authorization:Bearer S3CRET-dense",
    "GITHUB_TOKEN=S3CRET-variable",
    "postgres://me:S3CRET-login@host/db",
    "sk-S3CRET-form",
  ];
  const { server, logged } = start({
    command: process.execPath,
    args: ["-e", printing, "--", ...given],
    env: { LONG: "S3CRET-env", PROXY: "http://me:S3CRET-proxy@host" },
    envPass: ["PASSED"],
  });
  const { problems } = await server.tools(15_000);
  const said = [...logged, ...problems].join("\n");
  expect(said).toContain("plain");
  expect(said).toContain("--token=[hidden]");
  expect(said).not.toContain("S3CRET");
});

it("folders, names and levels stay readable in a problem, whoever set them", async () => {
  vi.stubEnv("TMPDIR", "/tmp/for-parley");
  onTestFinished(() => void vi.unstubAllEnvs());
  const script =
    "const { HOME, NODE_ENV, LOG_LEVEL, TMPDIR, KEY } = process.env; console.error(HOME, NODE_ENV, LOG_LEVEL, TMPDIR, KEY); process.exit(1)";
  const { server } = start({
    command: process.execPath,
    args: ["-e", script],
    env: { HOME: "/home/parley", NODE_ENV: "production", LOG_LEVEL: "warning", KEY: "S3CRET-env" },
    envPass: ["TMPDIR"],
  });
  const { problems } = await server.tools(15_000);
  expect(problems.join()).toContain("/home/parley production warning /tmp/for-parley [hidden]");
});
