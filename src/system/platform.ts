/** The system that this runs on, passed as a value so that code for each system can be tested on all others. */

export type Platform = NodeJS.Platform;

/** The only place that reads it; all other code gets it from here, or from a test. */
export const thisPlatform: Platform = process.platform;

export function isWindows(platform: Platform): boolean {
  return platform === "win32";
}
