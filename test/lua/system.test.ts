/** Systems as values in the Lua half: what Windows calls a path and a rename, on every system. */
import { afterAll, beforeAll, expect, it } from "vitest";
import { oneNeovim } from "../support/neovims.ts";
import { type Editor, startEditor } from "./editor.ts";

let editor: Editor;
beforeAll(async () => {
  editor = await startEditor(oneNeovim[0]!);
});
afterAll(() => editor.quit());

const ask = (name: string, ...args: unknown[]) =>
  editor.lua(`return require("parley.system")[${JSON.stringify(name)}](...)`, ...args);

it.each<[string, unknown[], unknown]>([
  ["plain", ["c:\\Users\\a b\\x.md", true], "C:/Users/a b/x.md"],
  ["plain", ["C:/x.md", true], "C:/x.md"],
  ["plain", ["/a\\b", false], "/a\\b"],
  ["is_absolute", ["C:\\x", true], true],
  ["is_absolute", ["c:/x", true], true],
  ["is_absolute", ["\\\\host\\share", true], true],
  ["is_absolute", ["C:x", true], false],
  ["is_absolute", ["chats\\x", true], false],
  ["is_absolute", ["C:/x", false], false],
  ["is_absolute", ["/x", false], true],
  ["is_network", ["\\\\host\\share", true], true],
  ["is_network", ["//host/share", true], true],
  ["is_network", ["C:\\x", true], false],
  ["is_network", ["//x", false], false],
  ["is_below", ["C:/chats", "C:/chats/x", true], true],
  ["is_below", ["C:/Chats", "c:/chats/x", true], true],
  ["is_below", ["C:/chats", "C:/chatsx", true], false],
  ["is_below", ["C:/", "C:/x", true], true],
  ["is_below", ["/chats", "/Chats/x", false], false],
  ["is_below", ["/", "/x", false], true],
  ["is_below", ["/chats", "/chats", false], true],
])("%s of %j is %j", async (name, args, expected) => {
  expect(await ask(name, ...args)).toEqual(expected);
});

it("puts the home folder in for a tilde and a separator of the system", async () => {
  const home = await editor.lua("return vim.uv.os_homedir()");
  expect(await ask("expand_home", "~\\x", true)).toBe(`${home}\\x`);
  expect(await ask("expand_home", "~\\x", false)).toBe("~\\x");
  expect(await ask("expand_home", "~/x", false)).toBe(`${home}/x`);
  expect(await ask("expand_home", "~ada/x", false)).toBe("~ada/x");
});

it("leaves a tilde to whoever has no home folder", async () => {
  const found = await editor.lua(`local real = vim.uv.os_homedir
    vim.uv.os_homedir = function() return nil, "ENOENT: no such file or directory" end
    local path = require("parley.system").expand_home("~/x")
    vim.uv.os_homedir = real
    return path`);
  expect(found).toBe("~/x");
});

const rename = `local windows, codes = ...
local tries, slept = 0, 0
local ok, _, code = require("parley.system").rename("a", "b", {
  windows = windows,
  rename = function()
    tries = tries + 1
    local failed = codes[tries]
    if failed then return nil, failed .. ": a", failed end
    return true
  end,
  sleep = function(milliseconds) slept = slept + milliseconds end,
})
return { ok or false, code or "", tries, slept < 500 }`;

it.each<[boolean, string[], unknown[]]>([
  [true, ["EPERM", "EBUSY", "EACCES"], [true, "", 4, true]],
  [true, Array(9).fill("EPERM"), [false, "EPERM", 5, true]],
  [true, ["ENOENT"], [false, "ENOENT", 1, true]],
  [false, ["EPERM"], [false, "EPERM", 1, true]],
])("on Windows (%s) a rename that fails with %j", async (windows, codes, expected) => {
  expect(await editor.lua(rename, windows, codes)).toEqual(expected);
});

it("takes an interrupt for an end without an error, and nothing else", async () => {
  const tried = (what: string) =>
    editor.lua(
      `return { pcall(require("parley.system").interruptible, function(...) ${what} end, 1, 2) }`,
    );
  expect(await tried("return select('#', ...)")).toEqual([true, true, 2]);
  // As Neovim raises it from a function of Vim and from a command.
  expect(await tried("error('Keyboard interrupt')")).toEqual([true, false, expect.anything()]);
  expect(await tried("error('Vim:Interrupt', 0)")).toEqual([false, "Vim:Interrupt"]);
  expect(await tried("error('broken', 0)")).toEqual([false, "broken"]);
});

it("opens an address on Windows without a shell, which would run what follows an ampersand", async () => {
  const address = "https://example.com/login?client=a&calc.exe|x%PATH%";
  const words = await editor.lua(
    `local system = require("parley.system")
    vim.env.SystemRoot, system.is_windows = "C:/Windows", true
    local started
    vim.system = function(words) started = words end
    require("parley.screen.windows.open").address(...)
    system.is_windows = false
    return started`,
    address,
  );
  const rundll32 = "C:/Windows/System32/rundll32.exe";
  expect(words).toEqual([rundll32, "url.dll,FileProtocolHandler", address]);
  expect(await ask("opener", false)).toBeNull();
});
