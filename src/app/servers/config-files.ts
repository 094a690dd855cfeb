/** Reads the files of MCP servers, again only when they changed, which one look at a file shows. */
import { parseServerFile, type ServerFile } from "../../mcp/configured/config-file.ts";
import { messageOf } from "../../shared/json.ts";
import { readRegularText } from "../../system/regular-file.ts";
import { isMissing, systemReason } from "../../system/system-error.ts";
import type { SeenFiles } from "../tools/tool-changes.ts";

export interface ServerFiles {
  /** The content of the file. `mustBe`: a missing file is a mistake. */
  read(path: string, mustBe: boolean): Promise<ServerFile>;
}

/** What a file contained when it was last read. */
interface Read {
  /** A different version means that the file was written since. */
  readonly version: string | null;
  readonly file: Promise<ServerFile>;
}

const nothing: ServerFile = {
  entries: [],
  inputs: [],
  deny: [],
  mistakes: [],
  remarks: [],
  isReadable: true,
};

/** In bytes: a repository may contain anything under the name of such a file. */
const largestFile = 4 * 1024 * 1024;

/** `readText` reads the text of a file. */
export function createServerFiles(
  seen: SeenFiles,
  readText: (path: string) => Promise<string> = (path) => readRegularText(path, largestFile),
): ServerFiles {
  const known = new Map<string, Read>();
  const readable = new Map<string, ServerFile>();
  const readFrom = async (path: string): Promise<ServerFile> => {
    const file = parseServerFile(path, await readText(path));
    if (!file.isReadable) return asBefore(file, readable.get(path));
    readable.set(path, file);
    return file;
  };
  return {
    async read(path, mustBe) {
      try {
        const version = seen.version(path);
        if (version === null && !mustBe) return nothing;
        const before = known.get(path);
        if (before?.version === version) return await before.file;
        const file = readFrom(path);
        known.set(path, { version, file });
        return await file;
      } catch (error) {
        // A file that could not be read is tried again.
        known.delete(path);
        seen.distrust(path);
        if (isMissing(error) && !mustBe) return nothing;
        const reason = systemReason(error);
        const why = reason === null ? `. ${messageOf(error)}` : `: ${reason}.`;
        const mistakes = [`${path} could not be read${why}`];
        return asBefore({ ...nothing, mistakes }, readable.get(path));
      }
    },
  };
}

/** A broken file removes no tools, since it may be in the middle of being written. Its deny rules count at once. */
function asBefore(broken: ServerFile, before: ServerFile | undefined): ServerFile {
  const kept =
    before === undefined
      ? "None of its servers is used."
      : "Its servers are used as they were before.";
  return {
    ...(before ?? nothing),
    deny: [...(before?.deny ?? []), ...broken.deny],
    mistakes: broken.mistakes.map((mistake) => `${mistake} ${kept}`),
  };
}
