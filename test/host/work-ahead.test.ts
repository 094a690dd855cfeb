/** When work is done ahead of a request, and how long it is needed. */
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { createWorkAhead } from "../../src/host/chat/work-ahead.ts";
import { parseTranscript } from "../../src/transcript/parse.ts";
import { defaults } from "../support/configuration.ts";

const model = { provider: "openai", id: "gpt-5" };

function open(configured: Partial<typeof defaults> = {}) {
  const transcript = parseTranscript("💬: one\n\n🤖:\n\nfirst\n\n💬: two\n");
  const done: string[] = [];
  const chat = { active: null as object | null, acting: null as AbortSignal | null };
  const models = {
    openAhead: (_: unknown, which: string) => done.push(`connect ${which}`),
    write: ({ messages }: { messages: readonly unknown[] }) =>
      done.push(`write ${messages.length}`),
  };
  const app = { now: { configuration: { ...defaults, ...configured }, models } };
  const host = { app, isUsed: () => done.push("used") };
  const ahead = createWorkAhead(
    host as unknown as Parameters<typeof createWorkAhead>[0],
    chat as unknown as Parameters<typeof createWorkAhead>[1],
  );
  const consider = () => ahead.consider(transcript, model);
  const type = () => {
    ahead.changed();
    consider();
  };
  return { ahead, chat, done, type, consider };
}

describe("work ahead", () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ["performance"] });
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  it("is done when something was typed, and not again before that happens again", () => {
    const { done, type, consider } = open();
    consider();
    expect(done).toEqual([]);
    type();
    expect(done).toEqual(["connect asked", "used", "write 2"]);
    consider();
    expect(done).toHaveLength(3);
  });

  it("opens connections as configured", () => {
    const { done, type } = open({ connect_ahead: "always" });
    type();
    expect(done).toContain("connect any");
    const without = open({ connect_ahead: false });
    without.type();
    expect(without.done).toEqual(["used", "write 2"]);
  });

  it("is not done for what an answer or an action changes", () => {
    const { chat, done, type } = open();
    chat.active = {};
    type();
    chat.active = null;
    chat.acting = new AbortController().signal;
    type();
    expect(done).toEqual([]);
  });

  it("is a connection after an answer, whose calls may wait for a key", () => {
    const { chat, done, type, consider } = open();
    chat.active = {};
    type();
    chat.active = null;
    consider();
    expect(done).toEqual(["connect asked"]);
  });

  it("is needed for a minute after the last key, and not after the question was asked", () => {
    const { ahead, type } = open();
    expect(ahead.isWriting()).toBe(false);
    type();
    vi.advanceTimersByTime(59_000);
    expect(ahead.isWriting()).toBe(true);
    vi.advanceTimersByTime(2_000);
    expect(ahead.isWriting()).toBe(false);
    type();
    ahead.used();
    expect(ahead.isWriting()).toBe(false);
  });
});
