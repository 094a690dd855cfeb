/**
 * A chat that somebody else wrote: what it would open is asked about, and nothing is sent before. Each test is one way
 * in; the invariant is that no byte of a secret leaves and nothing runs without a key.
 */
import { mkdirSync, readFileSync, realpathSync, symlinkSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import type { App } from "../../src/app/app.ts";
import { createChatOrigin } from "../../src/app/open-chat/chat-origin.ts";
import { createExits } from "../../src/app/open-chat/exits.ts";
import { looksSecret } from "../../src/app/references/secret-files.ts";
import { addRecords, loadRecords } from "../../src/app/state/remembered-store.ts";
import { beginTexts } from "../../src/app/state/remembered-texts.ts";
import { sha256 } from "../../src/shared/hash.ts";
import { parseTranscript } from "../../src/transcript/parse.ts";
import { openPlace } from "../cli/command-line.ts";
import { defaults } from "../support/configuration.ts";
import fc from "../support/property.ts";

const script = JSON.stringify({ turns: [{ text: "Done." }] });
const json = '{"id":"a","type":"function","function":{"name":"t","arguments":"{}"}}';
const far = "\n".repeat(200);

/** A compatible server that writes down what it is sent. */
async function listen() {
  const bodies: string[] = [];
  const server = createServer((request, response) => {
    let body = "";
    request.on("data", (piece) => {
      body += piece;
    });
    request.on("end", () => {
      bodies.push(body);
      response.writeHead(200, { "content-type": "text/event-stream" });
      const delta = { choices: [{ delta: { content: "hi" }, finish_reason: "stop" }] };
      response.end(`data: ${JSON.stringify(delta)}\n\ndata: [DONE]\n\n`);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => new Promise((resolve) => server.close(() => resolve())));
  return { bodies, port: (server.address() as AddressInfo).port };
}

const hostile: readonly (readonly [string, string])[] = [
  ["server tools", `---\nmodel: local/m\nserver_tools: web_fetch\n---\n\n💬: hello\n`],
  ["a secret below blank lines", `---\nmodel: local/m\n---\n\n💬: hello${far}@@./.env@@\n`],
  ["a secret by another name", `---\nmodel: local/m\n---\n\n💬: hello @@./harmless.txt@@\n`],
  ["an image that is a secret", `---\nmodel: local/m\n---\n\n💬: hello\n![x](./.env)\n`],
  ["a script", `---\nmodel: mock/file:script.json\n---\n\n💬: hello\n`],
  ["a script in two parts", `---\nprovider: mock\nmodel: file:script.json\n---\n\n💬: hello\n`],
  ["an agent with server tools", `---\nmodel: local/m\nagent: web\n---\n\n💬: hello\n`],
];

describe("parley run, of a chat from elsewhere", () => {
  it.each(hostile)("sends nothing where it has %s, and names the option", async (_, chat) => {
    const { bodies, port } = await listen();
    const place = openPlace(chat, { isTrusted: false });
    place.write(".env", "KEY=needle\n");
    place.write("script.json", script);
    symlinkSync(join(place.folder, ".env"), join(place.folder, "harmless.txt"));
    const config = {
      providers: { local: { base_url: `http://127.0.0.1:${port}/v1`, api: "openai-chat" } },
      agents: { web: { server_tools: ["web_search"] } },
    };
    place.write("home/.config/nvim/parley/config.json", JSON.stringify(config));
    const { code, stderr } = await place.parley(["run", place.file]);
    expect(stderr).toContain("--trust-header");
    expect(code).toBe(6);
    expect(bodies).toEqual([]);
    expect(place.read()).toBe(chat);
  });

  it("goes on with --trust-header, and the next time without", async () => {
    const chat = "---\nmodel: mock/file:script.json\n---\n\n💬: hello\n";
    const place = openPlace(chat, { isTrusted: false });
    place.write("script.json", JSON.stringify({ turns: [{ text: "One." }, { text: "Two." }] }));
    expect((await place.parley(["run", place.file, "--trust-header"])).code).toBe(0);
    place.write("chat.md", `${place.read().trimEnd()} and more\n`);
    expect(await place.parley(["run", place.file])).toMatchObject({ code: 0 });
  });

  it("asks nothing of a chat that opens nothing", async () => {
    const place = openPlace("---\nmodel: mock/demo\ntopic: x\n---\n\n💬: hello\n", {
      isTrusted: false,
    });
    expect((await place.parley(["run", place.file])).code).toBe(0);
  });

  it("reads no pipe or device as a script", async () => {
    const place = openPlace("---\nmodel: mock/file:/dev/zero\n---\n\n💬: hello\n");
    const { stderr } = await place.parley(["run", place.file]);
    expect(stderr).toContain("it is not a regular file");
  });
});

describe("the origin of a chat", () => {
  const told: string[] = [];
  function scene(folder: string, auto_approve = "none") {
    mkdirSync(join(folder, "state"), { recursive: true });
    const app = {
      options: {
        stateFolder: join(folder, "state"),
        notify: (_: string, said: string) => told.push(said),
      },
      now: { configuration: { ...defaults, auto_approve, chat_dirs: [join(folder, "chats")] } },
      workingDirectory: folder,
      kept: (written: Promise<void>) => written,
    } as unknown as App;
    return (path: string) => createChatOrigin(app, () => path);
  }
  const texts = async (origin: ReturnType<typeof createChatOrigin>, text: string) => {
    const transcript = parseTranscript(text);
    const references = transcript.exchanges.flatMap(({ question }) => question.references);
    return (await origin.openings(transcript, references)).map(({ text: said }) => said);
  };

  it("asks about a text that was answered or saved before anybody looked where it is from", async () => {
    const place = openPlace();
    const open = scene(place.folder);
    const text = "---\nmodel: mock/file:script.json\n---\n\n💬: hello @@./.env@@\n";
    const path = realpathSync(place.write("elsewhere/early.md", text));
    const early = open(path);
    await early.written(parseTranscript(text));
    expect(await texts(early, text)).toEqual(await texts(open(path), text));
    expect(await texts(early, text)).toHaveLength(2);
    // The same file, read again with another header.
    const other = text.replace("script.json", "other.json");
    early.reread();
    expect(await texts(early, other)).toContainEqual(expect.stringContaining("other.json"));
  });

  it("forgets what is remembered once another program changed the file, and says so", async () => {
    const place = openPlace();
    const state = join(place.folder, "state");
    const open = scene(place.folder);
    const chat = (more: string) =>
      `💬: hi\n\n🤖:\n\n❓:[yA] \`${json}\`\n\n🛠️: [t][a]\n\n\`\`\`\nok\n\`\`\`\n\nDone.\n\n💬: ${more}\n`;
    const path = realpathSync(place.write("elsewhere/chat.md", chat("first")));
    const left = async () => (await loadRecords(state, path)).records.length;
    const load = async () => {
      const origin = open(path);
      await origin.loaded(parseTranscript(readFileSync(path, "utf8")));
      return origin;
    };
    const save = async (text: string) => {
      const origin = await load();
      place.write("elsewhere/chat.md", text);
      await origin.written(parseTranscript(text));
    };
    const record = { lineHash: sha256(json), serverKey: null, definitionHash: "d", file: null };
    const remember = async () => {
      await beginTexts(state, path);
      await addRecords(state, [{ ...record, transcriptPath: path }]);
    };
    await remember();
    // Right after the key, before its save.
    await save(chat("first"));
    expect(await left()).toBe(0);
    expect(told.join()).toMatch(/asks again about t\. yO/);

    const origin = await load();
    await remember();
    await origin.written(parseTranscript(chat("first")));
    await save(chat("second"));
    await load();
    expect(await left()).toBe(1);
    // A checkout of what was written here before, also with other ends of lines.
    place.write("elsewhere/chat.md", chat("first").replaceAll("\n", "\r\n"));
    await load();
    expect(await left()).toBe(1);
    place.write("elsewhere/chat.md", chat("do something else"));
    const foreign = await load();
    expect([...foreign.forgotten()]).toEqual(["t"]);
    expect(await left()).toBe(0);
    // A save of the changed text does not bring it back.
    await foreign.written(parseTranscript(chat("do something else")));
    await load();
    expect(await left()).toBe(0);
  });

  it("names what a foreign header sets, until that was told, and never takes a script for told", async () => {
    const place = openPlace("---\nmodel: openai/gpt-5\nsystem_prompt: Obey.\n---\n\n💬: hi\n");
    const open = scene(place.folder);
    const path = place.write("elsewhere/named.md", place.read());
    const transcript = parseTranscript(place.read());
    const origin = open(path);
    await origin.loaded(transcript);
    expect(origin.named(transcript)).toBe("model: openai/gpt-5, system_prompt: Obey.");
    await origin.noticeRead(transcript);
    expect(origin.named(transcript)).toBeNull();
    const again = open(path);
    await again.loaded(transcript);
    expect(again.named(transcript)).toBeNull();
    // What is set here is not named.
    const typed = parseTranscript(place.read().replace("gpt-5", "gpt-6"));
    expect(again.named(typed)).toBeNull();

    const script = parseTranscript("---\nmodel: mock/file:/x.json\n---\n\n💬: hi\n");
    const other = open(place.write("elsewhere/script.md", script.lines.join("\n")));
    await other.loaded(script);
    await other.noticeRead(script);
    expect(await other.openings(script, [])).toHaveLength(1);
  });

  it("lets nothing in by a save of something else", async () => {
    const place = openPlace("---\nserver_tools: web_fetch\n---\n\n💬: @@./a.txt@@\n");
    const open = scene(place.folder);
    const path = place.write("elsewhere/foreign.md", place.read());
    place.write("a.txt", "");
    const origin = open(path);
    await origin.loaded(parseTranscript(place.read()));
    const edited = `${place.read()}typed @@./b.txt@@\n`;
    await origin.written(parseTranscript(edited));
    expect(await texts(origin, edited)).toHaveLength(2);
    // After a restart too.
    const again = open(path);
    await again.loaded(parseTranscript(edited));
    expect(await texts(again, edited)).toHaveLength(2);
    // What was typed here is not asked about.
    expect((await texts(again, edited)).join()).not.toContain("b.txt");
  });

  it("asks about exactly what was not typed or agreed to here, whatever the order of edits", async () => {
    const place = openPlace();
    const open = scene(place.folder);
    const name = fc.constantFrom("a", "b", "c", "d", "e");
    const names = fc.uniqueArray(name, { maxLength: 5 });
    let count = 0;
    await fc.assert(
      fc.asyncProperty(names, names, names, async (loaded, typed, agreed) => {
        const chat = (all: readonly string[]) =>
          `💬: hi ${all.map((one) => `@@./${one}.md@@`).join(" ")}\n`;
        count += 1;
        const path = place.write(`elsewhere/${count}.md`, chat(loaded));
        const origin = open(path);
        await origin.loaded(parseTranscript(chat(loaded)));
        const all = [...new Set([...loaded, ...typed])];
        const transcript = parseTranscript(chat(all));
        const references = transcript.exchanges.flatMap(({ question }) => question.references);
        const openings = await origin.openings(transcript, references);
        expect(openings.map((one) => one.name).sort()).toEqual(
          loaded.map((one) => `@@./${one}.md@@`).sort(),
        );
        const chosen = openings.filter((one) =>
          agreed.some((each) => one.name.includes(`/${each}.`)),
        );
        await origin.agree(chosen, "file");
        await origin.written(transcript);
        const again = open(path);
        await again.loaded(transcript);
        const left = (await again.openings(transcript, references)).map((one) => one.name);
        expect(left.sort()).toEqual(
          loaded
            .filter((one) => !agreed.includes(one))
            .map((one) => `@@./${one}.md@@`)
            .sort(),
        );
      }),
      { numRuns: 40 },
    );
  });

  it("knows its own text when everything ended right after the save, the first one too", async () => {
    const place = openPlace();
    const open = scene(place.folder);
    const text = "---\nserver_tools: web_fetch\n---\n\n💬: @@./a.txt@@\n";
    mkdirSync(join(place.folder, "elsewhere"), { recursive: true });
    const path = join(realpathSync(join(place.folder, "elsewhere")), "new.md");
    const first = open(path);
    await first.loaded(parseTranscript(""));
    await first.willWrite(parseTranscript(text));
    place.write("elsewhere/new.md", text);
    // Nobody was told of the save.
    expect(await texts(open(path), text)).toEqual([]);
    const more = `${text}and @@./b.txt@@\n`;
    const second = open(path);
    await second.loaded(parseTranscript(text));
    await second.willWrite(parseTranscript(more));
    place.write("elsewhere/new.md", more);
    expect(await texts(open(path), more)).toEqual([]);
    // What another program wrote stays another's through a save of ours.
    const foreign = more.replace("web_fetch", "web_search");
    place.write("elsewhere/new.md", foreign);
    const third = open(path);
    await third.loaded(parseTranscript(foreign));
    await third.willWrite(parseTranscript(`${foreign}typed\n`));
    expect(await texts(open(path), foreign)).toEqual(["server_tools: web_search"]);
  });

  it("shows what is agreed to, to its end", async () => {
    const place = openPlace();
    const tools = `web_fetch${", web_fetch".repeat(40)}, code_execution`;
    const text = `---\nserver_tools: ${tools}\n---\n\n💬: hello\n`;
    const origin = scene(place.folder)(place.write("elsewhere/long.md", text));
    expect(await texts(origin, text)).toEqual([`server_tools: ${tools}`]);
  });

  it.each(["model: mock/file:script.json", "agent: other"])(
    "asks no other model where %s was refused, also when the answer goes on",
    async (line) => {
      const place = openPlace();
      const text = `---\n${line}\nserver_tools: web_fetch\n---\n\n💬: hello\n`;
      const origin = scene(place.folder, "*")(place.write("elsewhere/refused.md", text));
      const told: string[] = [];
      const exits = createExits(
        {
          path: () => join(place.folder, "elsewhere/refused.md"),
          agree: async ({ openings }) => ({
            allowed: openings.map(({ name }) => name === "server_tools"),
            keep: "once",
          }),
          report: (event) => event.type === "notice" && told.push(event.message),
        },
        origin,
        () => {},
      );
      for (const isBegun of [false, true]) {
        const { refusal } = await exits.open(parseTranscript(text), { references: [], isBegun });
        expect(refusal?.message).toContain(`Nothing was sent: you did not allow ${line}`);
      }
      expect(told).toEqual([]);
    },
  );

  it("always asks about what looks secret, typed or not", async () => {
    const place = openPlace();
    const origin = scene(place.folder)(place.write("elsewhere/x.md", ""));
    await origin.loaded(parseTranscript(""));
    expect(await texts(origin, "💬: @@./.env@@ @@./a.txt@@\n")).toHaveLength(1);
  });
});

it.each([
  [".env", true],
  ["/w/.env.local", true],
  ["/h/.ssh/config", true],
  ["C:\\Users\\me\\.aws\\credentials", true],
  ["server.PEM", true],
  ["/w/src/environment.ts", false],
  ["/w/keyboard.ts", false],
  ["/w/.env.example", false],
  ["/w/.env.example.local", true],
  ["/w/.ssh/id_rsa.pub", true],
  ["/w/keys/id_ed25519.pub", false],
  ["/w/models/tokenizer_config.json", false],
  ["/w/.env.production.example", false],
  ["/w/example.env", false],
  ["/w/.git/config", true],
  ["/w/git/config", false],
  ["/w/..env.swp", true],
  ["/w/.env~", true],
  ["/w/.#.env", true],
  ["/w/#.env#", true],
  ["/w/.env-production", true],
  ["/w/.env-example", false],
  ["/w/.env_sample", false],
  ["/w/infra/terraform.tfstate.backup", true],
  ["/w/infra/terraform.tfstate.1700000000.backup", true],
  ["/w/server.key.old", true],
  ["/w/.main.ts.swp", false],
  ["/w/main.ts~", false],
  ["/w/notes.bak.1", false],
  ["/w/auth.json", true],
  ["/w/.dev.vars", true],
  ["/w/.dev.vars.production", true],
  ["/w/.secrets", true],
  ["/home/me/.authinfo", true],
  ["/home/me/.bash_history", true],
  ["/home/me/.config/rclone/rclone.conf", true],
  ["/home/me/.msmtprc", true],
  ["/w/history.ts", false],
  ["/w/auth.ts", false],
])("%s looks secret: %s", (path, expected) => {
  expect(looksSecret(path)).toBe(expected);
});
