/** The host's log: a file under `stdpath("log")`, rotated when it grows. It contains no chat texts, keys or headers. */
import { appendFile, stat } from "node:fs/promises";
import { dirname } from "node:path";
import { inspect } from "node:util";
import { makeFolder, replaceBy } from "../system/replace.ts";

type Level = "info" | "warn" | "error";

const largestBytes = 1_000_000;

let file: string | null = null;
let pending: string[] = [];
let writing: Promise<void> = Promise.resolve();

async function flush(): Promise<void> {
  if (file === null || pending.length === 0) return;
  const text = pending.join("");
  pending = [];
  try {
    // Created private, since Neovim may keep logs and state, with secrets, in the same folder.
    await makeFolder(dirname(file), 0o700);
    const { size } = await stat(file).catch(() => ({ size: 0 }));
    if (size > largestBytes) await replaceBy(file, `${file}.old`);
    await appendFile(file, text, { mode: 0o600 });
  } catch (error) {
    // There is nowhere left to log to; stderr ends up in Lua's buffer of last lines and in the health report.
    process.stderr.write(`Parley's log ${file} cannot be written: ${String(error)}\n`);
  }
}

function write(level: Level, message: string, detail?: unknown): void {
  const reason =
    detail === undefined
      ? ""
      : ` ${detail instanceof Error ? (detail.stack ?? detail.message) : inspect(detail, { depth: 3 })}`;
  pending.push(`${new Date().toISOString()} ${level} ${message}${reason}\n`);
  if (pending.length > 1000) pending.splice(0, 500);
  writing = writing.then(flush);
}

const silent = () => neovimLogger;
const neovimLogger = {
  level: "error",
  info: silent,
  debug: silent,
  warn: (...words: unknown[]) => {
    write("warn", "neovim package:", words);
    return neovimLogger;
  },
  error: (...words: unknown[]) => {
    write("error", "neovim package:", words);
    return neovimLogger;
  },
};

export const log = {
  info: (message: string, detail?: unknown) => write("info", message, detail),
  warn: (message: string, detail?: unknown) => write("warn", message, detail),
  error: (message: string, detail?: unknown) => write("error", message, detail),
  /** Where lines go from now on; earlier ones are written there too. Never rejects: a chat works without a log. */
  async open(path: string): Promise<void> {
    file = path;
    writing = writing.then(flush);
    await writing;
  },
  path: () => file,
  settled: () => writing,
  /** For `attach()`: with this logger, the package does not touch the console. */
  forNeovimPackage: neovimLogger as unknown as import("neovim").NeovimClient["logger"],
};

/** Logs a failure of work that no caller awaits. */
export const logged = (what: string) => (error: unknown) => log.error(what, error);
