/** Remembers each server's last list of tools and its protocol, so that a chat shows tools without starting servers. */
import { join } from "node:path";
import { readToolList } from "../../mcp/catalog/tool-list.ts";
import { type KeptServer, nothingKept, type ServerMemory } from "../../mcp/kept-servers.ts";
import { sha256 } from "../../shared/hash.ts";
import { messageOf, stringOf } from "../../shared/json.ts";
import { fieldsOf, readOwn, writeOwn } from "./own-files.ts";

/** In bytes; the lists of servers with hundreds of tools take a few hundred kilobytes. */
const largestList = 2 * 1024 * 1024;

export function createServerMemory(stateFolder: string, log: (text: string) => void): ServerMemory {
  const folder = join(stateFolder, "mcp-tools");
  /** The text last written or read, so that the same list is not written again. */
  const known = new Map<string, string>();
  return {
    async keep(server, kept) {
      const name = fileOf(server);
      const text = `${JSON.stringify({ server: server.name, ...kept })}\n`;
      if (known.get(name) === text || Buffer.byteLength(text) > largestList) return;
      known.set(name, text);
      await writeOwn(folder, name, text).catch((error) => log(`mcp-tools: ${messageOf(error)}`));
    },
    async recall(server) {
      try {
        const text = await readOwn(join(folder, fileOf(server)), largestList);
        return text === "gone" || text === "foreign" ? nothingKept : await keptIn(text);
      } catch (error) {
        log(`mcp-tools: ${messageOf(error)}`);
        return nothingKept;
      }
    },
  };
}

/** Each configuration of a server has a file of its own: a list for one says nothing about another. */
function fileOf({ name, version }: { readonly name: string; readonly version: string }): string {
  return `${sha256(JSON.stringify([name, version])).slice(0, 32)}.json`;
}

async function keptIn(text: string): Promise<KeptServer> {
  const fields = fieldsOf(text) ?? {};
  const { tools } = await readToolList(async () => ({ tools: fields.tools }));
  return { tools, revision: stringOf(fields.revision), software: stringOf(fields.software) };
}
