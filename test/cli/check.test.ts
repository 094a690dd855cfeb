import { describe, expect, it } from "vitest";
import { callLine, openPlace } from "./command-line.ts";

describe("parley check", () => {
  it("prints file, line, column, level, sentence and code, in the order of the lines", async () => {
    const place = openPlace(
      `---\nmodel: nothing\n---\n💬: hi\n🤖:\n${callLine("call_1")} trailing\n🛠️: [web_search][call_9]\n\n\`x\`\n`,
    );
    const ended = await place.parley(["check", "chat.md"]);
    expect(ended).toMatchObject({ code: 1, stderr: "" });
    const lines = ended.stdout.trimEnd().split("\n");
    expect(lines).toEqual([
      expect.stringMatching(/^chat\.md:2:1: warning: ".*"? ?.*\. \[unusable-header-value\]$/),
      expect.stringMatching(/^chat\.md:6:1: error: .+\. \[broken-call\]$/),
      expect.stringMatching(/^chat\.md:7:1: warning: .+\. \[orphan-result\]$/),
    ]);
  });

  it("is silent about a good file, and finds warnings no reason to fail", async () => {
    const place = openPlace("💬: hi\n\n🤖: hello\n\n💬: \n");
    place.write("warned.md", "💬: hi\n🤖:\nx\n🤖:\ny\n");
    expect(await place.parley(["check", "chat.md"])).toMatchObject({ code: 0, stdout: "" });
    const warned = await place.parley(["check", "warned.md"]);
    expect(warned.code).toBe(0);
    expect(warned.stdout).toMatch(/^warned\.md:4:1: warning: .* \[second-answer\]\n$/);
  });

  it("checks all files that are there", async () => {
    const place = openPlace("💬: hi\n");
    place.write("broken.md", "💬: hi\n🤖:\n❓: `{`\n");
    const ended = await place.parley(["check", "none.md", "chat.md", "broken.md", "."]);
    expect(ended.code).toBe(1);
    expect(ended.stdout).toMatch(/^broken\.md:3:1: error: .* \[broken-call\]\n$/);
    expect(ended.stderr).toMatch(/^parley: none\.md could not be read, .*ENOENT/m);
    expect(ended.stderr).toMatch(/^parley: \. could not be read, .*EISDIR/m);
    expect((await place.parley(["check", "chat.md", "none.md"])).code).toBe(1);
  });

  it("changes nothing, and does without a file's last line end, with CR LF and a byte order mark", async () => {
    const text = "\ufeff---\r\nmodel: nothing\r\n---\r\n💬: hi\r\n🤖:\r\n❓: `{`";
    const place = openPlace(text);
    const ended = await place.parley(["check", "chat.md"]);
    expect(ended.stdout).toMatch(/^chat\.md:2:1: .*\nchat\.md:6:1: error: .*\n$/);
    expect(place.read()).toBe(text);
  });
});

describe("parley", () => {
  it("explains itself", async () => {
    const place = openPlace();
    const help = await place.parley(["help"]);
    expect(help).toMatchObject({ code: 0, stderr: "" });
    for (const word of ["preview", "run", "check", "--approve", "--max-steps", "--tools"]) {
      expect(help.stdout).toContain(word);
    }
    const wrong = await place.parley([]);
    expect(wrong).toMatchObject({ code: 2, stdout: "" });
    expect(wrong.stderr).toContain("a command is missing");
    expect(wrong.stderr).toContain(help.stdout);
    expect((await place.parley(["--version"])).stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
  });
});
