/** What a person asks of one chat, one thing right after the other. */
import { describe, expect, it } from "vitest";
import type { Splice } from "../../src/conversation/editor.ts";
import { createInOrder } from "../../src/host/chat/in-order.ts";
import { oneNeovim } from "../support/neovim.ts";
import { chatText, open, serve, untilDone } from "./wire-chat.ts";

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

  it("wait for none that became a turn, waits for the person, or failed", async () => {
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
