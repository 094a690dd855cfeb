import { lstatSync, readdirSync, readFileSync, statSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import {
  call,
  callLine,
  openPlace,
  type Place,
  question,
  script,
  scripted,
} from "./command-line.ts";

const twoCalls = script(
  { text: "Let me see.", calls: [call("call_1"), call("call_2")] },
  { text: "Once more.", calls: [call("call_3")] },
  { text: "Done." },
);
const chat = `${scripted}💬: find it\n`;

function openScripted(turns = twoCalls, text = chat) {
  const place = openPlace(text);
  place.write("script.json", turns);
  return place;
}

const results = (text: string) =>
  [...text.matchAll(/^🛠️: \[web_search\]\[(.*?)\]/gm)].map(([, id]) => id);

describe("parley run", () => {
  it("waits for approval, then finishes, and does not change a finished chat", async () => {
    const place = openPlace(`💬: ${question}\n`);
    const waiting = await place.parley(["run", "chat.md"]);
    expect(waiting).toMatchObject({ code: 3, stdout: "" });
    expect(waiting.stderr).toContain("2 calls wait for approval: web_search, web_search.");
    const proposed = place.read();
    expect(proposed).toMatch(/^❓: .*google.*\n❓: .*microsoft.*\n$/m);
    expect(proposed).not.toContain("unfinished");

    expect((await place.parley(["run", "chat.md"])).code).toBe(3);
    expect(place.read()).toBe(proposed);

    expect(await place.parley(["run", "chat.md", "--approve", "all"])).toMatchObject({ code: 0 });
    const finished = place.read();
    expect(finished.match(/^❓:\[auto\] /gm)).toHaveLength(2);
    expect(finished).toMatch(/GOOGL is at \$911 and MSFT at \$544.*\n\n📝: .*\n\n💬: \n$/s);

    const { ino } = statSync(place.file);
    expect(await place.parley(["run", "chat.md", "--approve", "all"])).toMatchObject({ code: 0 });
    expect(place.read()).toBe(finished);
    expect(statSync(place.file).ino).toBe(ino);
    expect(readdirSync(place.folder).sort()).toEqual(["chat.md", "home"]);
  });

  it("runs several rounds, each call once, with progress on stderr", async () => {
    const place = openScripted();
    const ended = await place.parley(["run", "chat.md", "--approve", "web_search"]);
    expect(ended).toMatchObject({ code: 0, stdout: "" });
    expect(results(place.read())).toEqual(["call_1", "call_2", "call_3"]);
    expect(ended.stderr.match(/^parley: asking file:script\.json …$/gm)).toHaveLength(3);
    expect(ended.stderr.match(/^parley: running the approved calls …$/gm)).toHaveLength(2);
  });

  it("stops before a request that exceeds a configured limit, and suggests the option that raises it", async () => {
    const place = openPlace(`${scripted}💬: find it in ${"word ".repeat(2000)}\n`);
    place.write("script.json", script({ text: "Done." }));
    place.write("home/.config/nvim/parley/config.json", '{"max_input_tokens":1000}');
    const refused = await place.parley(["run", "chat.md"]);
    expect(refused.code).toBe(7);
    expect(refused.stderr).toMatch(
      /max_input_tokens is 1\.0k tokens: 0 tokens for this answer so far, and this request is about/,
    );
    expect(refused.stderr).toContain("--max-input-tokens N for this run allows more");
    expect(place.read()).not.toContain("Done.");
    const more = ["--max-input-tokens", "100000"];
    expect(await place.parley(["run", "chat.md", ...more])).toMatchObject({ code: 0 });
    expect(place.read()).toContain("Done.");
  });

  it("stops at --max-steps with all steps saved, and a later run continues", async () => {
    const place = openScripted();
    const limited = await place.parley(["run", "chat.md", "--approve", "all", "--max-steps", "2"]);
    expect(limited.code).toBe(5);
    expect(limited.stderr).toContain("The model was asked 2 times, which is the limit");
    expect(results(place.read())).toEqual(["call_1", "call_2", "call_3"]);
    expect((await place.parley(["run", "chat.md", "--max-steps", "1"])).code).toBe(0);
    expect(place.read()).toMatch(/^Done\.\n\n💬: \n$/m);
    expect(results(place.read())).toEqual(["call_1", "call_2", "call_3"]);
  });

  it("reports that none of the calls could run when the model repeats unusable calls", async () => {
    const wrong = { calls: [{ ...call("call_1"), name: "nothing" }] };
    const place = openScripted(script(wrong, wrong, wrong, wrong, { text: "Done." }));
    const ended = await place.parley(["run", "chat.md"]);
    expect(ended.code).toBe(5);
    expect(ended.stderr).toContain("None of the calls in the last 4 answers could run");
    expect(ended.stderr).toContain("run it again to retry");
    expect(ended.stderr).not.toContain("--max-steps");
  });

  it("approves only the tools given, and reports the calls that still wait", async () => {
    const place = openPlace(
      `💬: find it\n\n🤖:\n\n${callLine("call_1")}\n${callLine("call_2").replace("web_search", "other")}\n${callLine("call_3")} (repaired)\n❓: \`{broken\`\n`,
    );
    const before = place.read();
    const none = await place.parley(["run", "chat.md", "--approve", "something"]);
    expect(none.code).toBe(3);
    expect(none.stderr).toContain("--approve: something matches none of the tools of this chat.");
    expect(place.read()).toBe(before);
    const some = await place.parley(["run", "chat.md", "--approve", "web_search"]);
    expect(some.code).toBe(3);
    expect(some.stderr).toContain(
      "3 calls wait for approval: other, web_search (repaired), line 8 (broken). Allow them with --approve,",
    );
    expect(place.read()).toBe(before.replace('❓: `{"id":"call_1"', '❓:[auto] `{"id":"call_1"'));
  });

  it("does not approve commands by a group's name, nor writing or reading sensitive files", async () => {
    const tools = "---\nmodel: mock/file:script.json\ntools: builtin, run_command\n---\n\n";
    const calls = [
      { id: "a", name: "run_command", arguments: { command: ["touch", "ran"] } },
      { id: "b", name: "make_file", arguments: { path: "Makefile", text: "all:\n" } },
      { id: "c", name: "read_file", arguments: { path: ".env" } },
      { id: "d", name: "make_file", arguments: { path: "plain.txt", text: "made\n" } },
    ];
    const ends = async (approve: string) => {
      const place = openPlace(`${tools}💬: do it\n`);
      place.write("script.json", script({ text: "So:", calls }, { text: "Done." }));
      place.write(".env", "KEY=needle\n");
      const ended = await place.parley(["run", "chat.md", "--approve", approve]);
      const allowed = [...place.read().matchAll(/^❓:\[auto\] `{"id":"(.)"/gm)];
      return { ...ended, allowed: allowed.map(([, id]) => id), text: place.read() };
    };
    const some = await ends("builtin");
    expect(some).toMatchObject({ code: 3, allowed: ["d"] });
    expect(some.text).not.toContain("🛠️");
    expect(some.stderr).toContain(
      "--approve: run_command in line 12 runs commands, so only its own name",
    );
    expect(some.stderr).toMatch(/--approve: make_file in line 13 changes what other programs/);
    expect(some.stderr).toMatch(/--approve: read_file in line 14 .*looks like a secret/);
    expect(await ends("builtin, run_command")).toMatchObject({ code: 3, allowed: ["a", "d"] });
    expect(await ends("all")).toMatchObject({ code: 0, allowed: ["a", "b", "c", "d"] });
  });

  it("suggests no option for a call that cannot be parsed", async () => {
    const place = openPlace("💬: find it\n\n🤖:\n\n❓: `{broken`\n");
    const { code, stderr } = await place.parley(["run", "chat.md", "--approve", "all"]);
    expect(code).toBe(3);
    expect(stderr).toContain("in the editor.");
    expect(stderr).not.toContain("with --approve");
  });

  it("runs an interrupted call only when it is approved again", async () => {
    const interrupted = `💬: ${question}\n\n🤖:[demo]\n\n${callLine("call_1", { query: "google stock price" }, "[ya]")}\n`;
    const place = openPlace(interrupted);
    const waiting = await place.parley(["run", "chat.md"]);
    expect(waiting).toMatchObject({ code: 3 });
    expect(waiting.stderr).toContain("web_search (interrupted)");
    expect(place.read()).toBe(interrupted);
    expect((await place.parley(["run", "chat.md", "--approve", "all"])).code).toBe(0);
    expect(place.read()).toMatch(/^❓:\[auto\] .*\n\n🛠️: \[web_search\]\[call_1\]\n\n`.*911/m);
  });

  it("keeps the text of a failed answer and asks again on the next run", async () => {
    const failing = { text: "Half an ans", error: { kind: "overloaded", message: "Too busy." } };
    const place = openScripted(script(failing));
    const failed = await place.parley(["run", "chat.md"]);
    expect(failed.code).toBe(4);
    expect(failed.stderr).toContain("parley: Too busy.");
    expect(place.read()).toMatch(/^Half an ans\n<!-- parley:unfinished error -->\n/m);
    place.write("script.json", script({ text: "A whole answer." }));
    expect((await place.parley(["run", "chat.md"])).code).toBe(0);
    expect(place.read()).toBe(`${chat}\n🤖:[file:script.json]\n\nA whole answer.\n\n💬: \n`);
  });

  it.each([
    ["length", /^Some text\n<!-- parley:unfinished length -->\n/m],
    ["content-filter", /^Some text\n<!-- parley:unfinished error -->\n/m],
  ])("keeps an answer that ended with %s", async (finish, expected) => {
    const place = openScripted(script({ text: "Some text", finish }));
    expect((await place.parley(["run", "chat.md"])).code).toBe(4);
    expect(place.read()).toMatch(expected);
  });

  it("takes the model and the tools from its options", async () => {
    const place = openPlace("---\nmodel: openai/gpt-5\n---\n💬: find it\n");
    place.write("script.json", twoCalls);
    const args = ["run", "chat.md", "--model", "mock/file:script.json"];
    expect((await place.parley([...args, "--tools", "none"])).code).toBe(0);
    const text = place.read();
    // A tool that is not offered gets an error result that the model can read, so nothing waits for approval.
    expect(text).toMatch(/^🛠️: \[web_search\]\[call_1\] \(error\)$/m);
    expect(text).toContain("---\nmodel: openai/gpt-5\n---\n💬: find it\n");
  });

  it("reports lines that are not UTF-8 and keeps their bytes", async () => {
    const latin1 = Buffer.from("💬: a caf\xe9\n", "utf8").toString("latin1");
    const place = openPlace(Buffer.from(latin1.replace("\xc3\xa9", "\xe9"), "latin1"));
    const says = "chat.md:1:1: warning: This line is not UTF-8: the model gets � for";
    for (const command of ["check", "preview", "run"]) {
      const ended = await place.parley([command, "chat.md"]);
      expect(ended).toMatchObject({ code: 0 });
      expect(command === "check" ? ended.stdout : ended.stderr).toContain(says);
    }
    expect(readFileSync(place.file).includes(Buffer.from("caf\xe9\n", "latin1"))).toBe(true);
  });

  it("reports why it cannot begin", async () => {
    const place = openPlace("just text\n");
    expect(await place.parley(["run", "none.md"])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining(
        "none.md could not be read, so nothing was done: there is no such file or folder (ENOENT",
      ),
    });
    expect((await place.parley(["run", "chat.md", "--approve"])).code).toBe(2);
    place.write("empty.md", "");
    expect((await place.parley(["run", "empty.md"])).stderr).toContain("There is no question");
    const keyless = openPlace("---\nmodel: openai/gpt-5\n---\n💬: hi\n");
    const ended = await keyless.parley(["run", "chat.md"]);
    expect(ended).toMatchObject({ code: 4, stderr: expect.stringContaining("OPENAI_API_KEY") });
    expect((await keyless.parley(["check", "chat.md"])).code).toBe(0);
  });
});

/** Makes a state folder in which nothing can be read or written, as a link to a missing folder. */
function stateThatTakesNothing({ folder }: Place) {
  const path = join(folder, "no-state");
  symlinkSync(join(folder, "gone", "away"), path);
  return { XDG_STATE_HOME: path };
}

describe("the file of parley run", () => {
  const newer = `\n🤖:[file:script.json]\n\nDone.\n\n💬: \n`;
  const head = "---\nmodel: mock/file:script.json\n---\n";

  it.each([
    ["with CR LF", `${head}💬: hi\n`.replaceAll("\n", "\r\n"), newer.replaceAll("\n", "\r\n")],
    ["with a byte order mark", `\ufeff${head}💬: hi\n`, newer],
    ["with mixed line ends", `${head}💬: hi\r\nyou\n`, newer],
    ["without a final line break", `${head}💬: hi`, `\n${newer}`],
  ])("%s keeps its lines byte for byte", async (_, text, added) => {
    const place = openScripted(script({ text: "Done." }), text);
    expect((await place.parley(["run", "chat.md"])).code).toBe(0);
    expect(place.read()).toBe(text + added);
  });

  it("keeps bytes that are not valid UTF-8", async () => {
    const bytes = Buffer.concat([Buffer.from(`${head}💬: hi `), Buffer.from([0xff, 0xfe, 0x0a])]);
    const place = openPlace(bytes);
    place.write("script.json", script({ text: "Done." }));
    expect((await place.parley(["run", "chat.md"])).code).toBe(0);
    expect(readFileSync(place.file).equals(Buffer.concat([bytes, Buffer.from(newer)]))).toBe(true);
  });

  it("can be a symbolic link, whose target is changed", async () => {
    const place = openScripted(script({ text: "Done." }), `${head}💬: hi\n`);
    symlinkSync("chat.md", join(place.folder, "link.md"));
    expect((await place.parley(["run", "link.md"])).code).toBe(0);
    expect(lstatSync(join(place.folder, "link.md")).isSymbolicLink()).toBe(true);
    expect(place.read()).toContain("Done.");
  });

  it("is not overwritten when another program changes it during the answer", async () => {
    const place = openScripted(
      script({
        text: "A long answer, word by word, so that there is time to interfere.",
        delayMs: 60,
      }),
    );
    const running = place.start(["run", "chat.md"]);
    await running.said("asking file:script.json");
    place.write("chat.md", `${chat}and fast\n`);
    const ended = await running.ended;
    expect(ended.code).toBe(1);
    expect(ended.stderr).toContain("changed the file in the meantime, so it was not overwritten");
    expect(place.read()).toBe(`${chat}and fast\n`);
    const kept = /with everything that arrived is kept for 30 days in (.*\.md)\.$/m.exec(
      ended.stderr,
    )?.[1];
    const held = readFileSync(kept ?? "", "utf8");
    expect(held.startsWith(chat)).toBe(true);
    expect(held).toContain("A long answer, word by word, so that there is time to interfere.");
  });

  it("is printed when it was changed meanwhile and the state folder is not writable", async () => {
    const place = openScripted(script({ text: "A long answer, word by word.", delayMs: 60 }));
    const state = stateThatTakesNothing(place);
    const running = place.start(["run", "chat.md", "--trust-header"], state);
    await running.said("asking file:script.json");
    place.write("chat.md", `${chat}and fast\n`);
    const ended = await running.ended;
    expect(ended.code).toBe(1);
    expect(ended.stderr).toMatch(/could not be kept anywhere \(.*\), so here it is\.$/m);
    expect(ended.stdout).toContain("A long answer, word by word.");
  });

  it("is saved even if the state folder is not writable, with a warning", async () => {
    const place = openScripted(script({ text: "Done." }));
    const state = stateThatTakesNothing(place);
    const ended = await place.parley(["run", "chat.md", "--trust-header"], state);
    expect(ended.code).toBe(0);
    expect(ended.stderr).toMatch(/cannot write to .*no-state/);
    expect(place.read()).toContain("Done.");
    expect((await place.parley(["run", "chat.md"], state)).code).toBe(6);
  });

  it.each(["SIGINT", "SIGTERM"] as const)("contains the text so far after %s", async (signal) => {
    const place = openScripted(
      script({ text: "word ".repeat(400), delayMs: 20 }, { text: "never" }),
    );
    const running = place.start(["run", "chat.md"]);
    await running.said("asking file:script.json");
    running.process.kill(signal);
    const ended = await running.ended;
    expect(ended).toMatchObject({ code: 1, signal: null });
    expect(ended.stderr).toContain("Stopped; the text so far is in the file.");
    expect(place.read()).toMatch(/<!-- parley:unfinished stopped -->\n$/);
    expect((await place.parley(["check", "chat.md"])).code).toBe(0);
  });
});
