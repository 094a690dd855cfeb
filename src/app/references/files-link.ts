/** How a chat's text names its files folder, in `![](name.md.files/image.png)`. Pure. */
import { basename } from "node:path";
import { isPlainFileName } from "../../transcript/result-block.ts";

const ending = ".files";

/**
 * The path by which an image in the transcript names a file of the folder. Characters that would end the line, the name
 * or the path, here or where the Markdown is shown, are percent-encoded: a chat's name may contain anything.
 */
export function linkInFilesFolder(transcriptPath: string, file: string): string {
  return `${written(transcriptPath, /[\s\p{Cc}%#?()<>[\]\\]/gu)}/${file}`;
}

/** The plain name of the file that a path in the transcript names in its folder; null when it names something else. */
export function fileInFilesFolder(transcriptPath: string, target: string): string | null {
  const at = target.lastIndexOf("/");
  const folder = target.slice(0, Math.max(at, 0)).replace(/^\.\//, "");
  const name = target.slice(at + 1);
  const own = basename(transcriptPath) + ending;
  const isOwn = folder === own || decodedPath(folder) === own;
  return isOwn && isPlainFileName(name) ? name : null;
}

/** Returns a function that has a text name the files folder of the chat at `to` instead of that of the one at `from`. */
export function filesFolderRenamer(
  from: string,
  to: string,
  encode: (text: string) => string = (text) => text,
): (text: string) => string {
  const start = (folder: string) => encode(`](${folder}/`);
  const renamed = encode(`](${linkInFilesFolder(to, "")}`);
  const spellings = new Set([
    start(linkInFilesFolder(from, "").slice(0, -1)),
    // As it was written before `%` and others were encoded, and as a person may write it.
    start(written(from, /[\s\p{Cc}\]]/gu)),
    start(basename(from) + ending),
  ]);
  return (text) =>
    [...spellings].reduce((now, spelling) => now.replaceAll(spelling, () => renamed), text);
}

function written(transcriptPath: string, special: RegExp): string {
  return (basename(transcriptPath) + ending).replace(special, percentEncoded);
}

function percentEncoded(text: string): string {
  // encodeURIComponent leaves parentheses as they are.
  return encodeURIComponent(text).replace(/[()]/g, (one) => `%${one.charCodeAt(0).toString(16)}`);
}

/** The path with `%20` and the like decoded, as Markdown writes them. A `%` that begins none stays. */
export function decodedPath(path: string): string {
  return path.replace(/(?:%[\da-f]{2})+/gi, (encoded) => {
    try {
      return decodeURIComponent(encoded);
    } catch (error) {
      if (error instanceof URIError) return encoded;
      throw error;
    }
  });
}
