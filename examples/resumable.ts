/**
 * An approval that outlives the process. `resumable.ts ask FILE` ends with a call that waits, kept in the file;
 * `resumable.ts go FILE yes` (or a reason to say no) goes on with it, tomorrow and elsewhere.
 * README.md says how to run it.
 */
import { readFile, writeFile } from "node:fs/promises";
import { defineTool, runTurn, toTranscript, type WaitingTurn } from "parley-nvim/agent";
import { z } from "zod";
import { exampleModel } from "./support.ts";

const refund = defineTool({
  name: "refund",
  description: "Pays an order back.",
  input: z.object({ order: z.string(), amount: z.number().positive() }),
  run: ({ order, amount }) => `Order ${order}: ${amount} € are on their way.`,
});

const script = {
  turns: [
    {
      text: "That is a case for a refund.",
      calls: [{ id: "call_1", name: "refund", arguments: { order: "A-17", amount: 20 } }],
    },
    { text: "I took care of it." },
  ],
};

const [action, file = "", answer = ""] = process.argv.slice(2);
const options = { model: exampleModel(script), tools: [refund] } as const;

if (action === "ask") {
  const { waiting, text } = await runTurn({ ...options, messages: ["Order A-17 came broken."] });
  if (waiting === null) {
    console.log(text);
  } else {
    await writeFile(file, JSON.stringify(waiting));
    console.log(`This waits for somebody, in ${file}:\n\n${toTranscript(waiting)}`);
  }
} else if (action === "go") {
  // What is in the file was ours when it was written; keep it where nobody else writes.
  const from: WaitingTurn = JSON.parse(await readFile(file, "utf8"));
  const decided = answer === "yes" ? true : { deny: answer };
  const decisions = Object.fromEntries(from.calls.map(({ key }) => [key, decided]));
  const { text, steps } = await runTurn({
    ...options,
    from,
    decisions,
    onEvent(event) {
      if (event.type === "result") console.log(`🛠️ ${JSON.stringify(event.result.content)}`);
    },
  });
  console.log(`🤖 ${text} (${steps.length} more request)`);
} else {
  console.log("Say: ask FILE, or: go FILE yes|REASON");
  process.exitCode = 2;
}
