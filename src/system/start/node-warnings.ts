/** Sends Node's own warnings to the program instead of stderr, where the user would see them. */

/** Takes warnings over for the whole process, so only Parley's own processes may call it. */
export function takeNodeWarnings(tell: (line: string) => void): void {
  process.removeAllListeners("warning");
  process.on("warning", ({ name, message }) => tell(`node: ${name}: ${message}`));
}
