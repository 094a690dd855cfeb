/** What a user asks of one chat, one thing right after the other. */
import { describe, expect, it } from "vitest";
import type { Splice } from "../../src/conversation/editor.ts";
import { createInOrder } from "../../src/host/chat/in-order.ts";
import { header, type LiveChat, openNextLiveChat } from "../support/live-chat.ts";
import { oneNeovim } from "../support/neovim.ts";
import { chatText, open, serve, settle, status, untilDone, untilListed } from "./wire-chat.ts";

function withEditor() {
  const listeners = new Set<(splice: Splice) => void>();
  const wishes = createInOrder({
    onSplice(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  });
  const change = (splice: Splice) => {
    for (const listener of listeners) listener(splice);
  };
  return { wishes, change, listeners };
}

const turns = async (count: number) => {
  for (let turn = 0; turn < count; turn += 1) await null;
};

describe("wishes", () => {
  it("begin in their order, however long each one takes", async () => {
    const { wishes, listeners } = withEditor();
    const done: string[] = [];
    const wish = (name: string, length: number) =>
      wishes.next(0, async () => {
        await turns(length);
        done.push(name);
      });
    await Promise.all([wish("first", 50), wish("second", 1), wish("third", 20)]);
    expect(done).toEqual(["first", "second", "third"]);
    expect(listeners.size).toBe(0);
  });

  it("wait for none that became a turn, waits for the user, or failed", async () => {
    const { wishes } = withEditor();
    const failed = wishes.next(0, () => Promise.reject(new Error("no")));
    const begun: string[] = [];
    let end = () => {};
    const asking = wishes.next(0, () => {
      begun.push("asking");
      return new Promise<void>((resolve) => {
        end = resolve;
      });
    });
    const after = wishes.next(0, () => void begun.push("after"));
    await expect(failed).rejects.toThrow("no");
    await turns(20);
    expect(begun).toEqual(["asking"]);
    wishes.letGo();
    await after;
    expect(begun).toEqual(["asking", "after"]);
    end();
    await asking;
  });

  it("are stopped before they are turns, those that may become one", async () => {
    const { wishes } = withEditor();
    const told: [string, boolean][] = [];
    const wish = (name: string, isStoppable: boolean) =>
      wishes.next(
        0,
        async (_, stopped) => {
          await turns(5);
          told.push([name, stopped.aborted]);
        },
        { isStoppable },
      );
    expect(wishes.stop()).toBe(false);
    const all = [wish("respond", true), wish("model", false), wish("key", true)];
    expect(wishes.stop()).toBe(true);
    await Promise.all(all);
    await wish("later", true);
    expect(told).toEqual([
      ["respond", true],
      ["model", false],
      ["key", true],
      ["later", false],
    ]);
    expect(wishes.stop()).toBe(false);
  });

  it("are no longer stopped here once they are turns, which may have ended", async () => {
    const { wishes } = withEditor();
    let end = () => {};
    const answering = wishes.next(
      0,
      async () => {
        wishes.begun();
        await new Promise<void>((resolve) => {
          end = resolve;
        });
      },
      { isStoppable: true },
    );
    await turns(5);
    expect(wishes.stop()).toBe(false);
    end();
    await answering;
  });

  it("are about the line that they were asked at, wherever it is by then", async () => {
    const { wishes, change } = withEditor();
    const lines: number[] = [];
    const before = wishes.next(0, async () => {
      await turns(3);
      change({ start: 2, end: 2, lines: ["model: other"] });
      change({ start: 30, end: 31, lines: [] });
      change({ start: 9, end: 12, lines: ["one"] });
    });
    const meant = [1, 7, 10, 11].map((line) => wishes.next(line, (at) => void lines.push(at)));
    await Promise.all([before, ...meant]);
    expect(lines).toEqual([1, 8, 9, 10]);
  });
});

describe.each(oneNeovim)("a question in Neovim $version", ({ path }) => {
  it("goes to the model that was chosen right before, and is the one at the cursor", async () => {
    const server = await serve(() => ({ text: "Hello." }));
    const nvim = await open({
      path,
      chat: { text: chatText("openai/gpt-5", "💬: old", "", "🤖: answer", "", "💬: new") },
      env: server.environment,
    });
    for (const model of ["gpt-5-mini", "gpt-5-nano", "gpt-5.5"]) {
      await nvim.lua(
        `local model = ...
        vim.cmd.normal({ "G", bang = true })
        vim.cmd("Parley agent none")
        vim.cmd("Parley model openai/" .. model)
        vim.cmd("Parley respond")`,
        model,
      );
      await untilDone(nvim, "Hello\\.");
      expect(server.requests.at(-1)?.body.model).toBe(model);
      expect(await nvim.text()).toContain("🤖: answer\n\n💬: new\n\n🤖:[");
      await nvim.input("<Esc>Anewer<Esc>");
    }
  });
});

/** What the test asks for meanwhile reaches the host at once, on a busy machine, too. */
async function atOnce({ hostPid }: LiveChat, ask: () => Promise<unknown>): Promise<void> {
  const pid = await hostPid();
  process.kill(pid, "SIGSTOP");
  try {
    await ask();
  } finally {
    process.kill(pid, "SIGCONT");
  }
}

/** The words of a stop: the first ones come from before the answer was opened, the others from right after. */
const stopped = /^(Stopped|This answer was stopped)/m;

describe.each(oneNeovim)("a stop right after a key in Neovim $version", ({ path }) => {
  it("stops the question, and what was asked for later goes on", async () => {
    const live = await openNextLiveChat({ path });
    const { nvim, model } = live;
    for (let time = 0; time < 3; time += 1) {
      await nvim.command("messages clear");
      await atOnce(live, () => nvim.lua(`vim.cmd("Parley respond") vim.cmd("Parley stop")`));
      await nvim.until("its words", async () => stopped.test(await nvim.messages()));
      expect(await nvim.messages()).not.toContain("Nothing is running");
      await settle(nvim);
      expect(model.count()).toBe(0);
    }
    const reply = await live.respond();
    reply.say("Hello.");
    reply.end();
    expect(await live.ended()).toBe("ParleyDone");
    await nvim.untilText(/Hello\.\n\n💬: $/);
  });

  it("stops respond_all, and its questions can be asked afterwards", async () => {
    const live = await openNextLiveChat({ path });
    const { nvim, model } = live;
    await atOnce(live, () => nvim.lua(`vim.cmd("Parley respond_all") vim.cmd("Parley stop")`));
    await nvim.until("its words", async () => stopped.test(await nvim.messages()));
    expect(await nvim.messages()).not.toContain("Nothing is running");
    await settle(nvim);
    expect(model.count()).toBe(0);
    await nvim.command("Parley respond_all");
    const reply = await live.reply();
    reply.say("Hello.");
    reply.end();
    expect(await live.ended()).toBe("ParleyDone");
  });

  it("asks all questions that respond_all was for, and no other", async () => {
    const old = "💬: one\n\n🤖:[live]\n\nOld.\n\n";
    const text = `${header}${old}${old.replace("one", "two")}💬: \n`;
    const live = await openNextLiveChat({ path, chat: { text } });
    const { nvim, model } = live;
    await nvim.lua("vim.ui.select = function(items, _, choose) choose(items[2]) end");
    await nvim.command("1 | Parley respond_all");
    const first = await live.reply();
    first.say("First.");
    await nvim.untilText(/First\./);
    // A copy above the one that is answered, and a question that is only begun.
    await nvim.lua(
      "vim.api.nvim_buf_set_lines(0, 6, 6, false, { ... })",
      ...old.split("\n").slice(0, -1),
    );
    await nvim.lua("vim.api.nvim_buf_set_lines(0, -2, -1, false, { '💬: half a quest' })");
    first.end();
    await live.ended();
    const second = await live.reply();
    expect(JSON.stringify(second.messages.at(-1))).toContain("two");
    second.say("Second.");
    second.end();
    await live.ended();
    await settle(nvim);
    expect(model.count()).toBe(2);
    const after = old.replace("Old", "First") + old.replace("one", "two").replace("Old", "Second");
    expect(await nvim.text()).toBe(`${header}${old}${after}💬: half a quest`);
  });

  it("lets no approved call run", async () => {
    const live = await openNextLiveChat({ path });
    const { nvim } = live;
    const reply = await live.respond();
    reply.call({ id: "call_1", query: "say:ran" });
    reply.end("tool_calls");
    await live.ended();
    await nvim.until("the keys", async () => /yo this/.test(await status(nvim)));
    await untilListed(nvim);
    await nvim.command("messages clear");
    const keys = `vim.api.nvim_feedkeys(vim.keycode("ya<C-g>x"), "xt", false)`;
    await atOnce(live, () => nvim.lua(keys));
    await nvim.until("its words", async () => stopped.test(await nvim.messages()));
    await settle(nvim);
    expect(live.runs()).toEqual([]);
    // The call is as it was, or approved and not run: the same keys go on.
    const key = (await nvim.text()).includes("❓:[ya]") ? "<C-g><C-g>" : "ya";
    await nvim.input(key);
    const next = await live.reply();
    next.end();
    await live.ended();
    expect(live.runs()).toEqual(["begin say:ran", "end say:ran"]);
  });
});
