/**
 * The path rules of each system, tested on every system: drives, backslashes, home folders, references, links, PATH.
 */
import { describe, expect, it } from "vitest";
import { branchLine, linkTarget, linkTo } from "../../src/app/chats/links.ts";
import { possiblePaths, splitLines } from "../../src/app/references/targets.ts";
import { isOwn } from "../../src/system/ownership.ts";
import {
  canBeFile,
  expandHome,
  isBelow,
  isNetworkPath,
  plainPath,
  slashed,
} from "../../src/system/paths.ts";
import { clipboardImageCommands, openCommand } from "../../src/system/programs.ts";
import {
  absoluteEntries,
  hasVariable,
  isNeededVariable,
  variableOf,
  withoutVariables,
  withVariables,
} from "../../src/system/variables.ts";
import { referencesIn } from "../../src/transcript/references.ts";

const home = { win32: "C:\\Users\\ada", linux: "/home/ada" } as const;

it.each([
  ["linux", "~/x", "/home/ada/x"],
  ["linux", "~\\x", "~\\x"],
  ["linux", "~other/x", "~other/x"],
  ["win32", "~/x", "C:\\Users\\ada/x"],
  ["win32", "~\\x", "C:\\Users\\ada\\x"],
  ["win32", "~", "C:\\Users\\ada"],
] as const)("expandHome on %s expands %s", (platform, path, expected) => {
  expect(expandHome(path, home[platform], platform)).toBe(expected);
});

it.each([
  ["linux", "/a", "/a/b", true],
  ["linux", "/a", "/ab", false],
  ["linux", "/a", "/a/..b", true],
  ["linux", "/", "/a", true],
  ["win32", "C:\\a", "C:\\a\\b", true],
  ["win32", "C:\\a", "c:/A/b", true],
  ["win32", "C:\\a", "C:\\ab", false],
  ["win32", "C:\\a", "D:\\a\\b", false],
  ["win32", "C:\\", "C:\\a", true],
  ["win32", "C:\\a", "C:\\a\\..\\b", false],
  ["win32", "C:\\a", "\\\\host\\share\\a", false],
  ["win32", "\\\\host\\share", "\\\\host\\share\\x", true],
] as const)(
  "isBelow on %s with folder %s and path %s is %s",
  (platform, folder, path, expected) => {
    expect(isBelow(folder, path, platform)).toBe(expected);
  },
);

it.each([
  ["linux", "/a/../b", "/a/../b"],
  ["linux", "C:\\x", "C:\\x"],
  ["win32", "c:/Users/ada/chat.md", "C:\\Users\\ada\\chat.md"],
  ["win32", "C:\\Users\\ada\\.\\chat.md", "C:\\Users\\ada\\chat.md"],
  ["win32", "", ""],
] as const)("plainPath on %s normalizes %s", (platform, path, expected) => {
  expect(plainPath(path, platform)).toBe(expected);
});

it("isNetworkPath recognizes paths of another machine, because reading them would log in there", () => {
  expect(isNetworkPath("\\\\host\\share\\x", "win32")).toBe(true);
  expect(isNetworkPath("//host/share/x", "win32")).toBe(true);
  expect(isNetworkPath("C:\\x", "win32")).toBe(false);
  expect(isNetworkPath("//host/share/x", "linux")).toBe(false);
});

describe("canBeFile on Windows", () => {
  const folder = "C:\\Users\\ada\\";

  it.each([
    "notes: part 2.md",
    "a.txt:hidden",
    "a.txt::$DATA",
    "why?.md",
    "a*b",
    "<a>",
    'say "hi".md',
    "a|b",
    "a\nb",
    "a.",
    "a ",
    "folder. \\a",
    "nul",
    "NUL.md",
    "Con .txt",
    "aux.tar.gz",
    "com1",
    "LPT9.md",
    "com¹",
    "conin$",
    "sub/prn.ts",
  ])("rejects the name %j", (name) => {
    expect(canBeFile(folder + name, "win32")).toBe(false);
    expect(canBeFile(`/home/ada/${name}`, "linux")).toBe(true);
  });

  it.each([
    "a.md",
    "..a",
    ".env",
    "a b.c",
    "console.md",
    "com.md",
    "nulls",
    "aux1",
    "com10",
    "my.con",
    "été#%&{}.md",
    "..\\a",
  ])("accepts the name %j", (name) => {
    expect(canBeFile(folder + name, "win32")).toBe(true);
    expect(canBeFile(`\\\\host\\share\\${name}`, "win32")).toBe(true);
  });
});

