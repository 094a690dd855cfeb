/** What a server says about a running call. */
export interface ProgressReport {
  readonly progress: number;
  readonly total?: number | undefined;
  readonly message?: string | undefined;
}

const maximumLength = 100;

/** One line for the screen, such as `3/10 reading files`. */
export function progressText({ progress, total, message }: ProgressReport): string {
  const count = total === undefined ? String(progress) : `${progress}/${total}`;
  const words = message?.replace(/\s+/g, " ").trim() ?? "";
  return (words === "" ? count : `${count} ${words}`).slice(0, maximumLength);
}
