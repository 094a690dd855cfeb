/**
 * Tool calls for a model without a tool API: it is asked to write them between 14 smileys, and they are read from its
 * text. `PARLEY_PROTOCOL=delimited` (or json, hermes) asks for another form.
 * README.md says how to run it.
 */
import { defineTool, runTurn, type ToolProtocol, textToolProtocols } from "parley-nvim";
import { z } from "zod";
import { approve, exampleModel } from "./support.ts";

const listFiles = defineTool({
  name: "list_files",
  description: "The files of a folder.",
  input: z.object({ path: z.string().describe("Path of the folder") }),
  run: ({ path }) => ({ path, files: ["style-guide.md", "notes.md"] }),
});

const readFile = defineTool({
  name: "read_file",
  description: "The text of a file.",
  input: z.object({ path: z.string().describe("Path of the file") }),
  run: ({ path }) => `# ${path}\n\nWrite short sentences.`,
});

const protocol = textToolProtocols.get(process.env.PARLEY_PROTOCOL ?? "smiley");
if (protocol === undefined) {
  throw new TypeError(`PARLEY_PROTOCOL is one of ${[...textToolProtocols.keys()].join(", ")}.`);
}

/** What a model that follows the prompt would write. */
const call = (name: string, args: object) =>
  protocol.renderCall({ name, arguments: JSON.stringify(args) });

const script = {
  turns: [
    { text: `I look for it first.\n\n${call("list_files", { path: "/root" })}`, chunk: 3 },
    { text: `There it is.\n\n${call("read_file", { path: "/root/style-guide.md" })}`, chunk: 3 },
    { text: "The style guide says: write short sentences." },
  ],
};

const question = "Load the style guide in /root and tell me what it says.";

console.log(`💬 ${question}`);
const { messages, failure } = await runTurn({
  model: exampleModel(script),
  messages: [{ role: "user", content: [{ type: "text", text: question }] }],
  tools: [listFiles, readFile],
  toolProtocol: protocol.id as ToolProtocol,
  approve,
  onText: (text) => process.stdout.write(text),
});
const results = messages.flatMap((message) => (message.role === "tool" ? message.results : []));
console.log(`\n${results.length} results`);
if (failure !== null) console.log(failure.message);
process.exitCode = failure === null ? 0 : 1;
