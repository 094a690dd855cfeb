import type { JSONRPCMessage, Transport } from "@modelcontextprotocol/client";
import { expect, it } from "vitest";
import { takeAnswers } from "../../../src/mcp/client/handshake.ts";

function received(isModern: boolean, message: object): unknown {
  const transport: Transport = {
    start: async () => {},
    send: async () => {},
    close: async () => {},
  };
  const seen: unknown[] = [];
  takeAnswers(transport, { isModern: () => isModern, isKnown: () => true });
  transport.onmessage = (one) => seen.push(one);
  transport.onmessage?.({ jsonrpc: "2.0", id: 1, ...message } as JSONRPCMessage);
  return seen[0];
}

it("takes a result of the newer revision without a type for a complete one", () => {
  const result = { content: [] };
  expect(received(true, { result })).toMatchObject({
    result: { ...result, resultType: "complete" },
  });
});

it.each([
  ["a type", true, { result: { resultType: "input_required", requestState: "x" } }],
  ["the older revision", false, { result: { content: [] } }],
  ["an error", true, { error: { code: 1, message: "no" } }],
  ["a request", true, { method: "ping" }],
])("leaves %s as it is", (_, isModern, message) => {
  expect(received(isModern, message)).toEqual({ jsonrpc: "2.0", id: 1, ...message });
});
