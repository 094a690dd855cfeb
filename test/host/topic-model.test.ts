/** The topic from another model, beside a user who goes on typing. */
import { expect, it } from "vitest";
import { openLiveChat } from "../support/live-chat.ts";
import { oneNeovim } from "../support/neovim.ts";

it.each(oneNeovim)(
  "comes while the next question is typed, is in the file, and goes with the answer",
  async ({ path }) => {
    const text = "---\ntopic: ?\nmodel: openai/live\ntools: none\n---\n\n💬: what is new?\n";
    const live = await openLiveChat({
      path,
      chat: { text },
      init: `require("parley").setup({ topic_model = "openai/namer" })`,
    });
    await live.nvim.input("G");
    const answer = await live.respond();
    answer.say("Nothing.");
    answer.end();
    await live.ended();
    const topic = await live.reply();
    expect(JSON.stringify(topic.messages)).toContain("what is new?");
    expect(await live.nvim.text()).toMatch(/^---\ntopic: \?\n/);
    await live.nvim.input("GAand la");
    await live.nvim.untilText(/💬: and la$/);
    topic.say("News of the day");
    topic.end();
    await live.nvim.untilText(/^---\ntopic: News of the day\n/);
    await live.nvim.input("ter?<Esc>");
    const after = await live.nvim.untilText(/💬: and later\?$/);
    await live.nvim.until("the file", async () =>
      (await live.nvim.file()).startsWith("---\ntopic: News of the day\n"),
    );
    expect(after).toContain("\nNothing.\n");
    // What was typed since, the topic, what was typed before, and the answer.
    await live.nvim.input("uuuu");
    await live.nvim.untilText(/^---\ntopic: \?\n[^🤖]*$/u);
  },
);
