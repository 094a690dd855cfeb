/** A server as a process: one JSON message per line on its stdin and stdout. */
import type { ChildProcess } from "node:child_process";
import { randomUUID } from "node:crypto";
import { stat } from "node:fs/promises";
import type { Readable } from "node:stream";
import type { JSONRPCMessage } from "@modelcontextprotocol/client";
import { given } from "../../shared/given.ts";
import { startCommand } from "../../system/commands.ts";
import {
  endGroup,
  type Grace,
  killGroup,
  markVariable,
  watchGroup,
} from "../../system/process-group.ts";
import { ownGroup } from "../../system/process-tree.ts";
import { sandboxWords } from "../../system/sandbox.ts";
import { variableOf } from "../../system/variables.ts";
import type { StdioConfiguration } from "../configured/launch-configuration.ts";
import { keysGiven, secretsGiven, withoutKeys } from "../configured/secrets.ts";
import { serverEnvironment } from "./environment.ts";
import { readInTurns, type Turns } from "./in-turns.ts";
import { readMessages } from "./read-message.ts";
import { startFailure } from "./start-failure.ts";
import { createStderrTail, type StderrTail } from "./stderr-tail.ts";
import type { ServerTransport, TransportFailure } from "./transport.ts";

const maximumMessageBytes = 64 * 1024 * 1024;
/** Limit of the messages that the server has not read yet. */
const maximumUnreadBytes = 64 * 1024 * 1024;

/**
 * JSON-RPC over the standard streams of a child process. The SDK's own transport ends only the child, after up to four
 * seconds, and closes at the first message over 10 MB; this one ends the whole process group in under one second.
 */
