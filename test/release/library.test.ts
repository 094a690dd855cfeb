/** The npm package as users install it: from the release, with its types, without network. */
import { execFile, execFileSync } from "node:child_process";
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { projectRoot } from "../../scripts/lib/paths.mjs";
import { address, sharedRelease } from "./checkout.ts";

const run = promisify(execFile);
const folder = mkdtempSync(join(tmpdir(), "parley-library-"));
const consumer = join(folder, "consumer");
const installed = join(consumer, "node_modules", "parley-nvim");

let packedBytes = 0;

beforeAll(async () => {
  mkdirSync(consumer, { recursive: true });
  const { out } = await sharedRelease();
  const tarball = join(out, readdirSync(out).find((name) => name.endsWith(".tgz")) ?? "");
  packedBytes = statSync(tarball).size;
  writeFileSync(join(consumer, "package.json"), '{"type":"module"}');
  const npm = process.platform === "win32" ? "npm.cmd" : "npm";
  const quiet = ["--offline", "--no-audit", "--no-fund", "--ignore-scripts"];
  // In the user's cache, npm may know an optional package by name and not find its versions.
  const cache = ["--cache", join(folder, "npm-cache")];
  execFileSync(npm, ["install", ...quiet, ...cache, tarball], {
    cwd: consumer,
    stdio: "pipe",
    shell: process.platform === "win32",
  });
}, 120_000);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Compiling needs the packages that the types refer to. */
function addTypes(): void {
  for (const name of ["zod", "openai", "@anthropic-ai", "@types"]) {
    const target = join(projectRoot, "node_modules", name);
    symlinkSync(target, join(consumer, "node_modules", name), "junction");
  }
}

const program = `import {
  applyEdits,
  buildMessages,
  decideCalls,
  emptySession,
  escapeAnswerText,
  finishStep,
  beginAnswer,
  nextStep,
  parseLines,
  parseTranscript,
  toAnthropicRequest,
  toAnthropicTools,
  toOpenAIRequest,
  toOpenAITools,
  type Exchange,
  type ModelRequest,
  type NextStep,
  type Tool,
  type Transcript,
} from "parley-nvim";

function first(transcript: Transcript): Exchange {
  const [exchange] = transcript.exchanges;
  if (exchange === undefined) throw new Error("no exchange");
  return exchange;
}

const asked = parseTranscript("💬: what is new?\\n");
const { edits, tip } = beginAnswer(asked, first(asked), { label: "x", record: null });
const opened = parseLines(applyEdits(asked.lines, edits));
const text = [{ start: tip.line, end: tip.line + 1, lines: escapeAnswerText("Let me see.") }];
const begun = parseLines(applyEdits(opened.lines, text));
const search = { id: "call_1", name: "web_search", arguments: '{"query":"news"}' };
const proposed = parseLines(
  applyEdits(
    begun.lines,
    finishStep(begun, first(begun), {
      parts: [
        { type: "text", text: "Let me see." },
        { type: "call", call: search, decision: null, notes: [], result: null },
      ],
      record: {},
      previousModel: null,
      openQuestion: false,
    }),
  ),
);
const waiting: NextStep = nextStep(proposed, first(proposed), emptySession);
const open = waiting.type === "await-approval" ? waiting.open.map(({ call }) => call) : [];
const decided = applyEdits(proposed.lines, decideCalls(proposed, open, "ya"));

const { messages } = buildMessages(proposed, {
  exchange: first(proposed),
  files: new Map(),
  maxFullExchanges: 42,
});
const tool: Tool = {
  name: "web_search",
  description: "Searches.",
  inputSchema: { type: "object", properties: { query: { type: "string" } } },
  server: null,
};
const request: ModelRequest = {
  model: { provider: "openai", id: "gpt-5" },
  system: "Be brief.",
  messages,
  tools: [tool],
};
console.log(
  JSON.stringify({
    lines: decided,
    step: waiting.type,
    openai: toOpenAIRequest(request).messages.map(({ role }) => role),
    anthropic: toAnthropicRequest(request).messages.map(({ role }) => role),
    tools: [toOpenAITools([tool]), toAnthropicTools([tool])],
  }),
);
`;

const required = `import { defineTool, runTurn } from "parley-nvim/agent";
import { z } from "zod";
const count = defineTool({ name: "count", description: "Counts.", input: z.object({}), run: async () => 3 });
export async function total(): Promise<number> {
  const turn = await runTurn({ model: "mock/demo", messages: ["hi"], tools: [count], approve: () => true });
  for (const { results } of turn.steps) {
    for (const result of results) if (result.status === "ok") return result.value;
  }
  return 0;
}
`;

/** The programs in doc/library.md. */
const page = readFileSync(join(projectRoot, "doc", "library.md"), "utf8");
const programs = [...page.matchAll(/^```ts\n(import .*?)^```$/gms)].map(([, text = ""]) => text);
const [documented = "", compared = ""] = programs;