describe("a file reference", () => {
  it.each([
    "C:\\x\\a.ts",
    "c:/x/a.ts:10-40",
    "~\\x",
    ".\\src\\a.ts",
    "..\\a b.ts:3",
    "C:\\x\\*.{ts,js}",
  ])("is read on every system: %s", (target) => {
    const [found, ...more] = referencesIn(`see @@${target}@@ please`, 0);
    expect([found?.kind, found?.target, more.length]).toEqual(["file", target, 0]);
  });

  it.each(["\\d+", "\\\\host\\share", "C:", "a:b", "c:x"])("is not recognized in %s", (target) => {
    expect(referencesIn(`see @@${target}@@ please`, 0)).toEqual([]);
  });

  it("may have line numbers after a path with a drive", () => {
    const lines = { first: 10, last: 40 };
    expect(splitLines("C:\\x\\a.ts:10-40")).toEqual({ path: "C:\\x\\a.ts", lines });
    expect(splitLines("C:\\x\\a.ts")).toEqual({ path: "C:\\x\\a.ts", lines: null });
  });

  const folders = ["C:\\work", "D:\\chats"];
  it.each([
    ["C:\\x\\a.ts:10", [["C:\\x\\a.ts:10"], ["C:\\x\\a.ts"]]],
    [".\\a.ts", [["C:\\work\\a.ts", "D:\\chats\\a.ts"]]],
    ["../a.ts", [["C:\\a.ts", "D:\\a.ts"]]],
    ["~\\a.ts", [["C:\\Users\\ada\\a.ts"]]],
    ["C:\\x\\*.ts", [["C:\\x\\*.ts"], ["C:\\x"]]],
    ["C:\\*.ts", [["C:\\*.ts"], ["C:\\"]]],
  ])("%s has the expected possible paths on Windows", (target, expected) => {
    const found = possiblePaths({ kind: "file", target }, folders, home.win32, "win32");
    expect(found.map(({ candidates }) => candidates)).toEqual(expected);
  });
});

describe("a link between chats", () => {
  const from = "C:\\chats\\one.md";

  it("is written with slashes, so that it works on every system", () => {
    expect(branchLine(from, "C:\\chats\\sub\\two.md", "T", "win32")).toBe("🌿: sub/two.md: T");
    expect(branchLine(from, "D:\\two.md", "", "win32")).toBe("🌿: D:/two.md");
  });

  it.each([
    ["sub\\two.md", "C:\\chats\\sub\\two.md"],
    ["../two.md", "C:\\two.md"],
    ["D:/x/two.md", "D:\\x\\two.md"],
    ["~\\two.md", "C:\\Users\\ada\\two.md"],
  ])("on Windows leads from %s to %s", (target, expected) => {
    expect(linkTarget(from, { target }, home.win32, "win32")).toBe(expected);
  });

  it.each([
    ["~/old.md", "C:\\Users\\ada\\x\\new.md", "~/x/new.md"],
    ["~/old.md", "D:\\new.md", "D:/new.md"],
    ["C:\\chats\\old.md", "D:\\new.md", "D:/new.md"],
    ["old.md", "C:\\chats\\sub\\new.md", "sub/new.md"],
  ])("written as %s leads to %s after a move and becomes %s", (written, to, expected) => {
    expect(linkTo(from, to, written, home.win32, "win32")).toBe(expected);
  });
});

