/** Turns with a model that writes its calls as text: what the transcript contains, and how often the model may retry. */

import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { toolIdentity } from "../../src/conversation/decide/remembered.ts";
import { defaultKeys } from "../../src/conversation/keys.ts";
import type { ModelRequest, StreamPart, Tool } from "../../src/conversation/ports.ts";
import type { ToolProtocol } from "../../src/conversation/proposed-call.ts";
import { approve, pressCallKey, respond } from "../../src/conversation/turn/actions.ts";
import { protocolStream } from "../../src/providers/text-tools/tool-protocol.ts";
import { openMemoryChat } from "./memory-chat.ts";

const S = "😊".repeat(14);
const question = "💬: find it\n";
const good = `${S}\n{"name":"search","arguments":{"q":"it"}}\n${S}`;
const bad = `${S}\n{"name":"search","arguments":{"q":"C:\\Users"}\n${S}`;

function openTextChat(
  answers: readonly string[],
  toolProtocol: ToolProtocol = "smiley",
  text = question,
  tools: readonly Tool[] = [],
) {
  const requests: ModelRequest[] = [];
  async function* play(request: ModelRequest): AsyncGenerator<StreamPart> {
    const text = answers[requests.length] ?? "Nothing more.";
    requests.push(request);
    yield { type: "text-delta", text };
    yield { type: "finish", reason: "stop", rawReason: "stop" };
  }
  const stream = protocolStream(play, () => true);
  const ports = {
    stream: (request: ModelRequest, how: Parameters<typeof stream>[1]) =>
      stream({ ...request, toolProtocol }, how),
  };
  const memory = openMemoryChat(text, [], ports, tools);
  const textOf = () => memory.editor.lines.join("\n");
  return { ...memory, requests, textOf };
}

