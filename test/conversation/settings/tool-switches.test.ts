/** The words for `tools` that match the switches on screen. */

import { expect, it } from "vitest";
import type { Tool } from "../../../src/conversation/ports.ts";
import {
  includesUnnamedServers,
  selectionOf,
  switched,
  switchGroups,
} from "../../../src/conversation/settings/tool-switches.ts";
import fc from "../../support/property.ts";

const tool = (server: string | null, name: string, more: Partial<Tool> = {}): Tool => ({
  name: server === null ? name : `mcp__${server.replace(/\W/g, "_")}__${name.replace(/\W/g, "_")}`,
  description: "",
  inputSchema: {},
  server,
  serverTool: name,
  ...more,
});
const all = [
  tool(null, "own_one"),
  tool(null, "read_file", { group: "builtin" }),
  tool(null, "edit_file", { group: "builtin" }),
  ...["a", "b", "c d"].map((name) => tool("files", name)),
  tool("my server", "x"),
  ...["one", "two", "three", "four"].map((name) => tool("github.com", name)),
];
const on = (selection: string | null) =>
  switchGroups(all, selection).flatMap(({ tools }) =>
    tools.filter(({ isOn }) => isOn).map(({ word }) => word),
  );

it("writes a selection that reads back as the same switches, after any changes", () => {
  const ids = ["files", "github.com", "builtin", "my server", "own tools", ...on("*, builtin")];
  const first = fc.constantFrom(null, "none", "-files", "files, -files.a", "builtin, github.*");
  fc.assert(
    fc.property(first, fc.array(fc.constantFrom(...ids), { maxLength: 8 }), (start, presses) => {
      let selection: string | null = start;
      for (const id of presses) {
        const now = switched(switchGroups(all, selection), id);
        const wanted = now.flatMap(({ tools }) =>
          tools.filter((one) => one.isOn).map((one) => one.word),
        );
        selection = selectionOf(now, includesUnnamedServers(selection));
        expect(on(selection)).toEqual(wanted);
      }
    }),
  );
});

it("writes a short selection, which still includes future servers where it did before", () => {
  const after = (selection: string | null, ...ids: readonly string[]) => {
    const groups = ids.reduce(switched, switchGroups(all, selection));
    return selectionOf(groups, includesUnnamedServers(selection));
  };
  expect(after(null, "files")).toBe("-files");
  expect(after(null, "github.com.two")).toBe("-github.com.two");
  expect(after("-files", "files")).toBeNull();
  expect(after("files", "files.a")).toBe("files, -files.a");
  expect(after("files", "files")).toBe("none");
  expect(after("none", "github.com.one")).toBe("github.com.one");
  expect(after(null, "builtin.read_file")).toContain("builtin, -builtin.edit_file, ");
});
