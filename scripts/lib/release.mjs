// Makes what users install from one build: the plugin's folder and the npm package.
import { chmod, mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { declarations } from "./build.mjs";
import { bundle, executables } from "./bundle.mjs";
import { helpTags } from "./help-tags.mjs";
import { licenceText } from "./licences.mjs";
import { runOrFail } from "./run.mjs";

/** Folders and files of the checkout that are copied into the plugin unchanged. */
const pluginParts = [
  "lua",
  "plugin",
  "rplugin",
  "scripts/supported.json",
  "doc/parley.txt",
  "doc/config.schema.json",
];
const both = ["LICENSE", "CHANGELOG.md"];
const licences = "THIRD-PARTY-LICENSES";

/**
 * Writes `plugin/` and `npm/` into `out` from the files that git tracks in `root`. `address` replaces the repository's
 * URL everywhere; `commit` is the source commit.
 */
export async function makeRelease({ root, out, address, commit }) {
  const manifest = JSON.parse(await readFile(join(root, "package.json"), "utf8"));
  const { files, metafile } = await bundle(root, { forRelease: true });
  const types = await declarations(root);
  const release = {
    root,
    manifest,
    texts: { from: manifest.repository.url, to: address ?? manifest.repository.url },
    shared: [
      { path: licences, text: await licenceText(root, metafile) },
      { path: "dist/build.json", text: json({ version: manifest.version, commit }) },
    ],
  };
  const outputs = { files, metafile };
  await rm(out, { recursive: true, force: true });
  await writePlugin(release, reachable(outputs, ["host.js", "cli.js", "mock-server.js"]), out);
  const library = reachable(outputs, ["cli.js", "index.js", "agent.js", "mock-server.js"]);
  await writePackage(release, [...library, ...reachableTypes(types)], out);
}

async function writePlugin(release, built, out) {
  const { root, manifest, shared } = release;
  const tracked = await trackedFiles(root, [...pluginParts, ...both]);
  const { name, version, description, license, type, engines, repository } = manifest;
  await writeAll(release, join(out, "plugin"), [
    ...tracked,
    ...shared,
    ...inDist(built),
    { path: "README.md", text: shortReadme(manifest) },
    { path: "doc/tags", text: helpTags(tracked) },
    {
      path: "package.json",
      text: json({ name, version, description, license, type, engines, repository }),
    },
  ]);
}

/** Packages whose types the library's declarations refer to, for users who compile against them. */
const typePackages = ["@anthropic-ai/sdk", "openai", "zod"];

async function writePackage(release, built, out) {
  const { root, manifest, shared } = release;
  const { scripts, devDependencies, dependencies, private: _, ...kept } = manifest;
  const peers = typePackages.map((name) => [name, `^${dependencies[name]}`]);
  const optional = typePackages.map((name) => [name, { optional: true }]);
  await writeAll(release, join(out, "npm"), [
    ...(await trackedFiles(root, [...both, "README.md", "examples"])),
    ...shared,
    ...inDist(built),
    {
      path: "package.json",
      text: json({
        ...kept,
        files: ["dist", "examples", licences, "CHANGELOG.md"],
        peerDependencies: Object.fromEntries(peers),
        peerDependenciesMeta: Object.fromEntries(optional),
      }),
    },
  ]);
}

/** Returns the files under these paths that git tracks, and no others. */
async function trackedFiles(root, parts) {
  const args = ["ls-files", "-z", "--", ...parts];
  const listed = await runOrFail("git", args, { cwd: root });
  const paths = listed.split("\0").filter(Boolean).sort();
  return Promise.all(
    paths.map(async (path) => ({ path, text: await readFile(join(root, path), "utf8") })),
  );
}

/** Returns the built files that these entries load, at once or later. */
function reachable({ files, metafile }, entries) {
  const outputs = new Map(
    Object.entries(metafile.outputs).map(([path, output]) => [
      path.replace(/^.*?dist\//, ""),
      output,
    ]),
  );
  const wanted = new Set(entries);
  // Iterating a set includes elements that are added meanwhile.
  for (const path of wanted) {
    for (const imported of outputs.get(path)?.imports ?? []) {
      if (!imported.external) wanted.add(imported.path.replace(/^.*?dist\//, ""));
    }
  }
  return files.filter(({ path }) => wanted.has(path));
}

/** Returns the declarations that the library's entry points refer to. */
function reachableTypes(types) {
  const byPath = new Map(types.map((file) => [file.path, file]));
  const wanted = new Set(["types/index.d.ts", "types/agent.d.ts"]);
  for (const path of wanted) {
    const { text = "" } = byPath.get(path) ?? {};
    for (const [, specifier] of text.matchAll(/["'](\.{1,2}\/[^"']+)\.ts["']/g)) {
      wanted.add(`${join(dirname(path), specifier).replaceAll("\\", "/")}.d.ts`);
    }
  }
  return types.filter(({ path }) => wanted.has(path));
}

function inDist(files) {
  return files.map(({ path, text }) => ({ path: `dist/${path}`, text }));
}

async function writeAll({ texts }, folder, files) {
  for (const { path, text } of files) {
    const target = join(folder, path);
    await mkdir(dirname(target), { recursive: true });
    await writeFile(
      target,
      path.startsWith("dist/") ? text : text.replaceAll(texts.from, texts.to),
    );
    const isExecutable = executables.has(path.replace(/^dist\//, ""));
    await chmod(target, isExecutable ? 0o755 : 0o644);
  }
}

/** Returns all files of a folder with their sizes, the largest first. */
export async function sizes(folder) {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  const sized = await Promise.all(
    files.map(async (entry) => {
      const path = join(entry.parentPath ?? entry.path, entry.name);
      const bytes = (await readFile(path)).length;
      return { path: path.slice(folder.length + 1).replaceAll("\\", "/"), bytes };
    }),
  );
  return sized.sort((a, b) => b.bytes - a.bytes || (a.path < b.path ? -1 : 1));
}

function shortReadme({ version, repository }) {
  return `# Parley ${version}

This is the plugin as it is installed: it needs Node and Neovim, and nothing is built.
Start with \`:help parley\`. The sources, the pages and the place for questions: ${repository.url}

MIT licence; the licences of what is bundled are in ${licences}.
`;
}

function json(value) {
  return `${JSON.stringify(value, null, 2)}\n`;
}
