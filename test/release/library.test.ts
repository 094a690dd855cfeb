/** The npm package as somebody who installs it gets it: from the release, with its types, without a network. */
import { execFile, execFileSync } from "node:child_process";
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { projectRoot } from "../../scripts/lib/paths.mjs";
import { address, makeCheckout } from "./checkout.ts";

const run = promisify(execFile);
const folder = mkdtempSync(join(tmpdir(), "parley-library-"));
const consumer = join(folder, "consumer");
const installed = join(consumer, "node_modules", "parley-nvim");

beforeAll(() => {
  mkdirSync(installed, { recursive: true });
  const checkout = makeCheckout();
  try {
    checkout.release("--out", join(folder, "out"));
  } finally {
    checkout.remove();
  }
  const tarball = readdirSync(join(folder, "out")).find((name) => name.endsWith(".tgz")) ?? "";
  const unpack = ["-xzf", join(folder, "out", tarball), "--strip-components=1", "-C", installed];
  execFileSync("tar", unpack);
  writeFileSync(join(consumer, "package.json"), '{"type":"module"}');
}, 120_000);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Who compiles has the packages whose types are spoken of. */
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

/** The example of the library's page. */
const page = readFileSync(join(projectRoot, "doc", "library.md"), "utf8");
const documented = /^```ts\n(.*?)^```$/ms.exec(page)?.[1] ?? "";

describe("the packed library", () => {
  it("runs with nothing installed beside it", async () => {
    const code = `import { parseTranscript, defineTool } from "parley-nvim";
      console.log(parseTranscript("💬: hi").exchanges.length, typeof defineTool);`;
    const { stdout } = await run(process.execPath, ["--input-type=module", "-e", code], {
      cwd: consumer,
    });
    expect(stdout.trim()).toBe("1 function");
  });

  it("has types for whoever imports it", async () => {
    addTypes();
    writeFileSync(join(consumer, "use.ts"), program);
    writeFileSync(join(consumer, "documented.ts"), documented);
    const compilerOptions = {
      module: "nodenext",
      target: "es2022",
      strict: true,
      exactOptionalPropertyTypes: true,
      outDir: "built",
      rootDir: ".",
      types: ["node"],
    };
    const settings = { compilerOptions, files: ["use.ts", "documented.ts"] };
    writeFileSync(join(consumer, "tsconfig.json"), JSON.stringify(settings));
    const compiler = join(projectRoot, "node_modules", "typescript", "bin", "tsc");
    const { stdout } = await run(process.execPath, [compiler], { cwd: consumer }).catch(
      (error: { stdout: string }) => error,
    );
    expect(stdout).toBe("");
  }, 60_000);

  it("runs as it is documented, and does nothing but compute", async () => {
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

  it("does what its page shows", async () => {
    const { stdout, stderr } = await run(process.execPath, [
      join(consumer, "built", "documented.js"),
    ]);
    expect(stderr).toBe("");
    expect(stdout).toContain('❓:[ya] `{"id":"call_1"');
    expect(stdout).toMatch(/"content": "Error: not executed"/);
  });

  it("has a page that names every function", async () => {
    const library = await import("../../src/index.ts");
    const names = Object.keys(library).filter((name) => !page.includes(`\`${name}`));
    expect(names).toEqual([]);
  });

  it("brings the command line", async () => {
    writeFileSync(join(consumer, "chat.md"), "💬: hi\n\n🤖: hello\n");
    const cli = join(installed, "dist", "cli.js");
    const env = { PATH: process.env.PATH, HOME: consumer, PARLEY_MOCK_DELAY_MS: "0" };
    const { stdout } = await run(process.execPath, [cli, "preview", "chat.md"], {
      cwd: consumer,
      env,
    });
    expect(JSON.parse(stdout)).toMatchObject({ model: "demo", step: "open-question" });
  });

  it("holds what it needs and nothing of its making", () => {
    const names = ["CHANGELOG.md", "LICENSE", "README.md", "THIRD-PARTY-LICENSES", "dist"];
    expect(readdirSync(installed).sort()).toEqual([...names, "package.json"]);
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
