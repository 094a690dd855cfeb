/** Runs the examples as users do: as separate processes that import the built package by its name. */
import { spawn } from "node:child_process";
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startModelServer } from "../support/model-server.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
let folder: string;

beforeAll(async () => {
  // Inside the package, so that its own name resolves.
  await mkdir(join(root, ".cache"), { recursive: true });
  folder = await mkdtemp(join(root, ".cache", "examples-"));
  await build({
    absWorkingDir: root,
    entryPoints: [
      "weather",
      "multi-tool-agent",
      "simulate-tool-calling",
      "smiley",
      "mcp-agent",
      "resumable",
      "structured",
    ].map((name) => `examples/${name}.ts`),
    outdir: folder,
    outExtension: { ".js": ".mjs" },
    bundle: true,
    external: ["parley-nvim", "zod"],
    format: "esm",
    platform: "node",
    target: "node20",
    logLevel: "silent",
  });
});

afterAll(() => rm(folder, { recursive: true, force: true }));

function run(
  name: string,
  env: Readonly<Record<string, string>> = {},
  words: readonly string[] = [],
) {
  const { PATH = "" } = process.env;
  const child = spawn(process.execPath, [join(folder, `${name}.mjs`), ...words], {
    env: { PATH, ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  return new Promise<{ readonly code: number | null; readonly text: string }>((resolve) => {
    let text = "";
    const add = (piece: Buffer) => {
      text += piece.toString();
    };
    child.stdout.on("data", add);
    child.stderr.on("data", add);
    child.on("close", (code) => resolve({ code, text }));
  });
}

describe("the offline example", () => {
  it("mcp-agent starts a server and calls its tool", async () => {
    const { code, text } = await run("mcp-agent");
    expect(text).toContain("tools: mcp__search__web_search");
    expect(text).toContain("❓ mcp__search__web_search");
    expect(text).toMatch(/🛠️ .*matches/);
    expect(code).toBe(0);
  });

  it("resumable asks for approval in one process and continues in another", async () => {
    const file = join(folder, "waiting.json");
    const asked = await run("resumable", {}, ["ask", file]);
    expect(asked.text).toContain("This waits for somebody");
    expect(asked.text).toMatch(/^❓: `.*refund/m);
    expect(asked.text).not.toContain("on their way");
    const yes = await run("resumable", {}, ["go", file, "yes"]);
    expect(yes.text).toContain("Order A-17: 20 € are on their way.");
    expect(yes.text).toContain("🤖 I took care of it. (1 more request)");
    const no = await run("resumable", {}, ["go", file, "it was not broken"]);
    expect(no.text).toContain("it was not broken");
    expect(no.text).not.toContain("on their way");
    expect([asked.code, yes.code, no.code]).toEqual([0, 0, 0]);
  });

  it("structured returns a value", async () => {
    expect(await run("structured")).toMatchObject({
      code: 0,
      text: expect.stringContaining("Tokyo Tower, by 3 metres"),
    });
  });

  it("weather makes two calls, one of them with a default argument", async () => {
    const { code, text } = await run("weather");
    expect(text).toContain("No key is set: a script answers.");
    expect(text).toContain('❓ get_weather {"location":"Paris"}');
    expect(text).toMatch(/🛠️ call_1 .*Paris.*22.*celsius/);
    expect(text).toMatch(/🛠️ call_2 .*Tokyo.*72.*fahrenheit/);
    expect(text).toContain("🤖 It is sunny in both");
    expect(code).toBe(0);
  });

  it("multi-tool-agent searches and calculates", async () => {
    const { code, text } = await run("multi-tool-agent");
    expect(text).toContain("… search: searching 3 entries");
    expect(text).toContain("Tokyo Tower is 3 metres higher, and 123 * 456 is 56088.");
    expect(text).toMatch(/^3 calls, \d+ tokens$/m);
    expect(code).toBe(0);
  });

  it("simulate-tool-calling shows every kind of failed call", async () => {
    const { code, text } = await run("simulate-tool-calling");
    const said = [
      /🛠️ call_1 \(error\) The arguments of move_direction are not a JSON object \(.*at line 1, column \d+\), so the tool was not run/,
      /🛠️ call_2 \(error\) .*`direction`: .*"up"\|"down"\|"left"\|"right", but it is "north"/,
      /🛠️ call_3 \(error\) There is no tool "fly"\. The tools are: move_direction, reset_game\./,
      /🛠️ call_4 \{"success":true,"position":\{"x":1,"y":0\}\}/,
      /🛠️ call_5 \{"success":true/,
      /🛠️ call_6 \(error\) declined by the user: I want to keep my game/,
      /🛠️ call_7 \{"success":true/,
      /🛠️ call_8 \(error\) The tool move_direction failed: There is a wall on the left\./,
      /🤖 I am back at the wall/,
      /^done; the character is at 0,-1$/m,
    ];
    for (const line of said) expect(text).toMatch(line);
    expect(text).not.toMatch(/^\s+at /m);
    expect(code).toBe(0);
  });
});

describe.each(["smiley", "delimited", "json", "hermes"])(
  "calls written as text in the protocol %s",
  (protocol) => {
    it("are found, run and answered, and their syntax is not shown", async () => {
      const { code, text } = await run("smiley", { PARLEY_PROTOCOL: protocol });
      expect(text).toContain("No key is set: a script answers.");
      expect(text).toContain('❓ list_files {"path":"/root"}');
      expect(text).toContain('❓ read_file {"path":"/root/style-guide.md"}');
      expect(text).toMatch(/I look for it first\..*There it is\..*short sentences\.\n2 results/s);
      expect(text).not.toMatch(/😊|TOOL_CALL|tool_call|```/);
      expect(code).toBe(0);
    });
  },
);

it("the smiley example works with a model server", async () => {
  const smileys = "😊".repeat(14);
  const call = `${smileys}\n{"name":"list_files","arguments":{"path":"/root"}}\n${smileys}`;
  const server = await startModelServer({
    turns: [{ text: `I look.\n${call}`, chunkSize: 2 }, { text: "Two files." }],
  });
  try {
    const { OPENAI_API_KEY, OPENAI_BASE_URL } = server.environment;
    const { code, text } = await run("smiley", {
      OPENAI_API_KEY: OPENAI_API_KEY ?? "",
      OPENAI_BASE_URL: OPENAI_BASE_URL ?? "",
    });
    expect(text).toMatch(/I look\..*Two files\.\n1 results/s);
    const [first, second] = server.requests;
    expect(first?.body.tools).toBeUndefined();
    expect(first?.body.messages[0].content).toContain("- Name: list_files");
    expect(second?.body.messages.at(-1).content).toContain("style-guide.md");
    expect([first?.violation, second?.violation]).toEqual([null, null]);
    expect(code).toBe(0);
  } finally {
    await server.close();
  }
});

const game = [
  [{ id: "m1", name: "move_direction", arguments: '{"direction":"north"}' }],
  [{ id: "m2", name: "move_direction", arguments: '{"direction":"right"}' }],
];

/** Each example with the answers of each wire API's vendor, and the expected output. */
const asked = [
  {
    name: "weather",
    turns: [
      { calls: [{ id: "w1", name: "get_weather", arguments: '{"location":"Bern"}' }] },
      { text: "It is sunny in Bern." },
    ],
    result: "celsius",
    said: [/🛠️ w1 .*Bern.*22.*celsius/, /🤖 It is sunny in Bern\./],
  },
  {
    name: "multi-tool-agent",
    turns: [
      {
        calls: [
          { id: "c1", name: "calculate", arguments: '{"left":123,"operator":"*","right":456}' },
        ],
      },
      { text: "It is 56088." },
    ],
    result: "56088",
    said: [/It is 56088\./, /^1 calls, \d+ tokens$/m],
  },
  {
    name: "simulate-tool-calling",
    turns: [...game.map((calls) => ({ calls })), { text: "I went right." }],
    result: "position",
    said: [
      /🛠️ m1 \(error\) .*"up"\|"down"\|"left"\|"right", but it is "north"/,
      /🛠️ m2 \{"success":true,"position":\{"x":1,"y":0\}\}/,
      /🤖 I went right\./,
    ],
  },
];
const askedModels = [
  "openai/gpt-4.1",
  "openai/gpt-5.5-pro",
  "anthropic/claude-opus-5",
  "google/gemini-3.8-flash",
];

describe.each(askedModels)("with a key set, the example asks %s", (model) => {
  it.each(asked)("in $name", async ({ name, turns, said, result }) => {
    const server = await startModelServer({ turns });
    try {
      const { code, text } = await run(name, { ...server.environment, PARLEY_MODEL: model });
      expect(text).toContain(`Asking ${model}.`);
      for (const line of said) expect(text).toMatch(line);
      expect(server.requests.map(({ violation }) => violation)).toEqual(turns.map(() => null));
      expect(server.requests.at(-1)?.raw).toContain(result);
      expect(code).toBe(0);
    } finally {
      await server.close();
    }
  });
});

it("with a key set but no model, the example asks the vendor's first model", async () => {
  const server = await startModelServer({ turns: [{ text: "It is sunny." }] });
  try {
    const { OPENAI_API_KEY = "", OPENAI_BASE_URL = "" } = server.environment;
    const { text } = await run("weather", { OPENAI_API_KEY, OPENAI_BASE_URL });
    expect(text).toMatch(/Asking openai\/\S+\..*🤖 It is sunny\./s);
    // A gateway is asked with chat completions until it requires the other API.
    expect(server.requests.map(({ api }) => api)).toEqual(["openai", "responses"]);
  } finally {
    await server.close();
  }
});
