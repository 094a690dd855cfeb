// An MCP server of the revision 2026-07-28, built on the SDK's own server package. Over stdio, or with the word
// `http` on a free port of 127.0.0.1, whose address it prints.
import { createServer } from "node:http";
import { Readable } from "node:stream";
import {
  acceptedContent,
  createMcpHandler,
  inputRequired,
  McpServer,
} from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import { z } from "zod";

const [, , way = "stdio", legacy = "reject"] = process.argv;

let grown = 0;
let tellChanged = () => {};

function create({ era }) {
  const server = new McpServer({ name: "modern", version: "1" });
  const text = (words) => ({ content: [{ type: "text", text: words }] });
  for (let number = 1; number <= grown; number += 1) {
    server.registerTool(`grown${number}`, { description: "came later" }, () => text("grown"));
  }
  server.registerTool("grow", { description: "makes one more" }, () => {
    grown += 1;
    tellChanged();
    return text("grown");
  });
  server.registerTool("end", { description: "ends it" }, () => process.exit(0));
  server.registerTool("era", { description: "which revision" }, () => text(era));
  server.registerTool(
    "order",
    { description: "asks where to", inputSchema: z.object({ what: z.string() }) },
    ({ what }, { mcpReq }) => {
      const answer = acceptedContent(mcpReq.inputResponses, "where");
      if (answer !== undefined) return text(`${what} to ${answer.city}`);
      const requestedSchema = {
        type: "object",
        properties: { city: { type: "string" } },
        required: ["city"],
      };
      const where = inputRequired.elicit({ message: "Where to?", requestedSchema });
      return inputRequired({ inputRequests: { where } });
    },
  );
  return server;
}

if (way === "stdio") serveStdio(create, { legacy });
else {
  const handler = createMcpHandler(create, { legacy });
  tellChanged = () => handler.notify.toolsChanged();
  const server = createServer((incoming, outgoing) => {
    const hasBody = !["GET", "HEAD"].includes(incoming.method);
    const request = new Request(`http://127.0.0.1${incoming.url}`, {
      method: incoming.method,
      headers: incoming.headers,
      ...(hasBody ? { body: Readable.toWeb(incoming), duplex: "half" } : {}),
    });
    const answer = async () => {
      const response = await handler.fetch(request);
      outgoing.writeHead(response.status, Object.fromEntries(response.headers));
      if (response.body === null) outgoing.end();
      else Readable.fromWeb(response.body).pipe(outgoing);
    };
    answer().catch((error) => outgoing.destroy(error));
  });
  server.listen(0, "127.0.0.1", () => {
    process.stdout.write(`listening on http://127.0.0.1:${server.address().port}/mcp\n`);
  });
}
