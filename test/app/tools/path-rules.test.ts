/** Rules about paths judge where a path leads, whatever it is called: with spellings that nobody listed. */
import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { pathAccessOptions } from "../../../src/app/app-parts.ts";
import { createPathAccess } from "../../../src/app/builtin/path-access.ts";
import { isExecutedByOthers } from "../../../src/app/tools/executed-files.ts";
import { pathFrame, policyOf, type Rules } from "../../../src/app/tools/policy.ts";
import type { Tool } from "../../../src/conversation/ports.ts";
import fc from "../../support/property.ts";

const tool = (name: string): Tool => ({
  name,
  description: "",
  inputSchema: {},
  server: null,
  group: "builtin",
});
const none: Rules = { autoApprove: "none", allow: [], ask: [], deny: [] };

async function scene() {
  const base = await realpath(await mkdtemp(join(tmpdir(), "parley-paths-")));
  onTestFinished(() => rm(base, { recursive: true, force: true }));
  const folder = join(base, "w");
  await mkdir(join(folder, "kept", "deep"), { recursive: true });
  await mkdir(join(folder, "src", "deep"), { recursive: true });
  await writeFile(join(folder, "kept", "k"), "");
  await writeFile(join(folder, "kept", "deep", "k"), "");
  await writeFile(join(folder, ".env"), "");
  await symlink(join(folder, "kept"), join(folder, "src", "assets"));
  await symlink(join("..", "..", "kept", "k"), join(folder, "src", "deep", "notes"));
  await symlink(join(folder, ".env"), join(folder, "src", "readme"));
  await symlink(folder, join(base, "other-name"));
  const places = createPathAccess({ workingFolder: () => folder, ownFolders: [], confirm: null });
  const judge = async (rules: Partial<Rules>, path: string, name = "read_file") => {
    const callPath = await places.callPath(path);
    const subject = {
      arguments: { path },
      paths: { path: callPath },
      changes: name === "edit_file" ? callPath.real : null,
    };
    const call = { id: "1", name, arguments: JSON.stringify({ path }) };
    return policyOf({ ...none, ...rules }, pathFrame(folder))(tool(name), call, subject).answer;
  };
  return { base, folder, judge };
}

/** Ways to say a path differently that all lead to the same place. */
function spelled(folder: string, base: string) {
  const detour = fc.constantFrom("./", "src/../", "./././", "src/deep/../../", "kept/../", "//");
  const way = fc.array(detour, { maxLength: 4 }).map((parts) => parts.join("").replace(/^\/+/, ""));
  const start = fc.constantFrom(
    "",
    `${folder}/`,
    `${base}/other-name/`,
    `../w/`,
    `${folder}/../w/`,
  );
  const target = fc.constantFrom(
    "kept/k",
    "kept//k",
    "kept/./k",
    "kept/deep/../k",
    "src/assets/k",
    "src/assets/deep/../k",
    "src/deep/notes",
  );
  return fc.tuple(start, way, target).map((parts) => parts.join(""));
}

it("denies a file however it is spelled", async () => {
  const { base, folder, judge } = await scene();
  const patterns = ["kept/*", "./kept/*", "*/kept/k", join(folder, "kept/k"), "kept/k"];
  const rule = fc
    .constantFrom(...patterns)
    .map((path) => ({ tool: "read_file", arguments: { path } }));
  await fc.assert(
    fc.asyncProperty(spelled(folder, base), rule, async (path, deny) => {
      expect(await judge({ deny: [deny], autoApprove: "builtin" }, path)).toBe("deny");
      expect(await judge({ ask: [deny], autoApprove: "builtin" }, path)).toBe("ask");
    }),
    { numRuns: 300 },
  );
});

it("allows only what leads nowhere else", async () => {
  const { base, folder, judge } = await scene();
  const allow = [{ tool: "read_file", arguments: { path: "src/*" } }];
  await fc.assert(
    fc.asyncProperty(spelled(folder, base), async (path) => {
      expect(await judge({ allow }, path)).toBe("ask");
    }),
    { numRuns: 300 },
  );
  expect(await judge({ allow }, "src/main.ts")).toBe("allow");
  expect(await judge({ allow }, "./src/deep/../main.ts")).toBe("allow");
  expect(await judge({ allow }, join(folder, "src/new/main.ts"))).toBe("allow");
  expect(await judge({ allow }, "src/readme")).toBe("insist");
});

it.each([".env/", ".env", "./.env", "src/readme", ".ENV", "src/../.env"])(
  "denies %s",
  async (path) => {
    const { judge } = await scene();
    const deny = [{ tool: "builtin", arguments: { path: "*.env" } }];
    expect(await judge({ deny, autoApprove: "builtin" }, path)).toBe("deny");
  },
);

it("judges the defaults that are filled in", () => {
  const call = { id: "1", name: "list_files", arguments: "{}" };
  const path = { written: ".", absolute: "/w", real: "/w" };
  const subject = { arguments: { path: ".", name: "*" }, paths: { path }, changes: null };
  const decide = (rules: Partial<Rules>) =>
    policyOf({ ...none, ...rules }, { folders: ["/w"], home: "/" })(
      tool("list_files"),
      call,
      subject,
    );
  const all = { tool: "list_files", arguments: { name: "[*]", path: "." } };
  expect(decide({ deny: [{ tool: "list_files", arguments: { name: "*" } }] }).answer).toBe("deny");
  expect(decide({ deny: [{ tool: "list_files", arguments: { path: "." } }] }).answer).toBe("deny");
  expect(decide({ deny: [all] }).answer).toBe("ask");
});

