import { describe, expect, it } from "vitest";
import { previewRequest } from "../../../src/app/open-chat/preview.ts";
import { emptySession } from "../../../src/conversation/decide/session.ts";
import { sealState, stepContent } from "../../../src/conversation/request/provider-state.ts";
import { parseTranscript } from "../../../src/transcript/parse.ts";
import { chatOptions, sources, sourcesOf } from "../sources.ts";

const call = (decision = "") =>
  `❓:${decision} \`{"id":"call_1","type":"function","function":{"name":"web_search","arguments":"{\\"query\\":\\"x\\"}"}}\``;
const result = "🛠️: [web_search][call_1]\n\n`found`";

async function preview(text: string, options: { line?: number; secret?: string } = {}) {
  const { line, secret } = options;
  const app = sources(secret === undefined ? {} : { secret });
  const shown = await previewRequest(
    sourcesOf(app, chatOptions()),
    app.models,
    parseTranscript(text),
    {
      session: emptySession,
      ...(line === undefined ? {} : { line }),
    },
  );
  if ("message" in shown) return { message: shown.message, step: null, messages: [] };
  const { messages } = shown.body as { messages: { role: string; content: unknown }[] };
  return { message: null, step: shown.step, messages };
}

const roles = async (text: string, line?: number) => {
  const shown = await preview(text, line === undefined ? {} : { line });
  return [shown.step, ...shown.messages.map(({ role }) => role)];
};

describe("a preview", () => {
  it("is the request that respond would send", async () => {
    expect(await roles("💬: hi\n")).toEqual(["ask-model", "user"]);
    expect(await roles(`💬: hi\n🤖:\nSure.\n${call("[ya]")}\n${result}\n`)).toEqual([
      "ask-model",
      "user",
      "assistant",
      "tool",
    ]);
  });

  it("leaves out an unfinished step, which is asked again", async () => {
    const text = "💬: hi\n🤖:\nHalf an ans\n\n<!-- parley:unfinished stopped -->\n";
    expect(await roles(text)).toEqual(["ask-model", "user"]);
  });

  it("is what retry would send when the answer is finished", async () => {
    const answered = `💬: hi\n🤖:\nSure.\n${call("[ya]")}\n${result}\n\nIt is x.\n`;
    const expected = ["open-question", "user", "assistant", "tool"];
    expect(await roles(answered)).toEqual(expected);
    expect(await roles(`${answered}\n💬: \n`)).toEqual(expected);
  });

  it("holds placeholders for calls without a result", async () => {
    const contents = async (decision: string) => {
      const { step, messages } = await preview(`💬: hi\n🤖:\n${call(decision)}\n`);
      return { step, told: JSON.stringify(messages.at(-1)) };
    };
    const undecided = await contents("");
    expect(undecided.step).toBe("await-approval");
    expect(undecided.told).toContain("not executed");
    const interrupted = await contents("[ya]");
    expect(interrupted.step).toBe("await-approval");
    expect(interrupted.told).toContain("it is not known whether this ran");
    const declined = await contents("[yn]");
    expect(declined.step).toBe("write-declined");
    expect(declined.told).toContain("declined by the user");
  });

  it("is about the exchange at the line", async () => {
    const text = "💬: one\n🤖:\nOne.\n💬: two\n";
    expect(await roles(text, 0)).toEqual(["open-question", "user"]);
    expect(await roles(text)).toEqual(["ask-model", "user", "assistant", "user"]);
  });

  it("says why there is none", async () => {
    expect((await preview("")).message).toMatch(/no question.*[.]$/);
    expect((await preview("---\nmodel: nobody/x\n---\n💬: hi\n")).message).toMatch(
      /There is no model “nobody\/x”/,
    );
  });

  it("sends provider state that was sealed here", async () => {
    const model = { provider: "mock", id: "demo" };
    const write = (state: string) =>
      `💬: hi\n🤖:\n<!-- parley:step {"model":"mock/demo","state":"${state}"} -->\n\nSure.\n${call("[ya]")}\n${result}\n`;
    const step = parseTranscript(write("AA")).exchanges[0]?.answer?.steps[0];
    if (step === undefined) throw new Error("the text has no step");
    const text = write(sealState({ secretThought: 1 }, stepContent(step), model, "our secret"));
    const sent = async (secret?: string) =>
      JSON.stringify((await preview(text, secret === undefined ? {} : { secret })).messages);
    expect(await sent("our secret")).toContain("secretThought");
    expect(await sent("another")).not.toContain("secretThought");
    expect(await sent()).not.toContain("secretThought");
  });

  it("says what would not be sent", async () => {
    const text = "---\nmodel: openai/gpt-5\ntemperature: 0.3\n---\n💬: hi\n";
    const app = sources();
    const shown = await previewRequest(
      sourcesOf(app, chatOptions()),
      app.models,
      parseTranscript(text),
      {
        session: emptySession,
      },
    );
    expect(shown).toMatchObject({
      api: "openai-responses",
      notices: [expect.stringContaining("gpt-5 does not accept temperature")],
    });
    expect("body" in shown && shown.body).not.toHaveProperty("temperature");
  });
});
