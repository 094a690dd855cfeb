import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { run } from "./run.mjs";

/**
 * Returns the machine's own entry for the Debian archive as a deb822 stanza, or undefined without one. Using the
 * machine's entry instead of a fixed address keeps its mirror, proxy and keys.
 */
export async function readArchiveEntry(etc = "/etc") {
  const release = await readFile(join(etc, "os-release"), "utf8").catch(() => "");
  const isDebian = /^ID="?debian"?$/m.test(release);
  const codename = /^VERSION_CODENAME="?(\w+)"?$/m.exec(release)?.[1];
  if (!isDebian) return undefined;
  const stanzas = [];
  for (const file of await sourceFiles(etc)) {
    const text = await readFile(file, "utf8");
    stanzas.push(...(file.endsWith(".sources") ? readStanzas(text) : readOneLiners(text)));
  }
  return stanzas.find((stanza) => isMainArchive(stanza, codename));
}

async function sourceFiles(etc) {
  const parts = join(etc, "apt", "sources.list.d");
  const names = (await readdir(parts).catch(() => [])).filter((name) =>
    /\.(list|sources)$/.test(name),
  );
  const single = join(etc, "apt", "sources.list");
  const hasSingle = await readFile(single).then(
    () => true,
    () => false,
  );
  return [...(hasSingle ? [single] : []), ...names.sort().map((name) => join(parts, name))];
}

function readStanzas(text) {
  const withoutComments = text
    .split("\n")
    .filter((line) => !line.startsWith("#"))
    .join("\n");
  return withoutComments.split(/\n\s*\n/).map((block) => {
    const fields = {};
    let field = "";
    for (const line of block.split("\n")) {
      const start = /^([\w-]+):(.*)$/.exec(line);
      if (start) field = start[1];
      // A key may be part of the entry, as continuation lines of the field.
      if (field) fields[field] = start ? start[2].trim() : `${fields[field]}\n${line}`;
    }
    return fields;
  });
}

function readOneLiners(text) {
  return text.split("\n").flatMap((line) => {
    const match = /^\s*deb\s+(?:\[([^\]]*)\]\s+)?(\S+)\s+(\S+)\s+([^#]+)/.exec(line);
    if (!match) return [];
    const signedBy = /signed-by=(\S+)/.exec(match[1] ?? "")?.[1];
    const stanza = { Types: "deb", URIs: match[2], Suites: match[3], Components: match[4].trim() };
    return [signedBy ? { ...stanza, "Signed-By": signedBy } : stanza];
  });
}

function isMainArchive(stanza, codename) {
  const has = (field, word) => (stanza[field] ?? "").split(/\s+/).includes(word);
  const suites = [codename, "stable", "testing", "unstable", "sid"].filter(Boolean);
  return (
    stanza.Enabled !== "no" &&
    has("Types", "deb") &&
    has("Components", "main") &&
    suites.some((suite) => has("Suites", suite)) &&
    /debian/.test(stanza.URIs) &&
    !/security|backports/.test(stanza.URIs)
  );
}

/**
 * Downloads packages of one suite into `folder` with apt, without root and without touching the
 * system: lists, cache and package status are all private. With `closure`, includes all dependencies, down to libc.
 */
export async function downloadPackages({ entry, suite, packages, folder, closure }) {
  await mkdir(join(folder, "lists", "partial"), { recursive: true });
  await mkdir(join(folder, "cache", "archives", "partial"), { recursive: true });
  const stanza = { ...entry, Types: "deb", Components: "main", Suites: suite ?? entry.Suites };
  const lines = Object.entries(stanza).map(([field, value]) => `${field}: ${value}`);
  await writeFile(join(folder, "archive.sources"), `${lines.join("\n")}\n`);
  await writeFile(join(folder, "installed"), "");
  const archives = join(folder, "cache", "archives");
  await apt(folder, ["update"]);
  const quietInstall = ["install", "--yes", "--download-only", "--no-install-recommends"];
  await apt(folder, [...(closure ? quietInstall : ["download"]), ...packages], archives);
  const names = (await readdir(archives)).filter((name) => name.endsWith(".deb"));
  return names.map((name) => join(archives, name));
}

async function apt(folder, args, cwd = folder) {
  const settings = {
    "Dir::State::lists": join(folder, "lists"),
    // No package counts as installed, so that the closure is complete.
    "Dir::State::status": join(folder, "installed"),
    "Dir::State::extended_states": join(folder, "extended-states"),
    "Dir::Etc::sourcelist": join(folder, "archive.sources"),
    "Dir::Etc::sourceparts": "/dev/null",
    "Dir::Etc::preferencesparts": "/dev/null",
    "Dir::Etc::preferences": "/dev/null",
    "Dir::Cache": join(folder, "cache"),
    "Dir::Log": join(folder, "log"),
    // The folder is private, so it needs no lock, and no other user can read it.
    "Debug::NoLocking": "1",
    "APT::Sandbox::User": "root",
  };
  const flags = Object.entries(settings).flatMap(([name, value]) => ["-o", `${name}=${value}`]);
  const env = { ...process.env, LC_ALL: "C" };
  const result = await run("apt-get", [...flags, ...args], { cwd, env });
  if (result.code !== 0) {
    const reasons = result.stderr.split("\n").filter((line) => /^[EW]:/.test(line));
    throw new Error(`apt-get ${args[0]} failed: ${reasons.join(" ") || result.stderr.trim()}`);
  }
}

/** Unpacks archives into a folder, never into the system. */
export async function unpackPackages(archives, folder) {
  await mkdir(folder, { recursive: true });
  for (const archive of archives) {
    const result = await run("dpkg", ["-x", archive, folder]);
    if (result.code !== 0)
      throw new Error(`dpkg could not unpack ${archive}: ${result.stderr.trim()}`);
  }
}
