// `npm run managers -- lazy.nvim=FOLDER mini.deps=FOLDER paq=FOLDER vim-plug=FOLDER` installs the release from a local
// branch with each manager whose code is given, and with those that need none, on each Neovim. It prints a table row
// for each: what happened, milliseconds from `:Parley new` to the first words, and the plugin's size on disk with Git's
// data. `--repository ADDRESS` and `--branch NAME` choose the release; the default is this checkout's branch `release`.
// `--sources` is for a branch that npm builds: npm is then available and uses its registry.
import { lstat, mkdir, mkdtemp, readdir, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { parseArgs } from "node:util";
import { environmentIn } from "./lib/editor.mjs";
import { firstChat } from "./lib/first-chat.mjs";
import { managers } from "./lib/managers.mjs";
import { neovimsForTests } from "./lib/nvim.mjs";
import { projectRoot } from "./lib/paths.mjs";
import { run } from "./lib/run.mjs";
import { runMain } from "./lib/say.mjs";

const options = {
  repository: { type: "string", default: pathToFileURL(projectRoot).href },
  branch: { type: "string", default: "release" },
  runs: { type: "string", default: "10" },
  sources: { type: "boolean", default: false },
  only: { type: "string", multiple: true },
};

await runMain(async (args) => {
  const { values, positionals } = parseArgs({ args, options, allowPositionals: true });
  const code = Object.fromEntries(positionals.map((text) => text.split(/=(.*)/s, 2)));
  const { neovims } = await neovimsForTests();
  let failed = 0;
  print(["manager", "Neovim", "what happens", "first words, ms: min / median / max", "on disk"]);
  print(["---", "---", "---", "---", "---"]);
  for (const [name, manager] of Object.entries(managers)) {
    const needsCode = manager.init.toString().includes("code");
    if (needsCode && code[name] === undefined) continue;
    if (values.only && !values.only.includes(name)) continue;
    for (const neovim of neovims.filter(({ version }) => isAtLeast(version, manager.since))) {
      const row = await tryManager({ manager, neovim, code: code[name], ...values });
      failed += row.failed ? 1 : 0;
      print([name, neovim.version, row.what, row.times, row.disk]);
    }
  }
  return failed > 0 ? 1 : 0;
});

/** Writes to stdout directly, because the neovim package replaces `console`. */
function print(cells) {
  process.stdout.write(`| ${cells.join(" | ")} |\n`);
}

async function tryManager({ manager, neovim, code, repository, branch, runs, sources }) {
  const home = await mkdtemp(join(tmpdir(), "parley-manager-"));
  const times = [];
  try {
    const init = join(home, "init.lua");
    await writeFile(init, manager.init({ code, address: repository, branch, home }));
    const bin = join(home, "bin");
    await mkdir(bin);
    // Only Node, without the npm next to it.
    await symlink(process.execPath, join(bin, "node"));
    const npm = sources ? [dirname(process.execPath)] : [];
    const path = [bin, "/usr/bin", "/bin", ...npm].join(":");
    const env = { ...environmentIn(home), PATH: path, PARLEY_NODE: undefined };
    if (manager.installs) {
      const args = ["-u", init, ...manager.installs];
      await run(neovim.path, args, { env, cwd: home });
    }
    for (let turn = 0; turn < Number(runs); turn += 1) {
      const { firstWordsMs } = await firstChat({
        path: neovim.path,
        args: ["-u", init],
        env,
        cwd: home,
        patienceMs: sources ? 600_000 : 60_000,
      });
      times.push(Math.round(firstWordsMs));
    }
    times.sort((a, b) => a - b);
    const median = times[Math.floor(times.length / 2)];
    return {
      what: "installs, answers, runs tools",
      times: `${times[0]} / ${median} / ${times.at(-1)}`,
      disk: `${((await pluginBytes(home)) / 1e6).toFixed(1)} MB`,
    };
  } catch (error) {
    return {
      what: `FAILED: ${error.message.replaceAll(/\s+/g, " ")}`,
      times: "",
      disk: "",
      failed: true,
    };
  } finally {
    await rm(home, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
  }
}

/** Returns the size of the plugin's folder, wherever the manager put it. */
async function pluginBytes(home) {
  const entries = await readdir(home, { recursive: true, withFileTypes: true });
  const folder = entries.find(
    (entry) =>
      entry.isDirectory() && entry.name === "parley" && basename(entry.parentPath) === "lua",
  );
  if (folder === undefined) throw new Error("The plugin is nowhere below the home folder.");
  const top = join(folder.parentPath, "..", "/");
  const files = entries.filter(
    (entry) => entry.isFile() && join(entry.parentPath, "/").startsWith(top),
  );
  const sizes = await Promise.all(
    files.map(async ({ parentPath, name }) => (await lstat(join(parentPath, name))).size),
  );
  return sizes.reduce((sum, size) => sum + size, 0);
}

function isAtLeast(version, since) {
  const [major, minor] = version.split(".").map(Number);
  const [wantedMajor, wantedMinor] = since.split(".").map(Number);
  return major > wantedMajor || (major === wantedMajor && minor >= wantedMinor);
}
