/** What a failing provider costs: a sentence, never a text. Each failure is followed by another try in the same place. */
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Turn } from "../support/model-server.ts";
import type { TestNeovim } from "../support/neovim.ts";
import {
  chatText,
  editorsAndWires,
  google,
  open,
  respond,
  serve,
  settle,
  status,
  untilDone,
} from "./wire-chat.ts";

const openaiPiece = (delta: object, finish: string | null = null) =>
  `data: ${JSON.stringify({ choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`;
const anthropicPiece = (event: { type: string; [key: string]: unknown }) =>
  `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`;

/** An answer that ends without saying why, though its connection ends in order. */
const withoutReason = {
  openai: [openaiPiece({ content: "Half of" }), openaiPiece({ content: " it" })],
  anthropic: [
    anthropicPiece({
      type: "message_start",
      message: { id: "msg_1", role: "assistant", content: [], usage: { input_tokens: 1 } },
    }),
    anthropicPiece({
      type: "content_block_start",
      index: 0,
      content_block: { type: "text", text: "" },
    }),
    anthropicPiece({
      type: "content_block_delta",
      index: 0,
      delta: { type: "text_delta", text: "Half of it" },
    }),
    anthropicPiece({ type: "content_block_stop", index: 0 }),
  ],
};

interface Failing {
  readonly turn: Turn;
  /** In the sentence. */
  readonly says: RegExp;
  readonly mark: "error" | "length" | "empty";
  readonly kept: RegExp | null;
}

function failures(provider: "openai" | "anthropic"): readonly Failing[] {
  const once = { "x-should-retry": "false" };
  const keys = "Incorrect API key: sk-test-openai-key sk-ant-test-anthropic-key";
  const refusal = (turn: Turn, says: RegExp): Failing => ({
    turn,
    says,
    mark: "error",
    kept: null,
  });
  const cut = { text: "Sure, I search.", calls: [google], chunkSize: 3 };
  return [
    refusal({ status: 401, message: keys, type: "authentication_error" }, /refused the API key/),
    refusal(
      {
        status: 429,
        message: "Slow down",
        type: "rate_limit_error",
        headers: { "retry-after": "17", ...once },
      },
      /Wait 17 seconds/,
    ),
    refusal(
      { status: 529, message: "Overloaded", type: "overloaded_error", headers: once },
      /is overloaded/,
    ),
    refusal({ status: 400, message: "prompt is too long: 212000 tokens" }, /chat is too long/),
    {
      turn: { ...cut, cutAfterChunks: 6, delayMs: 10 },
      says: /broke off|without saying why/,
      mark: "error",
      kept: /^Sure/m,
    },
    {
      turn: { raw: withoutReason[provider] },
      says: /ended without saying why/,
      mark: "error",
      kept: /^Half of it$/m,
    },
    {
      turn: { ...cut, finish: "length" },
      says: /output limit/,
      mark: "length",
      kept: /^Sure, I search\.$/m,
    },
    { turn: { text: "" }, says: /neither text nor a tool call/, mark: "empty", kept: null },
  ];
}

/** Everything that Parley wrote, showed or logged. */
async function traces(nvim: TestNeovim): Promise<string> {
  await nvim.command("checkhealth parley");
  const health = await nvim.untilText(/chats followed/);
  await nvim.command("quit");
  const state = join(nvim.home, "state", "nvim");
  const files = (await readdir(state, { recursive: true, withFileTypes: true })).filter((entry) =>
    entry.isFile(),
  );
  const logs = await Promise.all(
    files.map((entry) => readFile(join(entry.parentPath, entry.name), "utf8")),
  );
  return [health, await nvim.text(), await nvim.messages(), await nvim.file(), ...logs].join("\n");
}

describe.each(editorsAndWires)("$model in Neovim $version", ({ path, provider, model }) => {
  it("keeps the text of every failed answer, says why, and asks again in its place", async () => {
    const failing = failures(provider);
    const server = await serve([...failing.map(({ turn }) => turn), { text: "At last." }]);
    const nvim = await open({
      path,
      chat: { text: chatText(model, "💬: hello") },
      env: server.environment,
    });
    for (const [index, { says, mark, kept }] of failing.entries()) {
      await respond(nvim);
      await nvim.until("the request", () => server.requests.length > index);
      await nvim.until("the mark", async () => (await nvim.text()).includes(`unfinished ${mark}`));
      await nvim.until(`the sentence ${says}`, async () => says.test(await status(nvim)));
      await nvim.until(`the message ${says}`, async () => says.test(await nvim.messages()));
      const shown = (await nvim.virtualText()).replaceAll("\n", " ");
      expect(shown).toMatch(says);
      const text = await nvim.text();
      expect(text.match(/parley:unfinished \w+/g)).toEqual([`parley:unfinished ${mark}`]);
      expect(text).not.toMatch(/^(❓|🛠️):/m);
      if (kept === null) expect(text).toMatch(/^🤖:.*\n\n<!-- parley:unfinished/m);
      else expect(text).toMatch(kept);
      await nvim.until("the file", async () => (await nvim.file()) === `${text}\n`);
      expect(server.requests).toHaveLength(index + 1);
    }
    const before = await nvim.text();
    await respond(nvim);
    const text = await untilDone(nvim);
    expect(text.match(/^🤖:/gm)).toHaveLength(1);
    expect(text).toMatch(/^🤖:.*\n\nAt last\.\n\n💬: $/m);
    const bodies = server.requests.map(({ raw }) => raw);
    expect(new Set(bodies).size).toBe(1);
    await nvim.input("u");
    await nvim.until("the text before", async () => (await nvim.text()) === before);
    expect(await traces(nvim)).not.toMatch(/sk-(test|ant)/);
  });

  it("sends nothing without a key, and names the variable", async () => {
    const server = await serve([{ text: "At last." }]);
    const { environment } = server;
    const withoutKey = Object.entries(environment).filter(([name]) => !name.endsWith("_KEY"));
    const nvim = await open({
      path,
      chat: { text: chatText(model, "💬: hello") },
      env: Object.fromEntries(withoutKey),
    });
    await respond(nvim);
    const variable = `${provider.toUpperCase()}_API_KEY`;
    await nvim.until("the sentence", async () => (await status(nvim)).includes(variable));
    await nvim.until("the message", async () => (await nvim.messages()).includes(variable));
    await settle(nvim);
    expect(await nvim.text()).toContain("💬: hello");
    expect(server.requests).toHaveLength(0);
  });
});
