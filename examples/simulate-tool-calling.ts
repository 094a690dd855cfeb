/**
 * A game played by a model, and everything that goes wrong with tool calls on the way: arguments that are no JSON or do
 * not fit, a tool that does not exist, one that throws, a no of the player. Nothing of it ends the conversation.
 * README.md says how to run it.
 */
import { defineTool, type Message, runTurn } from "parley-nvim/agent";
import { z } from "zod";
import { exampleModel } from "./support.ts";

const position = { x: 0, y: 0 };
const steps = { up: [0, -1], down: [0, 1], left: [-1, 0], right: [1, 0] } as const;

const move = defineTool({
  name: "move_direction",
  description: "Moves the character one field.",
  input: z.object({
    direction: z.enum(["up", "down", "left", "right"]).describe("Where to go"),
  }),
  run: ({ direction }) => {
    const [x, y] = steps[direction];
    if (position.x + x < 0) throw new Error("There is a wall on the left.");
    position.x += x;
    position.y += y;
    return { success: true, position };
  },
});

const reset = defineTool({
  name: "reset_game",
  description: "Starts the game anew. Everything is lost.",
  input: z.object({}),
  run: () => Object.assign(position, { x: 0, y: 0 }),
});

const call = (id: number, name: string, args: unknown) => ({
  id: `call_${id}`,
  name,
  arguments: args,
});

const script = {
  turns: [
    {
      text: "Let me move.",
      calls: [
        call(1, "move_direction", '{"direction": "ri'),
        call(2, "move_direction", { direction: "north" }),
        call(3, "fly", { to: "the moon" }),
        call(4, "move_direction", { direction: "right" }),
      ],
    },
    {
      text: "One of four worked. I correct the others, and start anew.",
      calls: [call(5, "move_direction", { direction: "up" }), call(6, "reset_game", {})],
    },
    {
      calls: [
        call(7, "move_direction", { direction: "left" }),
        call(8, "move_direction", { direction: "left" }),
      ],
    },
    { text: "I am back at the wall, one field up." },
  ],
};

const question = "Walk around a little.";
const { messages, end, failure } = await runTurn({
  model: exampleModel(script),
  messages: [{ role: "user", content: [{ type: "text", text: question }] }],
  tools: [move, reset],
  approve: ({ name }) => (name === "reset_game" ? { deny: "I want to keep my game" } : true),
  maxSteps: 6,
});
for (const message of messages) print(message);
const outcome = failure === null ? end : `${end}: ${failure.message}`;
console.log(`\n${outcome}; the character is at ${position.x},${position.y}`);
process.exitCode = failure === null ? 0 : 1;

function print(message: Message): void {
  switch (message.role) {
    case "user":
      console.log(`💬 ${question}`);
      return;
    case "assistant":
      for (const part of message.content) {
        console.log(part.type === "text" ? `🤖 ${part.text}` : `❓ ${part.name} ${part.arguments}`);
      }
      return;
    case "tool":
      for (const { callId, isError, content } of message.results) {
        const texts = content.map((part) => (part.type === "text" ? part.text : part.mime));
        console.log(`🛠️ ${callId}${isError ? " (error)" : ""} ${texts.join("\n")}`);
      }
  }
}
