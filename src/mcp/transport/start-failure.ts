/** Says why a command could not be started, and what to install or correct. */
import { delimiter, join, resolve } from "node:path";
import { readRegularTextNow } from "../../system/regular-file.ts";
import { programName } from "../configured/launchers.ts";
import { CannotStartError } from "./transport.ts";

/** How to install the programs that commonly start servers. */
const installers: Readonly<Record<string, string>> = {
  npx: "Node.js (https://nodejs.org)",
  npm: "Node.js (https://nodejs.org)",
  node: "Node.js (https://nodejs.org)",
  pnpm: "pnpm (https://pnpm.io)",
  yarn: "Yarn (https://yarnpkg.com)",
  bun: "Bun (https://bun.sh)",
  bunx: "Bun (https://bun.sh)",
  deno: "Deno (https://deno.com)",
  uv: "uv (https://docs.astral.sh/uv)",
  uvx: "uv (https://docs.astral.sh/uv)",
  pipx: "pipx (https://pipx.pypa.io)",
  python: "Python (https://www.python.org), or write python3",
  python3: "Python (https://www.python.org)",
  docker: "Docker (https://docs.docker.com)",
  podman: "Podman (https://podman.io)",
  go: "Go (https://go.dev)",
  cargo: "Rust (https://rustup.rs)",
};

function wayToInstall(command: string): string {
  const name = programName(command);
  return Object.hasOwn(installers, name) ? `install ${installers[name]}` : "install it";
}

/** How to split a command line that was pasted into `command`; null for a single word, which is a program. */
function asWords(command: string, args: readonly string[]): string | null {
  const [program = "", ...words] = command.trim().split(/\s+/);
  if (words.length === 0) return null;
  // The existing arguments may contain secrets, so they are not shown.
  const list = words.map((word) => JSON.stringify(word)).join(", ");
  return `"command": ${JSON.stringify(program)}, "args": [${list}${args.length > 0 ? ", …" : ""}]`;
}

interface Started {
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string | undefined;
  readonly path: string | undefined;
}

export function startFailure(error: Error, { command, args, cwd, path }: Started): Error {
  const code = "code" in error ? error.code : undefined;
  if (code === "ENOENT") {
    const interpreter = missingInterpreter({ command, cwd, path });
    if (interpreter !== null) {
      return new CannotStartError(
        `Its command ${command} runs by ${interpreter}, as its first line says, and that was not found; install ${command} again, or correct \`command\`.`,
      );
    }
    const words = asWords(command, args);
    if (words !== null) {
      return new CannotStartError(
        `Its command ${command} was not found. A command is one program, and its words go into args: write ${words}, or correct the path.`,
      );
    }
    const place = /[\\/]/.test(command) ? "" : ` on PATH (${path ?? "empty"})`;
    return new CannotStartError(
      `Its command ${command} was not found${place}; ${wayToInstall(command)} or correct \`command\`.`,
    );
  }
  if (code === "EACCES") {
    return new Error(`Its command ${command} cannot be executed; check its permissions.`);
  }
  return new Error(`Its command ${command} could not be started: ${error.message}`);
}

/** In bytes; a larger program is no script. */
const largestScript = 1024 * 1024;

/**
 * The system reports a script whose interpreter is missing as a missing script: a Python environment that was moved or
 * removed leaves such scripts behind. Null if there is no script.
 */
function missingInterpreter({ command, cwd, path }: Omit<Started, "args">): string | null {
  const base = cwd ?? process.cwd();
  const places = /[\\/]/.test(command)
    ? [command]
    : (path ?? "").split(delimiter).map((folder) => join(folder, command));
  for (const place of places) {
    const [, interpreter] = /^#!\s*(\S+)/.exec(scriptAt(resolve(base, place))) ?? [];
    if (interpreter !== undefined) return interpreter;
  }
  return null;
}

function scriptAt(path: string): string {
  try {
    return readRegularTextNow(path, largestScript) ?? "";
  } catch {
    return "";
  }
}
