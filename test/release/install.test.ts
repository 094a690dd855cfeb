/** Installs the release with the plugin managers that need only Neovim, in a home folder with only Node and Neovim. */
import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { environmentIn, openNeovim } from "../../scripts/lib/editor.mjs";
import { firstChat } from "../../scripts/lib/first-chat.mjs";
import { managers } from "../../scripts/lib/managers.mjs";
import { neovims, oneNeovim } from "../support/neovims.ts";
import { type Release, sharedRelease } from "./checkout.ts";

let release: Release;
let home: string;

beforeAll(async () => {
  release = await sharedRelease();
}, 120_000);
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "parley-home-"));
  mkdirSync(join(home, "bin"));
  symlinkSync(process.execPath, join(home, "bin", "node"));
});
afterEach(() => rmSync(home, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 }));

/** PATH has Node and `tools`; no other variable points to Node. */
function environment(tools = ""): NodeJS.ProcessEnv {
  const PATH = [join(home, "bin"), tools].filter(Boolean).join(":");
  return { ...environmentIn(home, { PARLEY_MOCK_DELAY_MS: "0" }), PATH, PARLEY_NODE: undefined };
}

function writeInit(text: string): string {
  const path = join(home, "init.lua");
  writeFileSync(path, text);
  return path;
}

const cases = neovims.flatMap((neovim) =>
  Object.entries(managers)
    .filter(([, { since, init }]) => {
      const isThere = Number(neovim.version.split(".")[1]) >= Number(since.split(".")[1]);
      return isThere && !init.toString().includes("code");
    })
    .map(([name, { init }]) => ({ name, init, ...neovim })),
);

it.each(cases)(
  "$name on Neovim $version installs the release branch and runs a chat",
  async ({ init, path }) => {
    const address = pathToFileURL(release.checkout).href;
    const text = init({ code: "", address, branch: "release", home });
    const env = environment("/usr/bin:/bin");
    const { messages } = await firstChat({ path, args: ["-u", writeInit(text)], env, cwd: home });
    expect(messages).not.toMatch(/error|E\d+:/i);
  },
  60_000,
);

it.each(oneNeovim)(
  "the plugin finds its host on Neovim $version when LuaRocks installs the Lua files elsewhere",
  async ({ path }) => {
    const [rock, share] = [join(home, "rock"), join(home, "share")];
    cpSync(join(release.out, "plugin"), rock, { recursive: true });
    cpSync(join(rock, "lua"), share, { recursive: true });
    rmSync(join(rock, "lua"), { recursive: true });
    const init = writeInit(`
      package.path = ${JSON.stringify(`${share}/?.lua;${share}/?/init.lua;`)} .. package.path
      vim.opt.runtimepath:prepend(${JSON.stringify(rock)})`);
    const env = environment();
    const { messages } = await firstChat({ path, args: ["-u", init], env, cwd: home });
    expect(messages).not.toMatch(/error|E\d+:/i);
  },
  60_000,
);

describe.each(neovims)(
  "the plugin with only Node and Neovim $version, without npm, git and network",
  ({ path }) => {
    it("runs a chat with a tool, opens its help, and has no errors in :checkhealth", async () => {
      const plugin = join(release.out, "plugin");
      const init = writeInit(`vim.opt.runtimepath:prepend(${JSON.stringify(plugin)})`);
      const env = environment();
      const chatted = await firstChat({ path, args: ["-u", init], env, cwd: home });
      const { messages, lines, enters } = chatted;
      expect(enters).toBe(0);
      expect(messages).not.toMatch(/error|E\d+:/i);
      const chat = join(home, "chat.md");
      writeFileSync(chat, lines.join("\n"));
      const cli = [join(plugin, "dist", "cli.js"), "preview", chat];
      const preview = execFileSync(process.execPath, cli, { env, encoding: "utf8" });
      expect(JSON.parse(preview)).toMatchObject({ model: "demo" });
      const opened = openNeovim({ path, args: ["--headless", "-u", init], env, cwd: home });
      try {
        const { client } = opened;
        await client.command("help parley-keys");
        expect(await client.call("expand", ["%:t"])).toBe("parley.txt");
        await client.command("checkhealth parley");
        const report: string[] = await client.request("nvim_buf_get_lines", [0, 0, -1, false]);
        expect(report.join("\n")).toContain("The host answered");
        expect(report.filter((line) => /❌|ERROR/.test(line))).toEqual([]);
      } finally {
        opened.process.kill("SIGKILL");
        await opened.gone;
      }
    }, 60_000);
  },
);
