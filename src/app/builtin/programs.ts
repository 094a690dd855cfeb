/** Programs that search faster than we could: ripgrep where it is, else grep. Arguments are lists, never a shell's text. */
import { execFile } from "node:child_process";

export interface ProgramOutput {
  /** Null: there is no such program. */
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
  /** The output was cut at the limit. */
  readonly isCut: boolean;
}

/** Characters of output; more than any result may hold. */
const outputLimit = 4 * 1024 * 1024;

/** Rejects when it was stopped, or could not be run for another reason than not being there. */
export function runProgram(
  command: string,
  args: readonly string[],
  { folder, signal }: { readonly folder: string; readonly signal: AbortSignal },
): Promise<ProgramOutput> {
  return new Promise((resolve, reject) => {
    const options = { cwd: folder, signal, maxBuffer: outputLimit, windowsHide: true } as const;
    const child = execFile(command, args, options, (error, stdout, stderr) => {
      const isCut = error?.code === "ERR_CHILD_PROCESS_STDIO_MAXBUFFER";
      if (error === null || isCut) return resolve({ code: 0, stdout, stderr, isCut });
      if (error.code === "ENOENT") return resolve({ code: null, stdout, stderr, isCut: false });
      if (typeof error.code === "number")
        return resolve({ code: error.code, stdout, stderr, isCut: false });
      reject(error);
    });
    // A program that reads its input where a folder was meant would wait forever.
    child.stdin?.end();
  });
}
