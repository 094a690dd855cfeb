/** Undo and redo: one step back at a time, and nothing that was taken back goes on or runs again. */
import { describe, expect, it } from "vitest";
import { asked, type LiveChat, openNextLiveChat } from "../support/live-chat.ts";
import type { Reply } from "../support/live-model.ts";
import { neovims } from "../support/neovim.ts";

async function openHalf(path: string): Promise<{ readonly live: LiveChat; readonly reply: Reply }> {
  const live = await openNextLiveChat({ path });
  const reply = await live.respond();
  reply.say("Half\nan ");
  await live.nvim.untilText(/an\n<!-- parley:unfinished open/);
  return { live, reply };
}

async function openWaiting(path: string, ...queries: readonly string[]): Promise<LiveChat> {
  const live = await openNextLiveChat({ path });
  const reply = await live.respond();
  reply.say("Looking.");
  reply.call(...queries.map((query, index) => ({ id: `call_${index + 1}`, query })));
  reply.end("tool_calls");
  expect(await live.ended()).toBe("ParleyWaiting");
  return live;
}

function withoutMarks(text: string): string {
  return text.replace(/\n<!-- parley:unfinished [a-z]+ -->/g, "");
}

async function untilText({ nvim }: LiveChat, text: string): Promise<void> {
  await nvim.until(text, async () => (await nvim.text()) === text);
}

async function untilMessage({ nvim }: LiveChat, message: string): Promise<void> {
  await nvim.until(message, async () => (await nvim.messages()).includes(message));
}

/** Enough for whatever is still under way in the host to show: two of its round trips. */
async function settle({ nvim }: LiveChat): Promise<void> {
  for (const round of ["one", "two"]) {
    await nvim.command(`messages clear | Parley status`);
    await nvim.until(`round trip ${round}`, async () =>
      (await nvim.messages()).includes("exchange"),
    );
  }
}

