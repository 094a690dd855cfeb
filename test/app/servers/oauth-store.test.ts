import { chmod, mkdtemp, readdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { createOAuthStore } from "../../../src/app/servers/oauth-store.ts";
import { type Credentials, withTokens } from "../../../src/mcp/oauth/credentials.ts";

async function place() {
  const folder = await mkdtemp(join(tmpdir(), "parley-store-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return { folder, file: join(folder, "oauth.json"), store: createOAuthStore(folder) };
}

const issuer = "https://issuer.example";
const login = (access_token: string) => (now: Credentials | null) =>
  withTokens(now, { client_id: "c", issuer }, { access_token, token_type: "Bearer", issuer });

it("loses no change of many at once", async () => {
  const { folder, store, file } = await place();
  const names = Array.from({ length: 12 }, (_, index) => `https://server-${index}.example/mcp`);
  // A store for each, as each Neovim has one.
  await Promise.all(names.map((name) => createOAuthStore(folder).change(name, login(name))));
  expect(Object.keys(JSON.parse(await readFile(file, "utf8")).servers).sort()).toEqual(
    names.sort(),
  );
  await Promise.all(names.slice(1).map((name) => store.change(name, () => null)));
  expect(await store.read(names[1] ?? "")).toBeNull();
  expect((await store.read(names[0] ?? ""))?.issuers[issuer]?.tokens?.access_token).toBe(names[0]);
  expect(await readdir(folder)).toEqual(["oauth.json"]);
});

it("takes nothing from a file that others could have written, or that is a link", async () => {
  const { folder, store, file } = await place();
  await store.change("https://a.example/", login("mine"));
  await chmod(file, 0o666);
  await expect(store.read("https://a.example/")).rejects.toThrow("not private to you");
  await rm(file);
  await writeFile(join(folder, "elsewhere"), "{}");
  await symlink(join(folder, "elsewhere"), file);
  await expect(store.read("https://a.example/")).rejects.toThrow("not private to you");
});

it.each(["{", "[]", '{"version":2,"servers":{}}', '{"version":1,"servers":{"a":{"latest":1}}}'])(
  "sets aside a file that holds %s, and goes on",
  async (text) => {
    const { store, file } = await place();
    await writeFile(file, text, { mode: 0o600 });
    await expect(store.read("https://a.example/")).rejects.toThrow(`${file}.broken`);
    expect(await readFile(`${file}.broken`, "utf8")).toBe(text);
    expect(await store.read("https://a.example/")).toBeNull();
    await store.change("https://a.example/", login("new"));
    expect(await store.read("https://a.example/")).not.toBeNull();
  },
);
