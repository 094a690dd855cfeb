/** How a chat's text names its files folder, in `![](name.md.files/image.png)`. Pure. */
import { basename } from "node:path";
import { withSources } from "../../transcript/comments.ts";
import { markerText } from "../../transcript/markers.ts";
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

/**
 * Returns a function that has a line name the files folder of the chat at `to` instead of that of the one at `from`: in
 * its links, and in a step line, which names the file that was read for each link as it was written. Lines are given in
 * the form that `encode` gives a text.
 */
export function filesFolderRenamer(
  from: string,
  to: string,
  encode: (text: string) => string = (text) => text,
): (line: string) => string {
  const renamed = encode(linkInFilesFolder(to, ""));
  const spellings = spellingsOf(from).map(encode);
  const renew = (source: string) => {
    const spelling = spellings.find((one) => source.startsWith(one));
    return spelling === undefined ? source : renamed + source.slice(spelling.length);
  };
  return (line) => {
    if (!line.includes(`${ending}/`)) return line;
    if (line.startsWith(markerText.comment)) return withSources(line, renew);
    return spellings.reduce(
      (now, spelling) => now.replaceAll(`](${spelling}`, () => `](${renamed}`),
      line,
    );
  };
}

/** How the beginning of a path in the transcript may name its files folder. */
function spellingsOf(transcriptPath: string): readonly string[] {
  const folders = new Set([
    linkInFilesFolder(transcriptPath, "").slice(0, -1),
    // As it was written before `%` and others were encoded, and as a person may write it.
    written(transcriptPath, /[\s\p{Cc}\]]/gu),
    basename(transcriptPath) + ending,
  ]);
  return [...folders].flatMap((folder) => [`${folder}/`, `./${folder}/`]);
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
