// An MCP server over stdio, by hand, that misbehaves. Its words: a mode (how it starts and lists), and
// any text that marks it in the process table. What a call does is the name of the tool called.
import { appendFileSync } from "node:fs";
import { createInterface } from "node:readline";

const [, , mode = "good"] = process.argv;

// Counts how often it was started.
if (process.env.STARTS_FILE) appendFileSync(process.env.STARTS_FILE, "started\n");

if (mode === "exit") {
  process.stderr.write("\u001b[31mno license\u001b[0m found\n");
  process.exit(3);
}
if (mode === "print-secret") {
  process.stderr.write(`token is ${process.env.SERVER_TOKEN}\n`);
  process.exit(1);
}
if (mode === "stubborn" || mode === "hanging") process.on("SIGTERM", () => {});
if (["stubborn", "hanging", "lingering"].includes(mode)) setInterval(() => {}, 1000);
if (mode === "noisy") {
  process.stdout.write(`${"Welcome!\n".repeat(500)}{"level":"info"}\n\n\uFEFF`);
  process.stderr.write(`${"x".repeat(1023)}\n`.repeat(1024));
}

const send = (message) =>
  process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
const schema = { type: "object", properties: { text: { type: "string" } } };
const tool = (name, more = {}) => ({
  name,
  description: `does ${name}`,
  inputSchema: schema,
  ...more,
});

let lists = 0;

function listTools(cursor) {
  lists += 1;
  if (mode === "pages") {
    const page = Number(cursor ?? 0);
    return { tools: [tool(`page${page}`)], ...(page < 2 ? { nextCursor: String(page + 1) } : {}) };
  }
  if (mode === "looping") return { tools: [tool(`page${lists}`)], nextCursor: "again" };
  if (mode === "invalid") {
    return {
      tools: [
        tool("good"),
        { name: "no_schema" },
        { inputSchema: schema },
        "text",
        tool("good", { title: "Another" }),
        tool("as_task", { execution: { taskSupport: "required" } }),
        { ...tool("odd"), description: 7, annotations: [], outputSchema: { $ref: "#/nowhere" } },
      ],
    };
  }
  if (mode === "declaring") {
    const outputSchema = {
      type: "object",
      properties: { cities: { type: "array" } },
      required: ["cities"],
    };
    return {
      tools: [
        ...["structured", "echo", "failing"].map((name) => tool(name, { outputSchema })),
        tool("misfit", { outputSchema }),
        tool("undeclared", { outputSchema: { $ref: "#/nowhere" } }),
      ],
    };
  }
  if (mode === "many") return { tools: manyTools(process.argv[3]) };
  if (mode === "hanging") return { tools: [tool("hang")] };
  if (mode === "growing") {
    return { tools: Array.from({ length: lists }, (_, index) => tool(`tool${index}`)) };
  }
  return { tools: [tool("echo", { annotations: { readOnlyHint: true } }), tool("a.b/c d")] };
}

/** Fifty tools as long as those of servers in the field. */
function manyTools(what) {
  const verbs = ["create", "list", "get", "update", "delete"];
  const nouns = "issue branch comment label milestone release tag review team webhook".split(" ");
  const properties = {
    owner: {
      type: "string",
      description: "The account owner of the repository. Not case sensitive.",
    },
    name: { type: "string", description: "The name of the thing, without the ending." },
    page: { type: "integer", description: "Page number for pagination (min 1)", minimum: 1 },
    state: { type: "string", enum: ["open", "closed", "all"], description: "Filter by state" },
  };
  return nouns.flatMap((noun) =>
    verbs.map((verb) => ({
      name: `${verb}_${noun}`,
      description: `${verb[0].toUpperCase()}${verb.slice(1)}s a ${noun} of ${what}. Returns the ${noun} with its number, title, state, author and the time of its last change. Needs the right to write.`,
      inputSchema: { type: "object", properties, required: ["owner", "name"] },
    })),
  );
}

const text = (value, more = {}) => ({ content: [{ type: "text", text: value }], ...more });

