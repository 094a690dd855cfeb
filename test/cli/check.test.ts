import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, symlinkSync } from "node:fs";
import { join, win32 } from "node:path";
import { describe, expect, it } from "vitest";
import { projectRoot } from "../../scripts/lib/paths.mjs";
import { filesMeant } from "../../src/cli/check.ts";
import { findSecrets } from "../../src/cli/check-secrets.ts";
import { callLine, openPlace } from "./command-line.ts";

describe("parley check", () => {
  it("prints file, line, column, level, message and code, sorted by line", async () => {
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

  it("prints nothing for a valid file, and does not fail because of warnings", async () => {
    const place = openPlace("💬: hi\n\n🤖: hello\n\n💬: \n");
    place.write("warned.md", "💬: hi\n🤖:\nx\n🤖:\ny\n");
    expect(await place.parley(["check", "chat.md"])).toMatchObject({ code: 0, stdout: "" });
    const warned = await place.parley(["check", "warned.md"]);
    expect(warned.code).toBe(0);
    expect(warned.stdout).toMatch(/^warned\.md:4:1: warning: .* \[second-answer\]\n$/);
  });

  it("expands patterns of file names on Windows only, where the shell does not do it", () => {
    const place = openPlace();
    const { folder } = place;
    for (const name of ["b.md", "c.MD", "d.txt"]) place.write(name, "");
    const named = (name: string) => win32.join(folder, name);
    expect(filesMeant(`${folder}/*.md`, "win32")).toEqual(["b.md", "c.MD", "chat.md"].map(named));
    for (const word of [`${folder}/b.md`, `${folder}/*.pdf`, `${folder}/none/*.md`]) {
      expect(filesMeant(word, "win32")).toEqual([word]);
    }
    expect(filesMeant(`${folder}/*.md`, "linux")).toEqual([`${folder}/*.md`]);
  });

  it("reports files that cannot be read and checks all others", async () => {
    const place = openPlace("💬: hi\n");
    place.write("broken.md", "💬: hi\n🤖:\n❓: `{`\n");
    const ended = await place.parley(["check", "none.md", "chat.md", "broken.md", "."]);
    expect(ended.code).toBe(1);
    expect(ended.stdout).toMatch(/^broken\.md:3:1: error: .* \[broken-call\]\n$/);
    expect(ended.stderr).toMatch(/^parley: none\.md could not be read, .*ENOENT/m);
    expect(ended.stderr).toMatch(/^parley: \. could not be read, .*EISDIR/m);
    expect((await place.parley(["check", "chat.md", "none.md"])).code).toBe(1);
  });

  it("changes nothing in a file with CRLF, a byte order mark and no final line break", async () => {
    const text = "\ufeff---\r\nmodel: nothing\r\n---\r\n💬: hi\r\n🤖:\r\n❓: `{`";
    const place = openPlace(text);
    const ended = await place.parley(["check", "chat.md"]);
    expect(ended.stdout).toMatch(/^chat\.md:2:1: .*\nchat\.md:6:1: error: .*\n$/);
    expect(place.read()).toBe(text);
  });
});

describe.skipIf(process.platform === "win32")(
  "chats that are links to devices or named pipes",
  () => {
    const commands = ["check", "check --secrets", "export", "preview", "run"];

    it.each(commands)("are reported and not read: parley %s", async (command) => {
      const place = openPlace();
      symlinkSync("/dev/zero", join(place.folder, "zero.md"));
      execFileSync("mkfifo", [join(place.folder, "pipe.md")]);
      for (const name of ["zero.md", "pipe.md"]) {
        const ended = await place.parley([...command.split(" "), name]);
        expect(ended).toMatchObject({ code: 1, stdout: "" });
        expect(ended.stderr).toContain(`${name} could not be read`);
        expect(ended.stderr).toContain("it is not a regular file");
      }
    });

    it("are not confused with a pipe from the shell, which is read", async () => {
      const { folder } = openPlace();
      const script = String.raw`printf '💬: hi\n🤖:\n❓: \140{\140\n' | "$0" "$1" check /dev/stdin`;
      const words = ["-c", script, process.execPath, join(projectRoot, "dist", "cli.js")];
      const env = { PATH: process.env.PATH ?? "", HOME: folder };
      const ended = spawnSync("sh", words, { cwd: folder, env });
      expect(String(ended.stdout)).toMatch(/^\/dev\/stdin:3:1: error: .* \[broken-call\]\n$/);
    });
  },
);

describe("parley", () => {
  it("prints help, a usage message for missing arguments, and its version", async () => {
    const place = openPlace();
    const help = await place.parley(["help"]);
    expect(help).toMatchObject({ code: 0, stderr: "" });
    for (const word of ["preview", "run", "check", "--approve", "--max-steps", "--tools"]) {
      expect(help.stdout).toContain(word);
    }
    const wrong = await place.parley([]);
    expect(wrong).toMatchObject({ code: 2, stdout: "" });
    expect(wrong.stderr).toMatch(
      /^parley: a command is missing\.\n\nCommands: preview, run, check,/,
    );
    expect(wrong.stderr).toContain("parley help explains them.");
    expect((await place.parley(["--version"])).stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
  });
});

describe("parley check --secrets", () => {
  it("finds keys in a chat and its folder of files, without printing them", async () => {
    const place = openPlace(
      "💬: use ghp_0123456789abcdefghijABCDEFGHIJ012345 please\n\n🤖: my-own-value\n",
    );
    place.write("clean.md", "💬: is sk-test a key? what does API_KEY= mean?\n");
    mkdirSync(join(place.folder, "chat.md.files"));
    place.write("chat.md.files/a.txt", "one\n-----BEGIN RSA PRIVATE KEY-----\n");
    const ended = await place.parley(["check", "--secrets", "chat.md", "clean.md"], {
      OPENAI_API_KEY: "my-own-value",
    });
    expect(ended).toMatchObject({ code: 1, stderr: "" });
    expect(ended.stdout.replaceAll("\\", "/").split("\n")).toEqual([
      "chat.md:1:9: error: This looks like a secret (GitHub token). [secret]",
      "chat.md:3:5: error: This looks like a secret (value of $OPENAI_API_KEY). [secret]",
      "chat.md.files/a.txt:2:1: error: This looks like a secret (private key). [secret]",
      "",
    ]);
    // A value this short is not a key, and occurs in many texts.
    const placeholder = { OPENAI_API_KEY: "key" };
    expect(await place.parley(["check", "--secrets", "clean.md"], placeholder)).toMatchObject({
      code: 0,
      stdout: "",
    });
  });

  it("knows the key formats of vendors and takes linear time", () => {
    const kinds = (text: string) => findSecrets(text).map(({ kind }) => kind);
    expect(kinds("sk-ant-api03-abcdefghijklmnopqrstuvwxyz")).toEqual(["Anthropic key"]);
    // Finds all secrets of a line, each once.
    const own = new Map([["OWN_KEY", "0123456789"]]);
    const line = "0123456789 TOKEN=sk-proj-0123456789abcdefghij AKIAABCDEFGHIJKLMNOP 0123456789";
    expect(findSecrets(line, own)).toEqual([
      { line: 1, column: 1, kind: "value of $OWN_KEY" },
      { line: 1, column: 26, kind: "value of $OWN_KEY" },
      { line: 1, column: 47, kind: "AWS key" },
      { line: 1, column: 68, kind: "value of $OWN_KEY" },
    ]);
    expect(findSecrets(line).map(({ kind }) => kind)).toEqual(["OpenAI key", "AWS key"]);
    expect(kinds("AKIAABCDEFGHIJKLMNOP ".repeat(1000))).toHaveLength(20);
    expect(kinds("sk-proj-0123456789abcdefghij")).toEqual(["OpenAI key"]);
    expect(kinds("AKIAABCDEFGHIJKLMNOP")).toEqual(["AWS key"]);
    expect(kinds("postgres://me:hunter22@db/x")).toEqual(["login in an address"]);
    expect(kinds("MY_TOKEN = 'abcdefghijklmnop'")).toEqual(["value of a secret"]);
    for (const assigned of [
      "PASSWORD=hunter2hunter2",
      'password = "hunter2hunter2"',
      "'api-key': 'a1b2c3d4e5f6'",
      String.raw`{"arguments":"{\"apiKey\": \"a1b2c3d4e5f6\"}"}`,
    ]) {
      expect(kinds(assigned)).toEqual(["value of a secret"]);
    }
    expect(
      kinds('api_key = "your-api-key-here"\ntoken: "short1"\npassword = get("x1234567890")'),
    ).toEqual([]);
    expect(
      kinds(`MY_TOKEN=$${"{TOKEN_FROM_ELSEWHERE}"}\nask-anything-about-this-sentence`),
    ).toEqual([]);
    for (const hostile of [
      "A_".repeat(200_000),
      "a://b:".repeat(100_000),
      "eyJ".repeat(200_000),
      "token".repeat(100_000),
    ]) {
      expect(kinds(hostile)).toEqual([]);
    }
  });
});
