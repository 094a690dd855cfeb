import { expect, it } from "vitest";
import { z } from "zod";
import type { Message } from "../../src/conversation/ports.ts";
import { runTurn } from "../../src/library/run-turn.ts";
import { fromTranscript, toTranscript } from "../../src/library/transcripts.ts";
import { defineTool } from "../../src/tools/define-tool.ts";
import { playing } from "./playing.ts";

const echo = defineTool({
  name: "echo",
  description: "",
  input: z.object({ v: z.string() }),
  run: ({ v }) => v,
});

it("keeps the repaired and salvaged marks of a waiting call in the transcript", async () => {
  const text = "<tool_call>{'name':'echo','arguments':{'v':'a'}}</tool_call>";
  const turn = await runTurn({ model: playing({ text }), messages: ["q"], tools: [echo] });
  if (turn.waiting === null) throw new Error("No call is waiting.");
  const written = toTranscript(turn.waiting);
  expect(written).toMatch(/^❓: .* \(salvaged\) \(repaired\)$/m);
  expect(fromTranscript(written).waiting?.calls).toEqual(turn.waiting.calls);
});

it.each([
  ["without a name", "", '{"v":"a"}'],
  ["that repeats a key", "echo", '{"v":"a","v":"b"}'],
])("keeps a call %s and its result, as a call that cannot be read", (_, name, json) => {
  const messages: Message[] = [
    { role: "user", content: [{ type: "text", text: "q" }] },
    { role: "assistant", content: [{ type: "tool-call", id: "1", name, arguments: json }] },
    {
      role: "tool",
      results: [
        {
          type: "tool-result",
          callId: "1",
          name,
          isError: true,
          content: [{ type: "text", text: "no" }],
        },
      ],
    },
    { role: "assistant", content: [{ type: "text", text: "ok" }] },
  ];
  const read = fromTranscript(toTranscript(messages)).messages;
  const raw = JSON.stringify({ name, arguments: json });
  expect(read).toMatchObject([
    {},
    { content: [{ name: "invalid_tool_call", arguments: JSON.stringify({ raw }) }] },
    { results: [{ callId: "1", content: [{ text: "no" }] }] },
    { content: [{ text: "ok" }] },
  ]);
});
