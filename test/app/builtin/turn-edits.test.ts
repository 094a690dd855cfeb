/** Edits of a turn are taken back to the very text before them, or not at all. */
import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createPathAccess } from "../../../src/app/builtin/path-access.ts";
import {
  changedPlaces,
  editOf,
  planUndo,
  type SettledEdit,
  settledEdits,
} from "../../../src/app/builtin/turn-edits.ts";
import { fileWorkspace } from "../../../src/app/files/file-workspace.ts";
import { parseTranscript } from "../../../src/transcript/parse.ts";
import fc from "../../support/property.ts";
import { open } from "../builtin-scene.ts";

async function scene() {
  const { folder, run, text } = await open();
  const access = createPathAccess({
    workingFolder: () => folder,
    ownFolders: [join(folder, "own")],
    confirm: async () => false,
  });
  const around = { workspace: fileWorkspace, access };
  return {
    ...{ folder, run, text, around },
    write: (path: string, content: string) => writeFile(join(folder, path), content),
    /** Does a call, and gives it as the chat would have it. */
    async edit(tool: string, args: object): Promise<SettledEdit> {
      const result = await run(tool, args);
      expect(result).toMatchObject({ status: "ok" });
      const edit = editOf(tool, args, result.text);
      if (edit === null) throw new TypeError("no edit");
      return edit;
    },
  };
}

const notes = { path: "notes.txt" };

describe("edits that are taken back", () => {
  it.each<[string, string, readonly (readonly [string, object])[]]>([
    ["one place", "one\ntwo\n", [["edit_file", { old_text: "two", new_text: "2" }]]],
    ["what was taken out", "a\nb\na\n", [["edit_file", { old_text: "b\n", new_text: "" }]]],
    [
      "all places, beside one that read like it",
      "x = 1\ny = 2\nx = 1\n",
      [["edit_file", { old_text: "1", new_text: "2", replace_all: true }]],
    ],
    [
      "several edits after each other",
      "one\ntwo\nthree\n",
      [
        ["edit_file", { old_text: "one", new_text: "two" }],
        ["edit_places", { edits: [{ old_text: "three", new_text: "3\n4" }] }],
        ["edit_file", { old_text: "3\n", new_text: "" }],
      ],
    ],
    [
      "a file without an end of line",
      "one\ntwo",
      [["edit_file", { old_text: "e\nt", new_text: "et" }]],
    ],
    [
      "an empty file that was filled",
      "",
      [
        ["make_file", { text: "a\nb\n" }],
        ["edit_file", { old_text: "b", new_text: "c" }],
      ],
    ],
  ])("%s", async (_, content, calls) => {
    const { edit, write, run, around } = await scene();
    await write("notes.txt", content);
    await run("read_file", notes);
    const edits: SettledEdit[] = [];
    for (const [tool, args] of calls) edits.push(await edit(tool, { ...notes, ...args }));
    const plan = await planUndo(edits, around);
    expect(plan).toMatchObject({ count: calls.length, left: [] });
    expect(plan.changes.map(({ after }) => after)).toEqual([content]);
  });

  it("never make of a file what it was not", async () => {
    const { write, run, around } = await scene();
    const piece = fc.constantFrom("a", "b", "aa", "ab\n", "\n", "b\nb", "", "  line 2\n");
    const change = fc.record({
      // Nothing to replace: it fills the file where that is empty.
      old_text: piece,
      new_text: piece,
      replace_all: fc.boolean(),
    });
    const content = fc.array(piece, { maxLength: 12 }).map((all) => all.join(""));
    let restored = 0;
    await fc.assert(
      fc.asyncProperty(content, fc.array(change, { maxLength: 3 }), async (before, changes) => {
        await write("notes.txt", before);
        await run("read_file", notes);
        const edits: SettledEdit[] = [];
        for (const args of changes) {
          const result = await run("edit_file", { ...notes, ...args });
          const edit = editOf("edit_file", { ...notes, ...args }, result.text);
          if (result.status === "ok" && edit !== null) edits.push(edit);
        }
        const { changes: planned } = await planUndo(edits, around);
        for (const { after } of planned) expect(after).toBe(before);
        restored += planned.length;
      }),
      { numRuns: 60 },
    );
    expect(restored).toBeGreaterThan(5);
  });

  it("are left, with a reason, where the file is another by now", async () => {
    const { edit, write, run, text, around, folder } = await scene();
    await run("read_file", notes);
    const changed = await edit("edit_file", { ...notes, old_text: "two", new_text: "2" });
    const made = await edit("make_file", { path: "new.txt", text: "new\n" });
    const left = async (edits = [changed]) => (await planUndo(edits, around)).left.join();
    await write("notes.txt", "zero\none\n2\nthree\n");
    // Elsewhere in the file: that change stays.
    const [kept] = (await planUndo([changed], around)).changes;
    expect(kept?.after).toBe("zero\none\ntwo\nthree\n");
    await write("notes.txt", "one\nzwei\nthree\n");
    expect(await left()).toContain("notes.txt has changed since and was left alone");
    expect(await left([made])).toContain("new.txt was created in this turn and was left alone");
    expect(await left([{ ...changed, path: "own/x" }])).toContain("no tool may change them");
    expect(await left([{ ...changed, path: "../secret.txt" }])).toContain("did not allow it");
    const unsaved = { source: "buffer", isUnsaved: true, text: "one\n2\n" } as const;
    const workspace = { ...fileWorkspace, read: async () => unsaved };
    const plan = await planUndo([changed], { ...around, workspace });
    expect(plan.left.join()).toContain("unsaved changes");
    await rm(join(folder, "notes.txt"));
    expect(await left()).toContain("no longer exists");
    expect(await text("new.txt")).toBe("new\n");
  });

  it("are left where a chat claims one that no text could have held", async () => {
    const { write, around } = await scene();
    const page = "x".repeat(200_000);
    await write("notes.txt", `${"e".repeat(200_000)}${page}`);
    const claimed = { old_text: "e", new_text: page, replace_all: true };
    const edit = { ...notes, tool: "edit_file", replacements: [claimed], result: "" };
    const { changes, left } = await planUndo([edit], around);
    expect(changes).toEqual([]);
    expect(left.join()).toContain("notes.txt has changed since and was left alone");
  });

  it("are those calls of the turn that were done, with their places", async () => {
    const { around, write } = await scene();
    await write("notes.txt", "zero\none\n2\nthree\n");
    const call = (id: string, name: string, args: object, result: string) => [
      `❓:[ya] \`${JSON.stringify({ id, type: "function", function: { name, arguments: JSON.stringify(args) } })}\``,
      "",
      ...[`🛠️: [${name}][${id}] ${result}`.trim(), "", "`notes.txt was changed: +1 −1 lines.`", ""],
    ];
    const edit = { ...notes, old_text: "two", new_text: "2" };
    const text = [
      ...["💬: change it", "", "🤖:[x]", ""],
      ...call("1", "edit_file", edit, ""),
      ...call("2", "edit_file", { ...edit, path: "failed.txt" }, "(error)"),
      ...call("3", "read_file", notes, ""),
      ...call("4", "edit_file", { text: "no such arguments" }, ""),
    ].join("\n");
    const [exchange] = parseTranscript(text).exchanges;
    if (exchange === undefined) throw new TypeError("no exchange");
    const edits = settledEdits(exchange);
    expect(edits.map(({ path }) => path)).toEqual(["notes.txt"]);
    expect(await changedPlaces(edits, around)).toEqual([
      { path: await around.access.find("notes.txt"), line: 2, text: "edit_file +1 −1" },
    ]);
  });
});
