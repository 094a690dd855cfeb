/** Only src/system/ and lua/parley/system/ check the operating system and start programs. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { projectRoot } from "../../scripts/lib/paths.mjs";

function textsIn(folder: string, ending: string): readonly { path: string; text: string }[] {
  return readdirSync(join(projectRoot, folder), { recursive: true, encoding: "utf8" })
    .map((path) => `${folder}/${path.replaceAll("\\", "/")}`)
    .filter((path) => path.endsWith(ending))
    .map((path) => ({
      path,
      text: withoutComments(readFileSync(join(projectRoot, path), "utf8")),
    }));
}

const withoutComments = (text: string) => text.replace(/\/\*[\s\S]*?\*\/|^\s*(?:\/\/|--).*$/gm, "");

/** Expressions that only these folders may contain, by language. */
const asksTheSystem = {
  ts: /process\.(?:platform|getuid)|["'](?:win32|darwin)["']|\bos\.(?:platform|type)\(|taskkill|["'](?:EBUSY|EEXIST)["'].*EPERM/,
  lua: /has\(?\s*["'](?:win32|win64|mac|macunix|osx|unix|wsl)["']|jit\.os|os_uname|taskkill/,
};
const startsPrograms = /from "(?:node:child_process|cross-spawn)"/;

const sources = textsIn("src", ".ts");
const lua = [
  ...textsIn("lua", ".lua"),
  ...textsIn("plugin", ".lua"),
  { path: "build.lua", text: readFileSync(join(projectRoot, "build.lua"), "utf8") },
];

const found = (texts: readonly { path: string; text: string }[], pattern: RegExp) =>
  texts.filter(({ text }) => pattern.test(text)).map(({ path }) => path);
const outside = (paths: readonly string[], room: string) =>
  paths.filter((path) => !path.startsWith(room));

describe("the operating system", () => {
  it("is checked by the host in one file only", () => {
    expect(outside(found(sources, asksTheSystem.ts), "src/system/")).toEqual([]);
    expect(found(sources, /process\.platform/)).toEqual(["src/system/platform.ts"]);
  });

  it("is asked for the home folder in one file only", () => {
    expect(found(sources, /\bhomedir\b/)).toEqual(["src/system/standard-folders.ts"]);
  });

  it("is checked by the Lua half in one file only", () => {
    expect(found(lua, asksTheSystem.lua)).toEqual(["lua/parley/system/init.lua"]);
  });

  it.each([
    ['if (process.platform === "darwin") return;', asksTheSystem.ts],
    ["const isWindows = platform === 'win32';", asksTheSystem.ts],
    ['if vim.fn.has("win32") == 1 then', asksTheSystem.lua],
    ["if jit.os == 'Windows' then", asksTheSystem.lua],
  ])("is found to be checked in %s", (line, pattern) => {
    expect(pattern.test(line)).toBe(true);
  });
});

describe("other programs", () => {
  it("are started in src/system/ only", () => {
    // Type imports start nothing.
    const values = sources.map(({ path, text }) => ({
      path,
      text: text.replace(/^import type [\s\S]*?;$/gm, ""),
    }));
    expect(outside(found(values, startsPrograms), "src/system/")).toEqual([]);
  });

  const calls = sources.flatMap(({ path, text }) =>
    [...text.matchAll(/(?<![\w.])(?:crossSpawn|spawn|spawnSync|execFile|fork)\(/g)].map(
      ({ index }) => ({ path, call: text.slice(index, index + 400) }),
    ),
  );

  it("are never looked up in the working folder, which Windows searches first for a bare name", () => {
    const found = /^\w+\((?:programOf\(|program,|"\/)/;
    expect(calls.filter(({ call }) => !found.test(call))).toEqual([]);
  });

  it("are always started without a console window", () => {
    expect(calls.length).toBeGreaterThan(3);
    const open = calls.filter(({ call, path }) => {
      const [statement = ""] = call.split(";");
      const options = /,\s*(\w+)\)$/.exec(statement)?.[1];
      const text = sources.find((source) => source.path === path)?.text ?? "";
      const named =
        options && new RegExp(`const ${options} = \\{[^}]*windowsHide: true`).test(text);
      return !statement.includes("windowsHide: true") && !named;
    });
    expect(open).toEqual([]);
  });
});
