/** Every Lua module annotates the parameters and results of its functions, and the check finds wrong annotations. */
import { describe, expect, it } from "vitest";
import { annotationMistakes } from "../../scripts/lib/lua-annotations.mjs";
import { moduleMistakes, readLuaFiles } from "../../scripts/lib/lua-modules.mjs";

const module = (body: string) => new Map([["a.lua", `local M = {}\n${body}\nreturn M\n`]]);
const mistakesIn = (body: string) =>
  annotationMistakes(module(body)).map((line) => line.replace(/^a\.lua:\d+: /, ""));

describe("the Lua modules", () => {
  it("follow the rules for modules", async () => {
    const files = await readLuaFiles();
    expect(files.size).toBeGreaterThan(40);
    expect(moduleMistakes(files)).toEqual([]);
  });
});

describe("the check of Lua modules", () => {
  it.each([
    [
      "a parameter without ---@param",
      "function M.run(buf)\nend",
      ["run has no ---@param for buf."],
    ],
    [
      "the second of two parameters without ---@param",
      "---@param a integer\nfunction M.run(a, b)\nend",
      ["run has no ---@param for b."],
    ],
    [
      "an unannotated parameter on a line of its own",
      "function M.run(\n  buf\n)\nend",
      ["run has no ---@param for buf."],
    ],
    [
      "a parameter that was renamed",
      "---@param buf integer\nfunction M.run(b)\nend",
      ["run has no ---@param for b.", "run takes no buf, which a ---@param names."],
    ],
    [
      "a result without ---@return",
      "function M.run()\n  return 1\nend",
      ["run has no ---@return."],
    ],
    [
      "a ---@return without a result",
      "---@return integer\nfunction M.run()\nend",
      ["run returns nothing, and a ---@return says so."],
    ],
    [
      "an unannotated function assigned to a field",
      "M.run = function(buf)\nend",
      ["run has no ---@param for buf."],
    ],
    [
      "an unannotated local function that becomes a field",
      "local function send(press)\nend\nM.send = send",
      ["send has no ---@param for press."],
    ],
    [
      "an unknown type",
      "---@param call parley.Nowhere\nfunction M.run(call)\nend",
      ["there is no type parley.Nowhere."],
    ],
  ])("reports %s", (_, body, mistakes) => {
    expect(mistakesIn(body)).toEqual(mistakes);
  });

  it.each([
    ["an unannotated local function", "local function run(buf)\n  return buf\nend"],
    ["a function without parameters and results", "function M.run()\n  return\nend"],
    [
      "a result of an inner function",
      "function M.run()\n  local function one()\n    return 1\n  end\n  each(function(item)\n    return item\n  end)\nend",
    ],
    [
      "a type that the module defines",
      "---@class parley.One\n---@param a parley.One\nfunction M.run(a)\nend",
    ],
    ["an unused parameter", "function M.run(_)\nend"],
    ["an optional parameter", "---@param buf? integer\nfunction M.run(buf)\nend"],
  ])("accepts %s", (_, body) => {
    expect(mistakesIn(body)).toEqual([]);
  });

  it("limits modules to 400 lines unless they are generated, and requires a first sentence", () => {
    const long = "local x = 1\n".repeat(401);
    const files = new Map([
      ["long.lua", `--- Says what it is.\n${long}`],
      ["written.lua", `--- Written by \`npm run docs\` from a table.\n${long}`],
      ["silent.lua", "local x = 1\n"],
    ]);
    expect(moduleMistakes(files)).toEqual([
      "long.lua has 402 lines; 400 is the most.",
      "silent.lua does not open with a sentence on what it is.",
    ]);
  });
});
