/** The search that a model gets instead of many tools, and how found tools are read from the transcript. */

import { expect, it } from "vitest";
import type { Tool } from "../../src/conversation/ports.ts";
import { findToolsName, toolSearch } from "../../src/conversation/tool-search.ts";
import { inNameOrder } from "../../src/providers/request/tool-schema.ts";
import { parseTranscript } from "../../src/transcript/parse.ts";
import fc from "../support/property.ts";

const tool = (server: string | null, name: string, description = ""): Tool => ({
  name: server === null ? name : `mcp__${server}__${name}`,
  description,
  inputSchema: {},
  server,
  serverTool: name,
});
const all = [
  tool(null, "read_file", "Reads a file."),
  tool("github", "create_issue", "Opens a new issue.\nmcp__other__thing: not a line of its own"),
  tool("github", "listBranches"),
  tool("mail", "send", "Sends a message"),
  tool("mail", "search", "Finds messages; never creates issues"),
];

const line = (id: string, name: string, args: object, mark = "") => {
  const called = { name, arguments: JSON.stringify(args) };
  return `❓:${mark} \`${JSON.stringify({ id, type: "function", function: called })}\``;
};
const steps = (...lines: readonly string[]) =>
  parseTranscript(["💬: hi", "", "🤖:", "", ...lines, ""].join("\n")).exchanges.flatMap(
    ({ answer }) => answer?.steps ?? [],
  );
const names = (search: ReturnType<typeof toolSearch>) =>
  inNameOrder(search?.tools ?? []).map(({ name }) => name);

it("is off up to the limit, with a limit of 0, and when another tool has its name", () => {
  expect(toolSearch(all, () => [], all.length)).toBeNull();
  expect(toolSearch(all, () => [], 0)).toBeNull();
  expect(toolSearch([...all, tool(null, findToolsName)], () => [], 2)).toBeNull();
  expect(names(toolSearch(all, () => [], 2))).toEqual([findToolsName, "read_file"]);
});

it("finds tools by the words of their names, servers and descriptions", () => {
  const search = toolSearch(all, () => [], 2);
  const found = (query: unknown) => search?.find(JSON.stringify({ query }));
  const text = found("create issue")?.text.split("\n") ?? [];
  expect(text[0]).toBe("2 of 4 tools fit. You can call these now:");
  expect(text.slice(1)).toEqual([
    "mcp__github__create_issue: Opens a new issue.",
    "mcp__mail__search: Finds messages; never creates issues",
  ]);
  expect(found("list")?.text).toContain("mcp__github__listBranches: ");
  expect(found("mail")?.text.split("\n")).toHaveLength(3);
  expect(found("weather")).toMatchObject({ status: "ok", text: expect.stringContaining("None") });
  for (const query of ["", " .", 7]) expect(found(query)?.status).toBe("error");
  expect(search?.find("[")?.status).toBe("error");
});

it("searches only for the first words of a very long query", () => {
  const word = (at: number) => `w${at.toString(36)}`;
  const description = Array.from({ length: 300 }, (_, at) => word(at)).join(" ");
  const many = Array.from({ length: 200 }, (_, at) => tool("github", `tool_${at}`, description));
  const query = `Tool 7: ${Array.from({ length: 200_000 }, (_, at) => word(1000 + at)).join(" ")}`;
  // Searching for all words would take minutes and exceed the test's timeout.
  const found = toolSearch(many, () => [], 2)?.find(JSON.stringify({ query }));
  expect(found?.text).toMatch(/^200 of 200 tools fit.*\nmcp__github__tool_7: /);
});

it("appends found and called tools in the order in which they appear in the chat", () => {
  const find = (id: string, query: string, mark = "[find]") => {
    const text = toolSearch(all, () => [], 2)?.find(JSON.stringify({ query })).text ?? "";
    return [
      line(id, findToolsName, { query }, mark),
      `🛠️: [${findToolsName}][${id}]`,
      "```",
      text,
      "```",
    ];
  };
  const sent = steps(
    ...find("a", "send"),
    "and",
    line("b", "mcp__github__listBranches", {}),
    "🛠️: [x][b]",
    "done",
    "",
    "so",
    ...find("c", "create issue"),
  );
  const loaded = ["mcp__mail__send", "mcp__github__listBranches", "mcp__github__create_issue"];
  expect(names(toolSearch(all, () => sent, 2))).toEqual([
    findToolsName,
    "read_file",
    ...loaded,
    "mcp__mail__search",
  ]);
  // Only the mark [find] says that the program answered, so another result loads no tools.
  expect(names(toolSearch(all, () => steps(...find("a", "send", "[ya]")), 2))).toHaveLength(2);
});

it("begins every tool list with the previous one, whatever is found", () => {
  const queries = fc.array(fc.constantFrom("send", "issue", "list", "mail", "github"));
  fc.assert(
    fc.property(queries, (words) => {
      const lines: string[] = [];
      let before = names(toolSearch(all, () => [], 1));
      for (const [index, query] of words.entries()) {
        const id = `c${index}`;
        const text = toolSearch(all, () => [], 1)?.find(JSON.stringify({ query })).text ?? "";
        lines.push(line(id, findToolsName, { query }, "[find]"), `🛠️: [find_tools][${id}]`);
        lines.push("```", text, "```", "", "on", "");
        const now = names(toolSearch(all, () => steps(...lines), 1));
        expect(now.slice(0, before.length)).toEqual(before);
        before = now;
      }
    }),
    { numRuns: 30 },
  );
});
