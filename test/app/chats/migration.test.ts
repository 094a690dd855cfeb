import { expect, it } from "vitest";
import { migrationReport } from "../../../src/app/chats/migration.ts";
import { parseTranscript } from "../../../src/transcript/parse.ts";

const report = (text: string) => {
  const transcript = parseTranscript(text);
  return migrationReport(transcript, transcript.problems);
};

it("says what a chat of the Lua Parley needs, and when it needs nothing", () => {
  expect(report("# topic: x\n- file: a.md\n---\n\n💬: q\n🤖:\na\n")).toEqual([
    "Parley reads this chat as it is; nothing needs to be changed.",
  ]);
  const text = `# topic: x
- file: a.md
- config_mood: calm
---

💬: q
🤖:
🔧: read_file id=1
\`\`\`json
{}
\`\`\`
📎: read_file id=1
\`\`\`
found
\`\`\`
🔧: read_file id=2
\`\`\`json
{}
\`\`\`
🔧: example
`;
  const lines = report(text);
  expect(lines.slice(2, 5)).toEqual([
    "- 2 🔧: calls read as approved, with their results; none runs again.",
    "- 1 🔧: call without a 📎: result: sent as interrupted.",
    "- Header keys that Parley does not know, kept but not used: config_mood.",
  ]);
  expect(lines.slice(5)).toHaveLength(1);
  expect(lines[5]).toMatch(
    /^- Line 20: .* :20 and :Parley fix offer “Turn the line into text with a backslash”\.$/,
  );
});

it("speaks of one call as of one", () => {
  const text =
    "💬: q\n\n🤖:[x]\n🔧: read_file id=1\n```json\n{}\n```\n📎: read_file id=1\n```\nfound\n```\n";
  expect(report(text)).toContain(
    "- 1 🔧: call read as approved, with its result; it does not run again.",
  );
});
