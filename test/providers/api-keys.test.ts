import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, onTestFinished, test } from "vitest";
import type { ProviderConfiguration } from "../../src/conversation/settings/vendor-settings.ts";
import { createKeyring } from "../../src/providers/api-keys.ts";
import { createModels } from "../../src/providers/models.ts";
import { vendors } from "../../src/providers/vendors/vendors.ts";
import { eventually } from "../support/eventually.ts";
import { collect, failureOf, requestTo, user } from "./parts.ts";

const openai = vendors.get("openai")!;
let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "parley-keys-"));
});

afterEach(() => rm(folder, { recursive: true, force: true }));

function keyring(settings: ProviderConfiguration, environment: Record<string, string> = {}) {
  return createKeyring({ openai: settings }, environment);
}

function script(code: string): readonly string[] {
  return [process.execPath, "-e", code];
}

async function messageFor(api_key: readonly string[]): Promise<string> {
  const found = await keyring({ api_key }).find(openai);
  if (!("failure" in found)) throw new Error("There is a key.");
  expect(found.failure.kind).toBe("missing-key");
  return found.failure.message;
}

test("a text in the configuration comes before the environment", async () => {
  const environment = { OPENAI_API_KEY: " from-environment\n" };
  expect(await keyring({ api_key: "from-configuration" }, environment).find(openai)).toEqual({
    key: "from-configuration",
    source: "providers.openai.api_key",
  });
  for (const settings of [{}, { api_key: "" }, { api_key: [] }]) {
    expect(await keyring(settings, environment).find(openai)).toEqual({
      key: "from-environment",
      source: "OPENAI_API_KEY",
    });
  }
});

test("a command's first line is the key, and it runs once", async () => {
  const count = join(folder, "count");
  const code = `require("fs").appendFileSync(process.argv[1], "x"); console.log(" key-1 \\nuser: me")`;
  const keys = keyring({ api_key: [...script(code), count] });
  const found = await Promise.all([keys.find(openai), keys.find(openai)]);
  expect(found.map((each) => "key" in each && each.key)).toEqual(["key-1", "key-1"]);
  await keys.find(openai);
  expect(await readFile(count, "utf8")).toBe("x");
  keys.forget(openai, "key-0");
  await keys.find(openai);
  expect(await readFile(count, "utf8")).toBe("x");
  keys.forget(openai, "key-1");
  await keys.find(openai);
  expect(await readFile(count, "utf8")).toBe("xx");
});

test("a command gets its words as they are: there is no shell", async () => {
  const code = "console.log(Buffer.from(process.argv[1]).toString('hex'))";
  const words = "$(echo no) ; `x` *";
  const found = await keyring({ api_key: [...script(code), words] }).find(openai);
  expect(found).toMatchObject({ key: Buffer.from(words).toString("hex") });
});

test("a command runs in the given environment", async () => {
  const settings = { api_key: script("console.log(process.env.STORE)") };
  expect(await keyring(settings, { STORE: "key-2" }).find(openai)).toMatchObject({ key: "key-2" });
});

test("a command that fails is reported with its code and its last words, not with what it printed", async () => {
  const code = `console.log("sk-printed-key"); console.error("first\\nno entry sk-printed-key"); process.exit(3)`;
  const message = await messageFor(script(code));
  expect(message).toContain("exit code 3: no entry [key]");
  expect(message).toContain("providers.openai.api_key");
  expect(message).not.toContain("sk-printed");
});

test("a command that is not there is named", async () => {
  const missing = join(folder, "missing");
  expect(await messageFor([missing])).toContain(`“${missing}”`);
  expect(await messageFor([missing])).toContain("was not found");
});

test("a command that cannot be run is reported", async () => {
  const file = join(folder, "plain");
  await writeFile(file, "no program");
  expect(await messageFor([file])).toContain("could not be run (EACCES)");
});

test("a command that prints nothing is reported", async () => {
  expect(await messageFor(script(`console.log("\\nkey-on-the-second-line")`))).toContain(
    "printed nothing on its first line",
  );
});

test("a command that asks for something is reported with what it asked", async () => {
  const code = `process.stderr.write("Enter password: ")`;
  expect(await messageFor(script(code))).toContain("first line and said: Enter password:.");
});

test("a command that is one word must be a list", async () => {
  expect(await messageFor(["pass show openai"])).toContain("Write each word of it as one of the");
});

