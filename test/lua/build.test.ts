import { execFileSync } from "node:child_process";
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type Editor, neovims, poll, readText, startEditor } from "./editor.ts";

const project = fileURLToPath(new URL("../..", import.meta.url));

/** What scripts/build.mjs leaves, made by hand: these tests are about when it is run, and how. */
const fakeBuild = `import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { createHash } from "node:crypto";
while (existsSync("slow") && !existsSync("go")) await new Promise((resolve) => setTimeout(resolve, 10));
if (readFileSync("src/a.ts", "utf8").includes("broken")) {
  console.error("src/a.ts:1:1: this is broken");
  process.exit(1);
}
const { size, mtimeMs } = statSync("src/a.ts");
const hash = createHash("sha256").update(readFileSync("src/a.ts")).digest("hex").slice(0, 16);
mkdirSync("dist", { recursive: true });
writeFileSync("dist/host.js", "// a built host");
writeFileSync("dist/arguments", JSON.stringify([process.argv.slice(2), process.cwd()]));
writeFileSync("dist/build.json", JSON.stringify({ sources: { "src/a.ts": { size, mtimeMs: Math.trunc(mtimeMs), hash } } }));
`;

/** A fresh clone whose build is the one above; `npm` needs only be there. */
function makeClone(folder: string): string {
  const root = join(folder, "plugin-root");
  for (const name of ["src", "scripts", "lua/parley/host", "lua/parley/system", "bin"]) {
    mkdirSync(join(root, name), { recursive: true });
  }
  writeFileSync(join(root, "src/a.ts"), "first");
  writeFileSync(join(root, "package.json"), '{"type":"module"}');
  writeFileSync(join(root, "scripts/build.mjs"), fakeBuild);
  copyFileSync(join(project, "scripts/supported.json"), join(root, "scripts/supported.json"));
  copyFileSync(join(project, "build.lua"), join(root, "build.lua"));
  for (const name of ["host/build.lua", "host/node.lua", "system/init.lua"]) {
    copyFileSync(join(project, "lua/parley", name), join(root, "lua/parley", name));
  }
  return root;
}

