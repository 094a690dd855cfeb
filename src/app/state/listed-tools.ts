/** The tools that servers listed last, so that a chat is shown with them and nothing is started for it. */
import { join } from "node:path";
import { readToolList, type ServerTool } from "../../mcp/catalog/tool-list.ts";
import type { ToolMemory } from "../../mcp/host.ts";
import { messageOf } from "../../shared/json.ts";
import { sha256 } from "../../shared/sha256.ts";
import { fieldsOf, readOwn, writeOwn } from "./own-files.ts";

/** In bytes; lists of servers with hundreds of tools have a few hundred kilobytes. */
const largestList = 2 * 1024 * 1024;

export function createToolMemory(stateFolder: string, log: (text: string) => void): ToolMemory {
  const folder = join(stateFolder, "mcp-tools");
  /** What was written or read last, so that the same list is not written again. */
  const known = new Map<string, string>();
  return {
    async keep(server, tools) {
      const name = fileOf(server);
      const text = `${JSON.stringify({ server: server.name, tools })}\n`;
      if (known.get(name) === text || Buffer.byteLength(text) > largestList) return;
      known.set(name, text);
      await writeOwn(folder, name, text).catch((error) => log(`mcp-tools: ${messageOf(error)}`));
    },
    async recall(server) {
      try {
        const text = await readOwn(join(folder, fileOf(server)), largestList);
        return text === "gone" || text === "foreign" ? [] : await toolsIn(text);
      } catch (error) {
        log(`mcp-tools: ${messageOf(error)}`);
        return [];
      }
    },
  };
}

/** Another configuration is another file: what was listed for the one says nothing of the other. */
function fileOf({ name, version }: { readonly name: string; readonly version: string }): string {
  return `${sha256(JSON.stringify([name, version])).slice(0, 32)}.json`;
}

async function toolsIn(text: string): Promise<readonly ServerTool[]> {
  const { tools } = await readToolList(async () => ({ tools: fieldsOf(text)?.tools }));
  return tools;
}
