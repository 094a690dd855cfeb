// `npm run release` makes release/ from the committed files: plugin/ (what users install), the npm package, an archive
// of the plugin, a rockspec, their checksums, and the version's section of CHANGELOG.md. `-- --branch NAME` commits the
// plugin to that local branch and tags the version; `-- --address URL` sets the project's URL. Nothing is pushed or
// published.
import { createHash } from "node:crypto";
import { readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { notesOf } from "./lib/changelog.mjs";
import { installDependencies } from "./lib/deps.mjs";
import { projectRoot } from "./lib/paths.mjs";
import { makeRelease, sizes } from "./lib/release.mjs";
import {
  archive,
  cleanCommit,
  commitFolder,
  publishLocally,
  refuseSecond,
  tipOf,
} from "./lib/release-commit.mjs";
import { runOrFail } from "./lib/run.mjs";
import { runMain, say } from "./lib/say.mjs";

const options = {
  branch: { type: "string" },
  address: { type: "string" },
  out: { type: "string", default: join(projectRoot, "release") },
};

await runMain(async (args) => {
  const { branch, address, out } = parseArgs({ args, options }).values;
  const root = projectRoot;
  const commit = await cleanCommit(root);
  const { version } = JSON.parse(await readFile(join(root, "package.json"), "utf8"));
  const notes = notesOf(await readFile(join(root, "CHANGELOG.md"), "utf8"), version);
  if (branch) await refuseSecond(root, branch, `v${version}`);
  await installDependencies();
  await makeRelease({ root, out, address, commit });
  const message = `Parley ${version}\n\nBuilt from ${commit}.`;
  const made = { root, folder: join(out, "plugin"), commit, message };
  const name = `parley.nvim-${version}`;
  // Without a parent, so that the archive does not depend on earlier releases.
  const alone = await commitFolder(made);
  await archive({ root, commit: alone, prefix: name, path: join(out, `${name}.tar.gz`) });
  await pack(out);
  await writeRockspec({ root, out, version, address });
  await writeChecksums(out);
  await writeFile(join(out, "NOTES.md"), notes);
  await tell(out);
  if (branch) await publish(made, branch, `v${version}`);
});

async function publish(made, branch, tag) {
  const commit = await commitFolder({ ...made, parent: await tipOf(made.root, branch) });
  await publishLocally({ root: made.root, branch, tag, commit });
  say(`${branch} and ${tag} are ${commit}; nothing was pushed.`);
}

async function pack(out) {
  const npm = process.platform === "win32" ? "npm.cmd" : "npm";
  const args = ["pack", "--ignore-scripts", "--silent", "--pack-destination", ".."];
  await runOrFail(npm, args, { cwd: join(out, "npm"), shell: process.platform === "win32" });
  await rm(join(out, "npm"), { recursive: true });
}

/** Writes the rockspec for LuaRocks: that of the sources, with this version's tag instead of the branch. */
async function writeRockspec({ root, out, version, address }) {
  const { repository } = JSON.parse(await readFile(join(root, "package.json"), "utf8"));
  const text = await readFile(join(root, "parley.nvim-scm-1.rockspec"), "utf8");
  const released = text
    .replaceAll(repository.url, address ?? repository.url)
    .replace('version = "scm-1"', `version = "${version}-1"`)
    .replace('branch = "release"', `tag = "v${version}"`);
  await writeFile(join(out, `parley.nvim-${version}-1.rockspec`), released);
}

async function writeChecksums(out) {
  const names = (await readdir(out)).filter((name) => /\.(tgz|tar\.gz)$/.test(name)).sort();
  const lines = names.map(async (name) => {
    const hash = createHash("sha256").update(await readFile(join(out, name)));
    return `${hash.digest("hex")}  ${name}\n`;
  });
  await writeFile(join(out, "SHA256SUMS"), (await Promise.all(lines)).join(""));
}

async function tell(out) {
  const kilobytes = (files) => Math.round(files.reduce((sum, { bytes }) => sum + bytes, 0) / 1000);
  const files = await sizes(join(out, "plugin"));
  say(`${join(out, "plugin")}: ${files.length} files, ${kilobytes(files)} kB`);
  for (const { path, bytes } of (await sizes(out)).filter(({ path }) => !path.includes("/"))) {
    say(`${path}: ${Math.ceil(bytes / 1000)} kB`);
  }
}
