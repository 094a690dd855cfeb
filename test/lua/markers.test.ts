/** The markers of a chat's lines: the Lua half reads those that the parser reads, and nothing else. */
import { expect, it, onTestFinished } from "vitest";
import { markerAt, markerText } from "../../src/transcript/markers.ts";
import { oneNeovim } from "../support/neovims.ts";
import { startEditor } from "./editor.ts";

it("are read as the parser reads them", async () => {
  const editor = await startEditor(oneNeovim[0]!);
  onTestFinished(() => editor.quit());
  const signs = Object.values(markerText).map((text) => text.replace(/\uFE0F?:$/u, ""));
  const lines = [...signs, "🎈", "", "a", "\u{FE0F}"].flatMap((sign) =>
    [":", "\u{FE0F}:", "\u{FE0F}", "\u{FE0F}\u{FE0F}:", " :", " words: more", `${sign}:`]
      .flatMap((end) => [`${sign}${end}`, `\\${sign}${end}`, ` ${sign}${end}`])
      .flatMap((line) => [line, `${line} [ya] text`]),
  );
  const expected = lines.map((line) => {
    const marker = markerAt(line);
    if (marker === null || marker.name === "comment") return [];
    return [marker.name, Buffer.byteLength(marker.text) + 1];
  });
  const found = await editor.lua(
    "return vim.tbl_map(function(line) return { require('parley.text.markers').read(line) } end, ...)",
    lines,
  );
  expect(found).toEqual(expected);
});