const calls = {
  echo: ({ text: words }) => text(words ?? ""),
  "a.b/c d": () => text("odd name"),
  environment: () => text(JSON.stringify(process.env)),
  folder: () => text(process.cwd()),
  process: () => text(String(process.pid)),
  big: () => text("0123456789abcdef".repeat((5 * 1024 * 1024) / 16)),
  huge: () => text("0123456789abcdef".repeat((11 * 1024 * 1024) / 16)),
  enormous: () => text("0123456789abcdef".repeat((65 * 1024 * 1024) / 16)),
  failing: () => text("the disk is full", { isError: true }),
  structured: () => text("two cities", { structuredContent: { cities: ["Bern", "Oslo"] } }),
  misfit: () => text("no cities", { structuredContent: { cities: "none" } }),
  undeclared: () => text("some", { structuredContent: { any: "thing" } }),
  hang: () => undefined,
  empty: () => ({}),
  last_words: () => {
    setImmediate(() => process.exit(0));
    return text("written just before the end");
  },
};

function call(id, { name, arguments: args, _meta }) {
  const progressToken = _meta?.progressToken;
  const progress = (params) =>
    send({ method: "notifications/progress", params: { progressToken, ...params } });
  if (name === "crash") {
    if (args.file) appendFileSync(args.file, "called\n");
    process.stderr.write("out of memory\nunfinished line", () => process.exit(9));
  } else if (name === "throw") {
    send({ id, error: { code: -32602, message: "no such city" } });
  } else if (name === "progress") {
    progress({ progress: 1, total: 2, message: "half\nway" });
  } else if (name === "slow") {
    // Takes longer than the timeout of the test, but keeps reporting.
    let step = 0;
    const timer = setInterval(() => {
      step += 1;
      progress({ progress: step });
      if (step < 12) return;
      clearInterval(timer);
      send({ id, result: text("finished slowly") });
      // Too late, as some servers do.
      progress({ progress: step });
    }, 50);
  } else if (name === "raw") {
    process.stdout.write(`${args.line.replace("ID", id)}\n`);
  } else if (name === "truncate") {
    process.stdout.write(`{"jsonrpc":"2.0","id":${id},"result":{"content":[{"ty\n`);
  } else if (name === "flood") {
    process.stderr.write("y".repeat(8 * 1024 * 1024), () => send({ id, result: text("flooded") }));
  } else if (name === "grow") {
    send({ method: "notifications/tools/list_changed" });
    send({ id, result: text("grown") });
  } else if (Object.hasOwn(calls, name)) {
    const result = calls[name](args ?? {});
    if (result) send({ id, result });
  } else if (mode === "many") {
    send({ id, result: text(`${name} of ${process.argv[3]}: done`) });
  } else {
    send({ id, error: { code: -32602, message: `unknown tool ${name}` } });
  }
}

if (mode === "silent-with-words") process.stderr.write("downloading package 1 of 40\n");
createInterface({ input: process.stdin }).on("line", (line) => {
  if (mode === "silent" || mode === "silent-with-words") return;
  const { id, method, params } = JSON.parse(line);
  if (method === "initialize") {
    const protocolVersion = mode === "future" ? "2099-01-01" : params.protocolVersion;
    const result = { protocolVersion, capabilities: { tools: {}, prompts: {} } };
    send({ id, result: { ...result, serverInfo: { name: "bad", version: "1" } } });
  } else if (method === "tools/list") {
    if (mode === "no-list") return;
    if (mode === "crash-on-list") process.exit(9);
    if (mode === "unlistable" && lists < 2) {
      lists += 1;
      send({ id, error: { code: -32603, message: "fetch failed" } });
      return;
    }
    if (mode === "unlistable-then-silent") {
      if (lists > 0) return;
      lists += 1;
      send({ id, error: { code: -32603, message: "fetch failed" } });
      return;
    }
    if (mode === "no-tools") send({ id, error: { code: -32601, message: "Method not found" } });
    else send({ id, result: listTools(params?.cursor) });
  } else if (method === "tools/call") {
    call(id, params);
  } else if (mode === "no-list" && method === "prompts/list") {
    process.stderr.write("asked for prompts\n");
  } else if (mode === "strict" && id !== undefined) {
    // As servers end that expect a handshake first.
    process.stderr.write("expected initialize\n", () => process.exit(1));
  } else if (id !== undefined) {
    send({ id, error: { code: -32601, message: "Method not found" } });
  } else if (method === "notifications/cancelled") {
    process.stderr.write("told to cancel\n");
  }
});
