import { describe, expect, it } from "vitest";
import { holdBack, unescapeLine } from "../../src/transcript/markers.ts";
import { parseTranscript } from "../../src/transcript/parse.ts";
import { escapeText } from "../support/escape.ts";
import { callLine, resultLines } from "./outline.ts";

const size = 400_000;

function fill(part: string): string {
  return part.repeat(Math.ceil(size / part.length));
}

/** Texts that take too long, or overflow the stack, if parsing one part looks at everything after it. */
const texts: Readonly<Record<string, string>> = {
  "one line": fill("x"),
  "one line of backslashes": `${fill("\\")}💬:`,
  "one line of backticks": `🤖:\n❓: ${fill("`")}`,
  "runs of backticks of all lengths": `🤖:\n❓: ${fill("` `` ``` ")}`,
  questions: fill("💬:\n"),
  answers: fill("🤖:\n"),
  "every marker": fill("💬:\n🤖:\n🧠:\n📝:\n❓:\n🛠️:\n🔧:\n📎:\n🌿:\n"),
  "fences that open": `🤖:\n${fill("```a\n💬:\n")}`,
  "fences of decreasing length": Array.from({ length: 800 }, (_, i) => "`".repeat(803 - i)).join(
    "\n",
  ),
  "bodies of the Lua Parley not closed": `🤖:\n${fill("🔧: a id=1\n```json\n")}`,
  thoughts: `🤖:\n${fill("🧠: a\n\n")}`,
  "calls with one id": `🤖:\n${fill(`${callLine("1")}\n`)}${fill(`${resultLines("1")}\n`)}`,
  "broken calls": `🤖:\n${fill("❓: `{`\n")}`,
  "results with open fences": `🤖:\n${fill("🛠️: [a][b]\n\n```\n")}`,
  "step lines": `🤖:\n${fill("<!-- parley:step {} -->\n")}`,
  marks: `🤖:\n${fill("<!-- parley:unfinished open -->\n")}`,
  "text below a mark": `🤖:\n<!-- parley:unfinished open -->\n${fill("a\n🌿:\n")}`,
  "a header": `---\n${fill("a: b\n")}`,
  footnotes: `---\nfile: x\n---\n💬: x\n---\n${fill("[^a]: b\n")}`,
  "references in a line": `💬: ${fill("@@/a@@ ")}`,
  images: `💬: x\n${fill("![a](b)\n")}`,
  "links not closed": `💬: ${fill("[🌿:a](")}`,
  "a label not closed": `🤖:${fill("[")}`,
  attachments: `🤖:\n🛠️: [a][b] ${fill("![a/b](c)")}`,
  "a JSON object of many keys": `🤖:\n❓: \`{${Array.from({ length: 30_000 }, (_, i) => `"k${i}":1`).join(",")}}\``,
  "deep JSON": `🤖:\n❓: \`${"[".repeat(size)}${"]".repeat(size)}\``,
  "carriage returns": fill("💬: a\r\n🤖: b\r\n"),
};

describe("a large text", () => {
  it.each(Object.entries(texts))("with %s is parsed and keeps all its lines", (_, text) => {
    const { lines, exchanges, problems } = parseTranscript(text);
    expect(lines.length).toBe(text.replace(/\n$/, "").split("\n").length);
    expect(exchanges.length + problems.length).toBeGreaterThan(0);
  });

  it.each(["\\", "💬:", "💬:\n", "`", "\r"])("that repeats %j is escaped and read back", (part) => {
    const text = fill(part);
    const lines = escapeText(text).split("\n").map(unescapeLine);
    expect(lines.join("\n") === text.replace(/\r/g, "\n")).toBe(true);
    expect(holdBack(text, true)).toBeLessThanOrEqual(text.length);
  });
});
