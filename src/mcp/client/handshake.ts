/** Repairs a server's handshake and results, since a single `null` makes the SDK reject the server. */
import type { Transport } from "@modelcontextprotocol/client";
import { given } from "../../shared/given.ts";
import { isObject, type JsonObject, objectOf, textOf } from "../../shared/json.ts";
import { properForm } from "../asking/proper-form.ts";

/**
 * The result of `initialize` with all fields that the SDK requires, and only the valid ones of the rest. Hand-written
 * servers leave out the versions, write `null` for missing capabilities, or list their tools as the capability
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
    protocolVersion: word(protocolVersion) || unnamedVersion,
    capabilities: Object.fromEntries(able.map(([key, value]) => [key, flags(value)])),
    serverInfo: {
      name: word(name) || "unknown",
      version: word(version) || "unknown",
      ...given({ title: textOf(title) || null }),
    },
    ...given({ instructions: textOf(instructions) || null }),
  };
}

/** What MCP takes for the revision where nobody names one (2025-11-25, Streamable HTTP, protocol version header). */
const unnamedVersion = "2025-03-26";

/** Whether this is the result of `initialize`, which may lack any field. The newer `server/discover` has versions. */
function isHandshake(result: JsonObject): boolean {
  const names = ["protocolVersion", "capabilities", "serverInfo"];
  return names.some((name) => name in result) && !("supportedVersions" in result);
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

/** The state of a connection when a message arrives. */
interface Progress {
  /** Whether the newer revision is in use. */
  readonly isModern: () => boolean;
  /** Whether the handshake is done. */
  readonly isKnown: () => boolean;
}

/**
 * Repairs results and forms before they reach the SDK; call it before the client connects. In the newer revision, a
 * result without `resultType` is complete (MCP 2026-07-28, SEP-2322), but the SDK rejects it, and its text would be
 * lost. Results of the older revision have no such field and stay as they are.
 */
export function takeAnswers(transport: Transport, { isModern, isKnown }: Progress): void {
  let handler: Transport["onmessage"];
  const proper = (result: JsonObject): JsonObject => {
    if (isModern()) return { resultType: "complete", ...result };
    return !isKnown() && isHandshake(result) ? properHandshake(result) : result;
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
