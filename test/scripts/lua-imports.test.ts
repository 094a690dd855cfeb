/** Which room of the Lua half may require which, with no cycles; requires inside functions count. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { projectRoot } from "../../scripts/lib/paths.mjs";
import { findLuaCycle, type LuaRequire, luaRequires } from "../support/lua-requires.ts";

const low = ["config", "messages", "system", "text"];
const rooms = [...low, "colours", "host", "screen", "keys", "asking", "pickers"];

/** What each room may require besides itself. A room is a folder of lua/parley/ or a file beside those folders. */
const allowed: Record<string, readonly string[]> = {
  system: [],
  config: ["system"],
  messages: ["system"],
  text: ["config", "messages", "system"],
  version: [],
  host: [...low, "version"],
  colours: low,
  screen: [...low, "colours"],
  keys: [...low, "host", "screen"],
  asking: ["messages", "host", "screen", "system"],
  pickers: [...low, "colours", "host", "screen"],
  refold: [...low, "host", "screen"],
  chat: [...rooms, "refold"],
  visit: [...low, "chat"],
  actions: [...rooms, "chat"],
  api: [...rooms, "chat"],
  init: [...rooms, "chat", "actions", "api"],
  commands: [...rooms, "actions", "attach", "bring", "chat", "toggle"],
  attach: [...rooms, "chat", "visit"],
  bring: [...rooms, "chat", "actions"],
  toggle: [...rooms, "chat"],
  press: ["actions", "commands", "keys"],
  health: [...low, "host", "keys"],
  reconfigure: ["config", "host", "keys", "chat"],
  rpc: [...rooms, "health", "reconfigure"],
  plugin: ["config", "init", "visit", "reconfigure", "actions", "commands", "press"],
};

function violation({ from, to }: LuaRequire): string[] {
  const [source, target] = [roomOf(from), roomOf(to)];
  if (!allowed[source]) return [`${from}: ${source} has no rule in this test`];
  const isFine = source === target || allowed[source].includes(target);
  return isFine ? [] : [`${from} requires ${to}`];
}

/** The room of `parley.text.tip` is text, that of `parley` is init. */
function roomOf(module: string): string {
  if (module.startsWith("plugin")) return "plugin";
  return module.split(".")[1] ?? "init";
}

/** The name by which a file is required. */
function moduleOf(path: string): string {
  return path
    .replace(/^lua\//, "")
    .replace(/\.lua$/, "")
    .replace(/\/init$/, "")
    .replaceAll("/", ".");
}

function readRequires(): readonly LuaRequire[] {
  const folders = ["lua", "plugin"];
  const files = folders.flatMap((folder) =>
    readdirSync(join(projectRoot, folder), { recursive: true, encoding: "utf8" })
      .map((path) => `${folder}/${path.replaceAll("\\", "/")}`)
      .filter((path) => path.endsWith(".lua")),
  );
  return files.flatMap((path) =>
    luaRequires(moduleOf(path), readFileSync(join(projectRoot, path), "utf8")),
  );
}

describe("the requires of the Lua half", () => {
  const requires = readRequires();

  it("are found, including lazy ones", () => {
    expect(requires.length).toBeGreaterThan(50);
    expect(requires.some(({ isLazy }) => isLazy)).toBe(true);
  });

  it("follow the order of the rooms", () => {
    expect(requires.flatMap(violation)).toEqual([]);
  });

  it("form no cycle", () => {
    expect(findLuaCycle(requires)).toBeUndefined();
  });

  it("name existing modules", () => {
    const files = readdirSync(join(projectRoot, "lua"), { recursive: true, encoding: "utf8" });
    const modules = new Set(files.map((path) => moduleOf(path.replaceAll("\\", "/"))));
    expect(requires.filter(({ to }) => !modules.has(to))).toEqual([]);
  });
});

describe("reading requires", () => {
  it("finds those at the top, inside functions and in strings for Neovim, and ignores comments", () => {
    const text = [
      'local a = require("parley.a")',
      "local function lazy()",
      '  require("parley.b").run()',
      "end",
      "vim.o.x = \"v:lua.require'parley.c'.text()\"",
      '-- require("parley.comment")',
      "local d = require 'parley.d'",
      'local other = require("other.plugin")',
    ].join("\n");
    expect(luaRequires("parley.x", text).map(({ to, isLazy }) => [to, isLazy])).toEqual([
      ["parley.a", false],
      ["parley.b", true],
      ["parley.c", true],
      ["parley.d", false],
    ]);
  });

  it("reports a require against the order of the rooms and a room without a rule", () => {
    const from = (source: string, to: string) =>
      violation({ from: source, to, isLazy: true }).length > 0;
    expect(from("parley.text.buffer", "parley.screen.folds")).toBe(true);
    expect(from("parley.host", "parley.chat")).toBe(true);
    expect(from("parley.new.room", "parley.text.tip")).toBe(true);
    expect(from("parley.screen.show", "parley.text.buffer")).toBe(false);
  });

  it("finds a cycle through a lazy require", () => {
    const cycle = [
      { from: "parley.a", to: "parley.b", isLazy: false },
      { from: "parley.b", to: "parley.a", isLazy: true },
    ];
    expect(findLuaCycle(cycle)).toEqual(["parley.a", "parley.b", "parley.a"]);
    expect(findLuaCycle(cycle.slice(1))).toBeUndefined();
  });
});
