/** What a model proposes against what a user approves or forbids: each test is one way to make the two differ. */
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { fileWorkspace } from "../../src/app/files/file-workspace.ts";
import { callView } from "../../src/conversation/call-view.ts";
import { visible } from "../../src/shared/visible.ts";
import { parseCallLine, renderCallLine } from "../../src/transcript/call-line.ts";
import { open } from "../app/builtin-scene.ts";
import fc from "../support/property.ts";

const secret = "needle-of-the-secret";

describe("an edit", () => {
  const edit = { path: "notes.txt", old_text: "two", new_text: "2" };

  it("whose file the editor's own autocommands change says so to the model", async () => {
    const { run } = await open({
      workspace: {
        async write(path, change) {
          await fileWorkspace.write(path, change);
          const text = `${change.text}-- formatted\n`;
          return fileWorkspace.write(path, { expected: change.text, text });
        },
      },
    });
    await run("read_file", { path: "notes.txt" });
    const { text } = await run("edit_file", edit);
    expect(text).toContain("The editor changed it further when it was written:");
    expect(text).toContain("+-- formatted");
  });

  it("that was shown is not done to a folder that was swapped for a link", async () => {
    const { folder, plan, runAs, run } = await open();
    mkdirSync(join(folder, "made"));
    writeFileSync(join(folder, "made", "a.txt"), "two\n");
    await run("read_file", { path: "made/a.txt" });
    const path = "made/a.txt";
    const [shown] = await plan(["edit_file", { ...edit, path }]);
    const outside = join(folder, "..", "outside");
    mkdirSync(outside);
    writeFileSync(join(outside, "a.txt"), "two\n");
    const { renameSync, readFileSync } = await import("node:fs");
    renameSync(join(folder, "made"), join(folder, "kept"));
    symlinkSync(outside, join(folder, "made"));
    const done = await runAs("edit_file", { ...edit, path }, shown?.hash ?? "");
    expect(done.status).toBe("error");
    expect(readFileSync(join(outside, "a.txt"), "utf8")).toBe("two\n");
  });
});

describe("a path that leads nowhere", () => {
  const paths = {
    "a link in a circle": "circle",
    "a folder behind one": "circle/notes.txt",
    "a name that no file system takes": "x".repeat(300),
    "a path that no system takes": "a/".repeat(3000),
    "a NUL": "notes\0.txt",
    "a file in a file": "notes.txt/x",
    "half a character": "\ud800".repeat(200),
  };
  const calls = {
    read_file: {},
    list_files: {},
    search_files: { pattern: "two" },
    edit_file: { old_text: "two", new_text: "2" },
    edit_places: { edits: [{ old_text: "two", new_text: "2" }] },
    make_file: { text: "two" },
  };
  const cases = Object.entries(calls).flatMap(([name, more]) =>
    Object.entries(paths).map(([what, path]) => [name, what, { ...more, path }] as const),
  );

  // A call that cannot be judged would end the turn, and not stand in the text.
  it.each(cases)("is judged, shown and refused: %s with %s", async (name, _, args) => {
    const { folder, subject, plan, run } = await open();
    symlinkSync("circle", join(folder, "circle"));
    expect(await subject(name, args)).toMatchObject({ paths: { path: { written: args.path } } });
    expect(await plan([name, args])).toHaveLength(1);
    if (name !== "make_file") expect(await run(name, args)).toMatchObject({ status: "error" });
  });
});

