/** What a turn waits for: the disk before a call runs, and the editor as rarely as possible. */
import { expect, it } from "vitest";
import { openCalls } from "../../../src/conversation/decide/next-step.ts";
import { toolIdentity } from "../../../src/conversation/decide/remembered.ts";
import { defaultKeys } from "../../../src/conversation/keys.ts";
import { pressCallKey, respond } from "../../../src/conversation/turn/actions.ts";
import { type MemoryChat, openMemoryChat, search } from "../memory-chat.ts";

const call = { id: "c1", name: "search", arguments: "{}" };

/** The key on the first call. */
async function approve({ chat, editor }: MemoryChat): Promise<void> {
  const line = editor.lines.findIndex((text) => text.startsWith("❓:"));
  const shown = [{ line, text: editor.lines[line] ?? "", tool: toolIdentity(search), effect: "" }];
  await pressCallKey(chat, { key: "ya", cursorLine: line, shown, reason: null, keys: defaultKeys });
}

it("makes one editor request before asking the model, three before a call runs, and two after its result", async () => {
  const asked: string[] = [];
  const memory = openMemoryChat("💬: look", [{ calls: [call] }, { text: "Done." }], {
    runTool: async () => {
      asked.push("RUN");
      return { status: "ok", text: "found", media: [] };
    },
  });
  const { chat, editor } = memory;
  const { stream } = chat.ports;
  Object.assign(chat.ports, {
    async *stream(...request: Parameters<typeof stream>) {
      await request[1].ready;
      asked.push("REQUEST");
      yield* stream(...request);
    },
  });
  const { save, apply, openTip } = editor;
  editor.save = (quick) => {
    asked.push("save");
    return save.call(editor, quick);
  };
  editor.apply = (...edit) => {
    asked.push("apply");
    return apply.call(editor, ...edit);
  };
  // What a tip writes goes by way of `apply` here, and is not counted.
  editor.openTip = async (...tip) => {
    const before = asked.length;
    const opened = await openTip.call(editor, ...tip);
    asked.splice(before, asked.length, "openTip");
    return opened;
  };
  await respond(chat, 0);
  expect(asked.slice(0, asked.indexOf("REQUEST"))).toEqual(["openTip"]);
  asked.length = 0;
  await approve(memory);
  const [ran, requested] = [asked.indexOf("RUN"), asked.indexOf("REQUEST")];
  expect(asked.slice(0, ran)).toEqual(["save", "apply", "save"]);
  expect(asked.slice(ran + 1, requested)).toEqual(["apply", "openTip"]);
});

it("writes a decision to disk before its call runs, and saves results and the end of the answer", async () => {
  const memory = openMemoryChat("💬: look", [{ calls: [call] }, { text: "Done." }]);
  const { chat, editor, runs, requests } = memory;
  const happened: string[] = [];
  const save = editor.save.bind(editor);
  editor.save = async (quick = false) => {
    const result = editor.lines.join("\n").includes("🛠️") ? "result" : "no result";
    const now = `${quick ? "quick" : "disk"}: ${runs.length} run, ${requests.length} asked, ${result}`;
    if (happened.at(-1) !== now) happened.push(now);
    return save();
  };
  await respond(chat, 0);
  await approve(memory);
  expect(happened).toEqual([
    "quick: 0 run, 0 asked, no result",
    "quick: 0 run, 1 asked, no result",
    "disk: 0 run, 1 asked, no result",
    "quick: 1 run, 1 asked, result",
    "quick: 1 run, 2 asked, result",
  ]);
});

it.each([
  ["failed", "undecided", "undecided"],
  ["conflict", "interrupted", "interrupted"],
  ["failed, then conflict", "undecided", "interrupted"],
] as const)(
  "shows a call whose approval was not saved as undecided, but as interrupted after a conflict: %s",
  async (ends, first, last) => {
    const memory = openMemoryChat("💬: look", [{ calls: [call] }, { text: "Done." }]);
    const { chat, editor, runs } = memory;
    const reasons = async () => {
      const { transcript } = await chat.read();
      const open = transcript.exchanges.flatMap((one) => openCalls(transcript, one, chat.session));
      return open.map(({ reason }) => reason);
    };
    await respond(chat, 0);
    const save = editor.save.bind(editor);
    const seen: unknown[] = [];
    for (const end of ends.split(", then ") as ("failed" | "conflict")[]) {
      // The text is looked at before the key, and is saved by it.
      let saves = 0;
      editor.save = async () => (saves++ === 0 ? save() : end);
      await approve(memory);
      seen.push(await reasons());
    }
    expect(seen.at(0)).toEqual([first]);
    expect(seen.at(-1)).toEqual([last]);
    editor.save = save;
    await approve(memory);
    expect(runs).toHaveLength(1);
    expect(await reasons()).toEqual([]);
  },
);

it.each([
  ["conflict", "conflict", { type: "conflict" }],
  ["conflict", "saved", { type: "stopped" }],
  ["failed", "saved", { type: "done" }],
] as const)(
  "tries a save that ended with %s again when the last call has ended: %s",
  async (first, then, end) => {
    let release = () => {};
    const slow = new Promise<void>((resolve) => {
      release = resolve;
    });
    const memory = openMemoryChat(
      "💬: look",
      [{ calls: [call, { ...call, id: "c2" }] }, { text: "Done." }],
      {
        runTool: async ({ id }) => {
          if (id === "c2") await slow;
          return { status: "ok", text: `found ${id}`, media: [] };
        },
      },
    );
    const { chat, editor, requests } = memory;
    await respond(chat, 0);
    const save = editor.save.bind(editor);
    const seen: boolean[] = [];
    editor.save = async (quick) => {
      const found = ["found c1", "found c2"].map((text) => editor.lines.join("\n").includes(text));
      if (!found[0]) return save(quick);
      seen.push(found[1] === true);
      if (found[1]) return then === "saved" ? save(quick) : then;
      setTimeout(release);
      return first;
    };
    const shown = editor.lines.flatMap((text, line) =>
      text.startsWith("❓:") ? [{ line, text, tool: toolIdentity(search), effect: "" }] : [],
    );
    const cursorLine = shown[0]?.line ?? 0;
    const pressed = { key: "ya", cursorLine, shown, reason: null, keys: defaultKeys } as const;
    expect(await pressCallKey(chat, pressed)).toEqual(end);
    expect(seen[0]).toBe(false);
    expect(editor.lines.join("\n")).toContain("found c2");
    expect(requests).toHaveLength(end.type === "done" ? 2 : 1);
  },
);