describe("an unreadable call block", () => {
  it("is reported to the model, which sends a corrected call", async () => {
    const chat = openTextChat([`I search.\n${bad}`, good, "Found."]);
    expect(await respond(chat.chat, 0)).toMatchObject({ type: "await-approval" });
    const raw = JSON.stringify(JSON.stringify({ raw: bad }));
    expect(chat.textOf()).toContain(
      `I search.\n\n❓: \`{"id":"call_1","type":"function","function":{"name":"invalid_tool_call","arguments":${raw}}}\`\n\n🛠️: [invalid_tool_call][call_1] (error)\n\n\`This tool call cannot be read: `,
    );
    // The next request reports it in the form of the protocol.
    const [, , result] = chat.requests[1]?.messages ?? [];
    expect(JSON.stringify(result)).toContain("cannot be read");
    expect(JSON.stringify(result)).not.toContain("tool-result");
    expect(await approve(chat.chat, () => true)).toEqual({ type: "done" });
    expect(chat.runs).toEqual(['call_2 {"q":"it"}']);
    expect(chat.textOf()).toContain("Found.");
  });

  it("may be corrected three times in a turn, after which the turn ends with a message", async () => {
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

  it("does not prevent another call in the answer from being offered", async () => {
    const chat = openTextChat([`${bad}\n${good}`, "Found."]);
    expect(await respond(chat.chat, 0)).toMatchObject({ type: "await-approval" });
    expect(chat.textOf().match(/^❓: /gm)).toHaveLength(2);
    expect(await approve(chat.chat, () => true)).toEqual({ type: "done" });
    expect(chat.runs).toHaveLength(1);
  });
});

const listFiles: Tool = {
  name: "builtin.list_files",
  description: "Lists files.",
  inputSchema: { type: "object", properties: { path: { type: "string" } } },
  server: null,
};

/** The answer of a model without instructions for calls, as models print it: raw line breaks, no fence. */
const withThoughts = `{
  "thoughts": "To load the Writing Style Guide and apply it as my instructions, I need to:
  1. Identify the location of the Writing Style Guide file
  2. Read the contents of the file
  3. Update the system prompt with the content

  Let's start by listing all files to find the Writing Style Guide.",
  "tool_request": {
    "name": "builtin.list_files",
    "parameters": {
      "path": "/root"
    }
  }
}`;

describe("a call with thoughts in a bare object", () => {
  const folder = new URL("../cases/", import.meta.url);
  const read = (name: string) =>
    readFileSync(new URL(`thoughts-beside-call.${name}.md`, folder), "utf8");

  it.each(["auto", "smiley", "json", "delimited", "hermes"] as const)(
    "becomes a call and its thoughts, with no text left over: %s",
    async (protocol) => {
      const chat = openTextChat([withThoughts], protocol, read("before").trimEnd(), [listFiles]);
      expect(await respond(chat.chat, 0)).toMatchObject({ type: "await-approval" });
      // Only `json` asks for this form, and there only the line breaks are wrong.
      const text = `${chat.textOf().trimEnd()}\n`;
      const notes = protocol === "json" ? "(repaired)" : "(salvaged) (repaired)";
      expect(text.replace(notes, "(salvaged) (repaired)")).toBe(read("after"));
      expect(text).toContain(notes);
    },
  );
});

describe("a model that writes calls in another form than requested", () => {
  const json = '{"name":"search","arguments":{"q":"it"}}';
  it.each([
    ["a tag", `<tool_call>\n${json}\n</tool_call>`],
    ["a fence", `\`\`\`json\n${json}\n\`\`\``],
    ["delimiters", `<<<TOOL_CALL>>>\n${json}\n<<<END_TOOL_CALL>>>`],
    ["bare JSON", json],
    ["Mistral's marker", `[TOOL_CALLS][${json}]`],
    ["Qwen's tags", "<function=search>\n<parameter=q>\nit\n</parameter>\n</function>"],
  ])("is understood, but its calls are only approved on their own line: %s", async (_, answer) => {
    const chat = openTextChat([`I search.\n\n${answer}`, "Found."]);
    expect(await respond(chat.chat, 0)).toMatchObject({ type: "await-approval" });
    const line = chat.editor.lines.findIndex((text) => text.startsWith("❓"));
    expect(chat.editor.lines[line]).toMatch(/^❓: `.*` \(salvaged\)$/);
    expect(chat.textOf().slice(0, chat.textOf().indexOf("❓"))).toMatch(/I search\.\n\n$/);
    expect(await approve(chat.chat, () => true)).toBeNull();
    expect(chat.runs).toEqual([]);
  });

  it.each([
    ["13 smileys", `${"😊".repeat(13)}${json}${"😊".repeat(13)}`, /13 smileys instead of 14/],
    [
      "a comma too many in a fence",
      `\`\`\`json\n${json.slice(0, -1)},}\n\`\`\``,
      /there is a comma/,
    ],
    ["two objects", `${S}${json}\n${json}${S}`, /more than one object/],
    ["text in front", `${S}\nNow: ${json}\n${S}`, /there is text between/],
  ])(
    "is sent the reason why a call cannot be read, and the block is removed from the text: %s",
    async (_, answer, reason) => {
      const chat = openTextChat([`I search.\n${answer}`, "Sorry."]);
      expect(await respond(chat.chat, 0)).toEqual({ type: "done" });
      expect(chat.requests).toHaveLength(2);
      expect(JSON.stringify(chat.requests[1]?.messages.at(-1))).toMatch(reason);
      const shown = chat.editor.lines.filter((line) => !/^(❓|🛠️|`)/u.test(line)).join("\n");
      expect(shown).not.toMatch(/[😊{}]/u);
    },
  );
});

describe("a call that was repaired or salvaged from text", () => {
  const malformed = `${S}\n{"name":"search","arguments":{"q":"it",}}\n${S}`;
  const leaked = '<tool_call>\n{"name":"search","arguments":{"q":"it"}}\n</tool_call>';

  it.each([
    ["repaired", malformed, "smiley"],
    ["salvaged", leaked, "auto"],
  ] as const)(
    "is marked (%s) and can only be approved on its own line",
    async (note, answer, protocol) => {
      const chat = openTextChat([answer, "Found."], protocol);
      expect(await respond(chat.chat, 0)).toMatchObject({ type: "await-approval" });
      const line = chat.editor.lines.findIndex((text) => text.startsWith("❓"));
      const text = chat.editor.lines[line] ?? "";
      expect(text).toMatch(new RegExp(`^❓: \`.*\` \\(${note}\\)$`));
      const { tools } = await chat.chat.ports.tools.look((await chat.chat.read()).transcript);
      const shown = [{ line, text, tool: toolIdentity(tools.get("search")), effect: "" }];
      const pressed = (key: "ya" | "yA" | "yo") =>
        pressCallKey(chat.chat, { key, cursorLine: line, shown, reason: null, keys: defaultKeys });
      expect(await pressed("ya")).toMatchObject({ type: "refused" });
      expect(await pressed("yA")).toMatchObject({ type: "refused" });
      expect(await approve(chat.chat, () => true)).toBeNull();
      expect(chat.runs).toEqual([]);
      expect(await pressed("yo")).toEqual({ type: "done" });
      expect(chat.runs).toHaveLength(1);
      expect(chat.editor.lines[line]).toBe(text.replace("❓: ", "❓:[yo] "));
    },
  );
});
