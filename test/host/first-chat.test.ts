/** The first chat of a user with a key: a question, a call, `ya`, the answer, at servers that keep the vendors' rules. */
import { expect, it } from "vitest";
import { casesFor, neovims } from "../support/neovim.ts";
import { decide, google, open, respond, serve, untilDone, untilWaiting } from "./wire-chat.ts";

const vendors = [
  // OpenAI's own address, reached by a proxy: every request there has to be right at once.
  {
    model: "openai/gpt-5.5",
    api: "responses",
    environment: (url: string) => ({
      OPENAI_API_KEY: "sk-test-openai-key",
      OPENAI_BASE_URL: "http://api.openai.com/v1",
      HTTP_PROXY: url,
    }),
  },
  {
    model: "anthropic/claude-sonnet-5-5",
    api: "anthropic",
    environment: (url: string) => ({
      ANTHROPIC_API_KEY: "sk-ant-test-key",
      ANTHROPIC_BASE_URL: url,
    }),
  },
];

const rows = neovims.flatMap((neovim) =>
  casesFor(neovim.path, vendors).map((vendor) => ({ ...neovim, ...vendor })),
);

it.each(rows)("with $model in Neovim $version", async ({ path, model, api, environment }) => {
  const server = await serve([{ text: "I search.", calls: [google] }, { text: "It is $911." }]);
  const nvim = await open({
    path,
    // No model in the header: the key alone decides.
    chat: { text: "---\ntopic: first\ntools: mock\n---\n\n💬: what does google cost?\n" },
    env: environment(server.url),
  });
  await respond(nvim);
  await untilWaiting(nvim);
  await decide(nvim, "ya");
  const text = await untilDone(nvim, "It is \\$911\\.");
  expect(text).toContain(`🤖:[${model.split("/")[1]}]`);
  expect(server.requests.map((each) => [each.api, each.violation])).toEqual([
    [api, null],
    [api, null],
  ]);
  expect(server.requests[0]?.body.tools).toHaveLength(1);
  expect(server.requests[1]?.raw).toContain("google");
});
