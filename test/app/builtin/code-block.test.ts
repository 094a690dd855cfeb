/** A code block of an answer: which file it names, how it changes it, and that the user's rules hold for it. */
import { mkdir, mkdtemp, readFile, realpath, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { carryOutApply, planApply } from "../../../src/app/builtin/apply-block.ts";
import { appliedText, codeBlockAt, namedPath } from "../../../src/app/builtin/code-block.ts";
import { createPathAccess } from "../../../src/app/builtin/path-access.ts";
import { planUndo } from "../../../src/app/builtin/turn-edits.ts";
import type { RuleConfiguration } from "../../../src/app/configuration/options.ts";
import { fileWorkspace } from "../../../src/app/files/file-workspace.ts";
import { changeDenialOf, pathFrame } from "../../../src/app/tools/policy.ts";
import fc from "../../support/property.ts";

const blockOf = (text: string, line = 0) => {
  const block = codeBlockAt(text.split("\n"), line);
  if (block === null) throw new TypeError(`no block at ${line}`);
  return block;
};
const inBlock = (lines: string, info = "ts") => blockOf(`\`\`\`\`${info}\n${lines}\n\`\`\`\``);

describe("the block at a line", () => {
  it("is what is between its fences, without escapes and its indent", () => {
    const text = "🤖:[x]\n\n  ~~~ts\n  a\n    b\n\\💬: c\n```\n  ~~~\nafter";
    for (const line of [2, 4, 7]) {
      expect(blockOf(text, line).lines).toEqual(["a", "  b", "💬: c", "```"]);
    }
    for (const line of [0, 1, 8]) expect(codeBlockAt(text.split("\n"), line)).toBeNull();
  });

  it.each(["   ", "      ", "\t", "\t  "])(
    "is found below an item of a list, behind %j",
    (indent) => {
      const text = `1. do this:\n\n${["```py x.py", "def a():", "    ```", "  return 1", "", "```"].map((line) => (line === "" ? "" : indent + line)).join("\n")}\n2. that`;
      expect(blockOf(text, 4).lines).toEqual(["def a():", "    ```", "  return 1", ""]);
      expect(namedPath(blockOf(text, 2))).toBe("x.py");
      expect(codeBlockAt(text.split("\n"), 8)).toBeNull();
    },
  );

  it.each(["- ", "1. ", "12)\t", "  * - "])(
    "is found on the line that begins an item: %j",
    (item) => {
      const indent = item.replace(/\S/g, " ");
      const text = `${item}\`\`\`js x.js\n${indent}a\n${indent}\`\`\`\n\n   ~~~py\n   b\n   ~~~`;
      for (const line of [0, 1, 2]) expect(blockOf(text, line).lines).toEqual(["a"]);
      expect(namedPath(blockOf(text, 1))).toBe("x.js");
      expect(blockOf(text, 5).lines).toEqual(["b"]);
    },
  );

  it("is not one if a turn ends a fence that was left open, and the next one is found", () => {
    const text = "```ts\na\n💬: q\n```js\nb\n```\n";
    expect(codeBlockAt(text.split("\n"), 1)).toBeNull();
    expect(blockOf(text, 4).lines).toEqual(["b"]);
  });
});

describe("the file that a block names", () => {
  it.each([
    ["```ts src/a.ts", "src/a.ts"],
    ["```ts:src/a.ts", "src/a.ts"],
    ["```src/a.ts", "src/a.ts"],
    ["```a.lua", "a.lua"],
    ['```ts title="src/a.ts" {1,2}', "src/a.ts"],
    ["```python filename=x.py", "x.py"],
    ["```js {file: x/y.js}", "x/y.js"],
    ["```ts", null],
    ["```ts {1-3}", null],
    ["```", null],
    ["```sh https://x.org/a.sh", null],
    ["**src/a.ts**\n```ts", "src/a.ts"],
    ["Change `src/a.ts` like this:\n\n```ts", "src/a.ts"],
    ["### src/a.ts\n```ts", "src/a.ts"],
    ["src/a.ts:\n```", "src/a.ts"],
    ["`.gitignore`\n```", ".gitignore"],
    ["Move it from `a.ts` to `b.ts`:\n```ts", null],
    ["Call `foo.bar()` now:\n```ts", null],
    ["Here it is:\n```ts", null],
    ["src/a.ts\n\n\n```ts", null],
  ])("%j: %j", (above, path) => {
    const lines = [...above.split("\n"), "x", "```"];
    const block = codeBlockAt(lines, lines.length - 1);
    expect(block && namedPath(block)).toBe(path);
  });

  it("is that of its diff, when it has one", () => {
    const diff = "--- a/src/a.ts\n+++ b/src/a.ts\n@@ -1 +1 @@\n-a\n+b";
    expect(namedPath(inBlock(diff, "diff"))).toBe("src/a.ts");
    expect(namedPath(inBlock(`${diff}\n${diff}`, "diff"))).toBeNull();
  });
});

const before = "one\ntwo\nthree\ntwo b\n";

describe("what a block makes of a text", () => {
  it.each([
    ["its whole text", "ts", "a\nb", "a\nb\n"],
    ["dots that are code", "ts", "f(...rest);\n  ...existing,", "f(...rest);\n  ...existing,\n"],
    ["a diff", "diff", "@@ -9,2 +9,2 @@\n one\n-two\n+2\n three", "one\n2\nthree\ntwo b\n"],
    ["a diff without numbers", "diff", "-three\n+3\n+4", "one\ntwo\n3\n4\ntwo b\n"],
    ["two hunks", "diff", "@@ @@\n-one\n@@ @@\n-two b\n+x", "two\nthree\nx\n"],
    [
      "search and replace",
      "",
      "<<<<<<< SEARCH\nthree\n=======\n3\n>>>>>>> REPLACE\n<<<<<<< SEARCH\n3\ntwo b\n=======\n>>>>>>> REPLACE",
      "one\ntwo\n",
    ],
  ])("%s", (_, info, lines, after) => {
    expect(appliedText(inBlock(lines, info), before, "a.ts")).toBe(after);
  });

  it.each([
    ["diff", "@@ -1 +1 @@\n-nine\n+9", "are not in a.ts"],
    ["diff", "@@ @@\n+only new", "do not say where"],
    ["diff", "same\n context", "changes nothing"],
    ["diff", "--- a/x\n+++ b/x\n-one\n--- a/y\n+++ b/y\n-two", "several files"],
    ["", "<<<<<<< SEARCH\none\n=======\n1", "is not closed"],
    ["ts", "a\n// ... existing code ...\nb", "leaves out parts of a.ts"],
    ["ts", "a\n  ... rest of the file\nb", "leaves out parts of a.ts"],
    ["py", "# ...\nb", "leaves out parts of a.ts"],
    ["html", "<!-- … rest unchanged -->", "leaves out parts of a.ts"],
  ])("%s %j is refused: %s", (info, lines, why) => {
    expect(() => appliedText(inBlock(lines, info), before, "a.ts")).toThrow(why);
  });

  it.each([null, ""])("has the parts of a diff in their order, where the file is %j", (text) => {
    const diff = inBlock("@@ -0,0 +1 @@\n+a\n@@ -0,0 +2,2 @@\n+b\n+c", "diff");
    expect(appliedText(diff, text, "a.ts")).toBe("a\nb\nc\n");
  });

  it("changes 200 places of a file at most", () => {
    const text = Array.from({ length: 201 }, (_, at) => `line ${at}`);
    const hunks = text.map((line) => `@@ @@\n-${line}\n+new ${line}`);
    const changed = text.slice(0, 200).map((line) => `new ${line}`);
    const diff = (count: number) => inBlock(hunks.slice(0, count).join("\n"), "diff");
    expect(appliedText(diff(200), text.join("\n"), "a.ts")).toBe(
      [...changed, "line 200"].join("\n"),
    );
    expect(() => appliedText(diff(201), text.join("\n"), "a.ts")).toThrow("in 201 places");
  });

  it("refuses lines that occur twice", () => {
    expect(() => appliedText(inBlock("-a\n+b", "diff"), "a\nx\na\n", "a.ts")).toThrow(
      "more than once",
    );
  });

  it("ends, and is the text that the diff was made for, whatever is in it", async () => {
    const { createTwoFilesPatch } = await import("diff");
    const text = fc
      .array(fc.constantFrom("a", "b", "- c", "+d", "@@ x", "", "--- e", "+++ f", "\\ g"), {
        maxLength: 8,
      })
      .map((lines) => lines.map((line, index) => `${line}${index}\n`).join(""));
    fc.assert(
      fc.property(text, text, (from, to) => {
        fc.pre(from !== to && from !== "" && to !== "");
        const patch = createTwoFilesPatch("a/x.ts", "b/x.ts", from, to).replace(/^=+\n/, "");
        let after: string;
        try {
          after = appliedText(
            inBlock(patch.trimEnd().replaceAll("\n```", "\n'''"), "diff"),
            from,
            "x",
          );
        } catch {
          // A place that is not told by its lines is nobody's guess.
          return;
        }
        expect(after).toBe(to);
      }),
    );
  });
});

async function scene(deny: readonly RuleConfiguration[] = []) {
  const base = await realpath(await mkdtemp(join(tmpdir(), "parley-apply-")));
  onTestFinished(() => rm(base, { recursive: true, force: true }));
  const folder = join(base, "project");
  await mkdir(join(folder, "own"), { recursive: true });
  await writeFile(join(folder, "a.ts"), before);
  await writeFile(join(base, "outside.ts"), "x\n");
  const asked: string[] = [];
  const access = createPathAccess({
    workingFolder: () => folder,
    ownFolders: [join(folder, "own")],
    confirm: async (question) => {
      asked.push(question);
      return false;
    },
  });
  const denial = changeDenialOf(deny, pathFrame(folder));
  const around = {
    ...{ workspace: fileWorkspace, access },
    denial: async (path: string) => denial(await access.callPath(path)),
  };
  return { folder, asked, around };
}

describe("a block that is applied", () => {
  it("shows the real path and the diff first, writes that and nothing else, and is taken back", async () => {
    const { folder, around } = await scene();
    await symlink("a.ts", join(folder, "link.ts"));
    const plan = await planApply(inBlock("-two\n+2", "diff"), "link.ts", around);
    expect(plan.lines.join("\n")).toContain(`changes ${join(folder, "a.ts")}`);
    expect(plan.lines.join("\n")).toContain("link.ts leads there");
    expect(plan.lines).toContain("  -two");
    expect(await readFile(join(folder, "a.ts"), "utf8")).toBe(before);
    await carryOutApply(plan, around);
    expect(await readFile(join(folder, "a.ts"), "utf8")).toBe("one\n2\nthree\ntwo b\n");
    const edit = { tool: "apply", path: plan.change.path, replacements: [], result: "" };
    const undo = await planUndo([{ ...edit, whole: plan.change }], around);
    expect(undo.changes.map(({ after }) => after)).toEqual([before]);
    await writeFile(join(folder, "a.ts"), "changed since");
    const late = await planUndo([{ ...edit, whole: plan.change }], around);
    expect(late.changes).toEqual([]);
    await expect(carryOutApply(plan, around)).rejects.toThrow();
    expect(await readFile(join(folder, "a.ts"), "utf8")).toBe("changed since");
  });

  it("makes a file", async () => {
    const { folder, around } = await scene();
    const plan = await planApply(inBlock("new"), "sub/new.ts", around);
    expect(plan.lines[0]).toContain("makes");
    await carryOutApply(plan, around);
    expect(await readFile(join(folder, "sub", "new.ts"), "utf8")).toBe("new\n");
  });

  it("goes nowhere that an edit tool may not go", async () => {
    const { folder, asked, around } = await scene([
      { tool: "edit_file", arguments: { path: "a.ts" } },
    ]);
    const apply = (path: string) => planApply(inBlock("x"), path, around);
    await expect(apply("a.ts")).rejects.toThrow("A rule in your configuration");
    await expect(apply("own/config.json")).rejects.toThrow("Parley's own files");
    await symlink(join(folder, ".."), join(folder, "up"));
    for (const path of ["../outside.ts", "up/outside.ts", ".git/hooks/x", ".mcp.json"]) {
      await expect(apply(path)).rejects.toThrow("did not allow");
    }
    expect(asked).toHaveLength(4);
    expect(asked[0]).toMatch(/^This code block wants to change .*outside\.ts/);
    const plan = await planApply(inBlock("x"), ".envrc", around);
    expect(plan.lines[0]).toContain("Other programs run");
  });

  it("follows no link that was put there after the diff", async () => {
    const { folder, around } = await scene();
    const plan = await planApply(inBlock("x"), "a.ts", around);
    await rm(join(folder, "a.ts"));
    await symlink("../outside.ts", join(folder, "a.ts"));
    await expect(carryOutApply(plan, around)).rejects.toThrow("a different file now");
  });
});