it("lets only a rule that names the file change what other programs execute", async () => {
  const { folder, judge } = await scene();
  const general = [
    { autoApprove: "builtin" },
    { allow: ["edit_file"] },
    { allow: [{ tool: "edit_file", arguments: { path: "*" } }] },
    { allow: [{ tool: "edit_file", arguments: { path: "*akefile" } }] },
  ];
  const names = [
    "Makefile",
    ".envrc",
    "a/package.json",
    ".vscode/x",
    ".githooks/a/b",
    "a/.nvim.lua",
    "mise.local.toml",
    ".agents/skills/a/run.sh",
  ];
  for (const rules of general) {
    for (const name of names) expect(await judge(rules, name, "edit_file")).toBe("insist");
    expect(await judge(rules, "Makefile", "read_file")).not.toBe("insist");
  }
  const named = { allow: [{ tool: "edit_file", arguments: { path: "Makefile" } }] };
  expect(await judge(named, "./src/../Makefile", "edit_file")).toBe("allow");
  expect(await judge(named, "sub/Makefile", "edit_file")).toBe("insist");
  await symlink(join(folder, "Makefile"), join(folder, "notes.md"));
  expect(await judge({ autoApprove: "builtin" }, "notes.md", "edit_file")).toBe("insist");
});

it("lets an ask that speaks of such a file open no way around that, and a rule that names it count wherever it is", async () => {
  const { judge } = await scene();
  const named = { tool: "edit_file", arguments: { path: "Makefile" } };
  expect(await judge({ ask: ["edit_file"] }, "Makefile", "edit_file")).toBe("insist");
  expect(await judge({ ask: ["edit_file"], allow: [named] }, "Makefile", "edit_file")).toBe(
    "insist",
  );
  expect(await judge({ ask: ["edit_file"] }, "notes.md", "edit_file")).toBe("ask");
  expect(await judge({ allow: ["edit_file", named] }, "Makefile", "edit_file")).toBe("allow");
  expect(await judge({ deny: ["edit_file"], allow: [named] }, "Makefile", "edit_file")).toBe(
    "deny",
  );
});

it("lets only a rule that names the file read what looks like a secret", async () => {
  const { base, judge } = await scene();
  const secret = [".env", "./src/../.env", "src/readme", "secrets/k", "a/id_rsa", "x.PEM"];
  const general = [
    { autoApprove: "builtin" },
    { allow: ["read_file"] },
    { allow: [{ tool: "builtin", arguments: { path: "*" } }] },
    { ask: ["builtin"] },
  ];
  for (const rules of general) {
    for (const name of secret) {
      expect(await judge(rules, name), name).toBe("insist");
      expect(await judge(rules, name, "search_files"), name).toBe("insist");
      expect(await judge(rules, name, "list_files"), name).not.toBe("insist");
      expect(await judge(rules, name, "edit_file"), name).not.toBe("insist");
    }
    expect(await judge(rules, "src/main.ts")).not.toBe("insist");
  }
  const named = { allow: [{ tool: "read_file", arguments: { path: ".env" } }] };
  expect(await judge(named, "./.env")).toBe("allow");
  expect(await judge(named, "sub/.env")).toBe("insist");
  expect(await judge({ autoApprove: "builtin" }, join(base, "secrets", "a.ts"))).toBe("insist");
});

it.each([
  ["/h/.bashrc", true],
  ["/w/GNUmakefile", true],
  ["/w/a/vite.config.ts", true],
  ["/w/.github/workflows/ci.yml", true],
  ["/w/.github/README.md", false],
  ["/w/src/make.ts", false],
  ["/h/.config/nvim/init.lua", true],
  ["/w/.vscode", false],
  ["/h/.tmux.conf", true],
  ["/h/.local/share/nvim/site/plugin/a.lua", true],
  ["/h/.kube/config", true],
  ["/w/kube/config", false],
  ["/w/.luarc.json", true],
  ["/w/rules/defs.bzl", true],
  ["/w/node_modules/.bin/tsc", true],
  ["/w/app/settings.gradle.kts", true],
  ["/w/.helix/languages.toml", true],
  ["/w/.rubocop.yml", true],
  ["/w/rust-toolchain.toml", true],
  ["/w/gradle/wrapper/gradle-wrapper.properties", true],
  ["/w/a/package-lock.json", true],
  ["/w/requirements-dev.txt", true],
  ["/w/go.mod", true],
  ["/w/.gemini/settings.json", true],
  ["/w/.lazy.lua", true],
  ["/w/locks.json", false],
  ["/w/.ghci", true],
  ["/w/lib/.formatter.exs", true],
  ["/w/.luacheckrc", true],
  ["/w/Directory.Build.props", true],
  ["/w/app/App.csproj", true],
  ["/w/Package.swift", true],
  ["/w/vendor/bare/HEAD", true],
  ["/w/HEADER.md", false],
])("%s is executed by others: %s", (path, expected) => {
  expect(isExecutedByOthers(path)).toBe(expected);
});

it("no tool changes what decides what may run, or packages that are loaded, wherever one works", async () => {
  const { base } = await scene();
  const folder = (name: string) => join(base, "w", name);
  const access = createPathAccess(
    pathAccessOptions(
      {
        configurationFolder: folder("config"),
        stateFolder: folder("state"),
        packageFolder: folder("data"),
        user: null,
      },
      () => join(base, "w"),
    ),
  );
  const change = { verb: "edit", writes: true, waiting: () => {} } as const;
  for (const name of ["config", "state", "data/node_modules/sdk"]) {
    const path = join(folder(name), "index.js");
    await expect(access.enter(path, change)).rejects.toThrow("Parley's own files");
  }
  // Chats and the files beside them are the user's.
  const note = join(folder("data"), "summary.md");
  await expect(access.enter(note, change)).resolves.toContain("summary.md");
});
