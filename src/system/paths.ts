/** Paths in the notation of a system: separators, drive letters, home folders, and which path is below which. */
import { type PlatformPath, posix, win32 } from "node:path";
import { isWindows, type Platform, thisPlatform } from "./platform.ts";

/** Node's own functions for the paths of that system. */
export function pathsOf(platform: Platform = thisPlatform): PlatformPath {
  return isWindows(platform) ? win32 : posix;
}

/** Replaces `~` and `~/…` at the start by the home folder; on Windows `~\…` too. */
export function expandHome(path: string, home: string, platform = thisPlatform): string {
  const isHome = path === "~" || path.startsWith("~/");
  return isHome || (isWindows(platform) && path.startsWith("~\\")) ? home + path.slice(1) : path;
}

/** With `/` between names, as a transcript writes paths, so that every system can read them. */
export function slashed(path: string, platform = thisPlatform): string {
  return path.split(pathsOf(platform).sep).join("/");
}

/**
 * One spelling of an absolute path: Neovim writes `C:/x`, Node `C:\x`, and drive letters may have either case.
 * Elsewhere a path is unchanged: what `..` means depends on its links.
 */
export function plainPath(path: string, platform = thisPlatform): string {
  if (!isWindows(platform) || path === "") return path;
  return win32.normalize(path).replace(/^[a-z]:/, (drive) => drive.toUpperCase());
}

/**
 * A path as the most lenient file system compares it, with `/` between names: case, composition, invisible characters,
 * and dots and blanks at the end of a name do not matter. For what is forbidden or asked about, where a match too many
 * is harmless; never for what is allowed.
 */
export function foldedPath(path: string): string {
  const text = path
    .replace(foldedPiece, (piece) => piece.normalize("NFKC"))
    .replace(/\p{Default_Ignorable_Code_Point}/gu, "");
  const names = text.toLowerCase().split(/[\\/]/);
  return names.map((name) => (/^\.+$/.test(name) ? name : bareName(name))).join("/");
}

/**
 * A name, or a piece of one that is longer than any file's: normalizing many marks on one letter takes quadratic time.
 */
const foldedPiece = /[^\\/]{1,1000}/g;

/** Removes dots and blanks at the end, but leaves at least one character. */
function bareName(name: string): string {
  let end = name.length;
  while (end > 1 && ". ".includes(name.charAt(end - 1))) end -= 1;
  return name.slice(0, end);
}

/**
 * The possible meanings of a path, folded: on Windows a `:` begins a stream of the file, elsewhere it is part of the
 * name.
 */
export function foldedReadings(path: string): readonly string[] {
  const whole = foldedPath(path);
  const names = whole.split("/").map((name) => {
    const colon = /^[a-z]:$/.test(name) ? -1 : name.indexOf(":", 1);
    return colon < 0 ? name : bareName(name.slice(0, colon));
  });
  return [whole, names.join("/")];
}

/** Device names on Windows, with any ending, in any folder. */
const deviceName = /^(?:con|prn|aux|nul|conin\$|conout\$|(?:com|lpt)[\d¹²³]) *(?:\.|$)/i;

/**
 * Whether a text written to this absolute path can be found there again: Windows takes `notes: x.md` for a hidden
 * stream of a file `notes`, `nul.md` for a device, and drops a dot or blank at the end of a name.
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

/** The message about a name for which `canBeFile` is false. */
export const invalidNameText =
  'Windows has no files of such a name: it cannot have < > : " | ? or * in it, end with a dot or a blank, or be one of CON, NUL and the like.';

/** Whether the path is the folder or lies below it; both absolute. */
export function isBelow(folder: string, path: string, platform = thisPlatform): boolean {
  const { relative, isAbsolute, sep } = pathsOf(platform);
  const way = relative(folder, path);
  return way !== ".." && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}

/**
 * `\\server\share` and the like. Merely looking at such a path makes Windows log in to the machine that it names, so
 * text from others must not name one.
 */
export function isNetworkPath(path: string, platform = thisPlatform): boolean {
  return isWindows(platform) && /^[\\/]{2}/.test(path);
}
