// An MCP server in the place of the built-in mock, whose `web_search` does what its query says. `say:TEXT` gives
// the text as it is; `hold:NAME` waits until the file NAME stands in the folder and gives what it holds. What
// was begun, ended and cancelled is written to the file `runs` there, so that a test sees what really ran.
import { appendFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import { z } from "zod";

export async function serve(folder) {
  const note = (words) => appendFileSync(join(folder, "runs"), `${words}\n`);
  const server = new McpServer({ name: "live-tools", version: "1.0.0" });
  const inputSchema = { query: z.string() };
  server.registerTool(
    "web_search",
    { description: "Search.", inputSchema },
    async (args, extra) => {
      const { query } = args;
      note(`begin ${query}`);
      const text = await answer(folder, query, extra);
      note(`${text === null ? "cancel" : "end"} ${query}`);
      return { content: [{ type: "text", text: text ?? "cancelled" }] };
    },
  );
  process.stdin.once("end", () => process.exit(0));
  await server.connect(new StdioServerTransport());
}

async function answer(folder, query, { signal, sendNotification, _meta }) {
  if (query.startsWith("say:")) return query.slice(4);
  const file = join(folder, query.slice("hold:".length));
  const isBusy = query.startsWith("busy:");
  for (let progress = 1; ; progress += 1) {
    if (signal.aborted) return null;
    const text = await readFile(file, "utf8").catch(() => null);
    if (text !== null) return text;
    if (isBusy) {
      const params = { progressToken: _meta.progressToken, progress, message: "files read" };
      await sendNotification({ method: "notifications/progress", params });
    }
    await setTimeout(isBusy ? 1 : 10);
  }
}
