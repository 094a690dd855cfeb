import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { parseCommand } from "../../src/cli/arguments.ts";

const program = new URL("../../dist/cli.js", import.meta.url).pathname;
let folder = "";

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "parley-calls-"));
});
afterAll(() => rm(folder, { recursive: true }));

function parley(words: readonly string[], input: string) {
  return new Promise<{ code: number; lines: unknown[]; told: string }>((resolve) => {
    const child = execFile(process.execPath, [program, ...words], (error, stdout, stderr) => {
      const lines = stdout.split("\n").filter((line) => line !== "");
      const code = typeof error?.code === "number" ? error.code : 0;
      resolve({ code, lines: lines.map((line) => JSON.parse(line)), told: stderr });
    });
    child.stdin?.end(input);
  });
}

const raw = '<tool_call>{"name":"web_search","arguments":{"q":"😊"}}</tool_call>';

describe("parley calls", () => {
  test("prints the events as JSON Lines", async () => {
    const { code, lines } = await parley(["calls", "--protocol", "json,hermes"], `a ${raw}`);
    expect(code).toBe(0);
    expect(lines.filter((line) => JSON.stringify(line) !== '{"type":"pending"}')).toEqual([
      { type: "text", text: "a " },
      { type: "tool-call", call: { name: "web_search", arguments: '{"q":"😊"}' }, raw },
    ]);
  });

  test("uses the tools in a file, and recognizes a truncated call", async () => {
    const file = join(folder, "tools.json");
    await writeFile(file, JSON.stringify([{ name: "web_search", inputSchema: {} }]));
    const words = ["calls", "--protocol", "json", "--tools", file];
    const unknown = '{"name":"other","arguments":{}}';
    expect((await parley(words, unknown)).lines.at(-1)).toEqual({ type: "text", text: unknown });
    const cut = await parley(
      ["calls", "--protocol", "hermes", "--finish", "length"],
      raw.slice(0, -1),
    );
    expect(cut.lines.at(-1)).toMatchObject({ type: "malformed", raw: raw.slice(0, -1) });
  });

  test.each([
    ['{"name":"web_search"}', "wrong.json must hold a list of tools as JSON"],
    ["[{", "broken.json must hold a list of tools as JSON"],
    [null, "missing.json cannot be read: there is no such file or folder (ENOENT)"],
  ])("reports what is wrong with a file of tools: %s", async (content, message) => {
    const file = join(folder, /\w+\.json/.exec(message)?.[0] ?? "");
    if (content !== null) await writeFile(file, content);
    const { code, told } = await parley(["calls", "--protocol", "json", "--tools", file], "");
    expect(code).toBe(1);
    expect(told).toContain(message);
  });

  test.each([
    [["calls"], "--protocol takes some of smiley, delimited"],
    [["calls", "--protocol", "smily"], 'not "smily"'],
    [["calls", "--protocol", "json", "--finish", "late"], "--finish takes one of stop, length"],
    [["calls", "--protocol", "json", "file"], "calls takes no FILE"],
    [["check", "--protocol", "json", "file"], "check takes no --protocol"],
  ])("the arguments %j are rejected with the reason", (words, message) => {
    expect(parseCommand(words)).toMatchObject({ name: "wrong" });
    expect(JSON.stringify(parseCommand(words))).toContain(JSON.stringify(message).slice(1, -1));
  });
});
