/** The built-in tools that change several places of a file, or make one. */
import { symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { policyOf, type Rules } from "../../../src/app/tools/policy.ts";
import { open } from "../builtin-scene.ts";

describe("the tools beside edit_file", () => {
  it("change several places as one change, or none", async () => {
    const { run, plan, text } = await open();
    const edits = [
      { old_text: "one", new_text: "1" },
      { old_text: "three", new_text: "3" },
    ];
    await run("read_file", { path: "notes.txt" });
    const wrong = [...edits, { old_text: "four", new_text: "4" }];
    const refused = await run("edit_places", { path: "notes.txt", edits: wrong });
    expect(refused.text).toContain("old_text of edit 3 is not in notes.txt");
    expect(await text("notes.txt")).toBe("one\ntwo\nthree\n");
    const [planned] = await plan(["edit_places", { path: "notes.txt", edits }]);
    expect(planned?.lines.join("\n")).toMatch(/-one\n {2}\+1\n.*two\n {2}-three\n {2}\+3/s);
    const done = await run("edit_places", { path: "notes.txt", edits });
    expect(done.text).toMatch(/^notes\.txt was changed: \+2 −2 lines\.\n/);
    expect(await text("notes.txt")).toBe("1\ntwo\n3\n");
  });

  it("take no more edits at once than can be looked at while one waits", async () => {
    const { run, plan, text } = await open();
    await run("read_file", { path: "notes.txt" });
    const edit = (index: number) => ({ old_text: `${index}.`, new_text: `${index + 1}.` });
    const steps = Array.from({ length: 199 }, (_, index) => edit(index));
    const edits = [{ old_text: "two", new_text: "0." }, ...steps];
    const one = await plan(["edit_places", { path: "notes.txt", edits }]);
    expect(one[0]?.lines.join("\n")).toContain("+199.");
    const many = { path: "notes.txt", edits: [...edits, edit(199)] };
    expect((await run("edit_places", many)).text).toContain("takes 200 edits at most, not 201");
    expect(await text("notes.txt")).toBe("one\ntwo\nthree\n");
  });

  it("let other work run between the edits of a call", async () => {
    const { run, plan } = await open();
    const lines = Array.from({ length: 200 }, (_, index) => `line ${index}: ${"x".repeat(2000)}`);
    await run("make_file", { path: "many.txt", text: lines.join("\n") });
    const edits = lines.map((line) => ({ old_text: line, new_text: `${line}.` }));
    const begun = performance.now();
    let [last, longest] = [begun, 0];
    const look = () => {
      longest = Math.max(longest, performance.now() - last);
      last = performance.now();
    };
    let timer = setImmediate(function again() {
      look();
      timer = setImmediate(again);
    });
    const [planned] = await plan(["edit_places", { path: "many.txt", edits }]);
    clearImmediate(timer);
    look();
    expect(planned?.refusal ?? null).toBeNull();
    // All of them in one go take nearly all of the time.
    expect(longest).toBeLessThan((performance.now() - begun) / 2);
  });

  it.each([
    ["is refused before it is made", 1000],
    ["that no text can hold is refused in the same words", 5_000_000],
  ])("a text that grows without measure %s", async (_, size) => {
    const { run, plan, text } = await open();
    await run("make_file", { path: "many.txt", text: "e\n".repeat(200_000) });
    const edit = { old_text: "e", new_text: "x".repeat(size), replace_all: true };
    const [planned] = await plan(["edit_file", { path: "many.txt", ...edit }]);
    expect(planned?.refusal).toMatch(/^many\.txt would have [\d,.]+ [MG]B .* nothing was changed/);
    const done = await run("edit_file", { path: "many.txt", ...edit });
    expect(done.text).toContain(planned?.refusal);
    expect(await text("many.txt")).toHaveLength(400_000);
  });

  it("a text that doubles with each call of a step is refused at the same size", async () => {
    const { run, plan } = await open();
    await run("make_file", { path: "many.txt", text: "e\n" });
    const edit = { path: "many.txt", old_text: "e", new_text: "ee", replace_all: true };
    const plans = await plan(...Array.from({ length: 40 }, () => ["edit_file", edit] as const));
    const refused = plans.filter((one) => one?.refusal?.includes("would have"));
    expect(refused.length).toBeGreaterThan(10);
  });

  it("a change with more lines than anybody reads is refused, and the calls after it start without it", async () => {
    const { run, plan } = await open();
    await run("make_file", { path: "many.txt", text: "e\n".repeat(20_000) });
    const all = { path: "many.txt", old_text: "e", new_text: "x", replace_all: true };
    const [large, small] = await plan(
      ["edit_file", all],
      ["edit_places", { path: "notes.txt", edits: [{ old_text: "two", new_text: "2" }] }],
    );
    expect(large?.refusal).toMatch(/^The diff of many\.txt would have \d+ lines/);
    expect(small?.refusal).toContain("has not been read yet");
    const again = await plan(
      ["edit_file", all],
      ["edit_file", { ...all, old_text: "x", new_text: "e" }],
    );
    expect(again[1]?.refusal).toContain("old_text is not in many.txt");
    const [made] = await plan(["make_file", { path: "new.txt", text: "e\n".repeat(30_000) }]);
    expect(made?.refusal).toMatch(/^The diff of new\.txt would have \d+ lines/);
  });

  it("make a new file, and never write over one", async () => {
    const { run, text } = await open();
    const made = await run("make_file", { path: "src/new.ts", text: "a\nb\n" });
    expect(made.text).toBe("src/new.ts was made: +2 −0 lines.");
    expect(await text("src/new.ts")).toBe("a\nb\n");
    const again = await run("make_file", { path: "notes.txt", text: "gone" });
    expect(again).toMatchObject({ status: "error" });
    expect(again.text).toContain("already exists; edit_file changes it");
    expect(await text("notes.txt")).toBe("one\ntwo\nthree\n");
  });

  it.each([
    ["make_file", { text: "a\nb\n" }],
    ["edit_file", { old_text: "", new_text: "a\nb\n" }],
  ] as const)("fill an empty file with %s, and only once", async (tool, args) => {
    const { run, plan, text, folder } = await open();
    const call = { path: "empty.txt", ...args };
    await writeFile(join(folder, "empty.txt"), "");
    const [first, again] = await plan([tool, call], [tool, call]);
    expect(first?.lines).toEqual(["  changes empty.txt", "  line 1", "  +a", "  +b"]);
    expect(again?.refusal).toContain("already exists");
    expect((await run(tool, call)).text).toBe("empty.txt was changed: +2 −0 lines.");
    expect((await run(tool, call)).text).toContain("already exists");
    expect(await text("empty.txt")).toBe("a\nb\n");
    // The model knows what it has written.
    const edit = { path: "empty.txt", old_text: "b", new_text: "c" };
    expect(await run("edit_file", edit)).toMatchObject({ status: "ok" });
  });

  it("do not fill a file whose text is only gone from the editor", async () => {
    const unsaved = { source: "buffer", isUnsaved: true, text: "" } as const;
    const { run } = await open({ workspace: { read: async () => unsaved } });
    const call = { path: "notes.txt", text: "a\n" };
    expect((await run("make_file", call)).text).toContain("already exists");
  });

  it("say which file they would change, behind its links", async () => {
    const { subject, folder } = await open();
    await symlink(join(folder, "notes.txt"), join(folder, "link.txt"));
    const place = { old_text: "two", new_text: "2" };
    const real = join(folder, "notes.txt");
    for (const [tool, args] of [
      ["edit_file", place],
      ["edit_places", { edits: [place] }],
      ["make_file", { text: "" }],
    ] as const) {
      const about = await subject(tool, { ...args, path: "link.txt" });
      expect(about).toMatchObject({
        changes: real,
        paths: { path: { written: "link.txt", real } },
      });
      expect(await subject(tool, {})).toBeNull();
    }
    const read = await subject("read_file", { path: "link.txt" });
    expect(read).toMatchObject({ changes: null, paths: { path: { real } } });
    expect(await subject("list_files", {})).toMatchObject({ changes: null, paths: {} });
  });

  it("are denied and asked about by the rules for edit_file, and allowed by their own", async () => {
    const { subject, folder } = await open();
    const rule = { tool: "edit_file", arguments: { path: "src/*" } };
    const about = await subject("make_file", { path: "src/x", text: "" });
    const tool = {
      name: "make_file",
      description: "",
      inputSchema: {},
      server: null,
      group: "builtin",
    };
    const call = { id: "1", name: "make_file", arguments: "{}" };
    const answer = (own: Partial<Rules>) =>
      policyOf(
        { autoApprove: "none", allow: [], ask: [], deny: [], ...own },
        { folders: [folder], home: "/home/me" },
      )(tool, call, about).answer;
    expect(answer({ deny: [rule] })).toBe("deny");
    expect(answer({ ask: [rule], allow: ["make_file"] })).toBe("ask");
    expect(answer({ allow: [rule] })).toBe("ask");
    expect(answer({ allow: ["make_file"] })).toBe("allow");
  });
});
