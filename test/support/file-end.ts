/** What lasts as long as a file of tests. A module of test/support is read once for many files, so it has no hooks itself. */

const ends: (() => Promise<void>)[] = [];

/** `end` runs when the file's last test is over, the latest first. */
export function atEndOfFile(end: () => Promise<void>): void {
  ends.push(end);
}

export async function endAllOfFile(): Promise<void> {
  for (const end of ends.splice(0).reverse()) await end();
}
