/** A request is prepared, encoded while the editor saves and opens its answer, and sent after both. */
import { expect, it } from "vitest";
import type { SaveEnd } from "../../../src/conversation/editor.ts";
import { approve, respond } from "../../../src/conversation/turn/actions.ts";
import { openMemoryChat } from "../memory-chat.ts";

/** A chat with a slow editor, and with `isSlow` a slow request. */
function openSlowly({ text = "💬: hello", isSlow = false } = {}) {
  const memory = openMemoryChat(text, [{ text: "Hi." }]);
  const { chat, editor } = memory;
  const happened: string[] = [];
  const held = new Map<string, () => void>();
  const hold = (what: string) =>
    new Promise<void>((resolve) => {
      happened.push(what);
      held.set(what, resolve);
    });
  const { prepare, stream } = chat.ports;
  const { save, openTip } = editor;
  let found: SaveEnd = "saved";
  let isGone = false;
  let isOver = false;
  let wait = (_: string) => {};
  editor.save = async () => {
    if (isOver) return save.call(editor);
    happened.push("saved");
    return found === "saved" ? save.call(editor) : found;
  };
  editor.openTip = async (...tip) => {
    await hold(tip[3] ? "save and open" : "open");
    return isGone ? "gone" : openTip.call(editor, ...tip);
  };
  Object.assign(chat.ports, {
    prepare: async (...how: Parameters<typeof prepare>) => {
      wait = (text) => how[2].waiting?.(text);
      how[2].signal.addEventListener("abort", () => happened.push("prepared in vain"));
      if (isSlow) await hold("prepared");
      else happened.push("prepared");
      return prepare(...how);
    },
    async *stream(...request: Parameters<typeof stream>) {
      happened.push("made");
      try {
        await request[1].ready;
        happened.push("left");
        yield* stream(...request);
      } finally {
        isOver = true;
        happened.push(request[1].signal.aborted ? "dropped" : "over");
      }
    },
  });
  return {
    ...memory,
    happened,
    /** Sets how saves end. */
    find(end: SaveEnd) {
      found = end;
    },
    loseThePlace() {
      isGone = true;
    },
    /** What prepares the request reports what it waits for. */
    wait: (text: string) => wait(text),
    /** Continues what is held. */
    end(what: "prepared" | "save and open" | "open") {
      held.get(what)?.();
    },
    async until(what: string) {
      await expect.poll(() => happened, { timeout: 10_000, interval: 1 }).toContain(what);
    },
  };
}

it("encodes the request while the editor saves and opens the answer, and sends it after both", async () => {
  const { chat, happened, end, until } = openSlowly();
  const ended = respond(chat, 0);
  await until("made");
  expect(happened).toEqual(["prepared", "save and open", "made"]);
  end("save and open");
  await ended;
  expect(happened.slice(3)).toEqual(["saved", "left", "over"]);
});

it("saves the text at once when the request takes long to prepare, and again when it is ready", async () => {
  const { chat, happened, end, until } = openSlowly({ isSlow: true });
  const ended = respond(chat, 0);
  await until("saved");
  end("prepared");
  await until("made");
  end("save and open");
  await ended;
  expect(happened).toEqual(["prepared", "saved", "save and open", "made", "saved", "left", "over"]);
});

it("reads the references of a question after the question is saved", async () => {
  const { chat, happened, end, until } = openSlowly({ text: "💬: see @@./notes.txt@@" });
  const ended = respond(chat, 0);
  await until("made");
  end("save and open");
  await ended;
  expect(happened.slice(0, 3)).toEqual(["saved", "prepared", "save and open"]);
});

const notTheFiles = [
  ["conflict", { type: "conflict" }],
  ["reloaded", { type: "refused" }],
] as const;

it.each(notTheFiles)(
  "sends nothing when the text does not match the file (%s)",
  async (how, expected) => {
    const { chat, happened, end, until, find, requests, editor } = openSlowly();
    const before = editor.lines;
    find(how);
    const ended = respond(chat, 0);
    await until("made");
    end("save and open");
    expect(await ended).toMatchObject(expected);
    await until("dropped");
    expect(happened).toEqual(["prepared", "save and open", "made", "saved", "dropped"]);
    expect({ requests, lines: editor.lines }).toEqual({ requests: [], lines: before });
  },
);

