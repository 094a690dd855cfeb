/**
 * Tools of an MCP server, each call approved in the terminal. The server is the mock that comes with the package.
 * README.md says how to run it.
 */
import { fileURLToPath } from "node:url";
import { openMcpServers, runTurn } from "parley-nvim/agent";
import { approve, exampleModel } from "./support.ts";

const mock = fileURLToPath(new URL("mock-server.js", import.meta.resolve("parley-nvim")));
const servers = await openMcpServers({
  search: { command: process.execPath, args: [mock] },
});
for (const notice of servers.notices) console.log(`! ${notice}`);
console.log(`tools: ${servers.tools.map(({ name }) => name).join(", ")}`);

const script = {
  turns: [
    {
      text: "I search for it.",
      calls: [
        {
          id: "call_1",
          name: "mcp__search__web_search",
          arguments: { query: "google stock price" },
        },
      ],
    },
    { text: "That is what the server found." },
  ],
};

try {
  const { messages, text, failure } = await runTurn({
    model: exampleModel(script),
    messages: ["What is the stock price of Google?"],
    tools: servers.tools,
    approve,
    onProgress: ({ name }, words) => console.log(`… ${name}: ${words}`),
  });
  for (const message of messages) {
    if (message.role !== "tool") continue;
    for (const { content } of message.results) console.log(`🛠️ ${JSON.stringify(content)}`);
  }
  console.log(`🤖 ${failure?.message ?? text}`);
  process.exitCode = failure === null ? 0 : 1;
} finally {
  await servers.close();
}
