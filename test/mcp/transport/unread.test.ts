/** A server that reads nothing of what it is sent. */
import { expect, it, onTestFinished } from "vitest";
import { StdioTransport } from "../../../src/mcp/transport/stdio-transport.ts";

it("is stopped before what waits for it fills the memory", async () => {
  const idle = "process.stdin.pause(); setInterval(() => {}, 1000)";
  const transport = new StdioTransport({ command: process.execPath, args: ["-e", idle] });
  onTestFinished(() => transport.close());
  const closed = new Promise<void>((resolve) => {
    transport.onclose = resolve;
  });
  await transport.start();
  const data = "x".repeat(8 * 1024 * 1024);
  const message = { jsonrpc: "2.0" as const, method: "notifications/message", params: { data } };
  const send = async () => {
    for (let sent = 0; sent < 20; sent += 1) await transport.send(message);
  };
  await expect(send()).rejects.toThrow("The server does not read its input and was stopped.");
  await closed;
  expect(transport.ending).toBe("It did not read what it was sent and was stopped.");
});
