/** Lua escapes and unescapes lines as the host does: a yanked block has the model's text, a question the user's. */
import { afterEach, describe, expect, it } from "vitest";
import { escapeLine, unescapeLine } from "../../src/transcript/markers.ts";
import { oneNeovim } from "../support/neovims.ts";
import * as arbitrary from "../transcript/arbitraries.ts";
import { type Editor, startEditor } from "./editor.ts";

/** All characters that nobody sees, and those beside them. */
function unseen(): readonly string[] {
  const found = new Set<number>();
  for (let code = 1; code < 0x110000; code += 1) {
    const isHalf = code >= 0xd800 && code <= 0xdfff;
    if (isHalf || !/\p{Default_Ignorable_Code_Point}/u.test(String.fromCodePoint(code))) continue;
    for (const near of [code - 1, code, code + 1]) found.add(near);
  }
  return [...found].map((code) => String.fromCodePoint(code));
}

describe.each(oneNeovim)("the escape on Neovim $version", (neovim) => {
  let editor: Editor;

  afterEach(() => editor.quit());

  it("is that of the host", async () => {
    editor = await startEditor(neovim);
    const markers = arbitrary.markerSpellings.map((text) => text.replace(/\uFE0F?:$/u, ""));
    const plain = [
      ...unseen().flatMap((character) => [`${character}x`, `💬${character}: x`]),
      ...markers.flatMap((text) =>
        ["", ":", "\uFE0F:", "\uFE0F\uFE0F:", "\u200B", "a", " :"].map((end) => text + end),
      ),
      ...["", "\\", "a", "🤔:", "💬", "<!-- parley:x -->", "<!-- Parley:x", " 💬:"],
    ];
    const lines = plain.flatMap((line) => [line, `\\${line}`, `\\\\${line}`]);
    const [escaped, unescaped] = await editor.lua<string[][]>(
      `local escape, lines = require("parley.text.escape"), ...
      return { vim.tbl_map(escape.escaped, lines), vim.tbl_map(escape.plain, lines) }`,
      lines,
    );
    expect(escaped).toEqual(lines.map(escapeLine));
    expect(unescaped).toEqual(lines.map(unescapeLine));
  });
});