describe.each(neovims)("undo in Neovim $version", ({ path }) => {
  it("takes a whole answer back with one u, and brings it again", async () => {
    const live = await openNextLiveChat({ path });
    const before = await live.nvim.text();
    const reply = await live.respond();
    for (const word of ["One ", "two\n", "\nthree ", "four."]) {
      reply.say(word);
      await live.nvim.until(word, async () => (await live.nvim.text()).includes(word.trim()));
    }
    reply.end();
    await live.ended();
    const after = await live.nvim.text();
    await live.nvim.input("u");
    await untilText(live, before);
    await live.nvim.input("<C-r>");
    await untilText(live, after);
    expect(live.model.count()).toBe(1);
  });

  it.each([
    ["u takes back", "u"],
    ["the answer's line is deleted", "gg/^🤖:<CR>dd"],
    ["the tip's line is deleted", "gg/^an<CR>dd"],
    ["the mark is deleted", "gg/^<lt>!--<CR>dd"],
    ["a turn is begun above its tip", "gg/^Half<CR>o💬: mine<Esc>"],
  ])("stops the stream when %s", async (_, keys) => {
    const { live, reply } = await openHalf(path);
    const half = await live.nvim.text();
    await live.nvim.input(keys);
    await live.nvim.until("the edit", async () => (await live.nvim.text()) !== half);
    const text = await live.nvim.text();
    expect(await live.ended()).toBe("ParleyDone");
    await live.nvim.until("the closed socket", () => reply.isGone());
    await untilMessage(live, "its text or its place was undone, changed or removed");
    reply.say("more", " and more");
    // What is left of it says that it is not whole, or is no answer any more.
    expect(await live.nvim.text()).not.toContain("unfinished open");
    expect(withoutMarks(await live.nvim.text())).toBe(withoutMarks(text));
    // The chat is free again.
    await live.nvim.input("<C-g><C-g>");
    const again = await live.reply();
    again.say("Whole.");
    again.end();
    await live.ended();
    expect(await live.nvim.text()).toMatch(/\nWhole\.\n\n💬: $/);
  });

  it.each(["more comes", "nothing more comes"])(
    "of the newest words alone leaves no hole in the answer when %s",
    async (what) => {
      const { live, reply } = await openHalf(path);
      await live.nvim.input("gg/^💬:<CR>A MINE<Esc>");
      await live.nvim.untilText(/MINE/);
      reply.say("answer, ");
      await live.nvim.untilText(/an answer/);
      await live.nvim.input("u");
      await live.nvim.until("the undo", async () => !(await live.nvim.text()).includes("answer"));
      if (what === "more comes") reply.say("and the end of it.");
      reply.end();
      expect(await live.ended()).toBe("ParleyDone");
      await untilMessage(live, "its text or its place was undone, changed or removed");
      expect(await live.nvim.text()).toMatch(
        /MINE[\s\S]*Half\nan ?\n<!-- parley:unfinished stopped -->/,
      );
    },
  );

  it("takes back the continuation, each result and the decision, and runs nothing again", async () => {
    const live = await openWaiting(path, "say:one", "say:two");
    const waiting = await live.nvim.text();
    await live.nvim.input("gg/^❓:<CR>ya");
    const next = await live.reply();
    next.say("Done.");
    next.end();
    await live.ended();
    const after = await live.nvim.text();
    const seen: string[] = [];
    for (let step = 0; step < 4; step += 1) {
      const text = await live.nvim.text();
      await live.nvim.input("u");
      await live.nvim.until("a change", async () => (await live.nvim.text()) !== text);
      seen.push(await live.nvim.text());
      await settle(live);
      // Nothing broke off: the user took it back.
      if (step === 0) {
        await live.nvim.until("the remark", async () =>
          String(await live.nvim.lua("return vim.b.parley_status")).includes(
            "redo brings back the rest",
          ),
        );
        expect(await live.nvim.virtualText()).not.toContain("broke off");
      }
    }
    expect(seen.map((text) => text.match(/^🛠️:/gm)?.length ?? 0)).toEqual([2, 1, 0, 0]);
    expect(seen[0]).toMatch(/unfinished open -->$/);
    expect(seen[3]).toBe(waiting);
    await live.nvim.input("4<C-r>");
    await untilText(live, after);
    await settle(live);
    expect(live.model.count()).toBe(2);
    expect(live.runs().filter((run) => run.startsWith("begin"))).toHaveLength(2);
  });

  it("shows a call whose result was undone as interrupted, and runs it only when told", async () => {
    const live = await openWaiting(path, "say:one");
    await live.nvim.input("gg/^❓:<CR>yo");
    (await live.reply()).drop();
    await live.ended();
    const before = await live.nvim.text();
    await live.nvim.input("uu");
    await live.nvim.until("no result", async () => !(await live.nvim.text()).includes("🛠️:"));
    await live.nvim.until("the remark", async () =>
      (await live.nvim.virtualText()).includes("may or may not have run"),
    );
    await live.nvim.input("G<C-g><C-g>");
    await settle(live);
    expect(live.runs()).toEqual(["begin say:one", "end say:one"]);
    expect(await live.nvim.text()).not.toBe(before);
    await live.nvim.input("gg/^❓:<CR>yo");
    await live.reply();
    expect(live.runs().filter((run) => run === "begin say:one")).toHaveLength(2);
  });

  it("takes a no and its result back together", async () => {
    const live = await openWaiting(path, "say:one", "say:two");
    const waiting = await live.nvim.text();
    await live.nvim.input("gg/^❓:<CR>yn");
    await live.nvim.until("the prompt", async () => (await live.nvim.client.call("mode")) === "c");
    await live.nvim.input("<CR>");
    await live.nvim.untilText(/❓:\[yn\] .*\n\n🛠️: \[web_search\]\[call_1\] \(declined\)/);
    await live.nvim.input("u");
    await untilText(live, waiting);
    await settle(live);
    expect(live.runs()).toEqual([]);
  });

  it.each([
    ["its line is edited", "gg/^❓:<CR>fhrx"],
    ["its line is deleted", "gg/^❓:<CR>dd"],
    ["its decision is undone", "u"],
  ])("cancels a running call when %s, tells its result and does not write it", async (_, keys) => {
    const live = await openWaiting(path, "hold:one");
    await live.nvim.input("gg/^❓:<CR>yo");
    await live.nvim.until("the run", () => live.runs().includes("begin hold:one"));
    await live.nvim.input(keys);
    await live.nvim.until("the cancelled run", () => live.runs().includes("cancel hold:one"));
    await untilMessage(live, "was changed or removed while it ran");
    expect(await live.ended()).not.toBe("ParleyError");
    await settle(live);
    expect(await live.nvim.text()).not.toContain("🛠️:");
    expect(live.model.count()).toBe(1);
  });

  it("keeps what a user typed meanwhile apart from the answer", async () => {
    const { live, reply } = await openHalf(path);
    await live.nvim.input("gg/^💬:<CR>A MINE<Esc>");
    await live.nvim.untilText(/MINE/);
    reply.say("answer.");
    reply.end();
    await live.ended();
    await live.nvim.input("u");
    await live.nvim.untilText(/MINE[\s\S]*Half\nan\n<!-- parley:unfinished/);
    await live.nvim.input("u");
    await live.nvim.until("no MINE", async () => !(await live.nvim.text()).includes("MINE"));
    await live.nvim.input("u");
    await untilText(live, asked.trimEnd());
  });
});
