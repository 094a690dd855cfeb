import { describe, expect, it } from "vitest";
import { insertQuestion } from "../../../src/transcript/edits/header-edits.ts";
import { applyEdits } from "../../../src/transcript/edits/layout.ts";
import { parseTranscript } from "../../../src/transcript/parse.ts";
import fc from "../../support/property.ts";

function inserted(text: string, foreign: string, index = -1) {
  const transcript = parseTranscript(text);
  const edit = insertQuestion(transcript, transcript.exchanges.at(index) ?? null, foreign);
  return applyEdits(transcript.lines, [edit]).join("\n");
}

describe("text inserted into a question", () => {
  it("goes into an empty question, below existing text, or into a new question", () => {
    expect(inserted("💬: \n", "a\n🤖: b")).toBe("💬: a\n\\🤖: b");
    expect(inserted("💬: mine\n\n", "💬: a")).toBe("💬: mine\n\n\\💬: a\n");
    expect(inserted("💬: mine\n🔒: secret\n", "a")).toBe("💬: mine\n\na\n\n🔒: secret");
    expect(inserted("💬: x\n\n🤖: y\n", "a")).toBe("💬: x\n\n🤖: y\n\n💬: a");
    expect(inserted("---\ntopic: t\n---\n", "a")).toBe("---\ntopic: t\n---\n\n💬: a");
    expect(inserted("", "a")).toBe("💬: a\n");
  });

  it("stays complete and never becomes a marker or a header", () => {
    const line = fc.oneof(
      fc.constantFrom(
        "💬:",
        "💬: x",
        "🤖: x",
        "\\🤖: x",
        "❓:[ya] `{}`",
        "🛠️: [a][b]",
        "🔒: x",
        "🌿: x",
      ),
      fc.constantFrom("<!-- parley:unfinished open -->", "---", "```", "text", "", "topic: x"),
      fc.string(),
    );
    const chat = fc.constantFrom(
      "",
      "💬: \n",
      "💬: q\n\n🤖: a\n\n💬: \n",
      "💬: q\n🤖: a\n",
      "💬: q\n",
    );
    fc.assert(
      fc.property(chat, fc.array(line, { minLength: 1, maxLength: 6 }), (text, lines) => {
        const foreign = `begin\n${lines.join("\n")}\nend`;
        const before = parseTranscript(text);
        const after = parseTranscript(inserted(text, foreign));
        const question = after.exchanges.at(-1)?.question.text ?? "";
        expect(question.endsWith(foreign.replace(/\r\n?/g, "\n"))).toBe(true);
        const answers = (all: typeof after) =>
          all.exchanges.filter(({ answer }) => answer !== null).length;
        expect(answers(after)).toBe(answers(before));
        expect(after.exchanges.length).toBeLessThanOrEqual(before.exchanges.length + 1);
      }),
    );
  });
});
