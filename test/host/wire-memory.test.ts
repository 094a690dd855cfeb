/** A chat that runs past `max_full_exchanges`: the oldest exchanges go as their summaries. */
import { describe, expect, it } from "vitest";
import {
  type Body,
  editorsAndWires,
  google,
  open,
  respond,
  serve,
  untilDone,
  untilWaiting,
} from "./wire-chat.ts";

const answers = ["one", "two", "three", "four", "five"];

describe.each(editorsAndWires)("$model in Neovim $version", ({ path, provider, model }) => {
  it("sends old exchanges as their summaries, without calls, and asks for summaries", async () => {
    // The first exchange has a call, so the model is asked once more than there are questions.
    const server = await serve((index) =>
      index === 0
        ? { text: "Let me look.", calls: [google] }
        : {
            text: `Long answer ${answers[index - 1]}.\n\n📝: summary ${answers[index - 1]}`,
          },
    );
    const header = `---\ntopic: memory\nmodel: ${model}\ntools: mock\nmax_full_exchanges: 2\n---\n\n`;
    const nvim = await open({
      path,
      chat: { text: `${header}💬: question one\n` },
      env: server.environment,
    });
    await respond(nvim);
    await untilWaiting(nvim);
    await nvim.input("yo");
    expect(await untilDone(nvim)).not.toContain("parley:step");
    for (const name of answers.slice(1)) {
      await nvim.input(`GAquestion ${name}<Esc><C-g><C-g>`);
      await untilDone(nvim, `summary ${name}`);
    }
    const last = server.requests.at(-1)?.body;
    const system = JSON.stringify(provider === "openai" ? last.messages[0] : last.system);
    expect(system).toContain("📝:");
    const history: Body[] = provider === "openai" ? last.messages.slice(1) : last.messages;
    const said = history.map(({ role, content }: Body) => [
      role,
      typeof content === "string" ? content : content[0].text,
    ]);
    expect(said).toEqual([
      ["user", "question one"],
      ["assistant", "📝: summary one"],
      ["user", "question two"],
      ["assistant", "📝: summary two"],
      ["user", "question three"],
      ["assistant", "Long answer three.\n\n📝: summary three"],
      ["user", "question four"],
      ["assistant", "Long answer four.\n\n📝: summary four"],
      ["user", "question five"],
    ]);
    expect(server.requests.every(({ violation }) => violation === null)).toBe(true);
  });
});
