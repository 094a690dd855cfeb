/** What servers print and want logged may hold the secrets that they were started with. */
import { expect, it } from "vitest";
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
