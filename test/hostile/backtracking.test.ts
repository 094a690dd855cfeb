/**
 * Regular expressions over the text of a model, a server or a chat come back at once. What they look at twice counts no
 * steps in `linear.test.ts`: here the text is so long that a square of it would not come back at all.
 */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { projectRoot } from "../../scripts/lib/paths.mjs";
import { appliedText, type CodeBlock, namedPath } from "../../src/app/builtin/code-block.ts";
import { branchLinks } from "../../src/app/chats/links.ts";
import { summariseChat } from "../../src/app/chats/summary.ts";
import { markdownPage } from "../../src/app/export/markdown-page.ts";
import { PageImages } from "../../src/app/export/page.ts";
import { sharedChat } from "../../src/app/export/shared-chat.ts";
import { findSecrets } from "../../src/cli/check-secrets.ts";
import { ownTopicEdits, topicOf } from "../../src/conversation/turn/topic.ts";
import { launcherOf } from "../../src/mcp/configured/launchers.ts";
import { readErrorValue } from "../../src/providers/failures/error-body.ts";
import { calledTool } from "../../src/providers/request/called-tool.ts";
import { toTurns } from "../../src/providers/request/history.ts";
import { AnswerText } from "../../src/providers/stream/answer-text.ts";
import { createKnownTools } from "../../src/providers/text-tools/arguments/known-tools.ts";
import { readWithBreaks } from "../../src/providers/text-tools/arguments/repair.ts";
import { looksLikeCall } from "../../src/providers/text-tools/blocks/call-watch.ts";
import { onlyPlace } from "../../src/shared/occurrences.ts";
import { withoutEnd } from "../../src/shared/without-end.ts";
import { canBeFile, foldedReadings } from "../../src/system/paths.ts";
import { parseTranscript } from "../../src/transcript/parse.ts";

const many = 400_000;

describe("regular expressions", () => {
  it("look nowhere for a run at the end of a text", () => {
    const files = readdirSync(join(projectRoot, "src"), { recursive: true, encoding: "utf8" });
    const found = files
      .filter((file) => file.endsWith(".ts"))
      .flatMap((file) => {
        const text = readFileSync(join(projectRoot, "src", file), "utf8");
        return text.match(/[(\s]\/(?:\\.|\[[^\]]+\]|[^\\^/\s[])[+*]\$\/[a-z]*/g) ?? [];
      });
    // `withoutEnd` does it. What is left looks at 200 characters (`src/system/commands.ts`).
    expect(found).toEqual(["(/\\.+$/"]);
  });
});

const context = createKnownTools({ protocols: [], asked: [], tools: [] });

const block = (given: Partial<CodeBlock>): CodeBlock => ({
  ...{ info: "ts", lines: [], above: "", line: 0 },
  ...given,
});

const exchangeOf = (text: string) => {
  const transcript = parseTranscript(text);
  const [exchange] = transcript.exchanges;
  if (exchange === undefined) throw new Error("There is no exchange.");
  return { transcript, exchange };
};

const read: Readonly<Record<string, () => unknown>> = {
  "a line of blanks in a code block": () =>
    appliedText(block({ lines: [`${" ".repeat(many)}x`] }), "", "a.ts"),
  "braces behind a name": () => namedPath(block({ info: `name=${"}".repeat(many)}x` })),
  "tabs behind a diff's name": () =>
    namedPath(block({ lines: ["--- a", `+++ a${"\t".repeat(many)}\u2028\t`] })),
  "images that do not end, as a topic": () => topicOf("![".repeat(many)),
  "images whose paths do not end, as a topic": () => topicOf("![](".repeat(many)),
  "dots in a summary": () => {
    const text = `---\ntopic: ?\n---\n💬: a\n\n🤖:[m]\n\n📝: you asked ${".".repeat(many)}x\n`;
    const { transcript, exchange } = exchangeOf(text);
    return ownTopicEdits(transcript, exchange);
  },
  "endings of names in a link": () => branchLinks([`🌿: .${".md:".repeat(many)}\u2028x`]),
  "blanks behind a name in a link": () => branchLinks([`🌿: a.md${" ".repeat(many)}x`]),
  "the same in the list of chats": () => summariseChat(`💬: a\n🌿: .${".md:".repeat(many)}\u2028x`),
  "paragraphs with HTML, exported": () => {
    const { transcript } = exchangeOf(`💬: a\n\n🤖:[m]\n\n${"<b>x</b>\n\n".repeat(40_000)}`);
    const { title, turns } = sharedChat(transcript, "/a.md");
    return turns.map((turn) => markdownPage(title).turn(turn, new PageImages(new Map())));
  },
  "blank lines in a header": () =>
    parseTranscript(`---\ntopic: |\n  a\n${"\n".repeat(60_000)}  x\n---\n\n💬: a`),
  "blank lines of a model": () => new AnswerText().words(`${"\n".repeat(many)}x`),
  "quotes of a call that do not end": () => readWithBreaks('\\"'.repeat(many), context),
  "quotes that end in a backslash": () => readWithBreaks(`${'\\"'.repeat(many)}\\`, context),
  "dots in a path": () => foldedReadings(`/a${".".repeat(many)}b`),
  "dots and blanks before a colon that is not there": () =>
    foldedReadings(`/a${" .".repeat(many)}b`),
  "marks on a letter of a path": () => foldedReadings(`/a${"\u0301\u0323".repeat(many)}`),
  "blanks in a name for Windows": () => canBeFile(`C:\\a${" .".repeat(many)}b`, "win32"),
  "a chat whose tokens do not end, checked by a hook": () => findSecrets("-eyJ".repeat(many)),
  "lines of a failure": () => readErrorValue({ error: `a${"\n".repeat(many)}b` }),
  "a tool's name with markers of a model's own": () =>
    calledTool(`${"<|".repeat(many)}\u2028`, [{ name: "a" }]),
  "an option of a shell in a project's file": () => launcherOf("sh", [`-${"c".repeat(many)}!`]),
  "one letter, searched for a part with another in its middle": () => {
    const text = "a".repeat(2_000_000);
    const half = "a".repeat(100_000);
    return onlyPlace(text, `${half}b${half}`);
  },
  "the same line in a file that a block changes": () => {
    const line = "a\n".repeat(100_000);
    const lines = ["@@ @@", ...`-${line.trimEnd().replaceAll("\n", "\n-")}`.split("\n"), "-b"];
    expect(() => appliedText(block({ lines }), line.repeat(4), "a.txt")).toThrow("are not in");
  },
  "questions without an answer": () => {
    const content = [{ type: "text", text: "a" }] as const;
    const messages = Array.from({ length: 300_000 }, () => ({ role: "user", content }) as const);
    const model = { provider: "openai", id: "gpt-5" };
    return toTurns(
      { messages, model },
      { callIds: { length: 40, isExact: false, keepsMeaning: true } },
    );
  },
  "blanks behind a name": () =>
    looksLikeCall(`arguments name${" ".repeat(many)}! parameters${" ".repeat(many)}!`, context),
};

describe("a text without end", () => {
  it.each(Object.entries(read))("of %s is read all the same", (_, run) => {
    // A square of the text would take minutes, and the test's time would be over.
    run();
  });
});

it("what a text ends in is taken away, and nothing else", () => {
  expect(withoutEnd("a/b//", "/")).toBe("a/b");
  expect(withoutEnd("//", "/")).toBe("");
  expect(withoutEnd("a. \n", ". \n")).toBe("a");
});
