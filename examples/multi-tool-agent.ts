/**
 * Two tools and several rounds: the model searches, then calculates with what it found.
 * README.md says how to run it.
 */
import { defineTool, fromJSONSchema, runTurn } from "parley-nvim/agent";
import { z } from "zod";
import { approve, exampleModel } from "./support.ts";

const knowledge = [
  "The Eiffel Tower is 330 metres high.",
  "Tokyo Tower is 333 metres high.",
  "The Rhine is 1233 kilometres long.",
];

const search = defineTool({
  name: "search",
  description: "Searches the knowledge base.",
  input: z.object({
    query: z.string().min(1).describe("Words to look for"),
    limit: z.int().min(1).max(10).default(3).describe("Most results to give back"),
  }),
  run: ({ query, limit }, { progress }) => {
    progress(`searching ${knowledge.length} entries`);
    const words = query.toLowerCase().split(/\s+/);
    const isFound = (entry: string) => words.some((word) => entry.toLowerCase().includes(word));
    return { matches: knowledge.filter(isFound).slice(0, limit) };
  },
});

/** A schema that is there already, from another program for example, needs no zod. */
const calculate = fromJSONSchema({
  name: "calculate",
  description: "Adds, subtracts, multiplies or divides two numbers.",
  inputSchema: {
    type: "object",
    properties: {
      left: { type: "number" },
      operator: { enum: ["+", "-", "*", "/"] },
      right: { type: "number" },
    },
    required: ["left", "operator", "right"],
    additionalProperties: false,
  },
  run: ({ left, operator, right }) => {
    const [a, b] = [Number(left), Number(right)];
    if (operator === "/" && b === 0) throw new RangeError("Nothing can be divided by 0.");
    return String(
      operator === "+" ? a + b : operator === "-" ? a - b : operator === "*" ? a * b : a / b,
    );
  },
});

const question = "How much higher is Tokyo Tower than the Eiffel Tower, and what is 123 * 456?";

const script = {
  turns: [
    {
      text: "I search for the heights, and multiply meanwhile.",
      calls: [
        { id: "call_1", name: "search", arguments: { query: "tower" } },
        { id: "call_2", name: "calculate", arguments: { left: 123, operator: "*", right: 456 } },
      ],
    },
    {
      calls: [
        { id: "call_3", name: "calculate", arguments: { left: 333, operator: "-", right: 330 } },
      ],
    },
    { text: "Tokyo Tower is 3 metres higher, and 123 * 456 is 56088." },
  ],
};

console.log(`💬 ${question}`);
const { messages, failure, usage } = await runTurn({
  model: exampleModel(script),
  system: "Use the tools; do not calculate in your head.",
  messages: [{ role: "user", content: [{ type: "text", text: question }] }],
  tools: [search, calculate],
  approve,
  maxSteps: 8,
  onText: (text) => process.stdout.write(text),
  onProgress: ({ name }, text) => console.log(`… ${name}: ${text}`),
});
const results = messages.flatMap((message) => (message.role === "tool" ? message.results : []));
console.log(`\n${results.length} calls, ${usage.input + usage.output} tokens`);
if (failure !== null) console.log(failure.message);
process.exitCode = failure === null ? 0 : 1;
