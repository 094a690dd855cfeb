/** Turns with a model that writes its calls as text: what stands in the transcript, and how often it may try again. */

import { describe, expect, it } from "vitest";
import { defaultKeys } from "../../src/conversation/keys.ts";
import type { ModelRequest, StreamPart } from "../../src/conversation/ports.ts";
import { approve, press, respond } from "../../src/conversation/turn/actions.ts";
import { protocolStream } from "../../src/providers/text-tools/tool-protocol.ts";
import { openMemoryChat } from "./memory-chat.ts";

const S = "😊".repeat(14);
const question = "💬: find it\n";
const good = `${S}\n{"name":"search","arguments":{"q":"it"}}\n${S}`;
const bad = `${S}\n{"name":"search","arguments":{"q":"C:\\Users"}\n${S}`;

function openTextChat(answers: readonly string[], toolProtocol: "auto" | "smiley" = "smiley") {
  const requests: ModelRequest[] = [];
  async function* play(request: ModelRequest): AsyncGenerator<StreamPart> {
    const text = answers[requests.length] ?? "Nothing more.";
    requests.push(request);
    yield { type: "text-delta", text };
    yield { type: "finish", reason: "stop", rawReason: "stop" };
  }
  const stream = protocolStream(play, () => true);
  const memory = openMemoryChat(question, [], {
    stream: (request, how) => stream({ ...request, toolProtocol }, how),
  });
  const textOf = () => memory.editor.lines.join("\n");
  return { ...memory, requests, textOf };
}

describe("a block that cannot be read", () => {
  it("is told to the model, which mends it", async () => {
    const chat = openTextChat([`I search.\n${bad}`, good, "Found."]);
    expect(await respond(chat.chat, 0)).toMatchObject({ type: "await-approval" });
    const raw = JSON.stringify(JSON.stringify({ raw: bad }));
    expect(chat.textOf()).toContain(
      `I search.\n\n❓: \`{"id":"call_1","type":"function","function":{"name":"invalid_tool_call","arguments":${raw}}}\`\n\n🛠️: [invalid_tool_call][call_1] (error)\n\n\`This tool call cannot be read: `,
    );
    // The next request says it in the words of the protocol.
    const [, , result] = chat.requests[1]?.messages ?? [];
    expect(JSON.stringify(result)).toContain("cannot be read");
    expect(JSON.stringify(result)).not.toContain("tool-result");
    expect(await approve(chat.chat, () => true)).toEqual({ type: "done" });
    expect(chat.runs).toEqual(['call_2 {"q":"it"}']);
    expect(chat.textOf()).toContain("Found.");
  });

  it("may be mended three times in a turn, then the turn ends with a sentence", async () => {
    const chat = openTextChat([bad, bad, bad, bad, "Sorry."]);
    const end = await respond(chat.chat, 0);
    expect(end).toMatchObject({ type: "limit" });
    expect("message" in end && end.message).toMatch(/last 4 answers could run.*tool_protocol/);
    expect(chat.requests).toHaveLength(4);
    expect(chat.textOf().match(/^🛠️: \[invalid_tool_call\]\[call_\d\] \(error\)$/gm)).toHaveLength(
      4,
    );
    for (const [index, { messages }] of chat.requests.entries()) {
      const before = chat.requests[index - 1]?.messages ?? [];
      expect(messages.slice(0, before.length)).toEqual(before);
    }
    expect(await respond(chat.chat, 0)).toEqual({ type: "done" });
    expect(chat.textOf()).toMatch(/Sorry\.\n\n💬: $/);
  });

  it("does not keep a call beside it from being offered", async () => {
    const chat = openTextChat([`${bad}\n${good}`, "Found."]);
    expect(await respond(chat.chat, 0)).toMatchObject({ type: "await-approval" });
    expect(chat.textOf().match(/^❓: /gm)).toHaveLength(2);
    expect(await approve(chat.chat, () => true)).toEqual({ type: "done" });
    expect(chat.runs).toHaveLength(1);
  });
});

describe("a call that was read from text which needed help", () => {
  const mended = `${S}\n{"name":"search","arguments":{"q":"it",}}\n${S}`;
  const leaked = '<tool_call>\n{"name":"search","arguments":{"q":"it"}}\n</tool_call>';

  it.each([
    ["repaired", mended, "smiley"],
    ["salvaged", leaked, "auto"],
  ] as const)("says (%s), and only its own line decides it", async (note, answer, protocol) => {
    const chat = openTextChat([answer, "Found."], protocol);
    expect(await respond(chat.chat, 0)).toMatchObject({ type: "await-approval" });
    const line = chat.editor.lines.findIndex((text) => text.startsWith("❓"));
    const text = chat.editor.lines[line] ?? "";
    expect(text).toMatch(new RegExp(`^❓: \`.*\` \\(${note}\\)$`));
    const shown = [{ line, text, tool: "", effect: "" }];
    const pressed = (key: "ya" | "yA" | "yo") =>
      press(chat.chat, { key, cursorLine: line, shown, reason: null, keys: defaultKeys });
    expect(await pressed("ya")).toMatchObject({ type: "refused" });
    expect(await pressed("yA")).toMatchObject({ type: "refused" });
    expect(await approve(chat.chat, () => true)).toBeNull();
    expect(chat.runs).toEqual([]);
    expect(await pressed("yo")).toEqual({ type: "done" });
    expect(chat.runs).toHaveLength(1);
    expect(chat.editor.lines[line]).toBe(text.replace("❓: ", "❓:[yo] "));
  });
});