describe.each(neovims)("build.lua on Neovim $version", (neovim) => {
  let folder: string;
  let root: string;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "parley-build-"));
    root = makeClone(folder);
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  /** Runs it as a plugin manager does: in a coroutine, from elsewhere, with the plugin not on the path. */
  function run(
    node = process.execPath,
    before = "",
  ): { ok: boolean; message: string; yields: number } {
    const script = join(folder, "run.lua");
    writeFileSync(
      script,
      `vim.g.parley_node = ${JSON.stringify(node)}
      ${before}
      local chunk = assert(loadfile(${JSON.stringify(join(root, "build.lua"))}))
      local thread, yields = coroutine.create(chunk), 0
      local ok, message
      repeat
        ok, message = coroutine.resume(thread)
        if coroutine.status(thread) == "suspended" then yields = yields + 1 end
        vim.wait(10)
      until coroutine.status(thread) == "dead"
      io.stdout:write(vim.json.encode({ ok = ok, message = tostring(message), yields = yields }))`,
    );
    const output = execFileSync(neovim.path, ["--clean", "--headless", "-l", script], {
      cwd: folder,
      encoding: "utf8",
      env: { ...process.env, XDG_CACHE_HOME: join(folder, "cache") },
    });
    return JSON.parse(output);
  }

  it("builds from any folder, yields meanwhile, and leaves tracked files alone", () => {
    const { ok, yields } = run();
    expect(ok).toBe(true);
    expect(yields).toBeGreaterThan(1);
    expect(JSON.parse(readText(join(root, "dist/arguments")))).toEqual([["--production"], root]);
  });

  it("fails with one sentence and what the build said, and keeps the old dist/", () => {
    run();
    writeFileSync(join(root, "src/a.ts"), "broken");
    const { ok, message } = run();
    expect(ok).toBe(false);
    expect(message).toContain("Parley was not built");
    expect(message).toContain("src/a.ts:1:1: this is broken");
    expect(message).toContain("The previous build still works");
    expect(existsSync(join(root, "dist/host.js"))).toBe(true);
  });

  it("does not mention an older build if there is none", () => {
    writeFileSync(join(root, "src/a.ts"), "broken");
    expect(run().message).not.toContain("build before");
  });

  it.each([
    ["nvim -l", (script: string) => ["-l", script]],
    [":luafile", (script: string) => ["-c", `luafile ${script}`, "-c", "qa!"]],
    [
      "dofile in a hook",
      (script: string) => ["-c", `lua dofile(${JSON.stringify(script)})`, "-c", "qa!"],
    ],
    [
      "dofile in a coroutine",
      (script: string) => [
        "-c",
        `lua coroutine.wrap(function() dofile(${JSON.stringify(script)}) end)()`,
        ...["-c", "qa!"],
      ],
    ],
    [
      "dofile in an autocommand",
      (script: string) => [
        "-c",
        `lua vim.api.nvim_create_autocmd("User", { callback = function() dofile(${JSON.stringify(script)}) end })`,
        ...["-c", "doautocmd User Changed", "-c", "qa!"],
      ],
    ],
  ])("builds by %s", (_, how) => {
    const args = ["--clean", "--headless", ...how(join(root, "build.lua"))];
    const env = { ...process.env, PARLEY_NODE: process.execPath };
    execFileSync(neovim.path, args, { cwd: folder, env, stdio: "pipe" });
    expect(existsSync(join(root, "dist/host.js"))).toBe(true);
  });

  it("builds in the cache what lies in a folder that cannot be written", () => {
    // Who is root may write everywhere, and tests may be.
    const before = "vim.fn.filewritable = function() return 0 end";
    expect(run(process.execPath, before)).toMatchObject({ ok: true });
    expect(existsSync(join(root, "dist"))).toBe(false);
    const [built = ""] = readdirSync(join(folder, "cache", "nvim", "parley"));
    const cached = join(folder, "cache", "nvim", "parley", built);
    expect(readText(join(cached, "dist/host.js"))).toContain("a built host");
    expect(JSON.parse(readText(join(cached, "dist/arguments")))).toEqual([
      ["--production"],
      cached,
    ]);
  });

  it("looks at Node first", () => {
    expect(run("/nowhere/node").message).toContain("does not run");
    const old = join(folder, "old-node");
    writeFileSync(old, "#!/bin/sh\necho v18.1.0\n");
    chmodSync(old, 0o755);
    expect(run(old).message).toMatch(/needs Node .* 18\.1\.0/s);
    expect(existsSync(join(root, "dist"))).toBe(false);
  });
});

