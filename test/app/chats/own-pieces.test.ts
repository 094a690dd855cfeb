/** What counts as the user's own in a text after it was edited, whatever was whose before. */
import { describe, expect, it } from "vitest";
import { lineEdits, movedEdits } from "../../../src/app/chats/moved-text.ts";
import { keptPieces } from "../../../src/app/chats/own-pieces.ts";
import { linkInFilesFolder } from "../../../src/app/references/files-link.ts";
import {
  headerPiece,
  piecesOf,
  referencePiece,
} from "../../../src/conversation/decide/openings.ts";
import { applyEdits } from "../../../src/transcript/edits/layout.ts";
import { parseLines } from "../../../src/transcript/parse.ts";
import type { Transcript } from "../../../src/transcript/transcript.ts";
import fc from "../../support/property.ts";

const [from, to] = ["/chats/old.md", "/chats/new one.md"];
const image = (chat: string, name: string) => `![](${linkInFilesFolder(chat, name)})`;

/** The pieces of the text, each with its line. */
const placesOf = ({ header, exchanges }: Transcript) => [
  ...header.entries.map((entry) => ({ line: entry.line, piece: headerPiece(entry) })),
  ...exchanges.flatMap(({ question }) =>
    question.references.map((one) => ({ line: one.line, piece: referencePiece(one) })),
  ),
];

describe("the parts of a moved chat", () => {
  const note = "@@./notes@@";
  const lines = ["💬: see", image(from, "mine.png"), image(from, "theirs.png"), note];
  const before = parseLines(lines);
  const edits = movedEdits(lines, from, to);
  const [mine = "", theirs = "", notes = ""] = placesOf(before).map(({ piece }) => piece);
  const after = parseLines(["💬: see", image(to, "mine.png"), image(to, "theirs.png"), note]);

  it("are whose they were before their links were renewed", () => {
    const kept = keptPieces(new Set([mine, notes]), before, edits);
    const [mineNow = "", theirsNow = ""] = placesOf(after).map(({ piece }) => piece);
    expect(kept).toEqual([mineNow, notes]);
    expect(kept).not.toContain(theirs);
    expect(kept).not.toContain(theirsNow);
    expect(keptPieces("all", before, edits)).toEqual([...piecesOf(after)]);
    expect(keptPieces(new Set(), before, edits)).toEqual([]);
  });

  it("stay foreign where one's own is renewed to the same", () => {
    const same = parseLines(["💬: see", image(from, "a.png"), image(to, "a.png")]);
    const [own = ""] = placesOf(same).map(({ piece }) => piece);
    const moved = movedEdits(same.lines, from, to);
    expect(keptPieces(new Set([own]), same, moved)).toEqual([]);
  });

  it("stay foreign on every line of a header's value", () => {
    const folded = ["---", "rules_files:", `  - "${image(from, "x")}"`, "---", "", "💬: q"];
    const now = movedEdits(folded, from, to);
    expect(now).toHaveLength(1);
    expect(keptPieces(new Set(), parseLines(folded), now)).toEqual([]);
  });
});

describe("any edit of any text", () => {
  const word = fc.constantFrom("a", "b", "c");
  const line = fc.oneof(
    word.map((name) => `![](${name}.png)`),
    fc.tuple(word, word).map(([a, b]) => `@@./${a}@@ and @@./${b}@@`),
    fc.constantFrom("💬: q", "🤖:", "text", "```", "", "---"),
    word.map((name) => `rules: ${name}`),
  );
  const text = fc.tuple(fc.boolean(), fc.array(line, { maxLength: 20 })).map(([has, lines]) => {
    const header = ["---", "rules: a", "tools: b", "---", ""];
    return [...(has ? header : []), "💬: q", ...lines];
  });
  const letters = "def";

  it("leaves to each line who wrote it", () => {
    fc.assert(
      fc.property(text, fc.func(fc.boolean()), (lines, isMine) => {
        const before = parseLines(lines);
        const own = new Set([...piecesOf(before)].filter((piece) => isMine(piece)));
        const edits = lineEdits(lines, (one) =>
          one.replace(/[abc](?=\.png|@@|$)/g, (letter) => letters.charAt("abc".indexOf(letter))),
        );
        const kept = keptPieces(own, before, edits);
        const foreign = placesOf(before).filter(({ piece }) => !own.has(piece));
        const after = placesOf(parseLines(applyEdits(lines, edits)));
        const mine = after.filter(({ line: at }) => foreign.every((one) => one.line !== at));
        expect(new Set(kept.filter((piece) => after.some((one) => one.piece === piece)))).toEqual(
          new Set(mine.map(({ piece }) => piece)),
        );
      }),
    );
  });
});
