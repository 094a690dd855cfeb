import fc from "../support/property.ts";
import { callLine, question, resultLines } from "./chats.ts";

const marks = ["", "ya", "yA", "yo", "yO", "yn", "yN", "auto", "zz"];
const piece = fc.oneof(
  fc
    .tuple(fc.constantFrom("a", "b"), fc.constantFrom(...marks))
    .map(([id, mark]) => callLine(id, mark)),
  fc.constantFrom("a", "b").map((id) => resultLines(id)),
  fc.constantFrom(
    "Text.",
    "",
    "🧠: hm",
    question,
    "🤖:",
    "<!-- parley:unfinished open -->",
    '❓:[ya] `{"id":`',
    "<!-- parley:step {} -->",
  ),
);
/** Calls in every state, results, marks, further exchanges, in any order. */
export const anyChat = fc
  .array(piece, { minLength: 1, maxLength: 12 })
  .map((pieces) => `${question}\n🤖:[Model]\n\n${pieces.join("\n")}\n`);