export class StdioTransport implements ServerTransport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: JSONRPCMessage) => void;
  onnoise?: (text: string) => void;

  readonly kind = "stdio";
  readonly stderr: StderrTail;
  /**
   * A sentence on how the server ended; null while it runs, and after an end that we asked for.
   */
  ending: string | null = null;

  readonly #configuration: StdioConfiguration;
  readonly #keys: readonly string[];
  #child: ChildProcess | null = null;
  #turns: Turns | null = null;
  #isClosing = false;
  #isClosed = false;

  constructor(configuration: StdioConfiguration) {
    this.#configuration = configuration;
    this.#keys = keysGiven(configuration);
    this.stderr = createStderrTail(secretsGiven(configuration));
  }

  /** Tells the SDK that this is a process, where silence is no outage: old servers do not answer unknown requests. */
  get pid(): number | undefined {
    return this.#child?.pid;
  }

  get hint(): string {
    const { emptyFor } = this.#configuration;
    const folder =
      emptyFor === undefined
        ? ""
        : `It was started in an empty folder, since ${emptyFor} runs code that it finds where it starts; a full path in args, or cwd, changes that. `;
    return `${folder}It gets PATH, HOME and the like, and no keys: name what it needs in env or envPass.`;
  }

  hide(text: string): string {
    return withoutKeys(text, this.#keys);
  }

  explain(error: unknown): TransportFailure | null {
    if (!(error instanceof UnsentError)) return null;
    return { sentence: error.message, mayHaveRun: false, connection: "as-before" };
  }

  /** Throws an error for the user if the command cannot be started. */
  async start(): Promise<void> {
    const { command, args = [], cwd, env, envPass } = this.#configuration;
    if (cwd !== undefined) await checkFolder(cwd);
    const words = [...(await sandboxOf(this.#configuration)), command, ...args];
    // Closed while the folder was checked: a child that starts now would never be ended.
    if (this.#isClosed) throw new Error("The connection was closed before the server was started.");
    const mark = randomUUID();
    const environment: Record<string, string> = {
      ...serverEnvironment(env, envPass),
      [markVariable]: mark,
    };
    const [program = command, ...rest] = words;
    const child = startCommand(program, rest, {
      ...ownGroup,
      ...given({ cwd }),
      env: environment,
    });
    this.#child = child;
    watchGroup(child, mark);
    child.on("exit", (code, signal) => this.#onExit(child, code, signal));
    child.on("error", (error) => this.onerror?.(error));
    child.stdin.on("error", (error) => this.onerror?.(error));
    child.stdout.on("error", (error) => this.onerror?.(error));
    child.stderr.on("error", (error) => this.onerror?.(error));
    child.stderr.setEncoding("utf8").on("data", (chunk: string) => this.stderr.push(chunk));
    this.#readMessages(child.stdout);
    await new Promise<void>((resolve, reject) => {
      child.once("spawn", resolve);
      child.once("error", (error) =>
        reject(startFailure(error, { command, args, cwd, path: variableOf(environment, "PATH") })),
      );
    });
  }

  async send(message: JSONRPCMessage): Promise<void> {
    const stdin = this.#child?.stdin;
    if (!stdin?.writable) throw new UnsentError("The server is not running.");
    // Do not wait for a drain: a server that stops reading must not delay a stop or a timeout. If it keeps sending
    // requests and never reads the responses, they would fill the memory.
    if (stdin.writableLength > maximumUnreadBytes) {
      this.#stop("It did not read what it was sent and was stopped.");
      throw new UnsentError("The server does not read its input and was stopped.");
    }
    stdin.write(`${JSON.stringify(message)}\n`);
  }

  async close(grace: Grace = "quick"): Promise<void> {
    this.#isClosing = true;
    if (this.#child) await endGroup(this.#child, grace);
    this.#finish();
  }

  #readMessages(stdout: Readable): void {
    const reader = createLineReader(maximumMessageBytes, (line) => this.#onLine(line));
    this.#turns = readInTurns(stdout, (piece) => {
      if (this.#isClosed || reader.push(piece)) return;
      this.#stop("It sent a message over 64 MB and was stopped.");
    });
  }

  #stop(ending: string): void {
    this.ending ??= ending;
    this.#child?.stdout?.destroy();
    if (this.#child) killGroup(this.#child);
  }

  #onLine(line: string): void {
    if (line.trim() === "") return;
    const read = readMessages(line);
    if (read.some(({ isProper }) => !isProper)) {
      // Servers print banners and logs to stdout; such lines are logged, and only messages are used.
      this.onnoise?.(`Not a JSON-RPC message: ${JSON.stringify(line.slice(0, 4000))}`);
    }
    for (const { message } of read) if (message !== null) this.onmessage?.(message);
  }

  #onExit(child: ChildProcess, code: number | null, signal: string | null): void {
    if (!this.#isClosing) {
      this.ending ??=
        signal === null ? `It ended with exit code ${code}.` : `It was ended by ${signal}.`;
      killGroup(child);
    }
    // Its last output may still be in the pipes.
    this.#turns?.hurry();
    child.once("close", () => void this.#turns?.done().then(() => this.#finish()));
  }

  #finish(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#child?.stdout?.destroy();
    this.#child?.stderr?.destroy();
    this.#child?.stdin?.destroy();
    this.onclose?.();
  }
}

/** Nothing of the message was written. Its own message is a sentence. */
class UnsentError extends Error {}

/** The arguments that start the sandbox, before the command; empty without one. Rejects with an error for the user. */
async function sandboxOf({
  sandbox,
  cwd = process.cwd(),
}: StdioConfiguration): Promise<readonly string[]> {
  if (sandbox === undefined) return [];
  const path = process.env.PATH ?? "";
  return sandboxWords(sandbox, { folder: cwd, path, resolve: (folder) => folder });
}

/** Node reports a missing working directory as a missing command. */
async function checkFolder(path: string): Promise<void> {
  const isFolder = await stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );
  if (!isFolder) throw new Error(`Its working folder ${path} does not exist; correct \`cwd\`.`);
}

/** Splits a stream of bytes into lines, at a cost linear in their length. */
export interface LineReader {
  /**
   * Takes the next bytes. Returns false, and stops reading, if the current line is longer than allowed.
   */
  push(chunk: Buffer): boolean;
}

const lineFeed = 0x0a;

/**
 * Calls `onLine` with every complete line, without its line end (LF or CRLF) and byte order mark. `maximumBytes`
 * limits one line.
 */
export function createLineReader(maximumBytes: number, onLine: (line: string) => void): LineReader {
  // Pieces are joined once per line: joining at every chunk makes a 10 MB line cost half a second.
  let pieces: Buffer[] = [];
  let size = 0;
  let overflowed = false;

  function add(piece: Buffer): void {
    size += piece.length;
    overflowed = size > maximumBytes;
    if (!overflowed) pieces.push(piece);
    else pieces = [];
  }

  return {
    push(chunk) {
      let start = 0;
      while (!overflowed) {
        const end = chunk.indexOf(lineFeed, start);
        add(chunk.subarray(start, end < 0 ? chunk.length : end));
        if (end < 0 || overflowed) break;
        const line = Buffer.concat(pieces, size).toString("utf8");
        pieces = [];
        size = 0;
        start = end + 1;
        onLine(line.replace(/^\uFEFF/, "").replace(/\r$/, ""));
      }
      return !overflowed;
    },
  };
}
