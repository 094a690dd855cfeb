/** The person's own mcp.json as it is written by commands: servers are added, nothing is ever overwritten. */
import { chmod, readFile, stat } from "node:fs/promises";
import { basename, dirname } from "node:path";
import { type RawServers, rawServers, withServers } from "../../mcp/configured/add-entry.ts";
import { parseServerFile } from "../../mcp/configured/config-file.ts";
import { readEntries } from "../../mcp/configured/entry.ts";
import { isMissing } from "../../system/system-error.ts";
import { realPath } from "../files/inside.ts";
import { writeOwn } from "../state/own-files.ts";

export interface Added {
  readonly added: readonly string[];
  /** Names that the file has already; they stay as they are. */
  readonly kept: readonly string[];
  /** Sentences on entries that are none. */
  readonly mistakes: readonly string[];
}

/** Throws a sentence when the file is there and cannot be read as what it should be. */
export async function addServers(path: string, given: RawServers): Promise<Added> {
  const text = await textOf(path);
  const { isReadable, mistakes: wrong } = parseServerFile(path, text);
  if (!isReadable) throw new Error(`${wrong.join(" ")} Mend it first; nothing was written.`);
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
  const written = JSON.stringify(servers);
  const inputs = given.inputs.filter(
    ({ id }) => !known.has(id) && written.includes(`\${input:${String(id)}}`),
  );
  const now = withServers(text, { servers, inputs });
  if (now === null) {
    throw new Error(
      `${path} is not JSON with comments (it may be JSON5), so nothing was written; add the servers by hand.`,
    );
  }
  if (added.length > 0) await write(path, now);
  const told = mistakes.map(
    ({ name, path: keys, reason }) => `${[name, ...keys].join(".")}: ${reason}. It was not taken.`,
  );
  return { added, kept, mistakes: told };
}

async function textOf(path: string): Promise<string> {
  try {
    return await readFile(path, "utf8");
  } catch (error) {
    if (isMissing(error)) return "";
    throw error;
  }
}

/** Behind a link, as people keep their files; its rights stay, and a new one is the person's alone. */
async function write(path: string, text: string): Promise<void> {
  const real = (await realPath(path)) ?? path;
  const mode = await stat(real).then(
    (found) => found.mode & 0o777,
    () => null,
  );
  await writeOwn(dirname(real), basename(real), text);
  if (mode !== null) await chmod(real, mode);
}
