/** Warnings of Node itself go where the program wants them, and not to stderr, where a person reads. */

/** Takes them over for the whole process; only a process of our own may. */
export function takeNodeWarnings(tell: (line: string) => void): void {
  process.removeAllListeners("warning");
  process.on("warning", ({ name, message }) => tell(`node: ${name}: ${message}`));
}
