/** `parley check`: what is wrong with chats, with the exit code of it. */
import { readFile } from "node:fs/promises";
import type { App } from "../app/app.ts";
import { allProblems } from "../app/configuration/chat-problems.ts";
import { keyVariables } from "../app/configuration/default-model.ts";
import { messageOf } from "../shared/json.ts";
import { parseTranscript } from "../transcript/parse.ts";
import type { Problem } from "../transcript/transcript.ts";
import type { Command } from "./arguments.ts";
import { checkSecrets } from "./check-secrets.ts";
import { exitCodes } from "./end.ts";
import { forTerminal } from "./terminal.ts";

/** Prints the problems of each file, or its secrets. One that cannot be read counts as an error and is told apart. */
export async function check(
  app: App,
  { files, secrets }: Pick<Extract<Command, { name: "check" }>, "files" | "secrets">,
  tell: (text: string) => void,
): Promise<number> {
  let isClean = true;
  if (secrets) {
    const { environment } = app.options;
    const keys = { environment, variables: keyVariables(app.now.configuration) };
    for (const file of files) isClean = (await checkSecrets(file, keys, tell)) && isClean;
    return isClean ? exitCodes.finished : exitCodes.failed;
  }
  for (const file of files) {
    try {
      const transcript = parseTranscript(await readFile(file, "utf8"));
      const problems = allProblems(transcript, app.now.configuration);
      process.stdout.write(problems.map((problem) => problemLine(file, problem)).join(""));
      if (problems.some(({ level }) => level === "error")) isClean = false;
    } catch (error) {
      isClean = false;
      const reason = messageOf(error);
      tell(`${file} could not be read, so it was not checked (${reason}).`);
    }
  }
  return isClean ? exitCodes.finished : exitCodes.failed;
}

/** `FILE:LINE:COLUMN: level: message [code]`, lines and columns from 1. */
export function problemLine(file: string, { line, column, level, message, code }: Problem): string {
  const place = `${file}:${line + 1}:${column + 1}`;
  return `${forTerminal(`${place}: ${level}: ${message} [${code}]`)}\n`;
}