describe("the packed library", () => {
  it("runs without other packages, with import and require, as a whole or only the agent", async () => {
    expect(readdirSync(join(consumer, "node_modules")).filter((name) => /^\w/.test(name))).toEqual([
      "parley-nvim",
    ]);
    const code = `import { parseTranscript, defineTool } from "parley-nvim";
      import * as agent from "parley-nvim/agent";
      console.log(parseTranscript("💬: hi").exchanges.length, agent.defineTool === defineTool, "parseTranscript" in agent);`;
    const required = `const { runTurn, parseTranscript } = require("parley-nvim");
      console.log(runTurn === require("parley-nvim/agent").runTurn, typeof parseTranscript);`;
    const outputs = [
      await run(process.execPath, ["--input-type=module", "-e", code], { cwd: consumer }),
      // Older versions of Node warn that require of modules is experimental.
      await run(process.execPath, ["--no-warnings", "-e", required], { cwd: consumer }),
    ];
    expect(outputs.map(({ stdout }) => stdout.trim())).toEqual(["1 true false", "true function"]);
  });

  it("is not larger than doc/library.md says", () => {
    const [, packed = "", unpacked = ""] =
      /1 package of (\S+) MB, (\S+) MB to download/.exec(page) ?? [];
    const files = readdirSync(installed, { recursive: true, withFileTypes: true });
    const bytes = files
      .filter((file) => file.isFile())
      .reduce((sum, file) => sum + statSync(join(file.parentPath, file.name)).size, 0);
    expect(bytes / 1e6).toBeLessThan(Number(packed) * 1.1);
    expect(packedBytes / 1e6).toBeLessThan(Number(unpacked) * 1.1);
  });

  it("has types for import and require, and its documented programs and examples compile", async () => {
    addTypes();
    writeFileSync(join(consumer, "use.ts"), program);
    writeFileSync(join(consumer, "documented.ts"), documented);
    writeFileSync(join(consumer, "compared.ts"), compared);
    writeFileSync(join(consumer, "required.cts"), required);
    cpSync(join(installed, "examples"), join(consumer, "examples"), { recursive: true });
    const examples = readdirSync(join(consumer, "examples"))
      .filter((name) => name.endsWith(".ts"))
      .map((name) => `examples/${name}`);
    expect(examples).toContain("examples/resumable.ts");
    const compilerOptions = {
      module: "nodenext",
      target: "es2022",
      strict: true,
      exactOptionalPropertyTypes: true,
      // The examples import each other.
      rewriteRelativeImportExtensions: true,
      outDir: "built",
      rootDir: ".",
      types: ["node"],
    };
    const settings = {
      compilerOptions,
      files: ["use.ts", "documented.ts", "compared.ts", "required.cts", ...examples],
    };
    writeFileSync(join(consumer, "tsconfig.json"), JSON.stringify(settings));
    const compiler = join(projectRoot, "node_modules", "typescript", "bin", "tsc");
    const { stdout } = await run(process.execPath, [compiler], { cwd: consumer }).catch(
      (error: { stdout: string }) => error,
    );
    expect(stdout).toBe("");
  }, 60_000);

  it("runs a program that uses its functions and writes no files", async () => {
    const before = readdirSync(consumer).sort();
    const { stdout } = await run(process.execPath, [join(consumer, "built", "use.js")], {
      cwd: consumer,
    });
    const said = JSON.parse(stdout);
    expect(said.step).toBe("await-approval");
    expect(said.lines.slice(0, 5)).toEqual(["💬: what is new?", "", "🤖:[x]", "", "Let me see."]);
    expect(said.lines[6]).toMatch(/^❓:\[ya\] `\{"id":"call_1"/);
    expect(said.openai).toEqual(["developer", "user", "assistant", "tool"]);
    expect(said.anthropic).toEqual(["user", "assistant", "user"]);
    expect(said.tools).toMatchObject([
      [{ type: "function", function: { name: "web_search" } }],
      [{ name: "web_search", input_schema: { type: "object" } }],
    ]);
    expect(readdirSync(consumer).sort()).toEqual(before);
  });

  it("prints what the first program in doc/library.md should print", async () => {
    const { stdout, stderr } = await run(process.execPath, [
      join(consumer, "built", "documented.js"),
    ]);
    expect(stderr).toBe("");
    expect(stdout).toContain('❓:[ya] `{"id":"call_1"');
    expect(stdout).toMatch(/"content": "Error: not executed"/);
  });

  it("has every function listed in doc/library.md", async () => {
    const library = await import("../../src/index.ts");
    const names = Object.keys(library).filter((name) => !page.includes(`\`${name}`));
    expect(names).toEqual([]);
  });

  it("includes the command line", async () => {
    writeFileSync(join(consumer, "chat.md"), "💬: hi\n\n🤖: hello\n");
    const cli = join(installed, "dist", "cli.js");
    const env = { PATH: process.env.PATH, HOME: consumer, PARLEY_MOCK_DELAY_MS: "0" };
    const { stdout } = await run(process.execPath, [cli, "preview", "chat.md"], {
      cwd: consumer,
      env,
    });
    expect(JSON.parse(stdout)).toMatchObject({ model: "demo", step: "open-question" });
  });

  it("contains only the files, fields and metadata for users, none for development", () => {
    const names = ["CHANGELOG.md", "LICENSE", "README.md", "THIRD-PARTY-LICENSES", "dist"];
    expect(readdirSync(installed).sort()).toEqual([...names, "examples", "package.json"]);
    const manifest = JSON.parse(readFileSync(join(installed, "package.json"), "utf8"));
    expect(manifest).toMatchObject({
      name: "parley-nvim",
      bin: { parley: "dist/cli.js" },
      repository: { url: address },
    });
    for (const field of ["private", "dependencies", "devDependencies", "scripts"]) {
      expect(manifest).not.toHaveProperty(field);
    }
  });
});
