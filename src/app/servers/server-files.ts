/** Files of MCP servers, read when they changed: one look at the file says whether it did. */
import { readFile, stat } from "node:fs/promises";
import { parseServerFile, type ServerFile } from "../../mcp/configured/config-file.ts";
import { messageOf } from "../../shared/json.ts";

export interface ServerFiles {
  /** What the file holds. `mustBe`: it is a mistake when it is not there. */
  read(path: string, mustBe: boolean): Promise<ServerFile>;
}

/** What a file held when it was read last. */
interface Read {
  /** Another one means that the file was written since. */
  readonly version: string;
  readonly file: Promise<ServerFile>;
}

const nothing: ServerFile = { entries: [], inputs: [], deny: [], mistakes: [] };

/** `readText` gives the text of a file. */
export function createServerFiles(
  readText: (path: string) => Promise<string> = (path) => readFile(path, "utf8"),
): ServerFiles {
  const known = new Map<string, Read>();
  return {
    async read(path, mustBe) {
      try {
        const { mtimeNs, ctimeNs, size, ino } = await stat(path, { bigint: true });
        const version = [mtimeNs, ctimeNs, size, ino].join(" ");
        const before = known.get(path);
        if (before?.version === version) return await before.file;
        const file = readText(path).then((text) => parseServerFile(path, text));
        known.set(path, { version, file });
        return await file;
      } catch (error) {
        // What could not be read is tried again.
        known.delete(path);
        const isMissing = error instanceof Error && "code" in error && error.code === "ENOENT";
        if (isMissing && !mustBe) return nothing;
        const mistake = `${path} could not be read, so none of its servers is used. ${messageOf(error)}`;
        return { ...nothing, mistakes: [mistake] };
      }
    },
  };
}
