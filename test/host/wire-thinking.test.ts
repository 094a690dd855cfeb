/** Anthropic's thinking inside an open tool loop: kept in the step line, sent back exactly or not at all. */
import { describe, expect, it } from "vitest";
import type { ModelServer } from "../support/model-server.ts";
import { oneNeovim } from "../support/neovim.ts";
import {
  type Body,
  chatText,
  decide,
  extendEachOther,
  google,
  microsoft,
  open,
  question,
  respond,
  serve,
  untilDone,
  untilWaiting,
} from "./wire-chat.ts";

const model = "anthropic/claude-opus-5";
const chat = { text: chatText(model, `💬: ${question}`) };

const firstThought = {
  type: "thinking",
  thinking: "Search first.\n\nThen say.",
  signature: "c2ln",
};
const hidden = { type: "redacted_thinking", data: "ZW5jcnlwdGVk" };
const secondThought = { type: "thinking", thinking: "One more.", signature: "bW9yZQ==" };

const turns = [
  {
    thoughts: firstThought.thinking,
    signature: firstThought.signature,
    redactedThinking: [hidden.data],
    text: "I search.",
    calls: [google],
    chunkSize: 4,
  },
  {
    thoughts: secondThought.thinking,
    signature: secondThought.signature,
    calls: [microsoft],
    chunkSize: 4,
  },
  { text: "Both are known." },
  { text: "Good bye." },
];

/** The thinking blocks of each message that a request holds. */
function thinkingIn(server: ModelServer, request: number): Body[] {
  const { messages } = server.requests[request]?.body ?? { messages: [] };
  return messages
    .filter(({ role }: Body) => role === "assistant")
    .map(({ content }: Body) =>
      content.filter(({ type }: Body) => /thinking/.test(type)).sort(byType),
    );
}

const byType = (a: Body, b: Body) => (a.type < b.type ? -1 : 1);

describe.each(oneNeovim)("thinking in Neovim $version", ({ path }) => {
  it("goes back as it came while the loop is open, after a restart too, and never later", async () => {
    const server = await serve(turns);
    const before = await open({ path, chat, env: server.environment });
    await respond(before);
    const waiting = await untilWaiting(before);
    expect(waiting).toMatch(/^<!-- parley:step \{.*"state":"[\w-]+".*\} -->$/m);
    expect(waiting).toMatch(/^🧠: Search first\./m);
    expect(waiting).not.toContain("c2ln");
    await before.kill();

    const nvim = await open({ path, home: before.home, env: server.environment });
    await untilWaiting(nvim);
    await decide(nvim, "ya");
    await untilWaiting(nvim, /^❓: `.*microsoft/m);
    expect(thinkingIn(server, 1)).toEqual([[hidden, firstThought].sort(byType)]);
    await decide(nvim, "yo");
    await untilDone(nvim);
    expect(thinkingIn(server, 2)).toEqual([[hidden, firstThought].sort(byType), [secondThought]]);
    expect(extendEachOther(server)).toBe(true);
    await nvim.input("GAthanks<Esc><C-g><C-g>");
    await untilDone(nvim, "Good bye\\.");
    expect(thinkingIn(server, 3)).toEqual([[], [], []]);
    expect(server.requests.map(({ violation }) => violation)).toEqual([null, null, null, null]);
  });

  it("is left out of a step that a user edited, and the request is accepted", async () => {
    const server = await serve(turns);
    const nvim = await open({ path, chat, env: server.environment });
    await respond(nvim);
    await untilWaiting(nvim);
    await nvim.input("gg/^I search<CR>ccI look it up.<Esc>");
    await nvim.untilText(/^I look it up\.$/m);
    await untilWaiting(nvim);
    await decide(nvim, "yo");
    await untilWaiting(nvim, /^❓: `.*microsoft/m);
    expect(thinkingIn(server, 1)).toEqual([[]]);
    expect(JSON.stringify(server.requests[1]?.body)).toContain("I look it up.");
    await decide(nvim, "yo");
    await untilDone(nvim);
    expect(thinkingIn(server, 2)).toEqual([[], [secondThought]]);
    expect(server.requests.map(({ violation }) => violation)).toEqual([null, null, null]);
  });
});
