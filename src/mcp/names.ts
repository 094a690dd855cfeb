/** Names of servers' tools on the wire, `mcp__server__tool`: valid for every provider, and all different. */
import { sha256 } from "../shared/hash.ts";

/**
 * A tool's origin: the server's key in the configuration and the server's own name for the tool.
 */
export interface ToolAddress {
  readonly server: string;
  readonly tool: string;
}

/** The prefix of all servers' tools on the wire. */
export const wirePrefix = "mcp__";

/** The strictest provider's limit: OpenAI refuses a request that contains a longer name. */
const maximumLength = 64;
const hashLength = 8;

/**
 * Assigns wire names, `mcp__server__tool`, each valid for every provider and computed from its address only: a
 * reopened transcript finds its tools, whatever other tools there are. An address that a plain name cannot express
 * without ambiguity gets a hash. Only this map leads back from a name to its tool; names are never split.
 */
export function assignWireNames<T extends ToolAddress>(
  tools: readonly T[],
): ReadonlyMap<string, T> {
  const names = new Map<string, T>();
  for (const tool of tools) {
    const name = wireName(tool);
    // Equal names mean the same address twice, or a name made up to collide with another's hash: the first wins.
    if (!names.has(name)) names.set(name, tool);
  }
  return names;
}

/** The common prefix of a server's tools on the wire. */
export function wireBegin(server: string): string {
  return `${wirePrefix}${safe(server)}__`.slice(0, maximumLength - hashLength - 1);
}

function wireName(tool: ToolAddress): string {
  const { server, tool: name } = tool;
  const plain = `${wirePrefix}${safe(server)}__${safe(name)}`;
  const isSafe = safe(server) === server && safe(name) === name;
  // The first `__` ends the server's part, and a plain name must not look as if it had a hash.
  const isClear = !/__|_$/.test(server) && !hashed.test(plain);
  if (isSafe && isClear && plain.length <= maximumLength) return plain;
  const suffix = `_${hashOf(tool)}`;
  return plain.slice(0, maximumLength - suffix.length) + suffix;
}

const hashed = /_[0-9a-f]{8}$/;

function safe(part: string): string {
  return part.replace(/[^A-Za-z0-9_-]/g, "_");
}

function hashOf({ server, tool }: ToolAddress): string {
  return sha256(`${server}\0${tool}`).slice(0, hashLength);
}
