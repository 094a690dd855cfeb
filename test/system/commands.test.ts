/** Running commands: their arguments arrive unchanged, and every way of ending is reported. */
import { chmodSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { build } from "esbuild";
import { expect, it, onTestFinished } from "vitest";
import { projectRoot } from "../../scripts/lib/paths.mjs";
import { outputOfCommand } from "../../src/system/commands.ts";
import { programOf } from "../../src/system/find-program.ts";
import { absoluteEntries } from "../../src/system/variables.ts";
import { folderWith } from "../scripts/folder.ts";

const node = process.execPath;
const patience = { timeoutMs: 10_000 };

it("outputOfCommand passes every argument unchanged, including shell syntax", async () => {
  const args = ["a b", 'say "hi"', "%PATH%", "$HOME", "a&b|c>d", "^", "", "ü😊", "\\", "'"];
  const script = join(folderWith({}), "print.cjs");
  writeFileSync(script, "process.stdout.write(JSON.stringify(process.argv.slice(2)))");
  const { outcome, stdout } = await outputOfCommand(node, [script, ...args], patience);
  expect(outcome).toEqual({ type: "ended", code: 0, signal: null });
  expect(JSON.parse(stdout)).toEqual(args);
});

it("outputOfCommand reports exit code, timeout, too long output and a missing program", async () => {
  const run = (code: string, timeoutMs = 10_000) =>
    outputOfCommand(node, ["-e", code], { timeoutMs });
  const failed = await run('console.error("why"); process.exit(3)');
  expect(failed).toMatchObject({ outcome: { type: "ended", code: 3 }, stderr: "why\n" });
  expect((await run("setInterval(() => {}, 1000)", 300)).outcome).toEqual({ type: "timeout" });
  expect((await run('setInterval(() => console.log("x".repeat(99999)), 1)')).outcome).toEqual({
    type: "too-long",
  });
  const missing = await outputOfCommand(join(folderWith({}), "nothing"), [], patience);
  expect(missing.outcome).toEqual({ type: "missing" });
});

/** Opens as many files as possible, then starts a command and a guard for its group, and prints the errors. */
const crowded = `
  import { closeSync, openSync } from "node:fs";
  import { startCommand } from "./src/system/commands.ts";
  import { watchGroup } from "./src/system/process-group.ts";
  process.on("uncaughtException", (error) => console.log("uncaught", error.message));
  const last = startCommand(process.execPath, ["-e", "process.stdin.resume()"], {});
  console.log("a first one");
  const files = [];
  try { for (;;) files.push(openSync("/dev/null")) } catch {}
  try { startCommand("program", [], {}) } catch (error) { console.log(error.message) }
  watchGroup(last, "mark");
  setTimeout(() => { files.map((file) => closeSync(file)); process.exit() }, 100);`;

it.skipIf(process.platform === "win32")(
  "startCommand reports that a program could not be started when too many files are open",
  async () => {
    const program = join(folderWith({}), "crowded.cjs");
    const stdin = { contents: crowded, resolveDir: projectRoot, loader: "ts" } as const;
    await build({ stdin, bundle: true, platform: "node", outfile: program });
    const shell = ["-c", 'ulimit -n 40; exec "$0" "$1"', node, program];
    const { stdout, stderr } = await outputOfCommand("/bin/sh", shell, patience);
    expect(stderr).toBe("");
    expect(stdout).toBe("a first one\nprogram could not be started: too many files are open.\n");
  },
);

/** Starts a daemon that leaves the group, has no mark and keeps the output open, as build tools do. */
const leavesDaemon = `
  const stdio = ["ignore", "inherit", "inherit"];
  const daemon = require("node:child_process").spawn(
    process.execPath, ["-e", "setInterval(() => {}, 1000)"], { detached: true, env: {}, stdio });
  daemon.unref();
  console.log("x".repeat(300_000) + " " + daemon.pid);`;

it("outputOfCommand ends with its program even if a daemon keeps the output open", async () => {
  const { outcome, stdout } = await outputOfCommand(node, ["-e", leavesDaemon], patience);
  const daemon = Number(stdout.split(" ")[1]);
  onTestFinished(() => void process.kill(daemon));
  expect(outcome).toEqual({ type: "ended", code: 0, signal: null });
  expect(stdout).toBe(`${"x".repeat(300_000)} ${daemon}\n`);
});

it("programOf on Windows searches only the absolute folders in PATH, never the working folder", () => {
  const there = new Set(["C:\\Git\\git.EXE", "C:\\Node\\npx.CMD", "git.exe", "C:\\Node\\a.b.EXE"]);
  const find = (word: string, env: Record<string, string>) =>
    programOf(word, { env, platform: "win32", isFile: (path) => there.has(path) });
  const env = { Path: '.;;bin;"C:\\Git";C:\\Node', PathExt: ".COM;.EXE;.CMD" };
  expect(find("git", env)).toBe("C:\\Git\\git.EXE");
  expect(find("npx", env)).toBe("C:\\Node\\npx.CMD");
  expect(find("a.b", env)).toBe("C:\\Node\\a.b.EXE");
  // Not found: the result is a path without a file, and never a file in the working folder.
  expect(find("build", env)).toBe("C:\\Git\\build");
  expect(find("build", { PATH: "." })).toBe("C:\\build");
  for (const path of [".\\build", "C:\\x.exe", "./build"]) expect(find(path, env)).toBe(path);
  expect(programOf("git", { env, platform: "linux", isFile: () => true })).toBe("git");
});

it.skipIf(process.platform === "win32")(
  "outputOfCommand ignores relative folders in PATH",
  async () => {
    const cwd = folderWith({ "bin/whoami": "#!/bin/sh\necho the folder\n" });
    chmodSync(join(cwd, "bin", "whoami"), 0o755);
    const said = async (PATH: string) => {
      const env = { ...process.env, PATH };
      return (await outputOfCommand("whoami", [], { ...patience, cwd, env })).stdout;
    };
    expect(await said(`bin:${process.env.PATH}`)).not.toContain("the folder");
    expect(await said("bin")).not.toContain("the folder");
    expect(absoluteEntries("bin", "linux")).toBe("/usr/bin:/bin");
    expect(absoluteEntries("bin;C:\\x", "win32")).toBe("C:\\x");
  },
);
