import { createHash } from "node:crypto";

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

/**
 * The names of tools on the wire, `mcp__server__tool`, each safe for every provider. One that would
 * be too long or that two tools would share carries a hash of its address, never a counter, so that
 * a transcript opened again finds its tools. The way back is this map; a name is never split.
 */
export function assignWireNames<T extends ToolAddress>(
  tools: readonly T[],
): ReadonlyMap<string, T> {
  const byPlainName = new Map<string, T[]>();
  for (const tool of tools) {
    const name = plainName(tool);
    byPlainName.set(name, [...(byPlainName.get(name) ?? []), tool]);
  }
  const names = new Map<string, T>();
  const clashing: T[] = [];
  for (const [name, sharing] of byPlainName) {
    const [only] = sharing;
    if (only && sharing.length === 1 && name.length <= maximumLength) names.set(name, only);
    else clashing.push(...sharing);
  }
  for (const tool of clashing) names.set(hashedName(tool, names), tool);
  return names;
}

function plainName({ server, tool }: ToolAddress): string {
  return `${wirePrefix}${safe(server)}__${safe(tool)}`;
}

function safe(part: string): string {
  return part.replace(/[^A-Za-z0-9_-]/g, "_");
}

/** Longer hashes are tried when a tool bears the very name that another one's hash makes. */
function hashedName(tool: ToolAddress, taken: ReadonlyMap<string, unknown>): string {
  const digest = createHash("sha256").update(`${tool.server}\0${tool.tool}`).digest("hex");
  let length = 6;
  let name: string;
  do {
    const suffix = `_${digest.slice(0, length)}`;
    name = plainName(tool).slice(0, maximumLength - suffix.length) + suffix;
    length += 1;
  } while (taken.has(name) && length <= 32);
  return name;
}