describe("a file that a rule keeps from being read", () => {
  const deny = [{ tool: "read_file", arguments: { path: "*.env" } }];
  const spelling = fc
    .tuple(
      fc.constantFrom(
        "",
        "./",
        "src/../",
        "file:",
        "file://",
        "file:///",
        "//",
        "\\",
        " ",
        "\t",
        "%2e/",
        "src/",
        "links/",
      ),
      fc.constantFrom(
        ".env",
        ".env/",
        ".env/.",
        "./.env",
        ".ENV",
        ".env\0",
        ".env\r",
        ".env ",
        ".env:1",
        "%2eenv",
        "a",
        ".e*v",
        "*",
        "{.env}",
        "**",
      ),
    )
    .map((parts) => parts.join(""));

  it("is read by no tool, whatever it is called", async () => {
    const { run, folder } = await open({ deny, answer: () => true });
    writeFileSync(join(folder, ".env"), `KEY=${secret}\n`);
    mkdirSync(join(folder, "links"));
    symlinkSync(join(folder, ".env"), join(folder, "links", "a"));
    symlinkSync(folder, join(folder, "links", "up"));
    await fc.assert(
      fc.asyncProperty(
        spelling,
        fc.constantFrom("", "links/up/", "links/up/links/up/"),
        async (path, way) => {
          const whole = `${way}${path}`;
          const answers = await Promise.all([
            run("read_file", { path: whole }),
            run("search_files", { pattern: "needle", path: whole }),
          ]);
          for (const { text } of answers) expect(text).not.toContain(secret);
        },
      ),
      { numRuns: 60 },
    );
  });
});

describe("a call line", () => {
  it("shows every argument, whatever its name: prototypes, numbers, line ends, NUL", () => {
    const name = fc.constantFrom(
      "__proto__",
      "constructor",
      "toString",
      "0",
      "a\r\nb",
      "\0",
      "a\u202e",
      "",
    );
    const value = fc.constantFrom("x\0y", "a\r❓: `{}`", "💬: no", 1e21, null, { __proto__: 1 });
    fc.assert(
      fc.property(fc.dictionary(name, value, { noNullPrototype: false }), (args) => {
        const pairs = Object.keys(args).map(
          (key) => `${JSON.stringify(key)}:${JSON.stringify(args[key])}`,
        );
        const json = `{${pairs.join(",")}}`;
        const call = { id: "c", name: "t", arguments: json };
        const block = parseCallLine(renderCallLine(call, null, []));
        expect(block?.call?.arguments).toBe(json);
        const shown = callView({ ...block, line: 0 } as never, {
          tool: null,
          plan: null,
        }).full.join("\n");
        for (const key of Object.keys(args)) {
          const forms = [visible(key), visible(JSON.stringify(key))];
          expect(forms.some((form) => shown.includes(form))).toBe(true);
        }
        expect(shown).not.toMatch(/[\0\r\u202e]/);
      }),
      { numRuns: 300 },
    );
  });

  it("that is another call is shown otherwise, whatever its names and values imitate", () => {
    const word = fc.constantFrom(
      ...["none", "to", "boss", ": ", ", ", '"', "\\", " · ", "built in", "(filled in)", "5", "\n"],
      ...["(no arguments)", "{}", "[", "null", "\u202e", "{202e}", "n", "u"],
    );
    const words = fc.array(word, { maxLength: 5 }).map((parts) => parts.join(""));
    const given = fc.uniqueArray(
      fc.tuple(words, fc.oneof(words, fc.constantFrom<unknown>(5, null, {}, ["a"]))),
      { maxLength: 3, selector: ([name]) => name },
    );
    const inputSchema = { type: "object", required: ["to"] };
    const tool = { name: "t", description: "", inputSchema, server: "mail" };
    const shownAs = (args: readonly (readonly [string, unknown])[], filled: object = {}) => {
      const json = JSON.stringify(Object.fromEntries(args));
      const block = parseCallLine(
        renderCallLine({ id: "c", name: "t", arguments: json }, null, []),
      );
      const defaults = { ...filled };
      const view = callView({ ...block, line: 0 } as never, { tool, plan: null, defaults });
      return { json, row: view.whole ? view.row : json, full: view.full.join("\n") };
    };
    const known = { row: new Map<string, string>(), full: new Map<string, string>() };
    const isOne = (kind: "row" | "full", shown: string, what: string) => {
      expect(known[kind].get(shown) ?? what, shown).toBe(what);
      known[kind].set(shown, what);
    };
    fc.assert(
      fc.property(given, fc.boolean(), (args, isFilled) => {
        const { json, row, full } = shownAs(args, isFilled ? { limit: 5 } : {});
        const what = `${json} ${isFilled}`;
        isOne("row", row, what);
        isOne("full", full, what);
      }),
      { numRuns: 5000 },
    );
    expect(
      shownAs([
        ["mode", "none"],
        ["to", "evil"],
      ]).row,
    ).toContain("to: evil");
  });
});
