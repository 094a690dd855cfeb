// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the variables of configurations look like this
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { readEntries } from "../../../src/mcp/configured/entry.ts";
import { expandEntry, type StartRules } from "../../../src/mcp/configured/expand-entry.ts";

/** The configuration of a server `x`, whose home folder has a file of variables. */
async function expand(written: object, rules: Partial<StartRules> = {}) {
  const userHome = mkdtempSync(join(tmpdir(), "parley-entry-"));
  onTestFinished(() => rmSync(userHome, { recursive: true, force: true }));
  writeFileSync(join(userHome, "x.env"), "A=file\nB=file\n");
  const { entries, mistakes } = readEntries({ x: written });
  expect(mistakes).toEqual([]);
  const sources = {
    ...{ environment: { TOKEN: "t" }, workspaceFolder: "/project", userHome },
    ...{ run: null, refusal: () => null, input: async (id: string) => `typed ${id}` },
  };
  const configuration = await expandEntry(entries[0]!, sources, {
    passed: (names) => names,
    folder: async () => ({ cwd: "/chosen" }),
    mayGo: async () => {},
    login: async () => null,
    ...rules,
  });
  return { configuration, userHome };
}

it("puts values and the home folder into all that a program is started with", async () => {
  const { configuration, userHome } = await expand({
    command: "~/run",
    args: ["${TOKEN}", "~"],
    env: { A: "${input:a}" },
    envFile: "x.env",
    envPass: ["C"],
    cwd: "~",
    sandbox: { write: ["~/notes", "here", "${workspaceFolder}"] },
    timeout: 5000,
  });
  expect(configuration).toEqual({
    ...{ command: join(userHome, "run"), args: ["t", "~"], cwd: userHome, timeoutMs: 5000 },
    ...{ env: { A: "typed a", B: "file" }, envPass: ["C"] },
    sandbox: { write: [join(userHome, "notes"), "/project/here", "/project"] },
  });
});

it("asks for a folder where the entry names none", async () => {
  const { configuration } = await expand({ command: "run", envFile: "~/x.env" });
  expect(configuration).toMatchObject({ cwd: "/chosen", env: { A: "file" } });
});

it("sends nothing where it may not go, and logs in where no header does", async () => {
  const mayGo = async () => Promise.reject(new Error("not there"));
  const login = async () => Promise.reject(new Error("logged in"));
  const url = "https://example.test/${TOKEN}";
  await expect(expand({ url }, { mayGo, login })).rejects.toThrow("not there");
  await expect(expand({ url }, { login })).rejects.toThrow("logged in");
  const headers = { authorization: "Bearer ${TOKEN}" };
  expect((await expand({ url, headers }, { login })).configuration).toMatchObject({
    url: new URL("https://example.test/t"),
    headers: { authorization: "Bearer t" },
    login: null,
  });
});
