// An MCP server over stdio, on the SDK that servers use, that asks its client whatever a call says, and whose list
// of tools changes by call.
import { existsSync } from "node:fs";
import { Server } from "@modelcontextprotocol/sdk/server/index.js";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import {
  CallToolRequestSchema,
  ListToolsRequestSchema,
  RootsListChangedNotificationSchema,
  UrlElicitationRequiredError,
} from "@modelcontextprotocol/sdk/types.js";
import { z } from "zod";

const anything = z.looseObject({});
const tool = (name, description = `does ${name}`) => ({
  name,
  description,
  inputSchema: { type: "object" },
});
const first = [tool("ask"), tool("city"), tool("poem"), tool("change"), tool("extra")];
let tools = first;
let rootChanges = 0;

const server = new Server(
  { name: "asking", version: "1" },
  { capabilities: { tools: { listChanged: true }, logging: {} } },
);
const text = (value) => ({ content: [{ type: "text", text: JSON.stringify(value) }] });

const cityForm = {
  message: "Which city?",
  requestedSchema: {
    type: "object",
    properties: {
      city: { type: "string", title: "City", minLength: 2 },
      color: {
        type: "string",
        oneOf: [
          { const: "r", title: "Red" },
          { const: "b", title: "Blue" },
        ],
      },
    },
    required: ["city"],
  },
};

const calls = {
  city: () => calls.ask({ method: "elicitation/create", params: cityForm }),
  // Sends the request that is in the arguments, and gives the answer, or the error.
  async ask({ method, params, timeout = 60_000 }) {
    try {
      return text(await server.request({ method, params }, anything, { timeout }));
    } catch (error) {
      return text({ code: error.code, message: error.message });
    }
  },
  // All of them at once.
  async ask_all({ requests }) {
    const answers = await Promise.all(requests.map((request) => calls.ask(request)));
    return text({ answers: answers.map(({ content }) => JSON.parse(content[0].text)) });
  },
  // Asks, and does not wait for the answer.
  async leave({ method, params }) {
    server.request({ method, params }, anything).catch(() => {});
    return text("left");
  },
  poem: () =>
    calls.ask({
      method: "sampling/createMessage",
      params: {
        messages: [{ role: "user", content: { type: "text", text: "A poem\nin two lines." } }],
        maxTokens: 100,
      },
    }),
  extra: () => text("extra"),
  wait: () => new Promise(() => {}),
  // The tools that stand in the arguments, by their descriptions, instead of those there were.
  async change({ to, again = 0, file = null }) {
    // Only once that file is there.
    if (file !== null) {
      const timer = setInterval(() => {
        if (!existsSync(file)) return;
        clearInterval(timer);
        void calls.change({ to });
      }, 20);
      return text("waiting");
    }
    for (let index = 0; index <= again; index += 1) {
      tools = [tool("change"), ...Object.entries(to).map(([name, words]) => tool(name, words))];
      await server.sendToolListChanged();
    }
    return text("changed");
  },
  async addresses({ elicitations }) {
    throw new UrlElicitationRequiredError(elicitations);
  },
  async complete({ id }) {
    const method = "notifications/elicitation/complete";
    await server.notification({ method, params: { elicitationId: id } });
    return text("told");
  },
  async capabilities() {
    return text(server.getClientCapabilities());
  },
  async root_changes() {
    return text(rootChanges);
  },
  async log({ count }) {
    for (let index = 0; index < count; index += 1) {
      await server.sendLoggingMessage({ level: "info", data: `remark ${index}\u001b[31m` });
    }
    return text("logged");
  },
};

const [, , mode = ""] = process.argv;
if (mode === "all") tools = Object.keys(calls).map((name) => tool(name));

server.setRequestHandler(ListToolsRequestSchema, async () => {
  const listed = tools;
  // As servers do that add tools once they know their client.
  if (mode === "late" && tools.length === first.length) {
    tools = [...tools, tool("late")];
    await server.sendToolListChanged();
  }
  return { tools: listed };
});
server.setRequestHandler(CallToolRequestSchema, ({ params }) =>
  calls[params.name](params.arguments ?? {}),
);
server.setNotificationHandler(RootsListChangedNotificationSchema, () => {
  rootChanges += 1;
});
process.stdin.once("end", () => process.exit(0));
await server.connect(new StdioServerTransport());
