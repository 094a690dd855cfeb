/** What a server says of itself, as far as it is what the protocol wants: the SDK would refuse the server for one `null`. */
import type { Transport } from "@modelcontextprotocol/client";
import { given } from "../../shared/given.ts";
import { isObject, type JsonObject, objectOf, textOf } from "../../shared/json.ts";
import { properForm } from "../asking/proper-form.ts";

/**
 * The answer to `initialize` with what the SDK cannot do without, and of the rest what is as it should be. Servers by
 * hand leave the version out, write `null` for what they do not have, or list their tools as the capability
 * (springfall2008/batpred#3501).
 */
function properHandshake({
  protocolVersion,
  capabilities,
  serverInfo,
  instructions,
}: JsonObject): JsonObject {
  const { name, version, title } = objectOf(serverInfo);
  const able = Object.entries(objectOf(capabilities)).filter(([, value]) => Boolean(value));
  return {
    protocolVersion: word(protocolVersion),
    capabilities: Object.fromEntries(able.map(([key, value]) => [key, flags(value)])),
    serverInfo: {
      name: word(name) || "unknown",
      version: word(version) || "unknown",
      ...given({ title: textOf(title) || null }),
    },
    ...given({ instructions: textOf(instructions) || null }),
  };
}

function word(value: unknown): string {
  return typeof value === "number" ? String(value) : textOf(value);
}

function flags(value: unknown): JsonObject {
  const known = Object.entries(objectOf(value));
  return Object.fromEntries(
    known.filter(([, each]) => typeof each === "boolean" || isObject(each)),
  );
}

/** What is known of a connection when a message comes. */
interface Progress {
  /** Whether the newer revision is spoken. */
  readonly isModern: () => boolean;
  /** Whether the server has introduced itself. */
  readonly isKnown: () => boolean;
}

/**
 * Lets results and forms reach the SDK as it takes them; to be called before the client connects. A result without `resultType`
 * is complete (MCP 2026-07-28, SEP-2322): the SDK refuses it and would lose its text. Results of the older revision have
 * no such member and stay as they are.
 */
export function takeAnswers(transport: Transport, { isModern, isKnown }: Progress): void {
  let handler: Transport["onmessage"];
  const proper = (result: JsonObject): JsonObject => {
    if (isModern()) return { resultType: "complete", ...result };
    return !isKnown() && "protocolVersion" in result ? properHandshake(result) : result;
  };
  Object.defineProperty(transport, "onmessage", {
    configurable: true,
    enumerable: true,
    get: () => handler,
    set(next: Transport["onmessage"]) {
      handler =
        next &&
        ((message, extra) => {
          if ("result" in message && isObject(message.result)) {
            next({ ...message, result: proper(message.result) }, extra);
          } else if ("method" in message && message.method === "elicitation/create") {
            next({ ...message, params: properForm({ ...message.params }) }, extra);
          } else next(message, extra);
        });
    },
  });
}
