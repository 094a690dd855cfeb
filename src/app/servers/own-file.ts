/** Adds servers to the user's own mcp.json; never overwrites anything. */
import { type RawServers, rawServers, withServers } from "../../mcp/configured/add-entry.ts";
import { parseServerFile } from "../../mcp/configured/config-file.ts";
import { readEntries } from "../../mcp/configured/entry.ts";
import { readIfThere, writeBehindLinks } from "../state/own-files.ts";

export interface Added {
  readonly added: readonly string[];
  /** Names that are already in the file; they stay as they are. */
  readonly kept: readonly string[];
  /** Sentences about invalid entries. */
  readonly mistakes: readonly string[];
}

/** Throws a sentence when the file exists but is not a valid file of servers. */
export async function addServers(path: string, given: RawServers): Promise<Added> {
  const text = (await readIfThere(path)) ?? "";
  const { isReadable, mistakes: wrong } = parseServerFile(path, text);
  if (!isReadable) throw new Error(`${wrong.join(" ")} Fix it first; nothing was written.`);
  const there = rawServers(text);
  const { mistakes } = readEntries(given.servers);
  const unfit = new Set(mistakes.map(({ name }) => name));
  const names = Object.keys(given.servers);
  const kept = names.filter((name) => Object.hasOwn(there.servers, name));
  const added = names.filter((name) => !kept.includes(name) && !unfit.has(name));
  const servers = Object.fromEntries(
    added.flatMap((name) => {
      const entry = given.servers[name];
      return entry === undefined ? [] : [[name, entry]];
    }),
  );
  const known = new Set(there.inputs.map(({ id }) => id));
  const wanted = JSON.stringify(servers);
  const inputs = given.inputs.filter(
    ({ id }) => !known.has(id) && wanted.includes(`\${input:${String(id)}}`),
  );
  const now = withServers(text, { servers, inputs });
  const written = now === null ? {} : rawServers(now).servers;
  if (now === null || !added.every((name) => Object.hasOwn(written, name))) {
    throw new Error(
      `${path} is not JSON with comments and a table mcpServers (it may be JSON5), so nothing was written; add the servers by hand.`,
    );
  }
  if (added.length > 0) await writeBehindLinks(path, now);
  const sentences = mistakes.map(
    ({ name, path: keys, reason }) => `${[name, ...keys].join(".")}: ${reason}. It was not added.`,
  );
  return { added, kept, mistakes: sentences };
}
