/** The system's errors: their code (`ENOENT`), and a sentence for users, who do not know the codes. */

/** Empty when the error has none. */
export function codeOf(error: unknown): string {
  return error instanceof Error && "code" in error ? String(error.code) : "";
}

export function hasCode(error: unknown, ...codes: readonly string[]): boolean {
  return codes.includes(codeOf(error));
}

/** Whether no such file or folder exists. */
export function isMissing(error: unknown): boolean {
  return hasCode(error, "ENOENT");
}

const reasons: Readonly<Record<string, string>> = {
  EACCES: "you have no permission",
  EBUSY: "another program uses it",
  EDQUOT: "your quota on this disk is used up",
  EEXIST: "it already exists",
  EFBIG: "the file is larger than allowed",
  EIO: "the disk failed",
  EISDIR: "it is a folder",
  ELOOP: "links lead in a circle",
  EMFILE: "too many files are open",
  ENAMETOOLONG: "the name is too long",
  ENFILE: "too many files are open",
  ENOENT: "there is no such file or folder",
  ENOSPC: "the disk is full",
  ENOTDIR: "a part of the path is a file",
  EPERM: "you have no permission",
  EROFS: "the disk is read-only",
};

/** `the disk is full (ENOSPC)` for an error of the system, as part of a sentence; null for any other. */
export function systemReason(error: unknown): string | null {
  if (!(error instanceof Error) || !("syscall" in error)) return null;
  const code = codeOf(error);
  const reason = error.syscall === "uv_cwd" ? "the working folder is gone" : reasons[code];
  return reason === undefined ? null : `${reason} (${code})`;
}

/** `PATH: the disk is full (ENOSPC).` for an error of a file; null for any other. */
export function systemSentence(error: unknown): string | null {
  const reason = systemReason(error);
  if (reason === null) return null;
  const files = ["path", "dest"].flatMap((key) => {
    const value: unknown = Object.getOwnPropertyDescriptor(error, key)?.value;
    return typeof value === "string" ? [value] : [];
  });
  const place = files.length === 0 ? "" : `${files.join(" or ")}: `;
  return `${place}${reason}.`;
}
