/** A request is made while the editor writes, and leaves when its text is in the file and its answer has a place. */
import { expect, it } from "vitest";
import type { Editor } from "../../../src/conversation/editor.ts";
import { respond } from "../../../src/conversation/turn/actions.ts";
import { openMemoryChat } from "../memory-chat.ts";

/** A chat whose editor takes its time. */
function openSlowly(text = "💬: hello") {
  const memory = openMemoryChat(text, [{ text: "Hi." }]);
  const { chat, editor } = memory;
  const happened: string[] = [];
  const held = new Map<string, () => void>();
  const hold = (what: string) =>
    new Promise<void>((resolve) => {
      happened.push(`${what} asked`);
      held.set(what, resolve);
    });
  const { prepare, stream } = chat.ports;
  const { save, openTip } = editor;
  let saved: Awaited<ReturnType<Editor["save"]>> = "saved";
  let opened: "opened" | "gone" = "opened";
  editor.save = async () => {
    if (happened.includes("save asked")) return save.call(editor);
    await hold("save");
    return saved === "saved" ? save.call(editor) : (saved as "saved");
  };
  editor.openTip = async (...tip) => {
    await hold("open");
    return opened === "gone" ? ("gone" as never) : openTip.call(editor, ...tip);
  };
  Object.assign(chat.ports, {
    prepare: (...how: Parameters<typeof prepare>) => {
      happened.push("prepared");
      how[2].signal.addEventListener("abort", () => happened.push("prepared in vain"));
      return prepare(...how);
    },
    async *stream(...request: Parameters<typeof stream>) {
      happened.push("made");
      try {
        await request[1].ready;
        happened.push("left");
        yield* stream(...request);
      } finally {
        happened.push(request[1].signal.aborted ? "dropped" : "over");
      }
    },
  });
  return {
    ...memory,
    happened,
    /** Ends what the editor was asked for. */
    end(what: "save" | "open", how: typeof saved | typeof opened = "saved") {
      if (what === "save") saved = how as typeof saved;
      else opened = how as typeof opened;
      held.get(what)?.();
    },
    async until(what: string) {
      await expect.poll(() => happened, { timeout: 10_000, interval: 1 }).toContain(what);
    },
  };
}

it("is made while the file is written and the answer is opened, and leaves after both", async () => {
  const { chat, happened, end, until } = openSlowly();
  const ended = respond(chat, 0);
  await until("prepared");
  end("save");
  await until("made");
  expect(happened).toEqual(["save asked", "prepared", "open asked", "made"]);
  end("open");
  await ended;
  expect(happened.slice(4)).toEqual(["left", "over"]);
});

it("reads what a question names when the question is in the file", async () => {
  const { chat, happened, end, until } = openSlowly("💬: see @@./notes.txt@@");
  const ended = respond(chat, 0);
  await until("save asked");
  for (let round = 0; round < 20; round += 1) await new Promise(setImmediate);
  expect(happened).toEqual(["save asked"]);
  end("save");
  await until("made");
  end("open");
  await ended;
  expect(happened).toEqual(["save asked", "prepared", "open asked", "made", "left", "over"]);
});

it.each([
  ["conflict", { type: "conflict" }],
  ["reloaded", { type: "refused" }],
] as const)("of a text that is not the file's (%s) nothing leaves", async (how, expected) => {
  const { chat, happened, end, until, requests, editor } = openSlowly();
  const before = editor.lines;
  const ended = respond(chat, 0);
  await until("prepared");
  end("save", how);
  expect(await ended).toMatchObject(expected);
  expect(happened).toContain("prepared in vain");
  expect(happened).not.toContain("open asked");
  expect({ requests, lines: editor.lines }).toEqual({ requests: [], lines: before });
});

it("goes out from a chat whose file cannot be written, when a person asks", async () => {
  const { chat, happened, end, until, requests } = openSlowly();
  const ended = respond(chat, 0);
  await until("prepared");
  end("save", "failed");
  await until("made");
  end("open");
  await ended;
  expect(happened).toContain("left");
  expect(requests).toHaveLength(1);
});

it("does not leave when its answer has no place, and whoever made it is told", async () => {
  const { chat, end, until, requests } = openSlowly();
  const ended = respond(chat, 0);
  await until("prepared");
  end("save");
  await until("made");
  end("open", "gone");
  expect(await ended).toEqual({ type: "gone" });
  await until("dropped");
  expect(requests).toEqual([]);
});

it("does not leave when it was stopped before its answer had a place", async () => {
  const { chat, happened, end, until } = openSlowly();
  const ended = respond(chat, 0);
  await until("prepared");
  chat.stop();
  end("save");
  expect(await ended).toEqual({ type: "stopped" });
  expect(happened).not.toContain("left");
});

it.each([
  ["length", "Half", "The text so far is kept; respond again"],
  ["length", "", "No text came; respond again"],
  ["context", " \n", "No text came; lower max_full_exchanges"],
  ["content-filter", "", "No text came; change the question"],
] as const)(
  "an answer that ends with %s after “%s” says what is kept",
  async (reason, text, says) => {
    const { chat } = openMemoryChat("💬: hello", []);
    Object.assign(chat.ports, {
      async *stream() {
        if (text !== "") yield { type: "text-delta", text };
        yield { type: "finish", reason, rawReason: reason };
      },
    });
    const end = await respond(chat, 0);
    expect(end).toMatchObject({ type: "failed" });
    expect(JSON.stringify(end)).toContain(says);
  },
);