it.each(notTheFiles)(
  "cancels a request in preparation when the text does not match the file (%s)",
  async (how, expected) => {
    const { chat, happened, end, find } = openSlowly({ isSlow: true });
    find(how);
    expect(await respond(chat, 0)).toMatchObject(expected);
    end("prepared");
    expect(happened.slice(0, 3)).toEqual(["prepared", "saved", "prepared in vain"]);
    expect(happened).not.toContain("save and open");
  },
);

it("does not ask about the cost of a request that cannot be sent", async () => {
  const { chat, find, happened } = openSlowly();
  const limits = {
    max_cost: null,
    max_cost_per_day: null,
    max_input_tokens: 1,
    max_input_tokens_per_day: null,
    large_reference: Number.POSITIVE_INFINITY,
  };
  Object.assign(chat.ports, {
    budget: { limits: () => limits, today: async () => ({ cost: 0, input: 0 }) },
    confirm: async (question: string) => {
      happened.push(question);
      return false;
    },
  });
  find("conflict");
  expect(await respond(chat, 0)).toEqual({ type: "conflict" });
  expect(happened).toEqual(["prepared", "saved"]);
});

it("sends the user's request even when the file cannot be saved", async () => {
  const { chat, happened, end, until, find, requests } = openSlowly();
  find("failed");
  const ended = respond(chat, 0);
  await until("made");
  end("save and open");
  await until("open");
  end("open");
  await ended;
  expect(happened).toEqual(["prepared", "save and open", "made", "saved", "open", "left", "over"]);
  expect(requests).toHaveLength(1);
});

it("does not send a request whose answer has no place, and cancels it", async () => {
  const { chat, end, until, loseThePlace, requests } = openSlowly();
  loseThePlace();
  const ended = respond(chat, 0);
  await until("made");
  end("save and open");
  expect(await ended).toEqual({ type: "gone" });
  await until("dropped");
  expect(requests).toEqual([]);
});

it("does not send a request that was stopped while it was prepared", async () => {
  const { chat, happened, until, wait } = openSlowly({ isSlow: true });
  const ended = respond(chat, 0);
  await until("prepared");
  wait("starting github, 1 s");
  expect(chat.phase).toEqual({ type: "preparing", text: "starting github, 1 s" });
  chat.stop();
  expect(await ended).toEqual({ type: "stopped" });
  expect(happened).not.toContain("left");
  // The server goes on starting.
  wait("starting github, 2 s");
  expect(chat.phase).toEqual({ type: "idle" });
});

it.each([
  ["length", "Half", "The text so far is kept; respond again"],
  ["length", "", "No text arrived; respond again"],
  ["context", " \n", "No text arrived; lower max_full_exchanges"],
  ["content-filter", "", "No text arrived; change the question"],
] as const)(
  "reports for an answer that ends with %s after “%s” what is kept and what to do",
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

it("reports a failure after the answer each time, and a repeated notice only once", async () => {
  const told: string[] = [];
  const { chat, editor } = openMemoryChat("💬: a\n", [], {
    async *stream() {
      yield { type: "notice", message: "no effort" };
      yield { type: "text-delta", text: "Done." };
      yield { type: "notice", message: "boom", isFailure: true };
      yield { type: "finish", reason: "stop", rawReason: "" };
    },
    report: (event) => void (event.type === "notice" && told.push(event.message)),
  });
  await respond(chat, 0);
  const below = editor.lines.length;
  await chat.edit("theirs", () => ({ edits: [{ start: below, end: below, lines: ["💬: b"] }] }));
  expect(await respond(chat, below)).toEqual({ type: "done" });
  expect(told).toEqual(["no effort", "boom", "boom"]);
});

it("sends no request and changes no text when it is stopped just after the next step was opened", async () => {
  const call = { id: "call_1", name: "search", arguments: "{}" };
  const { chat, editor, requests } = openMemoryChat("💬: a\n", [{ calls: [call] }]);
  let opened: readonly string[] = [];
  editor.onSplice(() => {
    const isOpened = /🛠️:[\s\S]*parley:unfinished/.test(editor.lines.join("\n"));
    if (opened.length > 0 || !isOpened) return;
    opened = editor.lines;
    chat.stop();
  });
  await respond(chat, 0);
  expect(await approve(chat, () => true)).toEqual({ type: "stopped" });
  expect(requests).toHaveLength(1);
  expect(editor.lines).toEqual(opened);
});
