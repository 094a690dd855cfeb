// Puts a release's folder into git without a checkout: a commit, and a branch and a tag when they are wanted.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { runOrFail } from "./run.mjs";

/** The commit that a release is made from; refuses a tree that holds something else. */
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
 * A commit whose tree is the folder. It has the author and the time of the commit it is made from, so that the
 * same sources give the same commit. `parent` is the release before it, if any.
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

/** The commit at the tip of a branch, or undefined. */
export async function tipOf(root, branch) {
  const args = ["for-each-ref", "--format=%(objectname)", `refs/heads/${branch}`];
  return (await git(root, args)).trim() || undefined;
}

/** A tag that is there already stays, and so does a branch that is checked out: an error, before anything is made. */
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

/** The commit's files below `prefix/`, packed; the same commit gives the same bytes. */
export async function archive({ root, commit, prefix, path }) {
  await git(root, ["archive", "--format=tar.gz", `--prefix=${prefix}/`, "-o", path, commit]);
}

function git(cwd, args, options = {}) {
  return runOrFail("git", args, { cwd, ...options });
}
