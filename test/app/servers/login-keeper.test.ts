// biome-ignore-all lint/suspicious/noTemplateCurlyInString: shells write variables like this
/** Logins in a keychain, with programs in place of one: the secret goes only by stdin and stdout. */
import { chmod, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import {
  createLoginKeeper,
  entryName,
  type LoginCommands,
} from "../../../src/app/servers/login-keeper.ts";
import { createOAuthStore } from "../../../src/app/servers/oauth-store.ts";
import { type Credentials, withTokens } from "../../../src/mcp/oauth/credentials.ts";

const server = "https://mcp.example.com/v1?tenant=secret";
const issuer = "https://issuer.example";
const token = "token-ü😊-0123456789";
const login = (now: Credentials | null, access_token = token) =>
  withTokens(now, { client_id: "c", issuer }, { access_token, token_type: "Bearer", issuer });

/**
 * A keychain of files, which also writes down how it was called. `how` is one line of JavaScript that runs before it
 * does anything, with what it reads as `input`.
 */
const program = (how: string) => `
const fs = require("node:fs");
const path = require("node:path");
const [what, name, ...more] = process.argv.slice(2);
const file = path.join(__dirname, name + ".entry");
fs.appendFileSync(path.join(__dirname, "calls"), JSON.stringify([what, name, ...more, process.env]) + "\\n");
let input = what === "write" ? fs.readFileSync(0, "utf8") : "";
${how}
if (what === "write") fs.writeFileSync(file, input);
if (what === "clear") fs.rmSync(file);
if (what === "read") {
  if (!fs.existsSync(file)) { console.error("no entry " + name); process.exit(44); }
  process.stdout.write(fs.readFileSync(file, "utf8") + "\\n");
}`;

async function place(how = "", without: readonly (keyof LoginCommands)[] = []) {
  const folder = await mkdtemp(join(tmpdir(), "parley-keychain-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const script = join(folder, "keychain.cjs");
  await writeFile(script, program(how));
  const words = (what: string) => [process.execPath, script, what, "{server}"];
  const { clear, ...both } = { read: words("read"), write: words("write"), clear: words("clear") };
  const commands = without.includes("clear") ? both : { ...both, clear };
  const environment = { PATH: process.env.PATH };
  const keeper = createLoginKeeper(commands, environment);
  const state = join(folder, "state");
  const calls = async () => {
    const text = await readFile(join(folder, "calls"), "utf8").catch(() => "");
    const lines = text.trimEnd().split("\n").filter(Boolean);
    return { text, names: lines.map((line): string => JSON.parse(line)[0]) };
  };
  return {
    folder,
    calls,
    change: (text: string) => writeFile(script, program(text)),
    /** As another Neovim of the same user has it. */
    store: () => createOAuthStore(state, () => keeper),
    plain: () => createOAuthStore(state),
    file: () => readFile(join(state, "oauth.json"), "utf8"),
    entries: async () => (await readdir(folder)).filter((name) => name.endsWith(".entry")),
  };
}

it("keeps a login in the keychain, and in no file, word of a command or variable", async () => {
  const { store, file, calls, entries, folder } = await place();
  await store().change(server, login);
  expect(await store().read(server)).toEqual(login(null));
  const told = (await calls()).text + (await file());
  for (const secret of ["token-", "0123456789", 'tenant=secret"}'])
    expect(told).not.toContain(secret);
  expect(await entries()).toEqual([`${entryName(server)}.entry`]);
  // One line of ASCII: a keychain has an encoding of its own.
  expect(await readFile(join(folder, (await entries())[0] ?? ""), "utf8")).toMatch(
    /^[\x20-\x7e]+$/,
  );
});

it("asks once for each login that it has not seen, and sees that another Neovim changed it", async () => {
  const { store, calls } = await place();
  const [one, other] = [store(), store()];
  await one.change(server, login);
  for (let time = 0; time < 3; time += 1) await other.read(server);
  expect((await calls()).names).toEqual(["write", "read", "read"]);
  await one.change(server, (now) => login(now, "another"));
  expect((await other.read(server))?.issuers[issuer]?.tokens?.access_token).toBe("another");
  expect(await other.read("https://never.example/")).toBeNull();
  expect((await calls()).names).toHaveLength(6);
});

it("moves a login that the file has when it is next needed", async () => {
  const { store, plain, file, entries } = await place();
  await plain().change(server, login);
  expect(await file()).toContain(token);
  expect(await store().read(server)).toEqual(login(null));
  expect(await file()).not.toContain("0123456789");
  expect(await entries()).toHaveLength(1);
});

it("forgets a login there too, with a command or by an empty one", async () => {
  const first = await place();
  await first.store().change(server, login);
  await first.store().change(server, () => null);
  expect([await first.store().read(server), await first.entries()]).toEqual([null, []]);
  const second = await place("", ["clear"]);
  await second.store().change(server, login);
  await second.store().change(server, () => null);
  expect(await second.store().read(server)).toBeNull();
  const [entry = ""] = await second.entries();
  expect(await readFile(join(second.folder, entry), "utf8")).toBe("null");
});

it.each([
  [
    "ends in another way",
    'console.error("it is locked."); process.exit(3)',
    "ended with exit code 3: it is locked.",
  ],
  [
    "says the secret itself",
    'console.error("cannot keep " + (input || "x")); process.exit(1)',
    /cannot keep .*\[secret\]/,
  ],
  [
    "cuts what it keeps",
    "input = input.slice(0, 40)",
    /does not return what .* stored \(\d+ characters\)/,
  ],
  ["is killed", 'process.kill(process.pid, "SIGKILL")', "was ended by SIGKILL."],
  ["reads nothing", "if (what === 'write') { process.exit(0) }", "no entry"],
])("says why nothing was kept when the program %s", async (_, how, why) => {
  const { store, file } = await place(how);
  const failed = await store()
    .change(server, login)
    .then(
      () => "kept",
      (error: unknown) => String(error),
    );
  expect(failed).toMatch(why);
  expect(failed).not.toContain("0123456789");
  await expect(file()).rejects.toThrow("ENOENT");
});

it("says so if there is no such program", async () => {
  const words = ["no-such-keychain", "{server}"];
  const keeper = createLoginKeeper({ read: words, write: words }, {});
  await expect(keeper.write(server, "{}")).rejects.toThrow(
    "“no-such-keychain” of login_commands.write was not found.",
  );
});

it("can be logged in to again, or forgotten, when the keychain lost the login", async () => {
  const { store, entries, folder } = await place();
  await store().change(server, login);
  await rm(join(folder, (await entries())[0] ?? ""));
  await expect(store().read(server)).rejects.toThrow(
    /could not be read from your keychain: .* exit code 44: no entry/,
  );
  await expect(store().change(server, () => null)).rejects.toThrow("forgotten here");
  expect(await store().read(server)).toBeNull();
  await store().change(server, login);
  expect(await store().read(server)).toEqual(login(null));
});

it("does not accept what is not a login, and a file alone knows nothing of the keychain", async () => {
  const { store, plain, entries, folder } = await place();
  await store().change(server, login);
  await writeFile(join(folder, (await entries())[0] ?? ""), '{"latest":1}');
  await chmod(folder, 0o700);
  await expect(store().read(server)).rejects.toThrow("not a login that Parley wrote");
  expect(await plain().read(server)).toBeNull();
});

it.each([
  ["https://mcp.example.com/v1", /^mcp\.example\.com-[0-9a-f]{8}$/],
  ["http://[::1]:80/../x", /^--1--[0-9a-f]{8}$|^1--[0-9a-f]{8}$/],
  ["https://a.example/", /^a\.example-/],
  ["https://xn--mnchen-3ya.example:8443/$(rm)", /^xn--mnchen-3ya\.example-8443-[0-9a-f]{8}$/],
])("calls the login of %s a name that is not a path, option or script", (address, expected) => {
  expect(entryName(address)).toMatch(expected);
  expect(entryName(address)).toMatch(/^[A-Za-z0-9][A-Za-z0-9.-]*$/);
  expect(entryName(address)).not.toBe(entryName(`${address}?`));
});
