/** A mark that remembers a tool, taken back: its record goes at once, and the tool asks again. */
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { type LiveChat, openLiveChat } from "../support/live-chat.ts";
import { oneNeovim } from "../support/neovim.ts";

async function records({ nvim }: LiveChat): Promise<readonly string[]> {
  const folder = join(nvim.home, "state", "nvim");
  const names = await readdir(folder, { recursive: true });
  return names.filter((name) => name.includes("remembered") && name.endsWith(".json"));
}

async function openRemembering(path: string): Promise<LiveChat> {
  const live = await openLiveChat({ path });
  const reply = await live.respond();
  reply.call({ id: "call_1", query: "say:one" });
  reply.end("tool_calls");
  await live.ended();
  await live.nvim.input("gg/^❓:<CR>yA");
  const next = await live.reply();
  next.say("Done.");
  next.end();
  expect(await live.ended()).toBe("ParleyDone");
  expect(await records(live)).toHaveLength(1);
  return live;
}

/** Asks the next question, which the model answers with a call; says how the turn ended. */
async function askAgain(live: LiveChat): Promise<string> {
  await live.nvim.input("GAmore?<Esc>");
  const reply = await live.respond();
  reply.call({ id: "call_2", query: "say:two" });
  reply.end("tool_calls");
  return live.nvim.until("the next step", async () => {
    if (live.model.count() === 4) return "remembered";
    const name = await live.nvim.lua("return Ended");
    return typeof name === "string" && name;
  });
}

describe.each(oneNeovim)("a remembered tool in Neovim $version", ({ path }) => {
  it("runs without a key while its mark is there", async () => {
    const live = await openRemembering(path);
    expect(await askAgain(live)).toBe("remembered");
    expect(await live.nvim.text()).toMatch(/❓:\[yA\] .*say:two/);
    expect(await records(live)).toHaveLength(1);
  });

  it.each([
    ["undone", "uuu"],
    ["edited", "gg/yA<CR>lra"],
    ["deleted with its line", "gg/yA<CR>dd"],
    ["deleted with everything", "ggdG"],
  ])("is forgotten when its mark is %s, and stays so when that is redone", async (_, keys) => {
    const live = await openRemembering(path);
    const before = await live.nvim.text();
    await live.nvim.input(keys);
    await live.nvim.until("no record", async () => (await records(live)).length === 0);
    await live.nvim.input(keys === "uuu" ? "3<C-r>" : "u");
    await live.nvim.until("the text again", async () => (await live.nvim.text()) === before);
    expect(await askAgain(live)).toBe("ParleyWaiting");
    expect(live.runs()).toEqual(["begin say:one", "end say:one"]);
  });

  it("is forgotten when its mark goes while an answer streams", async () => {
    const live = await openRemembering(path);
    await live.nvim.input("GAmore?<Esc>");
    const reply = await live.respond();
    reply.say("Let me see.");
    await live.nvim.untilText(/Let me see/);
    await live.nvim.input("gg/yA<CR>lra");
    await live.nvim.untilText(/❓:\[ya\] /);
    reply.call({ id: "call_2", query: "say:two" });
    reply.end("tool_calls");
    expect(await live.ended()).toBe("ParleyWaiting");
    expect(await records(live)).toEqual([]);
  });
});
