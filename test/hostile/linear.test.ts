/** No text of a model, a server or a file costs more than its length: at twice the size, twice the steps. */
import { describe, expect, it } from "vitest";
import { openingEntries } from "../../src/conversation/decide/openings.ts";
import { readCommentedJson } from "../../src/mcp/configured/commented-json.ts";
import { parseServerFile } from "../../src/mcp/configured/config-file.ts";
import { readEnvFile } from "../../src/mcp/configured/expand-variables.ts";
import { createStderrTail } from "../../src/mcp/transport/stderr-tail.ts";
import { visible, visibleText } from "../../src/shared/visible.ts";
import { parseTranscript } from "../../src/transcript/parse.ts";
import {
  dropBranchLinks,
  escapeReferences,
  resourceReference,
} from "../../src/transcript/references.ts";
import { escapeText } from "../support/escape.ts";
import { growth } from "../support/steps.ts";

const transcripts: Readonly<Record<string, (size: number) => string>> = {
  "a reference before many brackets": (size) => `💬: @a:${")".repeat(size)}`,
  "a reference of brackets": (size) => `💬: @a:${"(".repeat(size)}${")".repeat(size)}.`,
  "many references": (size) => `💬: ${"@a:b ".repeat(size)}`,
  "references that do not end": (size) => `💬: ${"@a:<".repeat(size)}`,
  "files that do not end": (size) => `💬: ${"@@/a ".repeat(size)}`,
  "at signs": (size) => `💬: ${"@".repeat(size)}`,
  "branch links that do not end": (size) => `💬: ${"[🌿:x](".repeat(size)}`,
  backticks: (size) => `💬: a\n\n🤖:[m]\n\n${"`".repeat(size)}`,
  "code spans that do not end": (size) => `💬: a\n\n🤖:[m]\n\n${"` `` ``` ".repeat(size)}`,
  "nested fences": (size) => `💬: a\n\n🤖:[m]\n\n${lines(size, (at) => "`".repeat(3 + (at % 50)))}`,
  "legacy fences that are not closed": (size) =>
    `💬: a\n\n🤖:[m]\n\n${lines(size, (at) => `🔧: t id=${at}\n${"`".repeat(3 + (at % 500))}x`)}`,
  "legacy fences in one another": (size) =>
    `💬: a\n\n🤖:[m]\n\n${lines(size, (at) => `🔧: t id=${at}\n${"`".repeat(3 + (at % 300))}`)}`,
  "comments that do not end": (size) => `💬: a\n\n🤖:[m]\n\n${"<!-- ".repeat(size)}`,
  calls: (size) => `💬: a\n\n🤖:[m]\n\n${lines(size, () => '❓: `{"id":"c"}`')}`,
  "results that do not end": (size) => `💬: a\n\n🤖:[m]\n\n${lines(size, () => "🛠️: [t][c]\n```")}`,
  "conflicts of Git": (size) =>
    `💬: a\n\n🤖:[m]\n\n${lines(size / 5, () => "<<<<<<< a\none\n=======\ntwo\n>>>>>>> b")}`,
  "header lines": (size) =>
    `---\n${lines(size, (at) => `k${at}: ${"[".repeat(at % 9)}`)}\n---\n\n💬: a`,
};

function lines(count: number, make: (at: number) => string): string {
  return Array.from({ length: count }, (_, at) => make(at)).join("\n");
}

describe("a transcript", () => {
  it.each(Object.entries(transcripts))("of %s", (_, make) => {
    const rate = growth(1500, (size) => {
      const text = make(size);
      return () => parseTranscript(text);
    });
    expect(rate).toBeLessThan(2.6);
  });
});

describe("a header", () => {
  const lines = ["provider: a\nmodel: b\n", "model: a/b\n", "provider: a\n", "agent: a\n"];
  it.each(lines)("of many %j is asked about", (line) => {
    const rate = growth(1000, (size) => {
      const { header } = parseTranscript(`---\n${line.repeat(size)}---\n\n💬: a`);
      return () => openingEntries(header, { allowsTools: true, opensByAgent: () => true });
    });
    expect(rate).toBeLessThan(2.6);
  });
});

const texts: Readonly<Record<string, (text: string) => unknown>> = {
  "made visible": visible,
  "made visible as plain text": visibleText,
  "escaped for the transcript": escapeText,
  "freed of references": escapeReferences,
  "freed of branch links": dropBranchLinks,
  "named as a resource": (text) => resourceReference("a", text),
  "kept of stderr": (text) => {
    const tail = createStderrTail(["secret-value"]);
    tail.push(text);
    return tail.text();
  },
  "read as variables": readEnvFile,
  "read as JSON": readCommentedJson,
  "read as servers": (text) => parseServerFile("f", text),
};

const pieces = [
  ")",
  "(",
  "@a:(",
  "@@/x",
  "[🌿:x](",
  "`",
  "a=",
  '{"a":',
  "\u200b",
  "\\",
  "❓: `",
  "🔧: t id=1\n```\n",
  "A='x",
];

describe("a text of a server", () => {
  it.each(
    Object.entries(texts).flatMap(([name, read]) =>
      pieces.map((piece) => [name, JSON.stringify(piece), read, piece] as const),
    ),
  )("%s: %s", (_, __, read, piece) => {
    const rate = growth(3000, (size) => {
      const text = piece.repeat(size);
      return () => read(text);
    });
    expect(rate).toBeLessThan(2.6);
  });
});
