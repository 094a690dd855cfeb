/** Every module of the Lua half says what its functions take and give, and a mistake in that is seen. */
import { describe, expect, it } from "vitest";
import { annotationMistakes } from "../../scripts/lib/lua-annotations.mjs";
import { moduleMistakes, readLuaFiles } from "../../scripts/lib/lua-modules.mjs";

const module = (body: string) => new Map([["a.lua", `local M = {}\n${body}\nreturn M\n`]]);
const mistakesIn = (body: string) =>
  annotationMistakes(module(body)).map((line) => line.replace(/^a\.lua:\d+: /, ""));

describe("the modules of lua", () => {
  it("keep what is asked of each", async () => {
    const files = await readLuaFiles();
    expect(files.size).toBeGreaterThan(40);
    expect(moduleMistakes(files)).toEqual([]);
  });
});

describe("the reading of annotations", () => {
  it.each([
    ["a parameter", "function M.run(buf)\nend", ["run has no ---@param for buf."]],
    [
      "one of two",
      "---@param a integer\nfunction M.run(a, b)\nend",
      ["run has no ---@param for b."],
    ],
    [
      "one on a line of its own",
      "function M.run(\n  buf\n)\nend",
      ["run has no ---@param for buf."],
    ],
    [
      "one that was renamed",
      "---@param buf integer\nfunction M.run(b)\nend",
      ["run has no ---@param for b.", "run takes no buf, which a ---@param names."],
    ],
    ["a value", "function M.run()\n  return 1\nend", ["run has no ---@return."]],
    [
      "a value that is gone",
      "---@return integer\nfunction M.run()\nend",
      ["run returns nothing, and a ---@return says so."],
    ],
    ["a field", "M.run = function(buf)\nend", ["run has no ---@param for buf."]],
    [
      "a local function that becomes a field",
      "local function send(press)\nend\nM.send = send",
      ["send has no ---@param for press."],
    ],
    [
      "a type",
      "---@param call parley.Nowhere\nfunction M.run(call)\nend",
      ["there is no type parley.Nowhere."],
    ],
  ])("sees %s that is missing", (_, body, mistakes) => {
    expect(mistakesIn(body)).toEqual(mistakes);
  });

  it.each([
    ["a local function", "local function run(buf)\n  return buf\nend"],
    ["what takes and gives nothing", "function M.run()\n  return\nend"],
    [
      "a value of a function inside",
      "function M.run()\n  local function one()\n    return 1\n  end\n  each(function(item)\n    return item\n  end)\nend",
    ],
    ["a type of its own", "---@class parley.One\n---@param a parley.One\nfunction M.run(a)\nend"],
    ["a parameter that nothing reads", "function M.run(_)\nend"],
    ["one that may be absent", "---@param buf? integer\nfunction M.run(buf)\nend"],
  ])("is content with %s", (_, body) => {
    expect(mistakesIn(body)).toEqual([]);
  });

  it("counts lines, but not of what is generated, and wants a first sentence", () => {
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
