/** Names of the tools of servers on the wire, `mcp__server__tool`: safe for every provider, and all different. */
import { sha256 } from "../shared/hash.ts";

/**
 * A tool by where it is from: the server's key in the configuration and the server's own name for
 * the tool.
 */
export interface ToolAddress {
  readonly server: string;
  readonly tool: string;
}

/** What all names of servers' tools on the wire begin with. */
export const wirePrefix = "mcp__";

/** The strictest of the providers: OpenAI refuses a request with a longer name in it. */
const maximumLength = 64;
const hashLength = 8;

/**
 * The names of tools on the wire, `mcp__server__tool`, each safe for every provider and a function of its address
 * alone: a transcript opened again finds its tools, whatever other tools there are. What cannot be written so that it
 * reads back carries a hash of its address. The way back is this map; a name is never split.
 */
export function assignWireNames<T extends ToolAddress>(
  tools: readonly T[],
): ReadonlyMap<string, T> {
  const names = new Map<string, T>();
  for (const tool of tools) {
    const name = wireName(tool);
    // Two of one name are two of one address, or somebody looked for the hash of another's: the first has it.
    if (!names.has(name)) names.set(name, tool);
  }
  return names;
}

/** What the names of a server's tools on the wire begin with. */
export function wireBegin(server: string): string {
  return `${wirePrefix}${safe(server)}__`.slice(0, maximumLength - hashLength - 1);
}

function wireName(tool: ToolAddress): string {
  const { server, tool: name } = tool;
  const plain = `${wirePrefix}${safe(server)}__${safe(name)}`;
  const isSafe = safe(server) === server && safe(name) === name;
  // The first `__` ends the server's part, and no name looks as if it had a hash.
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
