import { spawn } from "node:child_process";

/**
 * Runs a program without a shell and returns its exit code and output. The code of a program that cannot be started is
 * 127.
 */
export function run(command, args, options = {}) {
  const { onOutput, input, ...spawnOptions } = options;
  return new Promise((resolve) => {
    const child = spawn(command, args, { stdio: ["pipe", "pipe", "pipe"], ...spawnOptions });
    const output = { stdout: "", stderr: "" };
    for (const stream of ["stdout", "stderr"]) {
      child[stream]?.setEncoding("utf8");
      child[stream]?.on("data", (text) => {
        output[stream] += text;
        onOutput?.(text);
      });
    }
    // A program may exit without reading its input.
    child.stdin?.on("error", () => {});
    child.stdin?.end(input ?? "");
    child.on("error", (error) => resolve({ code: 127, ...output, stderr: error.message }));
    child.on("close", (code, signal) => resolve({ code: code ?? 128, signal, ...output }));
  });
}

/** Like `run`, but throws an error that says what failed and how. */
export async function runOrFail(command, args, options = {}) {
  const result = await run(command, args, options);
  if (result.code !== 0) {
    const lastLines = `${result.stdout}\n${result.stderr}`.trim().split("\n").slice(-5).join("\n");
    throw new Error(
      `\`${command} ${args.at(0) ?? ""}\` failed with code ${result.code}: ${lastLines}`,
    );
  }
  return result.stdout;
}

/** Runs a long program with its output on stderr, never on stdout; returns its exit code. */
export async function runLoudly(command, args, options = {}) {
  const child = spawn(command, args, { stdio: ["ignore", 2, 2], ...options });
  return new Promise((resolve) => {
    child.on("error", () => resolve(127));
    child.on("close", (code) => resolve(code ?? 128));
  });
}
