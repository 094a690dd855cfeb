/** One typed tool, two parallel calls. README.md says how to run it. */
import { defineTool, runTurn } from "parley-nvim/agent";
import { z } from "zod";
import { approve, exampleModel } from "./support.ts";

const getWeather = defineTool({
  name: "get_weather",
  description: "The weather in a city right now.",
  input: z.object({
    location: z.string().describe('City name, such as "New York" or "Tokyo"'),
    unit: z.enum(["celsius", "fahrenheit"]).default("celsius").describe("Temperature unit"),
  }),
  run: ({ location, unit }) => {
    const temperature = unit === "celsius" ? 22 : 72;
    return { location, temperature, unit, condition: "sunny" };
  },
});

const question = "What is the weather in Paris and in Tokyo?";

const script = {
  turns: [
    {
      text: "I will look both up.",
      calls: [
        { id: "call_1", name: "get_weather", arguments: { location: "Paris" } },
        { id: "call_2", name: "get_weather", arguments: { location: "Tokyo", unit: "fahrenheit" } },
      ],
    },
    { text: "It is sunny in both: 22 °C in Paris, 72 °F in Tokyo." },
  ],
};

console.log(`💬 ${question}`);
const { messages, text, failure } = await runTurn({
  model: exampleModel(script),
  messages: [question],
  tools: [getWeather],
  approve,
});
for (const { results } of messages.filter((message) => message.role === "tool")) {
  for (const { callId, content } of results) console.log(`🛠️ ${callId} ${JSON.stringify(content)}`);
}
console.log(`🤖 ${failure?.message ?? text}`);
process.exitCode = failure === null ? 0 : 1;
