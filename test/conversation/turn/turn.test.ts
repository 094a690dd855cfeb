import { describe, expect, it } from "vitest";
import type { Tool } from "../../../src/conversation/ports.ts";
import { deniedText } from "../../../src/conversation/results.ts";
import { approve, respond } from "../../../src/conversation/turn/actions.ts";
import type { ChatPorts } from "../../../src/conversation/turn/chat.ts";
import { renderCallLine } from "../../../src/transcript/call-line.ts";
import { chatTools, openMemoryChat, search } from "../memory-chat.ts";

const question = "💬: find it\n";
const call = { id: "call_1", name: "search", arguments: '{"q":"it"}' };

/** A rule allows every call. */
const allowing: ChatPorts["prepare"] = async (...parameters) => {
  const prepared = await openMemoryChat("", []).chat.ports.prepare(...parameters);
  if ("kind" in prepared) return prepared;
  const judge = async () => ({ answer: "allow", changes: null }) as const;
  return { ...prepared, offered: { ...prepared.offered, judge } };
};

describe("a turn", () => {
  it("does not run a call when it is stopped while the tools are listed", async () => {
    const memory = openMemoryChat(question, [{ text: "Let me see.", calls: [call] }], {
      tools: chatTools(async () => {
        memory.chat.stop();
        return new Map();
      }),
    });
    expect(await respond(memory.chat, 0)).toMatchObject({ type: "await-approval" });
    expect(await approve(memory.chat, () => true)).toEqual({ type: "stopped" });
    expect(memory.runs).toEqual([]);
    expect(memory.editor.lines.join("\n")).toMatch(/^❓:\[auto\] `/m);
    expect(memory.editor.lines.join("\n")).not.toContain("🛠️:");
  });

  it("checks the rules again before a call runs", async () => {
    const offered = chatTools(async () => new Map([[search.name, search]]));
    const memory = openMemoryChat(question, [{ calls: [call] }, { text: "Done." }], {
      tools: {
        ...offered,
        current: async (transcript) => ({
          ...(await offered.current(transcript)),
          judge: async () => ({ answer: "deny", changes: null }),
        }),
      },
    });
    await respond(memory.chat, 0);
    expect(await approve(memory.chat, () => true)).toEqual({ type: "done" });
    expect(memory.runs).toEqual([]);
    expect(memory.editor.lines.join("\n")).toContain(deniedText);
  });

  it("opens no next step when a result arrives after a stop", async () => {
    const memory = openMemoryChat(question, [{ calls: [call] }, { text: "Done." }], {
      async runTool() {
        memory.chat.stop();
        return { status: "ok", text: "found", media: [] };
      },
    });
    await respond(memory.chat, 0);
    expect(await approve(memory.chat, () => true)).toEqual({ type: "stopped" });
    const text = memory.editor.lines.join("\n");
    expect(text).toContain("🛠️:");
    expect(text).not.toContain("parley:unfinished");
    expect(memory.requests).toHaveLength(1);
  });

  it("writes nothing more when the user deletes the whole chat during an answer", async () => {
    const { chat, editor } = openMemoryChat(question, [{ text: "Found." }]);
    const openTip = editor.openTip.bind(editor);
    editor.openTip = async (...opening) => {
      const tip = await openTip(...opening);
      const write = async () => {
        await chat.edit("theirs", ({ lines }) => ({
          edits: [{ start: 0, end: lines.length, lines: [""] }],
        }));
        return "gone" as const;
      };
      return typeof tip === "object" && "write" in tip ? { ...tip, write } : tip;
    };
    expect(await respond(chat, 0)).toEqual({ type: "gone" });
    expect(editor.lines).toEqual([""]);
    expect(editor.saves).not.toContainEqual([""]);
  });

  it("writes no step line when one model gives the whole answer", async () => {
    const memory = openMemoryChat(question, [{ calls: [call] }, { text: "Done." }]);
    await respond(memory.chat, 0);
    expect(await approve(memory.chat, () => true)).toEqual({ type: "done" });
    expect(memory.editor.lines.join("\n")).toMatch(/🛠️:[\s\S]*Done\./);
    expect(memory.editor.lines.join("\n")).not.toContain("parley:step");
  });

  it("answers the last question when the cursor is above all questions", async () => {
    const asked = "---\ntopic: a\n---\n\n💬: one\n\n🤖:[x]\n\nAnswer.\n\n💬: two\n\n💬:";
    const { chat, editor } = openMemoryChat(asked, [{ text: "Done." }]);
    expect(await respond(chat, 0)).toEqual({ type: "done" });
    expect(editor.lines.join("\n")).toMatch(/💬: two\n\n🤖:\[script\]/);
  });

  it("stops when it is stopped while its step is being opened", async () => {
    const memory = openMemoryChat(question, [], {
      // A model that says nothing until it is told to end.
      async *stream(_request, { signal }) {
        if (!signal.aborted) await new Promise((ended) => signal.addEventListener("abort", ended));
        yield { type: "error", failure: { kind: "aborted", message: "Stopped." } };
      },
    });
    const { editor, chat } = memory;
    const openTip = editor.openTip.bind(editor);
    editor.openTip = async (...parameters) => {
      chat.stop();
      return openTip(...parameters);
    };
    expect(await respond(chat, 0)).toEqual({ type: "stopped" });
    expect(editor.lines.join("\n")).toContain("<!-- parley:unfinished stopped -->");
  });

  it.each([
    [
      "deletes the mark of a retried step",
      "💬: a\n\n🤖:[x]\n\nb\n\n<!-- parley:unfinished error -->",
      6,
    ],
    ["types in an empty answer", "💬: a\n\n🤖:[x]\n", 3],
    [
      "deletes the first line of the answer",
      "💬: a\n\n🤖:[x]\n\nb\n\n<!-- parley:unfinished error -->",
      2,
    ],
  ])("sends no request when the user %s while the request is prepared", async (_, text, line) => {
    const memory = openMemoryChat(text, [{ text: "Done." }]);
    const { prepare } = memory.chat.ports;
    const edited = (lines: readonly string[]) =>
      lines.with(line, line === 3 ? "typed" : "").join("\n");
    const chat = openMemoryChat(text, [{ text: "Done." }], {
      prepare: async (...parameters) => {
        const prepared = await prepare(...parameters);
        const { tick, lines } = await chat.editor.read();
        const end = lines.length;
        await chat.editor.apply({ tick }, [{ start: 0, end, lines: edited(lines).split("\n") }]);
        return prepared;
      },
    });
    const { type } = await respond(chat.chat, 0);
    expect(type).toMatch(/refused|gone/);
    expect(chat.requests).toEqual([]);
    expect(chat.editor.lines.join("\n")).toBe(edited(text.split("\n")));
  });

  it("refuses a second respond while the first is running", async () => {
    const asked: string[] = [];
    const memory = openMemoryChat(question, [{ text: "Done." }], {
      confirm: async (words) => asked.push(words) > 0,
    });
    const save = memory.editor.save.bind(memory.editor);
    memory.editor.save = async () => {
      await new Promise((resolve) => setTimeout(resolve, 20));
      return save();
    };
    const ends = await Promise.all([
      respond(memory.chat, 0),
      respond(memory.chat, 0),
      respond(memory.chat, 0),
    ]);
    const busy = { type: "refused", message: expect.stringContaining("is under way") };
    expect(ends).toEqual([{ type: "done" }, busy, busy]);
    expect(memory.requests).toHaveLength(1);
    expect(asked).toEqual([]);
  });

  it("refuses to respond while another question waits for the user", async () => {
    let answer: (yes: boolean) => void = () => {};
    const memory = openMemoryChat("💬: a\n\n🤖:[x]\n\nb\n\n💬: c\n", [{ text: "Done." }], {
      confirm: () => new Promise((resolve) => (answer = resolve)),
    });
    const first = respond(memory.chat, 0);
    expect(await respond(memory.chat, 6)).toMatchObject({
      type: "refused",
      message: expect.stringContaining("waiting for your answer"),
    });
    answer(false);
    expect(await first).toMatchObject({
      type: "refused",
      message: "Nothing was changed. A new question begins with 💬: on a line of its own.",
    });
  });

  it("does not run a call when another tool has taken the name since it was approved", async () => {
    const tool = (server: string): Tool => ({
      name: "search",
      description: "",
      inputSchema: { type: "object" },
      server,
    });
    let listed = 0;
    const memory = openMemoryChat(question, [{ calls: [call] }], {
      tools: chatTools(async () => {
        listed += 1;
        return new Map([["search", tool(listed === 1 ? "shown" : "other")]]);
      }),
    });
    await respond(memory.chat, 0);
    listed = 0;
    const end = await approve(memory.chat, () => true);
    expect(end).toMatchObject({ type: "await-approval", open: [{ reason: "changed" }] });
    expect(memory.runs).toEqual([]);
    listed = 1;
    expect(await approve(memory.chat, () => true)).not.toMatchObject({ type: "await-approval" });
    expect(memory.runs).toHaveLength(1);
  });

  it("saves the file before a tool runs", async () => {
    const atStart: string[] = [];
    const memory = openMemoryChat(question, [{ calls: [call] }, { text: "Done." }], {
      runTool: async () => {
        atStart.push(memory.editor.saves.at(-1)?.join("\n") ?? "");
        return { status: "ok", text: "x", media: [] };
      },
    });
    await respond(memory.chat, 0);
    expect(await approve(memory.chat, () => true)).toEqual({ type: "done" });
    expect(atStart).toEqual([expect.stringMatching(/^❓:\[auto\] `/m)]);
    expect(memory.editor.saves.at(-1)).toEqual(memory.editor.lines);
    // A save moves the tick, and the edit after it knows.
    expect(memory.editor.refused).toBe(0);
  });

  it.each(["apply", "keepOutput"])(
    "keeps a result for the next turn when %s fails",
    async (what) => {
      let isRefused = false;
      const refuse = () => {
        throw new Error("It is locked.");
      };
      const memory = openMemoryChat(question, [{ calls: [call] }, { text: "Done." }], {
        runTool: async () => {
          isRefused = true;
          return { status: "ok", text: "paid for", media: [] };
        },
        keepOutput: async ({ text }) => {
          if (isRefused && what === "keepOutput") refuse();
          return { text, attachments: [], fullText: null, notices: [] };
        },
      });
      const apply = memory.editor.apply.bind(memory.editor);
      memory.editor.apply = async (...parameters) =>
        isRefused && what === "apply" ? refuse() : apply(...parameters);
      await respond(memory.chat, 0);
      expect(await approve(memory.chat, () => true)).toMatchObject({
        type: "failed",
        failure: { message: expect.stringMatching(/It is locked\. .* respond again/) },
      });
      expect(memory.editor.lines.join("\n")).not.toContain("🛠️:");
      isRefused = false;
      expect(await respond(memory.chat, 0)).toEqual({ type: "done" });
      expect(memory.editor.lines.join("\n")).toMatch(/🛠️: .*\n\n?.*paid for[\s\S]*Done\./);
    },
  );

  it.each(["failed", "conflict"] as const)(
    "writes the results of all calls that ran, even when a save ends with “%s”",
    async (end) => {
      let go = () => {};
      const saved = new Promise<void>((resolve) => {
        go = resolve;
      });
      const memory = openMemoryChat(question, [{ calls: [call, { ...call, id: "call_2" }] }], {
        async runTool({ id }) {
          if (id === "call_2") await saved;
          return { status: "ok", text: `found ${id}`, media: [] };
        },
      });
      const { chat, editor } = memory;
      const save = editor.save.bind(editor);
      editor.save = async (...parameters) => {
        if (!editor.lines.join("\n").includes("found call_1")) return save(...parameters);
        go();
        return end;
      };
      await respond(chat, 0);
      const { type } = (await approve(chat, () => true)) ?? {};
      expect(type).toBe(end === "failed" ? "unsaved" : "conflict");
      expect(editor.lines.join("\n")).toMatch(/found call_1[\s\S]*found call_2/);
      expect(editor.lines.join("\n")).not.toContain("parley:unfinished");
    },
  );

  it("refuses another respond at once while an allowed tool runs", async () => {
    const offered = chatTools(async () => new Map([[search.name, search]]));
    let second: unknown;
    const memory = openMemoryChat(question, [{ calls: [call] }, { text: "Done." }], {
      prepare: allowing,
      async runTool() {
        second = await respond(memory.chat, 0);
        return { status: "ok", text: "found", media: [] };
      },
      tools: offered,
    });
    expect(await respond(memory.chat, 0)).toEqual({ type: "done" });
    expect(second).toMatchObject({
      type: "refused",
      message: expect.stringContaining("under way"),
    });
  });

  it.each([true, false])(
    "asks before it replaces an answer that cannot be backed up (approved: %s)",
    async (isWanted) => {
      const asked: string[] = [];
      const memory = openMemoryChat("💬: a\n\n🤖:[x]\n\nold\n", [{ text: "new" }], {
        keepReplaced: async () => {
          throw new Error("EROFS: read-only file system.");
        },
        confirm: async (sentence) => {
          asked.push(sentence);
          return isWanted;
        },
      });
      const { type } = await respond(memory.chat, 0, { isAgreed: true });
      expect(asked).toEqual([
        expect.stringMatching(/cannot be kept .*read-only file system\), so/),
      ]);
      expect(type).toBe(isWanted ? "done" : "refused");
      expect(memory.editor.lines).toContain(isWanted ? "new" : "old");
    },
  );

  it("opens no next step below a result that the turn of another question writes", async () => {
    let isLocked = true;
    const script = [{ calls: [call] }, { calls: [{ ...call, id: "call_2" }] }, { text: "Done." }];
    const { chat, editor } = openMemoryChat("💬: one\n", script, {
      prepare: allowing,
      keepOutput: async ({ text }) => {
        if (isLocked) throw new Error("It is locked.");
        return { text, attachments: [], fullText: null, notices: [] };
      },
    });
    expect(await respond(chat, 0)).toMatchObject({ type: "failed" });
    isLocked = false;
    const below = editor.lines.length;
    await chat.edit("theirs", () => ({
      edits: [{ start: below, end: below, lines: ["", "💬: two"] }],
    }));
    expect(await respond(chat, below + 1)).toEqual({ type: "done" });
    const text = editor.lines.join("\n");
    expect(text).toMatch(/\[call_1\][\s\S]*💬: two[\s\S]*\[call_2\][\s\S]*Done\./);
    expect(text).not.toContain("parley:unfinished");
  });

  it("sends no further request when the user empties the answer while a tool runs", async () => {
    const memory = openMemoryChat(question, [{ calls: [call] }, { text: "Done." }], {
      async runTool() {
        await memory.chat.edit("theirs", ({ lines }) => {
          const start = lines.findIndex((line) => line.startsWith("❓:"));
          return { edits: [{ start, end: lines.length, lines: [] }] };
        });
        return { status: "ok", text: "found", media: [] };
      },
    });
    await respond(memory.chat, 0);
    expect(await approve(memory.chat, () => true)).toEqual({ type: "stopped" });
    expect(memory.requests).toHaveLength(1);
  });

  it("counts the usage of each answer separately, even when it continues after another", async () => {
    const waiting = `💬: a\n\n🤖:[x]\n\nb\n\n💬: c\n\n🤖:[x]\n\n${renderCallLine(call, null, [])}\n`;
    const { chat } = openMemoryChat(waiting, [], {
      async *stream() {
        yield { type: "usage", usage: { input: 10, output: 1 } };
        yield { type: "text-delta", text: "Done." };
        yield { type: "finish", reason: "stop", rawReason: "" };
      },
    });
    expect(await respond(chat, 0)).toEqual({ type: "done" });
    expect(await approve(chat, () => true)).toEqual({ type: "done" });
    expect(chat.usage).toMatchObject({ answer: { requests: 1 }, chat: { requests: 2 } });
  });

  it("stops running calls when a result could not be written and the chat is closed", async () => {
    let stop = () => {};
    const stopped = new Promise<void>((resolve) => {
      stop = resolve;
    });
    const memory = openMemoryChat(question, [{ calls: [call, { ...call, id: "call_2" }] }], {
      async runTool({ id }, { signal }) {
        signal.addEventListener("abort", stop);
        if (id === "call_2") await stopped;
        return { status: "ok", text: "found", media: [] };
      },
      keepOutput: async () => {
        throw new Error("It is locked.");
      },
    });
    await respond(memory.chat, 0);
    expect(await approve(memory.chat, () => true)).toMatchObject({ type: "failed" });
    memory.chat.close();
    await stopped;
  });
});
