/** Paths as a system writes them: separators, drive letters, home folders, and which lies below which. */
import { type PlatformPath, posix, win32 } from "node:path";
import { isWindows, type Platform, thisPlatform } from "./platform.ts";

/** Node's own functions for the paths of that system. */
export function pathsOf(platform: Platform = thisPlatform): PlatformPath {
  return isWindows(platform) ? win32 : posix;
}

/** `~` and `~/…` at the start as the home folder; on Windows `~\…` too. */
export function expandHome(path: string, home: string, platform = thisPlatform): string {
  const isHome = path === "~" || path.startsWith("~/");
  return isHome || (isWindows(platform) && path.startsWith("~\\")) ? home + path.slice(1) : path;
}

/** With `/` between names, as a transcript writes paths so that they are read on every system. */
export function slashed(path: string, platform = thisPlatform): string {
  return path.split(pathsOf(platform).sep).join("/");
}

/** One spelling of an absolute path: Neovim writes `C:/x`, Node `C:\x`, and a drive has letters of either case.
 * Elsewhere a path stays as it is: what `..` means is for its links to say. */
export function plainPath(path: string, platform = thisPlatform): string {
  if (!isWindows(platform) || path === "") return path;
  return win32.normalize(path).replace(/^[a-z]:/, (drive) => drive.toUpperCase());
}

/**
 * A path as the most lenient of file systems compares it, with `/` between names: case, composition and characters that
 * nobody sees do not count, nor do dots and blanks at the end of a name. For what is forbidden or asked about, which may
 * be too much; never for what is allowed.
 */
export function foldedPath(path: string): string {
  const text = path
    .replace(foldedPiece, (piece) => piece.normalize("NFKC"))
    .replace(/\p{Default_Ignorable_Code_Point}/gu, "");
  const names = text.toLowerCase().split(/[\\/]/);
  return names.map((name) => (/^\.+$/.test(name) ? name : bareName(name))).join("/");
}

/**
 * A name, or a piece of one that is longer than any file's: many marks on one letter are put into their order in steps
 * that grow with the square of them.
 */
const foldedPiece = /[^\\/]{1,1000}/g;

/** Without the dots and blanks that it ends in; one character of those at least is left. */
function bareName(name: string): string {
  let end = name.length;
  while (end > 1 && ". ".includes(name.charAt(end - 1))) end -= 1;
  return name.slice(0, end);
}

/** What a path may mean, folded: what stands behind a `:` is a stream of the file on Windows, and elsewhere its name. */
export function foldedReadings(path: string): readonly string[] {
  const whole = foldedPath(path);
  const names = whole.split("/").map((name) => {
    const colon = /^[a-z]:$/.test(name) ? -1 : name.indexOf(":", 1);
    return colon < 0 ? name : bareName(name.slice(0, colon));
  });
  return [whole, names.join("/")];
}

/** On Windows, with any ending, in any folder. */
const deviceName = /^(?:con|prn|aux|nul|conin\$|conout\$|(?:com|lpt)[\d¹²³]) *(?:\.|$)/i;

/**
 * Whether a text that is written to this absolute path is found there again: Windows takes `notes: x.md` for a hidden
 * stream of a file `notes`, `nul.md` for a device, and leaves out a dot or blank at the end of a name.
 */
export function canBeFile(path: string, platform = thisPlatform): boolean {
  if (!isWindows(platform)) return true;
  const names = path.slice(win32.parse(path).root.length).split(/[\\/]/);
  return !names.some(
    (name) =>
      /[<>:"|?*\p{Cc}]/u.test(name) ||
      (/[^. ]/.test(name) && /[. ]$/.test(name)) ||
      deviceName.test(name),
  );
}

/** What a person is told of a name for which that is not so. */
export const noFileWords =
  'Windows has no files of such a name: it cannot have < > : " | ? or * in it, end with a dot or a blank, or be one of CON, NUL and the like.';

/** Whether the path is the folder or lies below it; both absolute. */
export function isBelow(folder: string, path: string, platform = thisPlatform): boolean {
  const { relative, isAbsolute, sep } = pathsOf(platform);
  const way = relative(folder, path);
  return way !== ".." && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}

/**
 * `\\server\share` and the like. A mere look at such a path makes Windows log in to the machine that it names, so
 * text of others must not name one.
 */
export function isNetworkPath(path: string, platform = thisPlatform): boolean {
  return isWindows(platform) && /^[\\/]{2}/.test(path);
}
