/** A header from elsewhere, however it is written: without what is asked about it opens nothing. */
import { expect, it } from "vitest";
import { openingEntries } from "../../src/conversation/decide/openings.ts";
import { chatSettings } from "../../src/conversation/settings/chat-settings.ts";
import { parseTranscript } from "../../src/transcript/parse.ts";
import type { Header } from "../../src/transcript/transcript.ts";
import { defaults } from "../support/configuration.ts";
import fc from "../support/property.ts";

const configuration = {
  ...defaults,
  tools: "files",
  agents: {
    plain: { temperature: 0 },
    web: { server_tools: ["web_search"] },
    rules: { rules_files: ["AGENTS.md"] },
  },
};

const words = (tools: string | null) =>
  (tools ?? "")
    .split(",")
    .map((word) => word.trim())
    .filter((word) => !["", "none"].includes(word));

/** What a header alone must not set. */
function opened(header: Header): readonly string[] {
  const { model, server_tools, rules_files, tools } = chatSettings(header, configuration).settings;
  const isScript = model?.provider === "mock" && model.id.startsWith("file:");
  return [
    ...(isScript ? [`script ${model.id}`] : []),
    ...server_tools,
    ...rules_files,
    ...words(tools).filter((word) => !words(configuration.tools).includes(word)),
  ];
}

const key = fc.constantFrom(
  ...["model", "provider", "agent", "server_tools", "rules", "rules_files", "tools", "topic"],
);
const value = fc.constantFrom(
  ...["mock", "mock/", "file:/x.json", "mock/file:/x.json", "mock/demo", "/file:/y", "mock/file:"],
  ...["web", "rules", "plain", "web_search", "AGENTS.md", "*", "none", "", "  "],
);
const written = fc.constantFrom<(key: string, value: string) => string>(
  (name, text) => `${name}: ${text}`,
  (name, text) => `${name}:${text}`,
  (name, text) => `${name}+: ${text}`,
  (name, text) => `${name}: "${text}"`,
  (name, text) => `${name}: '${text}' # a comment`,
  (name, text) => `${name}: [${text}]`,
  (name, text) => `${name}:\n  - ${text}`,
  (name, text) => `${name}: |\n  ${text}`,
  (name, text) => `${name}: >-\n  ${text}`,
  (name, text) => `- ${name}: ${text}`,
  (name, text) => `${name} : ${text}`,
);
const line = fc.tuple(written, key, value).map(([write, ...of]) => write(...of));
const frame = fc.constantFrom<(lines: readonly string[]) => string>(
  (lines) => ["---", ...lines, "---"].join("\n"),
  (lines) => ["---", "file: a.md", ...lines, "---"].join("\n"),
  (lines) => ["# topic: x", ...lines, "---"].join("\n"),
);
const header = fc
  .tuple(frame, fc.array(line, { maxLength: 6 }))
  .map(([around, lines]) => parseTranscript(`${around(lines)}\n\n💬: hi\n`).header);

const reach = {
  allowsTools: true,
  opensByAgent: (agent: string) => agent === "web" || agent === "rules",
};

it("opens nothing once what is asked about is refused, all of it or some", () => {
  fc.assert(
    fc.property(header, fc.func(fc.boolean()), (read, isAllowed) => {
      const asked = openingEntries(read, reach);
      const left = read.entries.filter((entry) => !asked.includes(entry));
      expect(opened({ ...read, entries: left })).toEqual([]);
      const allowed = asked.filter(({ key: name, value: text }) => isAllowed(name, text));
      const entries = read.entries.filter(
        (entry) => left.includes(entry) || allowed.includes(entry),
      );
      expect(
        openingEntries({ ...read, entries }, reach).every((one) => allowed.includes(one)),
      ).toBe(true);
    }),
    { numRuns: 3000 },
  );
});
