import { mkdir, mkdtemp, readFile, rm, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { createToolChanges } from "../../../src/app/tools/tool-changes.ts";
import { createToolFiles, type ToolFile } from "../../../src/app/tools/tool-files.ts";

async function folder(): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), "parley-tool-files-"));
  onTestFinished(() => rm(path, { recursive: true, force: true }));
  // What lies in such a folder is imported by Node itself; everything else vitest reads and rewrites first.
  const modules = join(path, "node_modules");
  await mkdir(modules);
  return modules;
}

/** A host over files of these texts, named `0.mjs`, `1.mjs` and so on. */
async function open(...texts: readonly string[]) {
  const home = await folder();
  const files = texts.map(
    (_, index): ToolFile => ({
      path: join(home, `${index}.mjs`),
      isOptional: false,
    }),
  );
  for (const [index, text] of texts.entries()) await writeFile(join(home, `${index}.mjs`), text);
  const host = createToolFiles({
    files,
    seen: createToolChanges().files,
    timeoutMs: 5000,
    log: () => {},
  });
  return { home, host, list: () => host.list(null, "mock/demo") };
}

function echo(name: string, answer = "text"): string {
  return `export default ({ defineTool, z }) => [
  defineTool({
    name: "${name}",
    description: "Says it.",
    input: z.object({ text: z.string() }),
    run: ({ text }) => ${answer},
  }),
];
`;
}

const options = { signal: new AbortController().signal, progress: () => {} };

function call(name: string) {
  return { id: "call_1", name, arguments: '{"text":"hi"}' };
}

describe("tool files", () => {
  it("give tools that run", async () => {
    const { host, list } = await open(echo("echo"));
    const { tools, notices } = await list();
    expect(notices).toEqual([]);
    expect(tools).toMatchObject([
      { name: "echo", server: null, inputSchema: { type: "object", required: ["text"] } },
    ]);
    expect(await host.run(call("echo"), options)).toEqual({ status: "ok", text: "hi", media: [] });
  });

  it("may be asynchronous, and use plain JSON Schema", async () => {
    const { list } = await open(`export default async ({ fromJSONSchema }) => [
      fromJSONSchema({ name: "now", description: "", inputSchema: { type: "object" }, run: () => 1 }),
    ];`);
    expect((await list()).tools.map(({ name }) => name)).toEqual(["now"]);
  });

  it("are read again when they were saved; a call under way ends with its old tool", async () => {
    const { home, host, list } = await open(
      echo("echo", "new Promise((end) => { globalThis.parleyTestEnd = () => end('old'); })"),
    );
    await list();
    const running = host.run(call("echo"), options);
    await expect.poll(() => "parleyTestEnd" in globalThis).toBe(true);
    await writeFile(join(home, "0.mjs"), echo("echo", "'new'"));
    await list();
    expect(await host.run(call("echo"), options)).toMatchObject({ text: "new" });
    const end: unknown = Reflect.get(globalThis, "parleyTestEnd");
    if (typeof end === "function") end();
    Reflect.deleteProperty(globalThis, "parleyTestEnd");
    expect(await running).toMatchObject({ status: "ok", text: "old" });
  });

  it("are run once for each text, not for each list", async () => {
    const { home, list } =
      await open(`globalThis.parleyTestRuns = (globalThis.parleyTestRuns ?? 0) + 1;
      export default () => [];`);
    onTestFinished(() => void Reflect.deleteProperty(globalThis, "parleyTestRuns"));
    await Promise.all([list(), list()]);
    await list();
    const first: unknown = Reflect.get(globalThis, "parleyTestRuns");
    await utimes(join(home, "0.mjs"), 1, 1);
    await list();
    expect([first, Reflect.get(globalThis, "parleyTestRuns")]).toEqual([1, 2]);
  });

  it("print nothing to stdout, where it would break what is written there", async () => {
    const stdout = vi.spyOn(process.stdout, "write").mockReturnValue(true);
    const stderr = vi.spyOn(process.stderr, "write").mockReturnValue(true);
    onTestFinished(() => void vi.restoreAllMocks());
    const { list } = await open("console.log('loaded'); export default () => [];");
    await list();
    expect(stdout).not.toHaveBeenCalled();
    expect(stderr).toHaveBeenCalledWith("loaded\n", expect.anything());
  });

  it("that share a name offer the first tool, and say so", async () => {
    const { host, list } = await open(echo("echo", "'first'"), echo("echo", "'second'"));
    const { tools, notices } = await list();
    expect(tools).toHaveLength(1);
    expect(notices).toEqual([
      "Two tools in tool files are named echo; Parley offers the first one.",
    ]);
    expect(await host.run(call("echo"), options)).toMatchObject({ text: "first" });
  });

  it("that are missing are named when somebody asked for them", async () => {
    const path = join(await folder(), "tools.mjs");
    const notices = async (isOptional: boolean) => {
      const { files: seen } = createToolChanges();
      const files = [{ path, isOptional }];
      const host = createToolFiles({ files, seen, timeoutMs: 1, log: () => {} });
      return (await host.list(null, "mock/demo")).notices;
    };
    expect(await notices(true)).toEqual([]);
    expect(await notices(false)).toEqual([
      `There is no tool file ${path}. Create it, or remove it from tool_files.`,
    ]);
  });
});

