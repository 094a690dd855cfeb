/** Results of servers that leave `resultType` out. */
import type { Transport } from "@modelcontextprotocol/client";
import { isObject } from "./json.ts";

/**
 * A result without `resultType` is complete (MCP 2026-07-28, SEP-2322); the SDK refuses it and would lose its text.
 * To be called before the client connects. `isModern` tells whether the newer revision is spoken; results of the
 * older one have no such member and stay as they are.
 */
export function assumeComplete(transport: Transport, isModern: () => boolean): void {
  let handler: Transport["onmessage"];
  Object.defineProperty(transport, "onmessage", {
    configurable: true,
    enumerable: true,
    get: () => handler,
    set(next: Transport["onmessage"]) {
      handler =
        next &&
        ((message, extra) => {
          if (isModern() && "result" in message && isObject(message.result)) {
            next({ ...message, result: { resultType: "complete", ...message.result } }, extra);
          } else next(message, extra);
        });
    },
  });
}
