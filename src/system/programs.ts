/** Programs that differ from system to system: for the clipboard's images, and the browser. */
import { isWindows, type Platform, thisPlatform } from "./platform.ts";

type Words = readonly string[];

const powershell =
  "Add-Type -AssemblyName System.Windows.Forms,System.Drawing; " +
  "$image = [System.Windows.Forms.Clipboard]::GetImage(); if ($null -eq $image) { exit 1 }; " +
  "$stream = New-Object System.IO.MemoryStream; " +
  "$image.Save($stream, [System.Drawing.Imaging.ImageFormat]::Png); " +
  "$bytes = $stream.ToArray(); [Console]::OpenStandardOutput().Write($bytes, 0, $bytes.Length)";

const windowsClipboard: Words = ["powershell.exe", "-NoProfile", "-STA", "-Command", powershell];
const clipboard: Partial<Record<Platform, readonly Words[]>> = {
  win32: [windowsClipboard],
  darwin: [["pngpaste", "-"]],
};
const unixClipboard: readonly Words[] = [
  ["wl-paste", "--no-newline", "--type", "image/png"],
  ["xclip", "-selection", "clipboard", "-target", "image/png", "-out"],
  // Linux inside Windows (WSL) reads the clipboard of Windows.
  windowsClipboard,
];

/** Commands that print the clipboard's image, in the order in which to try them. */
export function clipboardImageCommands(platform = thisPlatform): readonly Words[] {
  return clipboard[platform] ?? unixClipboard;
}

/** What to install for images from the clipboard; null: the system already has it. */
export function clipboardAdvice(platform = thisPlatform): string | null {
  if (isWindows(platform)) return null;
  return platform === "darwin" ? "pngpaste" : "wl-paste (Wayland) or xclip (X11)";
}

const openers: Partial<Record<Platform, Words>> = {
  darwin: ["open"],
  win32: ["rundll32", "url.dll,FileProtocolHandler"],
};

/** The command that opens an address in the browser, without a shell. */
export function openCommand(address: string, platform = thisPlatform): readonly [string, ...Words] {
  const [program = "xdg-open", ...args] = openers[platform] ?? [];
  return [program, ...args, address];
}
