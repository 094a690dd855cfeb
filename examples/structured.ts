/**
 * An answer as a value: checked and typed by a schema, and given when the model knows all of it.
 * README.md says how to run it.
 */
import { defineTool, runTurn } from "parley-nvim/agent";
import { z } from "zod";
import { approve, exampleModel } from "./support.ts";

const height = defineTool({
  name: "height_of",
  description: "How high a building is, in metres.",
  input: z.object({ building: z.string() }),
  run: ({ building }) => (building.startsWith("Eiffel") ? 330 : 333),
});

const script = {
  turns: [
    {
      calls: [
        { id: "call_1", name: "height_of", arguments: { building: "Eiffel Tower" } },
        { id: "call_2", name: "height_of", arguments: { building: "Tokyo Tower" } },
      ],
    },
    {
      calls: [
        { id: "call_3", name: "give_answer", arguments: { higher: "Tokyo Tower", metres: 3 } },
      ],
    },
  ],
};

const { output, failure } = await runTurn({
  model: exampleModel(script),
  messages: ["Which is higher, the Eiffel Tower or Tokyo Tower, and by how much?"],
  tools: [height],
  approve,
  output: z.object({ higher: z.string(), metres: z.number().describe("The difference") }),
});
console.log(output === null ? failure?.message : `${output.higher}, by ${output.metres} metres`);
process.exitCode = output === null ? 1 : 0;
