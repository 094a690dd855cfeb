/** What servers print and want logged may hold the secrets that they were started with. */
import { expect, it, onTestFinished, vi } from "vitest";
import { call, start } from "../support/mcp-server.ts";

const script = `
  const message = { jsonrpc: "2.0", method: "notifications/message",
    params: { level: "info", data: { note: "my key is " + process.env.KEY } } };
  console.log("started with " + process.env.KEY);
  const beyond = { ...message, params: { level: "info", data: "x".repeat(484) + process.env.KEY } };
  process.stdin.once("data", (line) => {
    const { id } = JSON.parse(line);
    const serverInfo = { name: "talkative", version: "1" };
    const result = { protocolVersion: "2025-11-25", capabilities: { tools: {}, logging: {} }, serverInfo };
    console.log(JSON.stringify({ jsonrpc: "2.0", id, result }));
    console.log(JSON.stringify(message));
    console.log(JSON.stringify(beyond));
    setTimeout(() => process.exit(1), 50);
  });
`;

it("the log hides the values of a server's environment", async () => {
  const env = { KEY: "secret-value-of-more-than-a-few-letters" };
  const { server, logged } = start({ command: process.execPath, args: ["-e", script], env });
  const { problems } = await server.tools(15_000);
  expect(problems).toHaveLength(1);
  expect(logged.join("\n")).toMatch(/Not a JSON-RPC message: "started with \[hidden\]"/);
  expect(logged.join("\n")).toContain("my key is [hidden]");
  expect([...logged, ...problems].join("\n")).not.toContain("secret-va");
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

const echoing = `
  const { KEY, BASE_URL, GIT_AUTHOR_NAME, KEY_FILE, DATABASE, ...others } = process.env;
  const said = [KEY, Buffer.from("x:" + KEY).toString("base64"), BASE_URL, GIT_AUTHOR_NAME, KEY_FILE, DATABASE,
    ...Object.values(others), ...process.argv.slice(1)].join(" | ");
  require("node:readline").createInterface({ input: process.stdin }).on("line", (line) => {
    const { id, method, params } = JSON.parse(line);
    if (id === undefined) return;
    const failure = params?.name === "fail" && { code: -32000, message: "401: " + said };
    const results = {
      initialize: { protocolVersion: "2025-11-25", capabilities: { tools: {}, resources: {}, prompts: {} },
        serverInfo: { name: "echoing", version: "1" }, instructions: said },
      "tools/list": { tools: ["say", "fail"].map((name) => ({ name, title: said, description: said,
        annotations: { title: said }, inputSchema: { type: "object", properties: {
          key: { type: "string", default: KEY, description: said },
          default: { type: "string", default: "honest", enum: ["honest", said] } } } })) },
      "tools/call": { content: [{ type: "text", text: said },
        { type: "text", text: said, annotations: { audience: ["user"] } }], structuredContent: { said } },
      "resources/read": { contents: [{ uri: "a:b", text: said }] },
      "prompts/get": { messages: [{ role: "user", content: [{ type: "text", text: said },
        { type: "resource", resource: { uri: "a:b", text: said } }] }] },
    };
    const answer = failure ? { error: failure } : { result: results[method] ?? {} };
    console.log(JSON.stringify({ jsonrpc: "2.0", id, ...answer }));
  });
`;

it("no result of a call, no resource, prompt, tool and no instructions have a key that the server was given, and the rest stays", async () => {
  const { server } = start({
    command: process.execPath,
    args: [
      ...["-e", echoing, "--", "--token", "S3CRET-of-the-flag", "--level", "verbose-and-long"],
      ...["--auth-user", "ada@honest.example", "API_KEY=S3CRET-of-the-word"],
    ],
    env: {
      AUTH_METHOD: "authorization_code",
      API_KEY_HEADER: "X-Honest-Header",
      KEYCLOAK_URL_PATH: "realms-and-more",
      SEARCH_KEYWORDS: "several honest words",
      QUEUE: "amqp://root:root@host/queue",
      CACHE: "redis://:s@host/cache",
      KEY: "S3CRET-of-the-environment",
      BASE_URL: "https://honest.example/api",
      GIT_AUTHOR_NAME: "Ada-the-Countess",
      KEY_FILE: "/home/ada/key-file.pem",
      DATABASE: "postgres://me:S3CRET@host/db",
    },
  });
  const { signal } = new AbortController();
  const said = await call(server, "say");
  const failed = await call(server, "fail");
  const catalog = await server.catalog(signal);
  const parts = await catalog.read("a:b", signal);
  const messages = await catalog.prompt("say", {}, signal);
  const read = [...parts, ...messages].map((one) => JSON.stringify(one));
  const { tools } = await server.tools(15_000);
  const listed = [JSON.stringify(tools[0]), server.status().instructions];
  const texts = [said.text, said.personal?.text ?? "", failed.text, ...read, ...listed];
  expect(tools[0]?.inputSchema.properties).toMatchObject({
    // Whoever leaves it out gets the server's own.
    key: { type: "string", description: expect.stringContaining("[hidden]") },
    default: { type: "string", default: "honest" },
  });
  expect(tools[0]?.inputSchema.properties).not.toHaveProperty("key.default");
  for (const text of texts) {
    expect(text).not.toContain("S3CRET");
    expect(text).not.toContain(Buffer.from("x:S3CRET-of-the").toString("base64").slice(4, -4));
    for (const word of [
      "https://honest.example/api",
      "Ada-the-Countess",
      "/home/ada/key-file.pem",
      ...["authorization_code", "X-Honest-Header", "realms-and-more", "several honest words"],
      ...["ada@honest.example", "amqp://root:root@host/queue", "redis://:s@host/cache"],
    ]) {
      expect(text).toContain(word);
    }
    expect(text).toContain("postgres://[hidden]@host/db");
    expect(text).toContain("--level | verbose-and-long");
  }
});
