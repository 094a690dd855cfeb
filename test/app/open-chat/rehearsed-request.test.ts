/** A first request is rehearsed with the chat's own first exchanges, in a moment at every length. */
import { expect, it } from "vitest";
import { rehearsedRequest } from "../../../src/app/open-chat/rehearsed-request.ts";
import { chatSettings } from "../../../src/conversation/settings/chat-settings.ts";
import { parseTranscript } from "../../../src/transcript/parse.ts";
import { defaults } from "../../support/configuration.ts";

const model = { provider: "openai", id: "any" };

function rehearsed(text: string) {
  const transcript = parseTranscript(text);
  let read = 0;
  const exchanges = transcript.exchanges.map(({ question, ...rest }) => ({
    ...rest,
    question: Object.defineProperty({ ...question }, "text", {
      get: () => {
        read += 1;
        return question.text;
      },
    }),
  }));
  const { settings } = chatSettings(transcript.header, defaults);
  const request = rehearsedRequest({ ...transcript, exchanges }, settings, model);
  return { request, read };
}

it("is what the chat would send, without tools", () => {
  const { request } = rehearsed("💬: one\n\n🤖:\n\nfirst\n\n💬: two @@./notes.txt@@\n");
  expect(request).toMatchObject({ model, tools: [] });
  expect(JSON.stringify(request.messages)).toMatch(/one.*first.*two @@/);
});

it("is made of a chat with nothing in it, too", () => {
  expect(rehearsed("").request.messages).toEqual([]);
});

it("looks at no more of a long chat than of a short one", () => {
  const chat = (exchanges: number) => "💬: q\n\n🤖:\n\na\n\n".repeat(exchanges);
  const { read } = rehearsed(chat(50));
  expect(read).toBeGreaterThan(30);
  expect(rehearsed(chat(5000)).read).toBe(read);
});
