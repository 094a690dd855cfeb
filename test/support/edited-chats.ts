/** Texts of chats as people leave them when they edit by hand. */
import { readdirSync, readFileSync } from "node:fs";
import fc from "./property.ts";

const folder = new URL("../oracle/fixtures/", import.meta.url);
const chats = readdirSync(folder)
  .filter((name) => name.endsWith(".md"))
  .map((name) => readFileSync(new URL(name, folder), "utf8").split("\n"));

/** What a user does to a text; places are taken modulo its length. */
type Change = (lines: readonly string[], from: number, count: number, to: number) => string[];

const odd = [
  "",
  "   ",
  "\t",
  "💬:",
  "💬: ",
  "🤖:",
  "🤖: x",
  "🧠: hm",
  "🛠️: [web_search][call_1]",
  "🛠️: [web_search][call_1] (error) ![image/png](pixel.png)",
  "`\u{d83d}`",
  "half \ud83d of one, \0, \u2028, \ufeff and \u200b",
  "\r",
  "```",
  "📝:",
  "\u200b",
];

const changes: readonly Change[] = [
  (lines, from, count) => [...lines.slice(0, from), ...lines.slice(from + count)],
  (lines, from, count, to) => [
    ...lines.slice(0, to),
    ...lines.slice(from, from + count),
    ...lines.slice(to),
  ],
  (lines, from, count) => [
    ...lines.slice(0, from),
    ...lines.slice(from, from + count).reverse(),
    ...lines.slice(from + count),
  ],
  (lines, from, count, to) => {
    const other = chats[to % chats.length] ?? [];
    return [...lines.slice(0, from), ...other.slice(0, count * 3), ...lines.slice(from)];
  },
  (lines, from, _, to) => [
    ...lines.slice(0, from),
    odd[to % odd.length] ?? "",
    ...lines.slice(from),
  ],
];

const change = fc.tuple(
  fc.constantFrom(...changes),
  fc.nat(60),
  fc.integer({ min: 1, max: 8 }),
  fc.nat(60),
);

/** A chat of the corpus with lines taken away, copied, moved, or pasted from another. */
export const edited = fc
  .tuple(fc.constantFrom(...chats), fc.array(change, { minLength: 1, maxLength: 6 }))
  .map(([lines, list]) =>
    list
      .reduce<readonly string[]>((text, [edit, from, count, to]) => {
        const length = Math.max(1, text.length);
        return edit(text, from % length, count, to % length);
      }, lines)
      .join("\n"),
  );
