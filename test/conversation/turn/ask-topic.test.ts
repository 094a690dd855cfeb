import { once } from "node:events";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import type { ModelRequest, StreamPart } from "../../../src/conversation/ports.ts";
import { respond } from "../../../src/conversation/turn/actions.ts";
import type { ChatEvent, ChatPorts } from "../../../src/conversation/turn/chat.ts";
import { setHeaderValue } from "../../../src/transcript/edits/header-edits.ts";
import { openMemoryChat } from "../memory-chat.ts";

const price = { input: 10, output: 20 };
const asked = {
  name: { provider: "mock", id: "namer" },
  model: "mock/namer",
  facts: { contextWindow: 1000, price: () => price },
};
const text = "---\ntopic: ?\n---\n\n💬: does gold rust?\n\n🔒: a secret\n";

const answers = (answer: string, topic: readonly StreamPart[]): ChatPorts["stream"] =>
  async function* ({ model }) {
    if (model.id === "namer") yield* topic;
    else {
      yield { type: "text-delta", text: answer };
      yield { type: "usage", usage: { input: 100, output: 10 } };
      yield { type: "finish", reason: "stop", rawReason: "" };
    }
  };

const says = (words: string): readonly StreamPart[] => [
  { type: "text-delta", text: words },
  { type: "usage", usage: { input: 30, output: 4 } },
  { type: "finish", reason: "stop", rawReason: "" },
];

function chat(answer: string, topic: readonly StreamPart[], ports: Partial<ChatPorts> = {}) {
  const requests: ModelRequest[] = [];
  const events: ChatEvent[] = [];
  const spent: unknown[] = [];
  const stream = answers(answer, topic);
  const memory = openMemoryChat(text, [], {
    stream: (request, how) => {
      requests.push(request);
      return stream(request, how);
    },
    topicModel: async () => asked,
    spent: (one) => spent.push(one),
    report: (event) => events.push(event),
    ...ports,
  });
  const topicLine = () => memory.editor.lines[1];
  return { ...memory, requests, events, spent, topicLine };
}