describe.each(neovims)("the first use without a current dist/ on Neovim $version", (neovim) => {
  let editor: Editor;
  let root: string;

  const notified = (text: string) =>
    poll(`the message ${text}`, async () =>
      (await editor.lua<string[]>("return Notified")).find((message) => message.includes(text)),
    );
  const reason = () =>
    editor.lua<string | null>("return require('parley.host.build').reason((...))", root);

  beforeEach(async () => {
    editor = await startEditor(neovim);
    root = join(editor.folder, "plugin-root");
    rmSync(join(root, "dist"), { recursive: true });
    mkdirSync(join(root, "src"));
    writeFileSync(join(root, "src/a.ts"), "first");
    writeFileSync(join(root, "scripts/build.mjs"), fakeBuild);
  });
  afterEach(() => editor.quit());

  it("builds in the background, then does what was asked for", async () => {
    expect(await reason()).toContain("not been built");
    await editor.openChat("a.md", ["💬: one"]);
    await notified("is building its host");
    await notified("Parley: built.");
    expect(await reason()).toBeNull();
  });

  /** A build that ends only on request. */
  async function askDuringBuild(): Promise<() => void> {
    writeFileSync(join(root, "slow"), "");
    const buffer = await editor.nvim.buffer;
    const path = editor.writeChat("a.md", ["💬: one", "", "more"]);
    await editor.nvim.request("nvim_cmd", [{ cmd: "edit", args: [path] }, {}]);
    expect(buffer).toBeDefined();
    await poll("the respond key", async () => {
      return (await editor.nvim.call("maparg", ["<C-g><C-g>", "n"])) !== "";
    });
    await editor.press("<C-g><C-g>");
    await poll("the seconds at the question", async () =>
      (await editor.screen()).some((line) => /💬: one .*only once.*, \d+ s/.test(line)),
    );
    return () => writeFileSync(join(root, "go"), "");
  }

  const isWaiting = async () => (await editor.screen()).some((line) => line.includes("only once"));
  const started = () => poll("the host", async () => (await editor.received("setup")).length > 0);

  it("shows at the question that it waits, and asks once whatever was pressed", async () => {
    const finish = await askDuringBuild();
    await editor.press("ggOabove<Esc>");
    await editor.press("j<C-g><C-g>");
    finish();
    await started();
    await poll("the question", async () => (await editor.received("respond")).length > 0);
    const [asked, ...more] = await editor.received("respond");
    expect(more).toEqual([]);
    expect(asked).toMatchObject({ line: 1, tick: await editor.tick() });
    expect(await isWaiting()).toBe(false);
  });

  it("asks where the question is by then", async () => {
    const finish = await askDuringBuild();
    await editor.press("ggOabove<Esc>");
    finish();
    await started();
    await poll("the question", async () => (await editor.received("respond")).length > 0);
    expect(await editor.received("respond")).toMatchObject([
      { line: 1, tick: await editor.tick() },
    ]);
  });

  it("says the seconds in Insert mode too", async () => {
    const finish = await askDuringBuild();
    await editor.press("Gotyping");
    await poll("a second", async () =>
      (await editor.screen()).some((line) => /only once.*, [1-9]\d* s/.test(line)),
    );
    // Asking once more waits for the same build.
    await editor.press("<C-g><C-g>");
    expect((await editor.screen()).join("\n")).toMatch(/only once.*, [1-9]\d* s/);
    finish();
    await started();
  });

  it.each([
    ["stop", "<C-g>x"],
    [":bdelete", ":bdelete!<CR>"],
  ])("asks nothing after %s", async (_, keys) => {
    const finish = await askDuringBuild();
    await editor.press(keys);
    await poll("nothing waits", async () => !(await isWaiting()));
    finish();
    await editor.openChat("b.md", ["💬: two"]);
    await started();
    await editor.press("<C-g><C-g>");
    await poll("the other question", async () => (await editor.received("respond")).length > 0);
    expect(await editor.received("respond")).toHaveLength(1);
  });

  it("keeps what a user asks for meanwhile", async () => {
    await editor.nvim.command("Parley usage");
    await poll("the command", async () => (await editor.received("command")).length === 1);
  });

  it("goes on with the old dist/ when the build fails, and says so", async () => {
    await editor.openChat("a.md", ["💬: one"]);
    writeFileSync(join(root, "src/a.ts"), "broken, and longer");
    expect(await reason()).toContain("changed");
    await editor.lua("Received = {}");
    await editor.nvim.command("Parley restart");
    expect(await notified("Parley was not built")).toContain("this is broken");
    await poll("the attach", async () => (await editor.received("attach")).length === 1);
  });

  it("builds again for changed contents and other files, not for other times", async () => {
    await editor.openChat("a.md", ["💬: one"]);
    const file = join(root, "src/a.ts");
    const { size } = statSync(file);
    utimesSync(file, 1, 1);
    expect(await reason()).toBeNull();
    writeFileSync(file, "x".repeat(size));
    expect(await reason()).toContain("changed");
    writeFileSync(file, "first");
    expect(await reason()).toBeNull();
    mkdirSync(dirname(join(root, "src/sub/b.ts")));
    writeFileSync(join(root, "src/sub/b.ts"), "");
    expect(await reason()).toContain("changed");
  });

  it("is never stale where there are no sources", async () => {
    rmSync(join(root, "src"), { recursive: true });
    expect(await reason()).toBeNull();
  });
});
