/**
 * The built-in mock server: a real MCP server over stdio with one tool, to try a complete tool call without a network.
 */
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import * as z from "zod";
import { search } from "./mock-search.ts";

const server = new McpServer({ name: "parley-mock", version: "1.0.0" });

server.registerTool(
  "web_search",
  {
    description: "Search the web and return the best matches for a query.",
    inputSchema: { query: z.string().min(1).describe("What to search for") },
    annotations: { readOnlyHint: true, openWorldHint: true },
  },
  ({ query }) => ({ content: [{ type: "text", text: JSON.stringify(search(query)) }] }),
);

// The SDK's transport does not notice the end of its input, and the client may die without a signal.
process.stdin.once("end", () => process.exit(0));

void server.connect(new StdioServerTransport());