describe("topic_model", () => {
  it("has one minute to answer, after which a warning is shown", async () => {
    const late = new AbortController();
    const timeout = vi.spyOn(AbortSignal, "timeout").mockReturnValue(late.signal);
    onTestFinished(() => timeout.mockRestore());
    const answer = answers("No.", []);
    const scene = chat("", [], {
      async *stream(request, how) {
        if (request.model.id !== "namer") return yield* answer(request, how);
        await once(how.signal, "abort");
        yield { type: "error", failure: { kind: "aborted", message: "Stopped." } };
      },
    });
    await respond(scene.chat, 4);
    expect(timeout).toHaveBeenCalledWith(60_000);
    late.abort();
    await scene.chat.naming;
    expect(scene.topicLine()).toBe("topic: does gold rust?");
    expect(scene.events).toContainEqual({
      type: "notice",
      level: "warn",
      message:
        "mock/namer gave this chat no topic, so it gets the beginning of the question: it sent none within 60 seconds",
    });
  });

  it("does not delay the end of the turn, and its usage is counted", async () => {
    let name = () => {};
    const named = new Promise<void>((resolve) => (name = resolve));
    const stream = answers("No.", says('"Gold and rust."'));
    const scene = chat("", [], {
      async *stream(request, how) {
        scene.requests.push(request);
        if (request.model.id === "namer") await named;
        yield* stream(request, how);
      },
    });
    expect(await respond(scene.chat, 4)).toEqual({ type: "done" });
    expect(scene.topicLine()).toBe("topic: ?");
    const before = scene.chat.usage;
    name();
    await scene.chat.naming;
    expect(scene.topicLine()).toBe("topic: Gold and rust");
    expect(scene.events.at(-1)).toEqual({ type: "topic" });
    expect(scene.chat.usage.answer).toEqual(before.answer);
    expect(scene.chat.usage.last).toEqual(before.last);
    expect(scene.chat.usage.chat).toMatchObject({ requests: 2, usage: { input: 130, output: 14 } });
    expect(scene.spent.at(-1)).toEqual({
      model: "mock/namer",
      usage: { input: 30, output: 4 },
      cost: (30 * 10 + 4 * 20) / 1_000_000,
      beside: true,
    });
  });

  it("gets only the text of the question and the answer", async () => {
    const scene = chat("🧠: hmm\n\nIt does not.", says("Rust"));
    await respond(scene.chat, 4);
    await scene.chat.naming;
    const sent = JSON.stringify(scene.requests.at(-1));
    expect(sent).toContain("does gold rust?");
    expect(sent).toContain("It does not.");
    expect(sent).not.toContain("secret");
    expect(sent).not.toContain("hmm");
    expect(scene.requests.at(-1)?.tools).toEqual([]);
  });

  it("is not asked when the answer has a summary", async () => {
    const scene = chat("No.\n\n📝: gold never rusts", says("other"));
    await respond(scene.chat, 4);
    await scene.chat.naming;
    expect(scene.requests).toHaveLength(1);
    expect(scene.topicLine()).toBe("topic: gold never rusts");
  });

  it("does not replace a topic that the user wrote in the meantime", async () => {
    const stream = answers("No.", says("Theirs"));
    const scene = chat("", [], {
      async *stream(request, how) {
        if (request.model.id === "namer") {
          await scene.chat.edit("mine", (now) => ({ edits: setHeaderValue(now, "topic", "mine") }));
        }
        yield* stream(request, how);
      },
    });
    await respond(scene.chat, 4);
    await scene.chat.naming;
    expect(scene.topicLine()).toBe("topic: mine");
    expect(scene.events).not.toContainEqual({ type: "topic" });
  });

  it("sets the topic even when header lines were added in the meantime", async () => {
    const stream = answers("No.", says("Rust"));
    const scene = chat("", [], {
      async *stream(request, how) {
        if (request.model.id === "namer") {
          const above = { start: 2, end: 2, lines: ["tags: metal", "agent: none"] };
          await scene.chat.edit("mine", () => ({ edits: [above] }));
        }
        yield* stream(request, how);
      },
    });
    await respond(scene.chat, 4);
    await scene.chat.naming;
    expect(scene.editor.lines.slice(1, 4)).toEqual(["topic: Rust", "tags: metal", "agent: none"]);
  });

  it.each<[string, readonly StreamPart[]]>([
    ["fails", [{ type: "error", failure: { kind: "auth", message: "No key." } }]],
    ["says nothing", says(" \n…")],
  ])("is replaced by the question's words, with a warning, when it %s", async (_, topic) => {
    const scene = chat("No.", topic);
    await respond(scene.chat, 4);
    await scene.chat.naming;
    expect(scene.topicLine()).toBe("topic: does gold rust?");
    const message = expect.stringMatching(/^mock\/namer gave this chat no topic/);
    expect(scene.events).toContainEqual({ type: "notice", level: "warn", message });
  });

  it("is not asked when that would exceed the budget", async () => {
    const limits = {
      max_cost: null,
      max_cost_per_day: null,
      max_input_tokens: 110,
      max_input_tokens_per_day: null,
      large_reference: 1000,
    };
    const scene = chat("No.", says("Rust"), {
      budget: { limits: () => limits, today: async () => ({ cost: 0, input: 0 }) },
    });
    await respond(scene.chat, 4);
    await scene.chat.naming;
    expect(scene.requests).toHaveLength(1);
    expect(scene.topicLine()).toBe("topic: does gold rust?");
  });

  it.each(["a: b # c", "# Gold\n\nmore", "---\ntools: all\n---", "a\u0000b\u2028c"])(
    "has its answer written as one plain line: %j",
    async (words) => {
      const scene = chat("No.", says(words));
      await respond(scene.chat, 4);
      await scene.chat.naming;
      expect(scene.editor.lines[2]).toBe("---");
      expect(scene.topicLine()).toMatch(/^topic: \S.*$/u);
      expect(scene.topicLine()).not.toMatch(/\p{Cc}/u);
    },
  );

  it("is stopped without a notice when the chat is closed", async () => {
    const stream = answers("No.", []);
    const scene = chat("", [], {
      async *stream(request, how) {
        if (request.model.id !== "namer") return yield* stream(request, how);
        await new Promise((ended) => how.signal.addEventListener("abort", ended));
        yield { type: "error", failure: { kind: "aborted", message: "Stopped." } };
      },
    });
    await respond(scene.chat, 4);
    scene.chat.close();
    await scene.chat.naming;
    expect(scene.events.filter(({ type }) => type === "notice")).toEqual([]);
  });
});
