/** The built-in tools over plain files: what they give, what they refuse, and what needs a yes of its own. */
import { mkdir, rm, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { readTextFile } from "../../../src/app/files/workspace.ts";
import { builtinToolNames } from "../../../src/conversation/settings/tool-selection.ts";
import fc from "../../support/property.ts";
import { open } from "../builtin-scene.ts";

describe("the built-in tools", () => {
  it("are off unless their group or one of them is named", async () => {
    const { names } = await open();
    expect(await names(null)).toEqual([]);
    expect(await names("*")).toEqual([]);
    expect(await names("-web_search")).toEqual([]);
    expect(await names("mock")).toEqual([]);
    const rows = builtinToolNames.filter((name) => !["diagnostics", "run_command"].includes(name));
    const all = await names("builtin");
    expect(all.toSorted(), "each is a row of `builtinTools`").toEqual(rows.toSorted());
    expect(await names("*, builtin")).toEqual(all);
    expect(await names("builtin.read_file, list_files")).toEqual(["read_file", "list_files"]);
    expect(await names("builtin, -builtin.edit_file")).toEqual(
      all.filter((name) => name !== "edit_file"),
    );
    expect(await names("builtin, none")).toEqual([]);
  });

  it("offer diagnostics where somebody keeps them", async () => {
    const found = { line: 2, column: 7, severity: "error", message: "no\nway", source: "tsc" };
    const tools = await open({ diagnostics: [] });
    expect(await tools.names("builtin")).toContain("diagnostics");
    expect(await tools.run("diagnostics", {})).toMatchObject({ text: "There are no diagnostics." });
    const { run } = await open({
      diagnostics: [{ ...found, severity: "error", path: join(tools.folder, "a.ts") }],
    });
    expect((await run("diagnostics", {})).text).toMatch(/a\.ts:2:7: error: no way \(tsc\)$/);
  });
});

describe("read_file", () => {
  it("gives a text, or some of its lines with their numbers", async () => {
    const { run } = await open();
    expect(await run("read_file", { path: "notes.txt" })).toEqual({
      status: "ok",
      text: "one\ntwo\nthree",
      media: [],
    });
    expect((await run("read_file", { path: "notes.txt", first_line: 2, last_line: 2 })).text).toBe(
      "notes.txt, lines 2 to 2 of 3:\ntwo",
    );
  });

  it.each([
    [{ path: "none.txt" }, /There is no file none\.txt/],
    [{ path: "src" }, /is a folder; list_files lists it/],
    [{ path: "notes.txt", first_line: 9 }, /has 3 lines; there are none from 9/],
    [{ path: "binary" }, /is not text in UTF-8/],
    [{}, /path/],
  ])("says what is wrong with %j", async (args, reason) => {
    const { run, folder } = await open();
    await writeFile(join(folder, "binary"), Uint8Array.of(1, 0, 2));
    const output = await run("read_file", args);
    expect(output.status).toBe("error");
    expect(output.text).toMatch(reason);
  });
});

describe("a path outside of the working folder", () => {
  it.each(["../secret.txt", "link.txt"])("%s needs a yes of its own", async (path) => {
    let isAllowed = false;
    const { run, folder, asked, said } = await open({ answer: () => isAllowed });
    await symlink(join(folder, "..", "secret.txt"), join(folder, "link.txt"));
    const refused = await run("read_file", { path });
    expect(refused).toMatchObject({ status: "error" });
    expect(refused.text).toMatch(/did not allow it to read .*secret\.txt/);
    isAllowed = true;
    expect(await run("read_file", { path })).toMatchObject({ status: "ok", text: "secret" });
    expect(asked).toHaveLength(2);
    expect(asked[0]).toMatch(/wants to read .*secret\.txt, which is outside/);
    expect(said[0]).toMatch(/asks whether it may read/);
  });

  it("is refused where nobody can be asked", async () => {
    const { run } = await open({ answer: null });
    expect(await run("read_file", { path: "../secret.txt" })).toMatchObject({
      status: "error",
      text: expect.stringMatching(/there is no user here to allow it/),
    });
  });

  it("is never changed when it decides what may run", async () => {
    const { run, asked, text } = await open({ answer: () => true });
    const edit = { path: "own/mcp.json", old_text: "", new_text: "{}" };
    expect((await run("edit_file", edit)).text).toMatch(/Parley's own files/);
    expect(asked).toEqual([]);
    await expect(text("own/mcp.json")).rejects.toThrow("ENOENT");
  });

  it("says so if Neovim works in the home folder, which is not a project", async () => {
    const { run, folder, asked } = await open();
    for (const name of ["HOME", "USERPROFILE"]) vi.stubEnv(name, folder);
    onTestFinished(() => void vi.unstubAllEnvs());
    await run("read_file", { path: "notes.txt" });
    expect(asked[0]).toMatch(
      /notes\.txt, which is in the working folder, which contains your whole/,
    );
  });

  it("counts also below .git, where files are run", async () => {
    const { run, asked } = await open();
    const edit = { path: ".git/hooks/pre-commit", old_text: "", new_text: "#!/bin/sh\n" };
    expect(await run("edit_file", edit)).toMatchObject({ status: "error" });
    expect(asked[0]).toMatch(/in a Git folder/);
  });
});

describe("edit_file", () => {
  const edit = { path: "notes.txt", old_text: "two", new_text: "2" };

  it("changes a text that was read, and shows the change before", async () => {
    const { run, plan, text } = await open();
    expect((await plan(["edit_file", edit]))[0]?.refusal).toMatch(/not been read yet/);
    await run("read_file", { path: "notes.txt" });
    expect((await plan(["edit_file", edit]))[0]?.lines).toEqual([
      "  changes notes.txt",
      "  line 1",
      "   one",
      "  -two",
      "  +2",
      "   three",
    ]);
    expect(await text("notes.txt")).toBe("one\ntwo\nthree\n");
    expect(await run("edit_file", edit)).toMatchObject({
      status: "ok",
      text: expect.stringMatching(/^notes\.txt was changed: \+\d+ −\d+ lines\.\n {2}line \d+\n/),
    });
    expect(await text("notes.txt")).toBe("one\n2\nthree\n");
    // Its own change is known, so the next one needs no reading between.
    const next = { ...edit, old_text: "three", new_text: "3" };
    expect(await run("edit_file", next)).toMatchObject({ status: "ok" });
  });

  it("makes a new file, also in a new folder, and never over one that is there", async () => {
    const { run, plan, text } = await open();
    const make = { path: "new/folder/a.txt", old_text: "", new_text: "a\n" };
    expect((await plan(["edit_file", make]))[0]?.lines).toEqual([
      `  makes ${join("new", "folder", "a.txt")}`,
      "  line 1",
      "  +a",
    ]);
    expect(await run("edit_file", make)).toMatchObject({ status: "ok" });
    expect(await text(make.path)).toBe("a\n");
    expect((await run("edit_file", make)).text).toMatch(/already exists/);
  });

  it("refuses what changed since it was read, and what it cannot find once", async () => {
    const { run, folder, text } = await open();
    expect((await run("edit_file", edit)).text).toMatch(/has not been read yet/);
    await run("read_file", { path: "notes.txt" });
    expect((await run("edit_file", { ...edit, old_text: "four" })).text).toMatch(/is not in/);
    expect((await run("edit_file", { ...edit, old_text: "e" })).text).toMatch(
      /occurs more than once/,
    );
    await writeFile(join(folder, "notes.txt"), "one\ntwo\nthree\nfour\n");
    expect((await run("edit_file", edit)).text).toMatch(/changed since it was read/);
    expect(await text("notes.txt")).toBe("one\ntwo\nthree\nfour\n");
  });

  it("refuses a text that occurs twice with parts in common", async () => {
    const { run, folder, text } = await open();
    await writeFile(join(folder, "notes.txt"), "aaa\n");
    await run("read_file", { path: "notes.txt" });
    const output = await run("edit_file", { path: "notes.txt", old_text: "aa", new_text: "b" });
    expect(output.text).toMatch(/more than once/);
    expect(await text("notes.txt")).toBe("aaa\n");
  });

  it("does two edits of one file after each other", async () => {
    const { run, text } = await open();
    await run("read_file", { path: "notes.txt" });
    const edits = ["one", "two", "three"].map((old_text) =>
      run("edit_file", { path: "notes.txt", old_text, new_text: old_text.toUpperCase() }),
    );
    expect((await Promise.all(edits)).map(({ status }) => status)).toEqual(["ok", "ok", "ok"]);
    expect(await text("notes.txt")).toBe("ONE\nTWO\nTHREE\n");
  });

  it("keeps line ends of Windows", async () => {
    const { run, folder, text } = await open();
    await writeFile(join(folder, "dos.txt"), "a\r\nb\r\n");
    await run("read_file", { path: "dos.txt" });
    await run("edit_file", { path: "dos.txt", old_text: "a\nb", new_text: "c\nd" });
    expect(await text("dos.txt")).toBe("c\r\nd\r\n");
  });

  it("shows nothing that deceives", async () => {
    const { plan } = await open();
    const edit = { path: "a", old_text: "", new_text: "x\u202ey\u001b[2J\n" };
    expect((await plan(["edit_file", edit]))[0]?.lines.at(-1)).toBe("  +x\\u{202e}y\\u{1b}[2J");
  });

  it("replaces exactly what it names, whatever that is", async () => {
    const tools = await open();
    const texts = fc.string({
      unit: fc.constantFrom("a", "b", "$", "&", "\\", "\n"),
      minLength: 1,
    });
    await fc.assert(
      fc.asyncProperty(texts, texts, texts, fc.string(), async (head, old, tail, next) => {
        const before = head + old + tail;
        fc.pre(before.indexOf(old) === before.lastIndexOf(old));
        fc.pre(old !== next && !/\r|\0/.test(next));
        await writeFile(join(tools.folder, "any.txt"), before);
        await tools.run("read_file", { path: "any.txt" });
        const output = await tools.run("edit_file", {
          path: "any.txt",
          old_text: old,
          new_text: next,
        });
        expect(output.status).toBe("ok");
        expect(await tools.text("any.txt")).toBe(head + next + tail);
      }),
      { numRuns: 100 },
    );
  });
});

describe("a plan", () => {
  const edit = (old_text: string, new_text: string) =>
    ["edit_file", { path: "notes.txt", old_text, new_text }] as const;
  const read = ["read_file", { path: "notes.txt" }] as const;

  it("is made with the reads and edits before it in the same batch", async () => {
    const { plan, run, text } = await open();
    const [, first, second] = await plan(read, edit("two", "2"), edit("2\nthree", "2\n3"));
    expect(first?.lines).toContain("  +2");
    expect(second?.refusal).toBeNull();
    expect(second?.lines).toEqual([
      "  changes notes.txt",
      "  line 1",
      "   one",
      "   2",
      "  -three",
      "  +3",
    ]);
    expect(await text("notes.txt")).toBe("one\ntwo\nthree\n");
    // Nothing was learned by planning.
    expect((await plan(edit("two", "2")))[0]?.refusal).toMatch(/not been read yet/);
    expect((await run(...edit("two", "2"))).text).toMatch(/not been read yet/);
  });

  it("is done exactly, or nothing is", async () => {
    const { plan, run, runAs, folder, text } = await open();
    await run(...read);
    const [shown] = await plan(edit("two", "2"));
    await writeFile(join(folder, "notes.txt"), "zero\ntwo\n");
    await run(...read);
    const other = await runAs(...edit("two", "2"), shown?.hash ?? "");
    expect(other.text).toMatch(/would do changed since it was shown/);
    expect(await text("notes.txt")).toBe("zero\ntwo\n");
    const [now] = await plan(edit("two", "2"));
    expect(await runAs(...edit("two", "2"), now?.hash ?? "")).toMatchObject({ status: "ok" });
    expect(await text("notes.txt")).toBe("zero\n2\n");
  });

  it("reads and writes nothing through a link that was put there meanwhile", async () => {
    const { run, runAs, plan, folder, text } = await open();
    await writeFile(join(folder, "..", "secret.txt"), "one\ntwo\nthree\n");
    await run(...read);
    const [shown] = await plan(edit("two", "2"));
    await rm(join(folder, "notes.txt"));
    await symlink(join(folder, "..", "secret.txt"), join(folder, "notes.txt"));
    expect((await runAs(...edit("two", "2"), shown?.hash ?? "")).status).toBe("error");
    expect(await text(join("..", "secret.txt"))).toBe("one\ntwo\nthree\n");
    // The real path was found before the link was put there, also of a folder above.
    await expect(readTextFile(join(folder, "notes.txt"))).rejects.toThrow(/leads elsewhere/);
    await symlink(folder, join(folder, "..", "other"));
    const above = join(folder, "..", "other", "src", "main.ts");
    await expect(readTextFile(above)).rejects.toThrow(/leads elsewhere/);
  });

  it("says where a path leads, and is another when it leads elsewhere", async () => {
    const { plan, folder } = await open();
    await symlink(join(folder, "notes.txt"), join(folder, "link"));
    const [first] = await plan(["read_file", { path: "link" }]);
    expect(first?.lines).toEqual(["  reads notes.txt"]);
    await rm(join(folder, "link"));
    await symlink(join(folder, "src", "main.ts"), join(folder, "link"));
    const [second] = await plan(["read_file", { path: "link" }]);
    expect(second?.hash).not.toBe(first?.hash);
  });

  it("agrees with what running the same calls in order does", async () => {
    const tools = await open();
    const piece = fc.constantFrom("a", "b", "ab", "ba", "");
    const edits = fc.array(fc.tuple(piece, piece), { minLength: 1, maxLength: 4 });
    await fc.assert(
      fc.asyncProperty(
        fc.string({ unit: fc.constantFrom("a", "b", "\n") }),
        edits,
        async (start, list) => {
          await writeFile(join(tools.folder, "any.txt"), start);
          const calls = list.map(
            ([old_text, new_text]) =>
              ["edit_file", { path: "any.txt", old_text, new_text, replace_all: true }] as const,
          );
          const before = ["read_file", { path: "any.txt" }] as const;
          const [, ...plans] = await tools.plan(before, ...calls);
          await tools.run(...before);
          for (const [index, call] of calls.entries()) {
            const plan = plans[index];
            const output = await tools.runAs(...call, plan?.hash ?? "");
            if (plan?.refusal == null) expect(output.status).toBe("ok");
            else expect(output.text).toContain(plan.refusal);
          }
        },
      ),
      { numRuns: 60 },
    );
  });
});

describe("list_files and search_files", () => {
  it("list what there is, by folder and name", async () => {
    const { run } = await open();
    expect((await run("list_files", {})).text).toBe("notes.txt\nsrc/main.ts");
    expect((await run("list_files", { name: "*.ts" })).text).toBe(join("src", "main.ts"));
    expect((await run("list_files", { path: "src" })).text).toBe(join("src", "main.ts"));
    expect((await run("list_files", { name: "*.lua" })).text).toBe("No files were found.");
  });

  it("find lines by a regular expression", async () => {
    const { run, folder } = await open();
    await writeFile(join(folder, "notes.txt"), "\ufefftwo\r\n");
    expect((await run("search_files", { pattern: "const [ab]" })).text).toBe(
      "src/main.ts:1:const a = 1;\nsrc/main.ts:2:const b = 2;",
    );
    expect((await run("search_files", { pattern: "^TWO$", ignore_case: true })).text).toBe(
      "notes.txt:1:two",
    );
    expect((await run("search_files", { pattern: "two", glob: "*.ts" })).text).toBe(
      "Nothing was found.",
    );
    // What begins like an option is a pattern all the same.
    expect((await run("search_files", { pattern: "--version" })).text).toBe("Nothing was found.");
    const long = "\\p{L}".repeat(500);
    expect((await run("search_files", { pattern: long })).text).toContain("is longer than");
    const search = { pattern: "x", glob: long };
    expect((await run("search_files", search)).text).toContain("the glob is longer than");
    expect((await run("list_files", { name: long })).text).toContain("the name is longer than");
    const broken = await run("search_files", { pattern: "(" });
    expect(broken.status).toBe("error");
    expect(broken.text).toMatch(/could not search: .+/);
  });

  it("leave out what Git ignores, without Git and without ripgrep", async () => {
    const { run, folder } = await open();
    await mkdir(join(folder, ".git", "info"), { recursive: true });
    await mkdir(join(folder, "build", "deep"), { recursive: true });
    await writeFile(join(folder, ".gitignore"), "build/\n*.log\n!keep.log\n");
    await writeFile(join(folder, ".git", "info", "exclude"), "private\n");
    await writeFile(join(folder, "src", ".gitignore"), "/*.gen\n");
    for (const path of ["build/a", "build/deep/b", "x.log", "keep.log", "private", "src/c.gen"]) {
      await writeFile(join(folder, path), "const needle = 1;\n");
    }
    const below = (...names: readonly string[]) => names.join("\n");
    const { text } = await run("list_files", {});
    expect(text).toBe(
      below(
        ".gitignore",
        "keep.log",
        "notes.txt",
        join("src", ".gitignore"),
        join("src", "main.ts"),
      ),
    );
    expect((await run("search_files", { pattern: "needle" })).text).toBe(
      "keep.log:1:const needle = 1;",
    );
    // From a folder below, the rules above hold too.
    expect((await run("list_files", { path: "src" })).text).not.toContain("c.gen");
  });

  it("take the same patterns everywhere, and end one that takes forever", async () => {
    const { run, folder, host } = await open();
    await writeFile(join(folder, "long.txt"), `${"a".repeat(60)}!\n`);
    expect((await run("search_files", { pattern: "\\d\\b", glob: "*.{ts,js}" })).text).toBe(
      "src/main.ts:1:const a = 1;\nsrc/main.ts:2:const b = 2;",
    );
    expect((await run("search_files", { pattern: "t\\-?wo" })).text).toBe("notes.txt:2:two");
    const stop = new AbortController();
    const args = JSON.stringify({ pattern: "^(a+)+$" });
    const running = host.run(
      { id: "1", name: "search_files", arguments: args },
      { signal: stop.signal, progress: () => {} },
    );
    stop.abort();
    expect((await running).status).toBe("cancelled");
  });
});
