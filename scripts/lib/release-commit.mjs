// Commits a release's folder to git without a checkout, and optionally updates a branch and creates a tag.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { runOrFail } from "./run.mjs";

/** Returns the commit that a release is made from; throws when the working tree has changes. */
export async function cleanCommit(root) {
  const changed = (await git(root, ["status", "--porcelain"])).trim();
  if (changed) {
    throw new Error(
      `A release is made from what is committed, and this is not:\n${changed}\nNothing was made.`,
    );
  }
  return (await git(root, ["rev-parse", "HEAD"])).trim();
}

/**
 * Creates a commit of the folder, with author and time of the source commit, so that the same sources give the same
 * commit. `parent` is the previous release, if any.
 */
export async function commitFolder({ root, folder, commit, message, parent }) {
  const temporary = await mkdtemp(join(tmpdir(), "parley-index-"));
  try {
    const gitDir = (await git(root, ["rev-parse", "--absolute-git-dir"])).trim();
    const env = { ...process.env, GIT_INDEX_FILE: join(temporary, "index"), GIT_DIR: gitDir };
    const asIs = ["-c", "core.autocrlf=false", "--work-tree", folder];
    await git(folder, [...asIs, "add", "--all", "--force", "."], { env });
    const tree = (await git(root, ["write-tree"], { env })).trim();
    const parents = parent ? ["-p", parent] : [];
    const args = ["commit-tree", tree, ...parents, "-m", message];
    return (await git(root, args, { env: { ...env, ...(await signature(root, commit)) } })).trim();
  } finally {
    await rm(temporary, { recursive: true, force: true });
  }
}

async function signature(root, commit) {
  const format = "--format=%an%n%ae%n%cI";
  const [name, email, date] = (await git(root, ["show", "-s", format, commit])).split("\n");
  return {
    GIT_AUTHOR_NAME: name,
    GIT_AUTHOR_EMAIL: email,
    GIT_AUTHOR_DATE: date,
    GIT_COMMITTER_NAME: name,
    GIT_COMMITTER_EMAIL: email,
    GIT_COMMITTER_DATE: date,
  };
}

/** Returns the commit at the tip of a branch, or undefined. */
export async function tipOf(root, branch) {
  const args = ["for-each-ref", "--format=%(objectname)", `refs/heads/${branch}`];
  return (await git(root, args)).trim() || undefined;
}

/** Throws, before anything is created, if the tag exists already or the branch is checked out. */
export async function refuseSecond(root, branch, tag) {
  const current = await git(root, ["symbolic-ref", "--quiet", "HEAD"]).catch(() => "");
  if (current.trim() === `refs/heads/${branch}`) {
    throw new Error(`${branch} is checked out here; a release goes onto a branch of its own.`);
  }
  const exists = (await git(root, ["tag", "--list", tag])).trim();
  if (exists) throw new Error(`There is a tag ${tag} already. Raise "version" in package.json.`);
}

/** Moves the branch to the commit and tags it. */
export async function publishLocally({ root, branch, tag, commit }) {
  await git(root, ["tag", tag, commit]);
  await git(root, ["update-ref", `refs/heads/${branch}`, commit]);
}

/** Packs the commit's files under `prefix/`; the same commit gives the same bytes. */
export async function archive({ root, commit, prefix, path }) {
  await git(root, ["archive", "--format=tar.gz", `--prefix=${prefix}/`, "-o", path, commit]);
}

function git(cwd, args, options = {}) {
  return runOrFail("git", args, { cwd, ...options });
}