describe("the examples in the documents load as they are", () => {
  const examples: Record<string, RegExp> = {
    "doc/tools.md": /```js\n(export default [\s\S]*?)```/,
    "doc/parley.txt": />js\n\n(\texport default [\s\S]*?)\n</,
  };
  for (const [path, pattern] of Object.entries(examples)) {
    it(path, async () => {
      const url = new URL(`../../../${path}`, import.meta.url);
      const [, example] = pattern.exec(await readFile(url, "utf8")) ?? [];
      const { tools, notices } = await (await open(example ?? "")).list();
      expect(notices).toEqual([]);
      expect(tools).toHaveLength(1);
    });
  }
});

describe("a tool file with a mistake is named with its line, and the others load", () => {
  const cases: Record<string, [string, RegExp]> = {
    "in its syntax": [
      "const a = 1;\nexport default () => [\n  { name: };\n",
      /0\.mjs:3: .*Unexpected token/,
    ],
    "when it is run": [
      "\nmissing();\nexport default () => [];",
      /0\.mjs:2: missing is not defined/,
    ],
    "in its function": [
      "export default () => {\n  throw new Error('no key');\n};",
      /0\.mjs:2: no key/,
    ],
    "in a definition": [
      "export default ({ defineTool, z }) => [\n  defineTool({\n    name: 'a b', description: '', input: z.object({}),\n  }),\n];",
      /0\.mjs:2: The tool "a b" cannot be defined/,
    ],
    "in a schema": [
      "export default ({ defineTool, z }) => [\n\n  defineTool({ name: 'a', description: '', input: z.object({ at: z.date() }) }),\n];",
      /0\.mjs:3: The tool a cannot be defined: .*Date/,
    ],
    "in an import": [
      "// tools\nimport { z } from 'parley-no-such-package';\nexport default () => [];",
      /0\.mjs:2: Cannot find package .* z is given to its function/,
    ],
    "in its form": [
      "export const tools = [];",
      /0\.mjs: its default export is not a function; write/,
    ],
    "in its answer": ["export default () => ({});", /0\.mjs: its function does not return a list/],
    "in its list": [
      "export default () => [{ name: 'x' }];",
      /0\.mjs: number 1 of its list is not a tool/,
    ],
  };
  for (const [where, [text, sentence]] of Object.entries(cases)) {
    it(where, async () => {
      const { list, home } = await open(text, echo("echo"));
      const { tools, notices } = await list();
      expect(tools.map(({ name }) => name)).toEqual(["echo"]);
      expect(notices).toEqual([expect.stringMatching(sentence)]);
      expect(notices[0]).toContain(home);
      expect(notices[0]).toContain("The tools of this file are left out");
      await writeFile(join(home, "0.mjs"), echo("mended"));
      expect(await list()).toMatchObject({
        tools: [{ name: "mended" }, { name: "echo" }],
        notices: [],
      });
    });
  }
});