test("a command of the home folder is found", async () => {
  const home = process.env.HOME;
  process.env.HOME = folder;
  onTestFinished(() => {
    process.env.HOME = home;
  });
  await writeFile(join(folder, "key"), "#!/bin/sh\necho key-5\n", { mode: 0o755 });
  expect(await keyring({ api_key: ["~/key"] }).find(openai)).toMatchObject({ key: "key-5" });
});

test.each([
  ["sk-abc\u200bdefgh", "no key has"],
  ["sk-abc…", "no key has"],
  ["sk-abc\ndefghi", "no key has"],
  ["sk-abc defghi", "a list of words"],
  ["op read op://Private/openai/key", "a list of words"],
  ["cmd:pass show openai", "a list of words"],
  ["$OPENAI_API_KEY", "is the name of a variable"],
  ["\u0024{env:OPENAI_API_KEY}", "is the name of a variable"],
  ["{env:OPENAI_API_KEY}", "is the name of a variable"],
  ["env:OPENAI_API_KEY", "is the name of a variable"],
  ['"sk-abcdefg"', "quotation marks"],
  ["Bearer sk-abcdef", "which Parley adds"],
  ["\u001b[32msk-abcdef\u001b[0m", "no key has"],
  ["s\u0000k\u0000-\u0000a\u0000", "no key has"],
])("what cannot be a key is reported before it is sent, and not shown: %j", async (odd, why) => {
  const printed = odd.includes("\n")
    ? []
    : [{ api_key: script(`console.log(${JSON.stringify(odd)})`) }];
  for (const found of await Promise.all([
    keyring({ api_key: odd }).find(openai),
    keyring({}, { OPENAI_API_KEY: odd }).find(openai),
    ...printed.map((settings) => keyring(settings).find(openai)),
  ])) {
    if (!("failure" in found)) throw new Error(`${found.source} gave a key.`);
    expect(found.failure.message).toContain(why);
    expect(found.failure.message).not.toMatch(/abc|def|Private|show|\[32m/);
  }
});

test("a stop does not wait for a command that waits for somebody", async () => {
  const begun = join(folder, "begun");
  const code = `const [fs, [, file]] = [require("fs"), process.argv]; fs.writeFileSync(file, "x");
    setInterval(() => fs.existsSync(file) || process.exit(), 50)`;
  const providers = { openai: { api_key: [...script(code), begun] } };
  const stopping = new AbortController();
  const asked = createModels({ providers, environment: {} }).stream(
    requestTo("openai", "gpt-5", [user("hi")]),
    { signal: stopping.signal },
  );
  const parts = collect(asked);
  await eventually(async () => expect(await readFile(begun, "utf8")).toBe("x"));
  stopping.abort();
  expect(failureOf(await parts).kind).toBe("aborted");
});

test("a failed command is asked again", async () => {
  const file = join(folder, "key");
  const code = `process.stdout.write(require("fs").readFileSync(process.argv[1]))`;
  const keys = keyring({ api_key: [...script(code), file] });
  expect(await keys.find(openai)).toHaveProperty("failure");
  await writeFile(file, "key-3\n");
  expect(await keys.find(openai)).toMatchObject({ key: "key-3" });
});

test("a server that needs no key is asked without one, and with one that is there", async () => {
  const ollama = vendors.get("ollama")!;
  expect(await createKeyring({}, {}).find(ollama)).toEqual({ key: null, source: "nowhere" });
  const environment = { OLLAMA_API_KEY: "key-4" };
  expect(await createKeyring({}, environment).find(ollama)).toMatchObject({ key: "key-4" });
  // What people write where something is required.
  const words = createKeyring({ ollama: { api_key: "not needed" } }, {});
  expect(await words.find(ollama)).toMatchObject({ key: "not needed" });
  // A server of their own under the name of a vendor.
  const api_key = "not needed";
  const url = "http://localhost:1234/v1";
  for (const keys of [
    keyring({ api_key, base_url: url }),
    keyring({ api_key }, { OPENAI_BASE_URL: url }),
  ]) {
    expect(await keys.find(openai)).toMatchObject({ key: api_key });
  }
  const own = keyring({ api_key, base_url: `${openai.baseUrl}/` });
  expect(await own.find(openai)).toHaveProperty("failure");
});
