/** The messages between Lua and the host match their tables. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { fieldsOf, wireMistakes } from "../../scripts/lib/lua-wire.mjs";
import { luaClass, luaType, luaValue } from "../../scripts/lib/lua-writer.mjs";
import { messageTypes, wireSchemas } from "../../scripts/lib/message-types.mjs";
import { projectRoot } from "../../scripts/lib/paths.mjs";
import { luaCalls } from "../../src/host/lua-calls.ts";
import { messages } from "../../src/host/messages.ts";

const read = (path: string) => readFileSync(join(projectRoot, path), "utf8");
const wire = wireSchemas(z, messages, luaCalls);
const paths = readdirSync(join(projectRoot, "lua"), { recursive: true, encoding: "utf8" });
const files = new Map(
  paths
    .filter((path) => path.endsWith(".lua"))
    .map((path) => [`lua/${path.replaceAll("\\", "/")}`, read(join("lua", path))]),
);
const withText = (path: string, change: (text: string) => string) =>
  new Map([...files, [path, change(files.get(path) ?? "")]]);

describe("the messages between Lua and the host", () => {
  it("have the Lua classes generated from the tables (npm run docs)", () => {
    expect(read("lua/parley/host/messages.lua")).toBe(messageTypes(wire));
  });

  it("are sent and received in Lua as the tables define", () => {
    expect(wireMistakes(files, wire)).toEqual([]);
  });

  it.each([
    [
      "lua/parley/pickers/waiting.lua",
      (text: string) => text.replace("path = vim.api", "file = vim.api"),
      ["the message chat_next has no field file.", "the message chat_next lacks path."],
    ],
    [
      "lua/parley/pickers/waiting.lua",
      (text: string) => text.replace('action = "chat_next"', 'action = "chat_nxt"'),
      ["No file of Lua tells the message chat_next.", "tells chat_nxt, which is no message."],
    ],
    [
      "lua/parley/rpc.lua",
      (text: string) => text.replace("follow = function(buf, line)", "follow = function(line)"),
      ["follow takes (line), not (buf, line)."],
    ],
    [
      "lua/parley/rpc.lua",
      (text: string) => text.replace("  withdraw = function(id)", "  take_back = function(id)"),
      ["rpc.lua has take_back, which", "rpc.lua has no withdraw, which"],
    ],
  ])("are checked closely enough to find a mistake in %s (%#)", (path, change, mistakes) => {
    const found = wireMistakes(withText(path, change), wire);
    expect(found).toHaveLength(mistakes.length);
    for (const [index, mistake] of mistakes.entries()) expect(found[index]).toContain(mistake);
  });

  it("are read correctly when fields hold tables and functions", () => {
    const text =
      '{ action = "key", shown = map(function(call)\n return { line = 1 }\n end, x), tick = 2 }';
    expect(fieldsOf(text.slice(1))).toEqual(["action", "shown", "tick"]);
  });
});

describe("generating Lua", () => {
  it.each([
    [z.string().nullable(), "string|nil"],
    [z.array(z.enum(["a", "b"])), '("a"|"b")[]'],
    [z.record(z.string(), z.int()), "table<string, integer>"],
    [z.object({ one: z.string(), two: z.unknown().optional() }), "{ one: string, two?: any }"],
  ])("translates the type of a schema (%#)", (schema, type) => {
    expect(luaType(z.toJSONSchema(schema))).toBe(type);
  });

  it("writes classes, and literals with any key names", () => {
    const schema = z.toJSONSchema(z.object({ id: z.int(), word: z.string().optional() }));
    expect(luaClass("a.B", schema)).toBe(
      "---@class a.B\n---@field id integer\n---@field word? string",
    );
    expect(luaValue({ end: ["x", "y"], none: null, "a b": [] })).toBe(
      '{\n  ["end"] = { "x", "y" },\n  ["a b"] = {},\n}',
    );
  });
});
