import { describe, expect, it } from "vitest";
import { secretsGiven } from "../../src/mcp/configured/secrets.ts";
import { progressText } from "../../src/mcp/running-calls.ts";
import { serverEnvironment } from "../../src/mcp/transport/environment.ts";
import { createStderrTail } from "../../src/mcp/transport/stderr-tail.ts";
import { createLineReader } from "../../src/mcp/transport/stdio-transport.ts";
import fc from "../support/property.ts";

function readLines(chunks: readonly Buffer[], maximum = 1000): readonly string[] {
  const lines: string[] = [];
  const reader = createLineReader(maximum, (line) => lines.push(line));
  for (const chunk of chunks) if (!reader.push(chunk)) lines.push("(too long)");
  return lines;
}

describe("reading lines", () => {
  it("gives the same lines wherever the bytes are cut", () => {
    const line = fc.string({ unit: "grapheme" }).map((text) => text.replace(/[\r\n\uFEFF]/g, ""));
    fc.assert(
      fc.property(fc.array(line), fc.array(fc.nat(200)), (lines, cuts) => {
        const bytes = Buffer.from(lines.map((text) => `${text}\n`).join(""));
        const places = [0, ...cuts.map((cut) => Math.min(cut, bytes.length)), bytes.length];
        places.sort((left, right) => left - right);
        const chunks = places.slice(1).map((end, at) => bytes.subarray(places[at] ?? 0, end));
        expect(readLines(chunks)).toEqual(lines);
      }),
    );
  });

  it("leaves out line ends of other systems and the byte order mark", () => {
    expect(readLines([Buffer.from("\uFEFF{}\r\nx\n")])).toEqual(["{}", "x"]);
  });

  it("ends at a line that is too long", () => {
    expect(readLines([Buffer.from("abc\ncdef\n"), Buffer.from("g\n")], 3)).toEqual([
      "abc",
      "(too long)",
      "(too long)",
    ]);
  });
});

describe("the tail of stderr", () => {
  it("has the last fifty lines and the unfinished one", () => {
    const tail = createStderrTail([]);
    for (let index = 0; index < 200; index += 1) tail.push(`line ${index}\n`);
    tail.push("unfini");
    tail.push("shed");
    const lines = tail.text().split("\n");
    expect(lines[0]).toBe("line 150");
    expect(lines.at(-1)).toBe("unfinished");
    expect(lines.length).toBe(51);
  });

  it("stays small whatever is written", () => {
    const tail = createStderrTail([]);
    for (let index = 0; index < 100; index += 1) tail.push("x".repeat(100_000));
    for (let index = 0; index < 100; index += 1) tail.push(`${"y".repeat(10_000)}\n`);
    expect(tail.text().length).toBeLessThan(51 * 401);
  });

  it("has no escape sequences and no control characters", () => {
    const tail = createStderrTail([]);
    tail.push(
      "\u001b[1;31mred\u001b[0m \u001b]8;;http://x\u0007link\u001b]8;;\u0007 a\u0000b\tc\r\n",
    );
    expect(tail.text()).toBe("red link a b c ");
  });

  it("hides configured values, wherever the chunks are cut", () => {
    const secret = "sk-1234567890";
    const text = `using ${secret} now\nand ${secret}`;
    for (let cut = 0; cut <= text.length; cut += 1) {
      const tail = createStderrTail(
        secretsGiven({ command: "server", env: { KEY: secret, MODE: "on" } }),
      );
      tail.push(text.slice(0, cut));
      tail.push(text.slice(cut));
      expect(tail.text()).toBe("using [hidden] now\nand [hidden]");
    }
  });

  it("takes the lines of a long value for secrets, and short words for none", () => {
    expect(
      secretsGiven({ command: "server", env: { KEY: "-----BEGIN\nabcdefgh\n--", DEBUG: "true" } }),
    ).toEqual(["-----BEGIN", "abcdefgh"]);
  });
});

describe("the environment of a server", () => {
  it("has no exported shell function and nothing of ours", () => {
    const own = { PATH: "/bin", TERM: "() { :; }", OPENAI_API_KEY: "sk" };
    expect(serverEnvironment({ A: "1" }, [], own)).toEqual({ PATH: "/bin", A: "1" });
    expect(serverEnvironment({ PATH: "/opt" }, [], own)).toEqual({ PATH: "/opt" });
    const relative = { PATH: "node_modules/.bin:.::/opt" };
    expect(serverEnvironment(relative, [], own)).toEqual({ PATH: "/opt" });
  });

  it("has what real servers need, and what is named, but no relative folder for programs", () => {
    const own = {
      PATH: "/bin:.:node_modules/.bin::/usr/bin",
      https_proxy: "http://proxy:3128",
      XDG_RUNTIME_DIR: "/run/user/1",
      LC_ALL: "C",
      NVM_DIR: "/home/me/.nvm",
      MY_TOKEN: "t",
      ANTHROPIC_API_KEY: "sk",
      XDG_secret_key: "no",
    };
    const { ANTHROPIC_API_KEY: _, XDG_secret_key: __, ...passed } = own;
    expect(serverEnvironment(undefined, ["MY_TOKEN"], own)).toEqual({
      ...passed,
      PATH: "/bin:/usr/bin",
    });
  });
});

describe("progress", () => {
  it("is one short line", () => {
    expect(progressText({ progress: 3 })).toBe("3");
    expect(progressText({ progress: 3, message: `${"a".repeat(97)}😀` })).toMatch(/aa$/);
    expect(progressText({ progress: 3, total: 10, message: " reading\nfiles " })).toBe(
      "3/10 reading files",
    );
    expect(progressText({ progress: 1, message: "x".repeat(500) }).length).toBe(100);
  });
});
