import { describe, expect, it } from "vitest";
import {
  mentionsServer,
  parseSelection,
  type SelectableTool,
  selectionOfServer,
  selects,
  unknownWords,
} from "../../../src/conversation/settings/tool-selection.ts";

const tools: readonly SelectableTool[] = [
  { name: "web_search", server: "mock", serverTool: "web_search" },
  { name: "mcp__files__read_file", server: "files", serverTool: "read_file" },
  { name: "mcp__files__write_file", server: "files", serverTool: "write_file" },
  { name: "clock", server: null, serverTool: "clock" },
];

function selected(text: string): string[] {
  const { selection } = parseSelection(text);
  return tools.filter((tool) => selects(selection, tool)).map(({ name }) => name);
}

const [search, read, write, clock] = tools.map(({ name }) => name);

describe("a selection of tools", () => {
  it.each([
    ["mock", [search]],
    ["files", [read, write]],
    ["files.read_file", [read]],
    ["files.read*, clock", [read, clock]],
    ["web_search", [search]],
    ["mcp__files__write_file", [write]],
    ["*", [search, read, write, clock]],
    ["files, -files.write_*", [read]],
    ["-files", [search, clock]],
    ["-files, files.read_file", [read]],
    ["files, none, clock", [clock]],
    ["none", []],
    ["", []],
    ["files.*file*", [read, write]],
    ["files.read_file*e", []],
    ["file", []],
  ])("with %j selects %j", (text, names) => {
    expect(selected(text)).toEqual(names);
  });

  it("does not confuse servers when one name begins with the other", () => {
    const fits = (text: string, server: string, serverTool: string) =>
      selects(parseSelection(text).selection, { name: "mcp__x", server, serverTool });
    expect(fits("github.*", "github.evil", "read")).toBe(false);
    expect(fits("github.read", "github", "read")).toBe(true);
    expect(fits("github.evil.*", "github.evil", "read")).toBe(true);
    expect(fits("github.evil.*", "github", "evil.read")).toBe(true);
    expect(fits("git*.read", "github", "read")).toBe(true);
  });

  it("reports invalid words and uses the others", () => {
    const { problems } = parseSelection("clock, a\u202eb, -");
    expect(problems).toHaveLength(2);
    expect(problems[0]).toContain('"a\u202eb"');
    expect(selected("clock, a\u202eb")).toEqual([clock]);
    expect(selected("a\u202eb")).toEqual([]);
  });

  it.each(["my server", "Ünï", "日本", "@org/server", "a (b) & 'c' #1", "a.b c"])(
    "names the server %s, as other programs' files do",
    (server) => {
      const own = { name: "mcp__x__read", server, serverTool: "read" };
      const other = { name: "mcp__y__read", server: "y", serverTool: "read" };
      for (const text of [server, `${server}.read`, `${server}.*`, `y, ${server}, -y`]) {
        const { selection, problems } = parseSelection(text);
        expect([problems, selects(selection, own), selects(selection, other)]).toEqual([
          [],
          true,
          false,
        ]);
        expect(mentionsServer(selection, server)).toBe(true);
      }
      expect(selectionOfServer(server)).toBe(server);
    },
  );

  it.each(["", " a", "a ", "-a", "a,b", "a*", "none", "a\u200bb", "a\nb"])(
    "cannot name a server %j",
    (server) => {
      expect(selectionOfServer(server)).toBeNull();
    },
  );

  it("mentions a server only by its name", () => {
    const mentions = (text: string) => mentionsServer(parseSelection(text).selection, "mock");
    expect(mentions("mock")).toBe(true);
    expect(mentions("mock.web_*")).toBe(true);
    expect(mentions("*")).toBe(false);
    expect(mentions("-mock")).toBe(false);
    expect(mentions("mockery")).toBe(false);
  });

  it("reports words that match no tool or server", () => {
    const unknown = (text: string) =>
      unknownWords(parseSelection(text).selection, tools, {
        servers: ["mock", "files", "idle"],
        disabled: ["git.hub"],
      });
    expect(unknown("mock, files.read_file, clock, idle, *")).toEqual([]);
    expect(unknown("clock, webb_search")).toEqual([
      expect.stringMatching(/^There is no tool or server "webb_search" here;.*[.]$/),
    ]);
    expect(unknown("*, -gone")).toEqual([]);
    expect(unknown("mock files")).toEqual([
      'There is no tool or server "mock files" here; put commas between names, correct it in tools:, or remove it.',
    ]);
    const isDisabled = expect.stringMatching(/^The MCP server "git[.]hub" is disabled, .*[.]$/);
    for (const word of ["git.hub", "git.hub.list", "git*"]) {
      expect(unknown(word)).toEqual([isDisabled]);
    }
    expect(unknown("git.hubs")).toEqual([expect.stringMatching(/^There is no tool/)]);
  });

  it("matches patterns with many stars without exponential time", () => {
    const pattern = `${"a*".repeat(50)}b`;
    const tool = { name: "a".repeat(5000), server: null, serverTool: "" };
    expect(selects(parseSelection(pattern).selection, tool)).toBe(false);
  });
});
