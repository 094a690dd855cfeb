/** What the row of a settled call says of its arguments and its result. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { call, result } from "./call-lines.ts";
import { type Editor, neovims, startEditor } from "./editor.ts";

describe.each(neovims)("the row of a settled call on Neovim $version", (neovim) => {
  let editor: Editor;
  beforeAll(async () => {
    editor = await startEditor(neovim);
  });
  afterAll(() => editor.quit());

  async function row(lines: readonly string[]): Promise<string> {
    const chunks = await editor.lua<string[][]>(
      "return require('parley.screen.calls.call_row').chunks(..., 120)",
      lines,
    );
    return chunks.map(([text]) => text).join("");
  }

  it("shows a command by its words, edits by their size, and other lists by their length", async () => {
    const edit = (old_text: string, new_text: string) => ({ old_text, new_text });
    const rows: readonly (readonly [unknown, RegExp])[] = [
      [{ command: ["npm", "test", "--", "a b"], folder: "." }, /run npm test -- "a b" \. ·/],
      [{ command: ["echo", ..."x".repeat(200)] }, /run echo (?:x )+… · ok/],
      [{ command: ["echo", "one\ntwo", "y".repeat(9999)] }, /run echo "one…" y+… ·/],
      [{ id: 1700000000000123, share: 0.1 }, /run 1700000000000123 0\.1 ·/],
      [
        { ids: [1, 2], none: [], mixed: ["a", 1], table: { a: 1 } },
        /run \[2\] \[0\] \[2\] \{1\} ·/,
      ],
      [{ path: "a.ts", edits: [edit("a", "b\nc"), edit("d\ne", "")] }, /run a\.ts \+2 −3 ·/],
      [{ edits: [edit("a", "b"), 1] }, /run \[2\] ·/],
      [{ edits: [] }, /run \[0\] ·/],
    ];
    for (const [values, expected] of rows) {
      const lines = [call(1, "run", values), ...result(1, ["`ok`"])];
      expect(await row(lines)).toMatch(expected);
    }
  });

  it("shows the size of a change, without the lines around it, and as its result has it", async () => {
    const size = (old_text: string, new_text: string, body: readonly string[]) => {
      const decided = call(1, "edit_file", { path: "a.ts", old_text, new_text });
      return row([decided, ...(body.length === 0 ? [] : result(1, body))]);
    };
    expect(await size("a\nb\nc\n", "a\nb\nB\nc", [])).toMatch(/edit_file a\.ts \+1 −0 · approved/);
    expect(await size("", "a\n\n", [])).toMatch(/ \+2 −0 ·/);
    expect(await size("a\n", "", [])).toMatch(/ \+0 −1 ·/);
    // The text begins in the middle of a line.
    const [old, other] = ["return x;", "check(x);\n  return x;"];
    expect(await size(old, other, [])).toMatch(/ \+2 −1 ·/);
    const done = "a.ts was changed: +1 −0 lines.";
    expect(await size(old, other, ["```", done, "  line 1", "```"])).toMatch(/a\.ts \+1 −0$/);
    expect(await size(old, other, [`\`${done}\``])).toMatch(/a\.ts \+1 −0$/);
    expect(await size(old, other, ["`refused`"])).toMatch(/a\.ts \+2 −1 · refused$/);
    const made = call(1, "make_file", { path: "b.ts", text: "a\n" });
    const lines = [made, ...result(1, ["`b.ts was made: +1 −0 lines.`"])];
    expect(await row(lines)).toMatch(/make_file b\.ts \+1 −0$/);
    expect(await row([made])).toMatch(/make_file b\.ts "a…" · approved$/);
  });
});
