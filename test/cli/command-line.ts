/** Runs `parley` as users do: the built program as a separate process, in a temporary folder. */
import { type ChildProcess, spawn } from "node:child_process";
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { onTestFinished } from "vitest";
import { cacheFolder, projectRoot } from "../../scripts/lib/paths.mjs";
import { sha256 } from "../../src/shared/hash.ts";

export interface Ended {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface Running {
  readonly process: ChildProcess;
  readonly ended: Promise<Ended>;
  /** Resolves with all of stderr as soon as it contains the text. */
  said(text: string): Promise<string>;
  /** Types a line at the keyboard; only if `start` was called with one. */
  type(line: string): void;
}

export interface Place {
  readonly folder: string;
  /** The chat, `chat.md` in the folder. */
  readonly file: string;
  read(name?: string): string;
  write(name: string, text: string | Uint8Array): string;
  start(
    args: readonly string[],
    env?: Readonly<Record<string, string>>,
    keyboard?: "none" | "there",
  ): Running;
  parley(args: readonly string[], env?: Readonly<Record<string, string>>): Promise<Ended>;
}

/**
 * Makes a folder with the chat in it. The folder and all started processes are removed after the test. With
 * `ownProgram`, the program is a copy in the folder, so that its child processes can be distinguished from those of
 * other tests.
 */
export function openPlace(
  chat: string | Uint8Array = "",
  {
    ownProgram = false,
    isTrusted = true,
  }: { readonly ownProgram?: boolean; readonly isTrusted?: boolean } = {},
): Place {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "parley-cli-")));
  const started: Running[] = [];
  onTestFinished(async () => {
    for (const running of started) {
      running.process.kill("SIGKILL");
      await running.ended;
    }
    rmSync(folder, { recursive: true, force: true });
  });
  if (isTrusted) trust(folder);
  const root = ownProgram ? join(folder, "program") : projectRoot;
  if (ownProgram) {
    cpSync(join(projectRoot, "dist"), join(root, "dist"), { recursive: true });
    cpSync(join(projectRoot, "package.json"), join(root, "package.json"));
  }
  const write = (name: string, text: string | Uint8Array) => {
    const path = join(folder, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
    return path;
  };
  const start: Place["start"] = (args, env = {}, keyboard = "none") => {
    const words = [join(root, "dist", "cli.js"), ...args];
    const running = startProcess(folder, words, env, keyboard === "none" ? "ignore" : "pipe");
    started.push(running);
    return running;
  };
  return {
    folder,
    file: write("chat.md", chat),
    read: (name = "chat.md") => readFileSync(join(folder, name), "utf8"),
    write,
    start,
    parley: (args, env) => start(args, env).ended,
  };
}

/** Trusts all chats in the folder, as if the user had approved it: tests write chats from outside Parley. */
function trust(folder: string): void {
  const state = join(folder, "home", ".local", "state", "nvim", "parley", "written");
  mkdirSync(state, { recursive: true, mode: 0o700 });
  const record = `${JSON.stringify({ folder })}\n`;
  writeFileSync(join(state, `folder-${sha256(folder)}.json`), record, { mode: 0o600 });
}

function startProcess(
  folder: string,
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  stdin: "ignore" | "pipe",
): Running {
  const home = join(folder, "home");
  const child = spawn(process.execPath, args, {
    cwd: folder,
    env: {
      PATH: process.env.PATH,
      HOME: home,
      PARLEY_MOCK_DELAY_MS: "0",
      NODE_COMPILE_CACHE: join(cacheFolder, "code"),
      ...env,
    },
    stdio: [stdin, "pipe", "pipe"],
  });
  const output = { stdout: "", stderr: "" };
  const listeners = new Set<() => void>();
  for (const stream of ["stdout", "stderr"] as const) {
    child[stream]?.setEncoding("utf8").on("data", (text) => {
      output[stream] += text;
      for (const listener of listeners) listener();
    });
  }
  const ended = new Promise<Ended>((resolve) => {
    child.on("close", (code, signal) => resolve({ code, signal, ...output }));
  });
  return {
    process: child,
    ended,
    type: (line) => child.stdin?.write(`${line}\n`),
    said: (text) =>
      new Promise((resolve, reject) => {
        const look = () => {
          if (output.stderr.includes(text)) resolve(output.stderr);
        };
        listeners.add(look);
        look();
        void ended.then(() => reject(new Error(`it ended without “${text}”: ${output.stderr}`)));
      }),
  };
}

export const question = "what are the latest stock prices of google and microsoft?";

export function callLine(id: string, args: object = { query: "x" }, decision = ""): string {
  const called = { name: "web_search", arguments: JSON.stringify(args) };
  return `❓:${decision} \`${JSON.stringify({ id, type: "function", function: called })}\``;
}

/** A script for the mock model, for `model: mock/file:script.json`. */
export function script(...turns: readonly object[]): string {
  return JSON.stringify({ turns });
}

export function call(id: string, args: object = { query: id }) {
  return { id, name: "web_search", arguments: args };
}

export const scripted = "---\nmodel: mock/file:script.json\n---\n\n";
