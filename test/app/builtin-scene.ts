/** The built-in tools over the files of a folder of their own. */
import { mkdir, mkdtemp, readFile, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { createBuiltinTools } from "../../src/app/builtin/builtin-tools.ts";
import type { CommandOptions } from "../../src/app/builtin/surroundings.ts";
import type { RuleConfiguration } from "../../src/app/configuration/options.ts";
import { fileWorkspace } from "../../src/app/files/file-workspace.ts";
import type { Diagnostic, Workspace } from "../../src/app/files/workspace.ts";
import { pathFrame, readDenialOf } from "../../src/app/tools/policy.ts";

type Answer = (question: string) => boolean;

interface Setting {
  readonly answer?: Answer | null;
  readonly diagnostics?: readonly Diagnostic[];
  readonly deny?: readonly RuleConfiguration[];
  readonly command?: Partial<CommandOptions>;
  /** What differs from files without an editor. */
  readonly workspace?: Partial<Workspace>;
}

export async function open({
  answer = () => false,
  diagnostics,
  deny = [],
  command = {},
  workspace = {},
}: Setting = {}) {
  const base = await realpath(await mkdtemp(join(tmpdir(), "parley-builtin-")));
  onTestFinished(() => rm(base, { recursive: true, force: true }));
  const folder = join(base, "project");
  const own = join(folder, "own");
  await mkdir(join(folder, "src"), { recursive: true });
  await mkdir(own);
  await writeFile(join(folder, "notes.txt"), "one\ntwo\nthree\n");
  await writeFile(join(folder, "src", "main.ts"), "const a = 1;\nconst b = 2;\n");
  await writeFile(join(base, "secret.txt"), "secret\n");
  let workingFolder = folder;
  const asked: string[] = [];
  const said: string[] = [];
  const host = createBuiltinTools({
    workspace: {
      ...fileWorkspace,
      ...workspace,
      diagnostics: diagnostics === undefined ? null : async () => diagnostics,
    },
    workingFolder: () => workingFolder,
    ownFolders: [own],
    command: () => ({
      environment: process.env,
      withheldVariables: new Set(["OPENAI_API_KEY"]),
      sandbox: null,
      timeoutMs: 10_000,
      ...command,
    }),
    readDenial: (path) => readDenialOf(deny, pathFrame(folder))(path),
    confirm:
      answer === null
        ? null
        : async (question) => {
            asked.push(question);
            return answer(question);
          },
    timeoutMs: () => 10_000,
    log: () => {},
  });
  const call = (name: string, args: object) => ({
    id: "call_1",
    name,
    arguments: JSON.stringify(args),
  });
  const options = {
    signal: new AbortController().signal,
    progress: (text: string) => said.push(text),
  };
  return {
    host,
    folder,
    asked,
    said,
    run: (name: string, args: object) => host.run(call(name, args), options),
    subject: (name: string, args: object) => host.subject?.(call(name, args)) ?? null,
    /** What calls would do after each other, or why they would be refused. */
    async plan(...calls: readonly (readonly [name: string, args: object])[]) {
      const world = { texts: new Map<string, string>(), seen: new Set<string>() };
      const plans = [];
      for (const [name, args] of calls) plans.push(await host.plan?.(call(name, args), world));
      return plans;
    },
    /** A call that is stopped, or watched. */
    runHow: (name: string, args: object, how: Partial<typeof options>) =>
      host.run(call(name, args), { ...options, ...how }),
    runAs: (name: string, args: object, effect: string) =>
      host.run(call(name, args), { ...options, effect }),
    changeFolder(path: string) {
      workingFolder = path;
    },
    names: async (selection: string | null) =>
      (await host.list(selection, "mock/demo")).tools.map(({ name }) => name),
    text: (path: string) => readFile(join(folder, path), "utf8"),
  };
}
