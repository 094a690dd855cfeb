import { appendFile, mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createChatCosts } from "../../../src/app/usage/chat-costs.ts";
import {
  type LedgerEntry,
  lastSpent,
  readSpent,
  recordMoved,
  recordSpent,
  usageFolder,
} from "../../../src/app/usage/ledger.ts";
import { beginOf, usageReport } from "../../../src/app/usage/report.ts";

let state: string;
beforeEach(async () => {
  state = await mkdtemp(join(tmpdir(), "parley-usage-"));
});
afterEach(() => rm(state, { recursive: true, force: true }));

const at = (text: string) => new Date(text).getTime();
const spent = (over: Partial<LedgerEntry> = {}): LedgerEntry => ({
  ...{ at: at("2026-11-21T12:00"), chat: "/chats/a.md", model: "openai/gpt-5" },
  ...{ input: 1000, output: 10, cost: 0.5 },
  ...over,
});

describe("the record of usage", () => {
  it("returns all entries since a time, the oldest first", async () => {
    const first = spent({ at: at("2026-10-31T23:59") });
    const last = spent({ chat: null, cost: null });
    await Promise.all([recordSpent(state, last), recordSpent(state, first)]);
    expect(await readSpent(state, 0)).toEqual([first, last]);
    expect(await readSpent(state, last.at)).toEqual([last]);
    expect(await readdir(join(state, usageFolder))).toHaveLength(2);
  });

  it("is empty at first, and skips invalid lines", async () => {
    expect(await readSpent(state, 0)).toEqual([]);
    await recordSpent(state, spent());
    const [name = ""] = await readdir(join(state, usageFolder));
    await appendFile(join(state, usageFolder, name), 'half a li\n{"at":"x"}\n[]\n\n');
    await recordSpent(state, spent());
    expect(await readSpent(state, 0)).toHaveLength(2);
  });

  it("finds the last request of a chat, also after a rename", async () => {
    const last = async (chat: string) => (await lastSpent(state, chat))?.input ?? null;
    expect(await last("/chats/a.md")).toBeNull();
    await recordSpent(state, spent({ at: at("2026-08-01T12:00"), chat: "/old.md" }));
    await recordSpent(state, spent({ at: at("2026-10-01T12:00"), input: 1 }));
    await recordSpent(state, spent({ input: 2 }));
    await recordSpent(state, spent({ input: 3, chat: "/chats/b.md" }));
    await recordSpent(state, spent({ input: 4, beside: true }));
    expect(await last("/chats/a.md")).toBe(2);
    expect(await last("/chats/b.md")).toBe(3);
    expect(await last("/chats/")).toBeNull();
    await recordMoved(state, "/chats/a.md", '/chats/"quoted".md');
    expect(await last('/chats/"quoted".md')).toBe(2);
    // Only the last three months are searched; older requests say little about the chat.
    expect(await last("/old.md")).toBe(1000);
    await recordSpent(state, spent({ at: at("2026-12-01T12:00"), chat: null }));
    expect(await last("/old.md")).toBeNull();
  });

  it("assigns costs to the current name of a chat", async () => {
    const cost = async () => (await readSpent(state, 0)).map(({ chat }) => chat);
    await recordSpent(state, spent({ at: 1, chat: "/b.md" }));
    await recordMoved(state, "/b.md", "/trash/b.md");
    await recordSpent(state, spent({ at: Date.now(), chat: "/a.md" }));
    await recordMoved(state, "/a.md", "/b.md");
    await recordMoved(state, "/never.md", "/x.md");
    expect(await cost()).toEqual(["/trash/b.md", "/b.md"]);
    await recordMoved(state, "/b.md", "/c.md");
    // Another chat, with a name that was free again.
    await recordSpent(state, spent({ at: Date.now() + 1000, chat: "/a.md" }));
    expect(await cost()).toEqual(["/trash/b.md", "/c.md", "/a.md"]);
    const costs = createChatCosts(state);
    expect(costs.of("/c.md")).toBeNull();
    expect(await costs.refresh(["/c.md"])).toBe(true);
    expect([costs.of("/c.md"), costs.of("/a.md"), costs.of("/z.md")]).toEqual([0.5, 0.5, null]);
    expect(await costs.refresh(["/c.md"])).toBe(false);
  });

  it("keeps two years", async () => {
    for (let month = 0; month < 30; month += 1) {
      await recordSpent(state, spent({ at: new Date(2020, month, 15).getTime() }));
    }
    const names = (await readdir(join(state, usageFolder))).toSorted();
    expect(names).toHaveLength(24);
    expect(names[0]).toBe("2020-07.jsonl");
  });
});

describe("the usage report", () => {
  it("lists days, models and chats, the most expensive models and chats first", () => {
    const report = usageReport(
      [
        spent({ at: at("2026-11-20T10:00"), cost: 2, model: "anthropic/x", chat: "/c/b.md" }),
        spent(),
        spent({ cost: null, model: "local/y" }),
      ],
      "month",
    ).join("\n");
    expect(report).toContain(
      "$2.50  3.0k in, 30 out, 3 requests. The price of 1 of them is not known",
    );
    const order = (...words: string[]) =>
      expect(
        words
          .map((word) => report.indexOf(word))
          .every((place, i, all) => place > (all[i - 1] ?? -1)),
      ).toBe(true);
    order(
      "## Days",
      "2026-11-21",
      "2026-11-20",
      "## Models",
      "anthropic/x",
      "openai/gpt-5",
      "local/y",
      "## Chats",
      "b.md",
      "a.md",
    );
    expect(report).toMatch(/anthropic\/x\s+█{18} {2}\$2\.00/);
    expect(report).toMatch(/openai\/gpt-5\s+█{5} /);
    const long = [
      spent({ model: "vendor/a-very-long-name-of-a-model-that-nobody-can-say-20261122" }),
    ];
    const chat = `/chats/2026-11-21-${"金の値段は".repeat(9)}.md`;
    const rows = usageReport([...long, spent({ chat, input: 123_456, output: 98_765 })], "all");
    for (const row of rows) expect([...row].length).toBeLessThan(80);
    expect(rows.join("\n")).toContain("…");
    expect(report).toMatch(/local\/y .*price unknown/);
  });

  it("lists the 20 most expensive chats and counts the others", () => {
    const chats = Array.from({ length: 23 }, (_, cost) =>
      spent({ cost, chat: `/c/chat${cost}.md` }),
    );
    const report = usageReport(chats, "all").join("\n");
    expect(report).toContain("chat3.md");
    expect(report).not.toContain("chat2.md");
    expect(report).toMatch(/\n {4}and 3 more$/);
  });

  it("says that nothing was recorded", () => {
    expect(usageReport([], "today").join("\n")).toContain("No paid answers were recorded");
  });

  it("starts a period at the beginning of a day in local time", () => {
    const now = at("2026-11-21T15:30");
    expect(new Date(beginOf("today", now))).toEqual(new Date(2026, 10, 21));
    expect(new Date(beginOf("week", now)).getDate()).toBe(15);
    expect(beginOf("all", now)).toBe(0);
  });
});
