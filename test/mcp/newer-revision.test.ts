/** The revision 2026-07-28, where a server asks by its result and the call is made again with the answers. */
import { Client, InMemoryTransport, type JSONRPCMessage } from "@modelcontextprotocol/client";
import { expect, it, onTestFinished } from "vitest";
import { createClientFeatures } from "../../src/mcp/asking/client-features.ts";
import { answerRequests, clientCapabilities } from "../../src/mcp/asking/client-requests.ts";
import { RunningCalls } from "../../src/mcp/running-calls.ts";
import { noFeatures } from "../support/mcp-server.ts";
import { type Answer, scriptedUser } from "../support/scripted-user.ts";

const requestedSchema = {
  type: "object",
  properties: { city: { type: "string" } },
  required: ["city"],
};
const inputRequests = {
  where: { method: "elicitation/create", params: { message: "Where?", requestedSchema } },
  folders: { method: "roots/list" },
};

/** A server by hand: the client's side is what is tested. */
async function scene(answers: readonly Answer[]) {
  const one = scriptedUser(answers);
  const features = createClientFeatures({
    ...noFeatures,
    user: one,
    roots: async () => ["/work"],
  });
  const capabilities = clientCapabilities({}, features);
  const client = new Client(
    { name: "parley", version: "0" },
    { versionNegotiation: { mode: { pin: "2026-07-28" } }, capabilities },
  );
  const calls = new RunningCalls("shop");
  answerRequests(client, calls, features, capabilities);
  const [ours, theirs] = InMemoryTransport.createLinkedPair();
  const received: { readonly method: string; readonly params: Record<string, unknown> }[] = [];
  theirs.onmessage = (message: JSONRPCMessage) => {
    if (!("method" in message) || !("id" in message)) return;
    const { id, method, params = {} } = message;
    received.push({ method, params });
    const result = resultOf(method, params);
    theirs.send({ jsonrpc: "2.0", id, result }).catch(() => "closed");
  };
  await theirs.start();
  await client.connect(ours);
  onTestFinished(() => client.close());
  const signal = new AbortController().signal;
  const how = { signal, progress: () => {}, timeoutMs: 15_000 };
  const call = () =>
    calls.run("order", how, (end) =>
      client.callTool({ name: "order", arguments: {} }, { signal: end }),
    );
  return { call, one, received, capabilities };
}

function resultOf(method: string, params: Record<string, unknown>): Record<string, unknown> {
  if (method === "server/discover") {
    return {
      resultType: "complete",
      supportedVersions: ["2026-07-28"],
      capabilities: { tools: {} },
      serverInfo: { name: "shop", version: "1" },
      ttlMs: 0,
      cacheScope: "private",
    };
  }
  if (params.inputResponses === undefined) {
    return { resultType: "input_required", inputRequests, requestState: "opaque ä" };
  }
  const text = JSON.stringify(params.inputResponses);
  return { resultType: "complete", content: [{ type: "text", text }] };
}

it("is answered by the same forms and folders, with the server's state as it was", async () => {
  const { call, one, received } = await scene(["Answer", "Bern", "Send"]);
  const { content } = await call();
  const [block] = content;
  expect(JSON.parse(block?.type === "text" ? block.text : "")).toEqual({
    where: { action: "accept", content: { city: "Bern" } },
    folders: { roots: [{ uri: "file:///work", name: "work" }] },
  });
  expect(one.asked[0]?.details).toContain("The MCP server shop asks, for the call ❓: order.");
  const repeated = received.filter(({ method }) => method === "tools/call")[1];
  expect(repeated?.params.requestState).toBe("opaque ä");
});

it("passes a no on as a no", async () => {
  const { call } = await scene(["Decline"]);
  const { content } = await call();
  expect(JSON.stringify(content)).toContain('\\"where\\":{\\"action\\":\\"decline\\"}');
});
