/** The folders that MCP servers are told to work in (MCP, roots). They are advice: a server need not keep to them. */
import { dirname } from "node:path";
import { isAbove } from "./inside.ts";
import { foldersToTop } from "./repository.ts";

/**
 * The working directory, and of each chat the repository that its file is in. A repository that holds the home
 * folder is none of a chat: it would hand over everything the person has.
 */
export async function projectRoots(
  workingDirectory: string,
  chatPaths: readonly string[],
  home: string,
): Promise<readonly string[]> {
  const tops = await Promise.all(
    chatPaths.filter((path) => path !== "").map((path) => foldersToTop(dirname(path))),
  );
  const repositories = tops.flatMap((folders) => folders?.at(-1) ?? []);
  return [...new Set([workingDirectory, ...repositories.filter((top) => !isAbove(top, home))])];
}
