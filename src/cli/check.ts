import { readFile } from "node:fs/promises";
import type { App } from "../app/app.ts";
import { parseTranscript } from "../transcript/parse.ts";
import { exitCodes } from "./exit-codes.ts";

/** Prints `FILE:LINE:COLUMN: level: message [code]` for each problem, lines and columns from 1. */
export async function check(app: App, files: readonly string[]): Promise<number> {
  let errors = 0;
  for (const file of files) {
    const transcript = parseTranscript(await readFile(file, "utf8"));
    const problems = [...app.headerProblems(transcript), ...transcript.problems];
    for (const { line, column, level, code, message } of problems.sort((a, b) => a.line - b.line)) {
      process.stdout.write(`${file}:${line + 1}:${column + 1}: ${level}: ${message} [${code}]\n`);
      if (level === "error") errors += 1;
    }
  }
  return errors > 0 ? exitCodes.failed : exitCodes.finished;
}