describe("environment variables", () => {
  const names = new Set(["PATH", "HOME"]);

  it.each([
    ["linux", "PATH", true],
    ["linux", "Path", false],
    ["linux", "SYSTEMROOT", false],
    ["win32", "Path", true],
    ["win32", "SystemRoot", true],
    ["win32", "ProgramFiles(x86)", true],
    ["win32", "OPENAI_API_KEY", false],
  ] as const)("on %s: whether %s is passed on", (platform, name, expected) => {
    expect(isNeededVariable(name, names, platform)).toBe(expected);
  });

  const environment = { Path: "C:\\bin", OpenAI_Api_Key: "sk-1", EMPTY: undefined };

  it.each([
    ["win32", true, "C:\\bin", { Path: "C:\\bin" }, { PATH: "D:\\", OpenAI_Api_Key: "sk-1" }],
    [
      "linux",
      false,
      undefined,
      { Path: "C:\\bin", OpenAI_Api_Key: "sk-1" },
      { Path: "C:\\bin", PATH: "D:\\", OpenAI_Api_Key: "sk-1" },
    ],
  ] as const)(
    "on %s are found, removed and set with the system's rule for upper and lower case: ignoring case is %s",
    (platform, isKey, path, left, set) => {
      expect(hasVariable(new Set(["OPENAI_API_KEY"]), "OpenAI_Api_Key", platform)).toBe(isKey);
      expect(hasVariable(new Set(["MyKey"]), "MYKEY", platform)).toBe(isKey);
      expect(variableOf(environment, "PATH", platform)).toBe(path);
      expect(withoutVariables(environment, ["OPENAI_API_KEY"], platform)).toEqual(left);
      expect(withVariables(environment, { PATH: "D:\\" }, platform)).toEqual(set);
    },
  );

  it("for search paths lose relative folders", () => {
    expect(absoluteEntries("/bin:.::bin:/opt", "linux")).toBe("/bin:/opt");
    expect(absoluteEntries("C:\\a;.;;node_modules\\.bin;D:/b", "win32")).toBe("C:\\a;D:/b");
  });
});

it("slashed replaces backslashes on Windows only", () => {
  expect(slashed("a\\b/c", "win32")).toBe("a/b/c");
  expect(slashed("a\\b/c", "linux")).toBe("a\\b/c");
});

it("isOwn checks owner and mode on Unix, and accepts every file on Windows", () => {
  const reader = (platform: NodeJS.Platform, uid: number | null) => ({ platform, uid });
  expect(isOwn({ uid: 1, mode: 0o100600 }, reader("linux", 1))).toBe(true);
  expect(isOwn({ uid: 2, mode: 0o100600 }, reader("darwin", 1))).toBe(false);
  expect(isOwn({ uid: 1, mode: 0o100620 }, reader("linux", 1))).toBe(false);
  // Windows reports no owner, and mode 666 for every writable file.
  expect(isOwn({ uid: 0, mode: 0o100666 }, reader("win32", null))).toBe(true);
});

it("openCommand opens an address with a program of the system, without a shell", () => {
  const address = "https://x.example/?a=1&b=%PATH%";
  expect(openCommand(address, "linux")).toEqual(["xdg-open", address]);
  expect(openCommand(address, "darwin")).toEqual(["open", address]);
  expect(openCommand(address, "win32")).toEqual([
    "rundll32",
    "url.dll,FileProtocolHandler",
    address,
  ]);
});

it("clipboardImageCommands lists the programs of each system", () => {
  const names = (platform: NodeJS.Platform) =>
    clipboardImageCommands(platform).map(([program]) => program);
  expect(names("linux")).toEqual(["wl-paste", "xclip", "powershell.exe"]);
  expect(names("freebsd")).toEqual(names("linux"));
  expect(names("darwin")).toEqual(["pngpaste"]);
  expect(names("win32")).toEqual(["powershell.exe"]);
});
