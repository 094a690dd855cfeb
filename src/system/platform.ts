/** The system that this runs on. Whoever goes by it takes it as a value, so that each can be tried on every other. */

export type Platform = NodeJS.Platform;

/** The one place that asks; all else gets it from here, or from a test. */
export const thisPlatform: Platform = process.platform;

export function isWindows(platform: Platform): boolean {
  return platform === "win32";
}
