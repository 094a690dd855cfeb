/** The tool that runs commands: when it is offered, what it runs with, how it ends, and what a rule allows. */
import { chmod, mkdir, readFile, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { commandLine, keepEnds } from "../../../src/app/builtin/run-command.ts";
import { policyOf, type Rules } from "../../../src/app/tools/policy.ts";
import { scopeOf } from "../../../src/conversation/decide/remembered.ts";
import type { CallSubject } from "../../../src/conversation/ports.ts";
import { sandboxWords } from "../../../src/system/sandbox.ts";
import fc from "../../support/property.ts";
import { open } from "../builtin-scene.ts";

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

const node = (script: string) => ({ command: [process.execPath, "-e", script] });

it("is offered only where it is named itself", async () => {
  const { names } = await open();
  for (const selection of ["builtin", "*", "builtin.*", "run_*", "-edit_file"]) {
    expect(await names(selection)).not.toContain("run_command");
  }
  expect(await names("run_command")).toEqual(["run_command"]);
  expect(await names("builtin.run_command")).toEqual(["run_command"]);
  expect(await names("builtin, run_command")).toContain("run_command");
  expect(await names("run_command, -run_command")).toEqual([]);
});

it("runs where it was shown, and nowhere else", async () => {
  const { plan, runAs, folder, changeFolder } = await open();
  const where = node("console.log(process.cwd())");
  const [shown] = await plan(["run_command", where]);
  expect(shown).toMatchObject({ lines: [], refusal: null, changes: false });
  expect((await runAs("run_command", where, shown?.hash ?? "")).text).toBe(`${folder}\n`);
  changeFolder(join(folder, "src"));
  const elsewhere = await runAs("run_command", where, shown?.hash ?? "");
  expect(elsewhere).toMatchObject({ status: "error" });
  expect(elsewhere.text).toContain("What run_command would do changed since it was shown");
  expect((await plan(["run_command", where]))[0]?.hash).not.toBe(shown?.hash);
});

it.skipIf(process.platform === "win32")(
  "runs no program of the folder by its name, whatever PATH has",
  async () => {
    for (const PATH of [
      `.:${process.env.PATH}`,
      `:${process.env.PATH}`,
      `${process.env.PATH}:bin`,
      "",
    ]) {
      const { run, folder } = await open({ command: { environment: { ...process.env, PATH } } });
      await mkdir(join(folder, "bin"));
      for (const path of [join(folder, "whoami"), join(folder, "bin", "only-here")]) {
        await writeFile(path, "#!/bin/sh\necho the folder\n");
        await chmod(path, 0o755);
      }
      for (const command of [["whoami"], ["sh", "-c", "whoami; only-here"], ["only-here"]]) {
        expect((await run("run_command", { command })).text).not.toContain("the folder");
      }
      expect((await run("run_command", { command: ["./whoami"] })).text).toBe("the folder\n");
    }
  },
);

it("gives the output of both streams, and how a command failed", async () => {
  const { run, folder } = await open();
  const both =
    'process.stdout.write("out\\n"); process.stderr.write("err\\n"); console.log(process.cwd())';
  const ran = await run("run_command", { ...node(both), folder: "src" });
  expect(ran.status).toBe("ok");
  expect(ran.text.split("\n").toSorted()).toEqual(
    ["", join(folder, "src"), "err", "out"].toSorted(),
  );
  const failed = await run("run_command", node('console.log("no"); process.exit(3)'));
  expect(failed.status).toBe("error");
  expect(failed.text).toMatch(/: It exited with code 3 after [\d.]+ s\.\n\nno/);
  expect((await run("run_command", { command: ["no-such-program-here"] })).text).toContain(
    'There is no program "no-such-program-here".',
  );
  expect((await run("run_command", node(""))).text).toBe("(It printed nothing.)");
});

it("takes words as they are, with no shell, no input and no keys", async () => {
  const editor = { NVIM: "/run/nvim", NVIM_LISTEN_ADDRESS: "/run/nvim" };
  const environment = { ...process.env, ...editor, OPENAI_API_KEY: "secret", MINE: "kept" };
  const { run } = await open({ command: { environment } });
  const script =
    'const { env } = process; let input = ""; process.stdin.on("data", (d) => input += d).on("end", () => console.log(JSON.stringify([process.argv.slice(1), input, env.OPENAI_API_KEY, env.NVIM, env.NVIM_LISTEN_ADDRESS, env.MINE, process.stdout.isTTY, env.GIT_TERMINAL_PROMPT])))';
  const words = ["$(touch x)", "; ls", "*", "a b"];
  const { text } = await run("run_command", {
    command: [process.execPath, "-e", script, ...words],
  });
  expect(JSON.parse(text)).toEqual([words, "", null, null, null, "kept", null, "0"]);
});

it("ends with all that it started, when it takes too long, is stopped, or is done", async () => {
  // A child that outlives its parent, and holds its output open.
  const late = `const { pid } = require("child_process").spawn(process.execPath, ["-e", "setInterval(() => {}, 1000)"], { stdio: "inherit" }); console.log("child " + pid);`;
  const forever = "setInterval(() => {}, 1000);";
  const isGone = async (text: string) => {
    const pid = Number(/child (\d+)/.exec(text)?.[1]);
    expect(pid).toBeGreaterThan(0);
    await expect.poll(() => isAlive(pid), { timeout: 10_000 }).toBe(false);
  };
  const { run, said } = await open({ command: { timeoutMs: 1500 } });
  const slow = await run("run_command", node(late + forever));
  expect(slow.text).toMatch(/: It took too long and was stopped after .* s\.\n\nchild/);
  await isGone(slow.text);
  // The seconds are counted by who shows it.
  expect(said.some((line) => /^child \d+$/.test(line))).toBe(true);
  expect(said.filter((line) => /^(child \d+)?$/.test(line))).toEqual(said);
  const abort = new AbortController();
  let shown = "";
  // It would not end as long as this waits.
  const patient = await open({ command: { timeoutMs: 60_000 } });
  const stopped = await patient.runHow("run_command", node(late + forever), {
    signal: abort.signal,
    progress: (text) => {
      shown = text;
      if (text.includes("child")) abort.abort();
      return 0;
    },
  });
  expect(stopped.status).toBe("cancelled");
  await isGone(shown);
  const done = await run("run_command", node(`${late} setTimeout(() => process.exit(), 50)`));
  expect(done.status).toBe("ok");
  await isGone(done.text);
});

it("asks before it runs in a folder outside", async () => {
  const { run, asked } = await open({ answer: () => false });
  const ran = await run("run_command", { ...node("1"), folder: ".." });
  expect(ran.text).toContain("did not allow it");
  expect(asked[0]).toContain("run a command in");
});

it("keeps both ends of an output of any length", () => {
  const kept = keepEnds(10);
  for (let index = 0; index < 1000; index += 1) kept.push(`${index % 10}`);
  expect(kept.text()).toBe("0123456789\n[… 980 characters left out …]\n0123456789");
  expect(keepEnds().text()).toBe("");
  const lines = keepEnds();
  lines.push("one\ntwo\n\n");
  expect(lines.lastLine()).toBe("two");
  lines.push(`\n${"a".repeat(119)}😀`);
  expect(lines.lastLine()).toBe("a".repeat(119));
});

it("is allowed by its words alone, and remembered for exactly these and their folder", async () => {
  const { subject, names, folder } = await open();
  expect(await names("run_command")).toHaveLength(1);
  const rules = (own: Partial<Rules>) => ({
    autoApprove: "none",
    allow: [],
    ask: [],
    deny: [],
    ...own,
  });
  const frame = { folders: [folder], home: "/home/me" };
  const tool = {
    name: "run_command",
    description: "",
    inputSchema: {},
    server: null,
    group: "builtin",
  };
  const call = (command: readonly string[]) => ({
    id: "1",
    name: "run_command",
    arguments: JSON.stringify({ command }),
  });
  const about = async (...command: string[]): Promise<CallSubject> => {
    const found = await subject("run_command", { command });
    if (found === null) throw new Error("nothing to judge");
    return found;
  };
  const answer = async (own: Partial<Rules>, ...command: string[]) =>
    policyOf(rules(own), frame)(tool, call(command), await about(...command)).answer;
  for (const wide of [
    { autoApprove: "builtin, run_command" },
    { allow: ["run_command"] },
    { allow: [{ tool: "run_command", arguments: { folder: "*" } }] },
    { allow: [{ tool: "run_command", arguments: { command: "*" } }] },
  ]) {
    expect(await answer(wide, "npm", "test")).toBe("ask");
  }
  const npm = { allow: [{ tool: "run_command", arguments: { command: "npm test*" } }] };
  expect(await answer(npm, "npm", "test", "--watch")).toBe("allow");
  expect(await answer(npm, "npm", "install")).toBe("ask");
  expect(await answer(npm, "npm test", "x")).toBe("ask");
  const rm = { deny: [{ tool: "run_command", arguments: { command: "*rm -rf*" } }] };
  expect(await answer(rm, "sh", "-c", "cd x; rm -rf .")).toBe("deny");
  expect(scopeOf(await about("a", "b c"))).toBe(`a "b c"\n${folder}`);
});

it("is allowed by a rule that names no folder in the working folder alone, however it is spelled", async () => {
  const { subject, folder } = await open();
  await mkdir(join(folder, "vendor"));
  await symlink(join(folder, "vendor"), join(folder, "here"));
  const tool = { name: "run_command", description: "", inputSchema: {}, server: null };
  const offered = { ...tool, group: "builtin" };
  const verdict = async (args: object, own: object = {}) => {
    const about = { command: ["npm", "test"], ...args };
    const rule = { tool: "run_command", arguments: { command: "npm test*", ...own } };
    const rules = { autoApprove: "none", allow: ["run_command", rule], ask: [], deny: [] };
    const call = { id: "1", name: "run_command", arguments: JSON.stringify(about) };
    const judge = policyOf(rules, { folders: [folder], home: "/home/me" });
    return judge(offered, call, await subject("run_command", about));
  };
  const answer = async (...about: Parameters<typeof verdict>) => (await verdict(...about)).answer;
  for (const own of [{}, { folder: "." }, { folder: "vendor/.." }, { folder: `${folder}/` }]) {
    expect(await answer(own), JSON.stringify(own)).toBe("allow");
  }
  for (const other of ["vendor", "./vendor/", "here", "..", "/", "src/../vendor"]) {
    expect(await verdict({ folder: other }), other).toEqual({
      answer: "ask",
      rule: 'allow {"tool":"run_command","arguments":{"command":"npm test*"}}',
      guard: "it names no folder, so it applies only in the working folder",
    });
  }
  expect(await verdict({ command: ["ls"] })).toMatchObject({
    answer: "ask",
    rule: 'allow "run_command"',
    guard: "it names no command",
  });
  expect(await answer({ folder: "vendor" }, { folder: "vendor" })).toBe("allow");
  expect(await answer({ folder: "vendor" }, { folder: "*" })).toBe("allow");
  expect(await answer({ folder: "here" }, { folder: "here" })).toBe("ask");
});

it("is one line for rules that no other list of words has", () => {
  const word = fc.array(fc.constantFrom(...'ab "\\\n;'), { maxLength: 3 });
  const words = fc.array(
    word.map((letters) => letters.join("")),
    { minLength: 1, maxLength: 3 },
  );
  fc.assert(
    fc.property(words, words, (one, other) => {
      expect(commandLine(one)).not.toContain("\n");
      fc.pre(JSON.stringify(one) !== JSON.stringify(other));
      expect(commandLine(one)).not.toBe(commandLine(other));
    }),
    { numRuns: 1000 },
  );
  expect(commandLine(["a", ""])).not.toBe(commandLine(["a"]));
  expect(commandLine([""])).not.toBe("");
});

it("starts in a sandbox where one is asked for, or not at all", async () => {
  const sandbox = { write: ["src"], net: false };
  const missing = await open({ command: { sandbox, environment: { PATH: "/nowhere" } } });
  const ran = await missing.run("run_command", { command: ["touch", "made"] });
  expect(ran.status).toBe("error");
  expect(ran.text).toMatch(/asks for a sandbox, so nothing was started/);
  await expect(missing.text("made")).rejects.toThrow("ENOENT");
  const [tool] = (await missing.host.list("run_command", "mock/demo")).tools;
  expect(tool?.description).toContain("can write only below src and has no network");

  const { folder, plan } = missing;
  const shown = async () => (await plan(["run_command", { command: ["touch", "made"] }]))[0]?.hash;
  const before = await shown();
  sandbox.net = true;
  expect(await shown()).not.toBe(before);
  sandbox.net = false;
  expect(await shown()).toBe(before);
  sandbox.write.push(".");
  expect(await shown()).not.toBe(before);
  sandbox.write.pop();
  const places = {
    ...{ folder, path: join(folder, "bin") },
    resolve: (name: string) => join(folder, name),
  };
  await expect(sandboxWords(sandbox, { ...places, platform: "darwin" })).rejects.toThrow(
    "Linux only",
  );
  await mkdir(join(folder, "bin"));
  await writeFile(join(folder, "bin", "bwrap"), "#!/bin/sh\n");
  await chmod(join(folder, "bin", "bwrap"), 0o755);
  const words = await sandboxWords(sandbox, { ...places, platform: "linux" });
  expect(words[0]).toBe(join(folder, "bin", "bwrap"));
  expect(words.join(" ")).toContain(`--bind ${join(folder, "src")} ${join(folder, "src")}`);
  expect(words).toContain("--unshare-all");
  expect(words).not.toContain("--share-net");
  expect(words.at(-1)).toBe("--");
  const gone = { write: ["nowhere"] };
  await expect(sandboxWords(gone, { ...places, platform: "linux" })).rejects.toThrow(
    "no folder nowhere",
  );
  expect(await readFile(join(folder, "notes.txt"), "utf8")).toBe("one\ntwo\nthree\n");
});
