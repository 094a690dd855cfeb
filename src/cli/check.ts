/** `parley check`: reports what is wrong with chats, also by its exit code. */
import { readdirSync } from "node:fs";
import type { App } from "../app/app.ts";
import { allProblems } from "../app/configuration/chat-problems.ts";
import type { FileEditor } from "../app/files/file-editor.ts";
import { readFileText, unreadableLines } from "../app/files/file-text.ts";
import { reasonOf } from "../app/files/reason-of.ts";
import { matchesPattern } from "../conversation/settings/tool-selection.ts";
import { keyVariables } from "../providers/vendors/key-sources.ts";
import { pathsOf } from "../system/paths.ts";
import { isWindows, thisPlatform } from "../system/platform.ts";
import { readNamedFile } from "../system/regular-file.ts";
import { parseTranscript } from "../transcript/parse.ts";
import type { Problem, Transcript } from "../transcript/transcript.ts";
import type { Command } from "./arguments.ts";
import { checkSecrets } from "./check-secrets.ts";
import { exitCodes } from "./end.ts";
import { forTerminal, print } from "./terminal.ts";

/** Prints the problems of each file, or its secrets. A file that cannot be read counts as an error and is reported. */
export async function check(
  app: App,
  { files: words, secrets }: Pick<Extract<Command, { name: "check" }>, "files" | "secrets">,
  notify: (text: string) => void,
): Promise<number> {
  let isClean = true;
  const files = words.flatMap((word) => filesMeant(word));
  if (secrets) {
    const { environment } = app.options;
    const keys = { environment, variables: keyVariables(app.now.configuration) };
    for (const file of files) isClean = (await checkSecrets(file, keys, notify)) && isClean;
    return isClean ? exitCodes.finished : exitCodes.failed;
  }
  for (const file of files) {
    try {
      const bytes = await readNamedFile(file);
      const transcript = parseTranscript(bytes.toString("utf8"));
      const problems = allProblems(transcript, app.now.configuration);
      print(problems.map((problem) => problemLine(file, problem)).join(""));
      print(encodingLine(file, unreadableLines(readFileText(bytes))));
      if (problems.some(({ level }) => level === "error")) isClean = false;
    } catch (error) {
      isClean = false;
      const reason = reasonOf(error);
      notify(`${file} could not be read, so it was not checked: ${reason}.`);
    }
  }
  return isClean ? exitCodes.finished : exitCodes.failed;
}

/**
 * The files that an argument names. Shells of Windows pass `*.md` on unexpanded, and no file name there contains a `*`;
 * a pattern that matches nothing is reported as a missing file.
 */
export function filesMeant(word: string, platform = thisPlatform): readonly string[] {
  const { join, parse } = pathsOf(platform);
  const { dir, base } = parse(word);
  if (!isWindows(platform) || !base.includes("*")) return [word];
  const names = namesIn(dir || ".").filter((name) =>
    matchesPattern(base.toLowerCase(), name.toLowerCase()),
  );
  return names.length === 0 ? [word] : names.sort().map((name) => join(dir, name));
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

/** Prints the problems of a chat on stderr before a command begins with it. */
export function reportProblems(
  app: App,
  file: string,
  editor: FileEditor,
  transcript: Transcript,
): void {
  for (const problem of allProblems(transcript, app.now.configuration)) {
    process.stderr.write(problemLine(file, problem));
  }
  process.stderr.write(encodingLine(file, editor.unreadableLines()));
}

/** A report, in the form of the others, on zero-based `lines` that are not UTF-8; empty when there are none. */
function encodingLine(file: string, lines: readonly number[]): string {
  const [first] = lines;
  if (first === undefined) return "";
  const which = lines.length === 1 ? "This line is" : `This line and ${lines.length - 1} more are`;
  return `${forTerminal(`${file}:${first + 1}:1: warning: ${which} not UTF-8: the model gets � for what cannot be read. Convert the file, such as with iconv -f latin1 -t utf-8. [no-utf-8]`)}\n`;
}

/** `FILE:LINE:COLUMN: level: message [code]`, with one-based lines and columns. */
function problemLine(file: string, { line, column, level, message, code }: Problem): string {
  const place = `${file}:${line + 1}:${column + 1}`;
  return `${forTerminal(`${place}: ${level}: ${message} [${code}]`)}\n`;
}
