// Collects the licences of the packages whose code is in dist/, for users who do not get node_modules.
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";

/** Returns one text for all packages in esbuild's `metafile`; packages with the same licence text share it. */
export async function licenceText(root, metafile) {
  const found = await Promise.all(bundledPackages(metafile).map((path) => licenceOf(root, path)));
  const groups = new Map();
  for (const { name, version, text } of found) {
    groups.set(text, [...(groups.get(text) ?? []), `${name} ${version}`]);
  }
  const parts = [...groups].map(([text, names]) => `${names.join("\n")}\n\n${text}\n`);
  const rule = `\n${"-".repeat(80)}\n\n`;
  return `Parley's dist/ contains code of these packages, each under its own licence.\n${rule}${parts.join(rule)}`;
}

/** Returns the folders of the bundled packages, sorted; a package may occur in two versions. */
function bundledPackages({ inputs }) {
  const folders = Object.keys(inputs).flatMap((path) => {
    const match = /^(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(path);
    return match ? [match[1]] : [];
  });
  return [...new Set(folders)].sort();
}

async function licenceOf(root, folder) {
  const path = join(root, folder);
  const { name, version, license } = JSON.parse(await readFile(join(path, "package.json"), "utf8"));
  const files = await readdir(path);
  const file = files.sort().find((entry) => /^(licen[cs]e|copying)/i.test(entry));
  if (file) return { name, version, text: (await readFile(join(path, file), "utf8")).trim() };
  if (!license) throw new Error(`${name} ${version} is bundled and has no licence.`);
  return { name, version, text: `${license} (the package has no text of it)` };
}
