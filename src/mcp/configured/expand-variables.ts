/**
 * `${…}` in what is configured of a server, its `envFile`, and commands that print a value (`${cmd:…}`).
 * Each value is put in once; what a value holds is not looked at again.
 */
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the variables of configurations look like this

import { basename, sep } from "node:path";
import { messageOf } from "../../shared/json.ts";
import { withoutEnd } from "../../shared/without-end.ts";
import { outputOfCommand } from "../../system/commands.ts";
import { readRegularText } from "../../system/regular-file.ts";
import { codeOf } from "../../system/system-error.ts";
import type { OAuthSettings } from "../oauth/settings.ts";

/** Where values come from. What cannot be had is a thrown sentence: never an empty text. */
export interface VariableSources {
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly workspaceFolder: string;
  readonly userHome: string;
  /** Runs the words as a command without a shell and gives what it prints; null where none may run. */
  readonly run: ((words: readonly string[]) => Promise<string>) | null;
  /** What the person typed for `${input:id}`. */
  readonly input: (id: string) => Promise<string>;
  /** Why a variable of the environment may not be used here, as a sentence; null when it may. */
  readonly refusal: (variable: string) => string | null;
}

/** `${…}`, and `$NAME` as Gemini CLI has it. */
const variable = /\$\{([^{}]*)\}|\$([A-Z_][A-Z0-9_]*)/g;

/** Throws a sentence when a value cannot be had. */
export async function expandText(text: string, sources: VariableSources): Promise<string> {
  const pieces: string[] = [];
  let from = 0;
  // One after the other: two questions to the person must not stand on the screen at once.
  for (const match of text.matchAll(variable)) {
    const [written, name, bare = ""] = match;
    const value =
      name === undefined ? bareValue(bare, written, sources) : await valueFor(name, sources);
    pieces.push(text.slice(from, match.index), value);
    from = match.index + match[0].length;
  }
  return pieces.join("") + text.slice(from);
}

/** Whatever of a login is a text that may stand elsewhere. Throws a sentence when a value cannot be had. */
export async function expandOAuth(
  settings: OAuthSettings,
  sources: VariableSources,
): Promise<OAuthSettings> {
  const expanded = { ...settings };
  for (const key of ["clientId", "clientSecret", "privateKey", "scope", "issuer"] as const) {
    const text = settings[key];
    if (text !== null) expanded[key] = await expandText(text, sources);
  }
  return expanded;
}

/** As written where there is no such variable: a dollar is a letter of passwords too. */
function bareValue(name: string, written: string, sources: VariableSources): string {
  const value = sources.environment[name];
  return value === undefined || value === "" ? written : permitted(name, value, sources);
}

function permitted(name: string, value: string, { refusal }: VariableSources): string {
  const reason = refusal(name);
  if (reason !== null) throw new Error(reason);
  return value;
}

async function valueFor(name: string, sources: VariableSources): Promise<string> {
  const { environment, run } = sources;
  switch (name) {
    case "workspaceFolder":
    case "cwd":
      return sources.workspaceFolder;
    case "workspaceFolderBasename":
      return basename(sources.workspaceFolder);
    case "userHome":
      return sources.userHome;
    case "pathSeparator":
    case "/":
      return sep;
  }
  if (name.startsWith("input:")) return sources.input(name.slice("input:".length));
  if (name.startsWith("cmd:")) {
    if (run === null) {
      throw new Error(
        "A command in ${cmd:…} runs only from your own configuration, not from a project's file; use ${VAR} there.",
      );
    }
    return run(splitWords(name.slice("cmd:".length)));
  }
  const [, key, fallback] = /^(?:env:)?([A-Za-z_][A-Za-z0-9_]*)(?::-(.*))?$/s.exec(name) ?? [];
  if (key === undefined) {
    throw new Error(
      `\${${name}} is not a variable known here; use \${VAR}, \${VAR:-default}, \${env:VAR}, \${workspaceFolder}, \${userHome} or \${input:id}.`,
    );
  }
  const value = environment[key];
  if (value !== undefined && value !== "") return permitted(key, value, sources);
  if (fallback !== undefined) return fallback;
  throw new Error(
    `The variable ${key} is not set; set it before Neovim starts, or give \${${key}:-default}.`,
  );
}

/** Words as a shell would split them: quotes keep spaces, a backslash the next character. Nothing else is special. */
export function splitWords(text: string): readonly string[] {
  const words: string[] = [];
  const pieces = /"((?:[^"\\]|\\.)*)"|'([^']*)'|\\(.)|(\s+)|([^\s"'\\]+)|(["'\\])/gs;
  let word: string | null = null;
  for (const [, double, single, escaped, space, plain, stray] of text.matchAll(pieces)) {
    if (space !== undefined) {
      if (word !== null) words.push(word);
      word = null;
      continue;
    }
    const quoted = double?.replace(/\\(["\\])/g, "$1");
    word = (word ?? "") + (quoted ?? single ?? escaped ?? plain ?? stray ?? "");
  }
  if (word !== null) words.push(word);
  return words;
}

/** Bytes of an `envFile`. */
const largestEnvFile = 1024 * 1024;

/** The variables of the file. Throws a sentence. */
export async function variablesOfFile(path: string): Promise<Readonly<Record<string, string>>> {
  try {
    return readEnvFile(await readRegularText(path, largestEnvFile));
  } catch (error) {
    const reason = codeOf(error) || messageOf(error);
    throw new Error(`Its envFile ${path} could not be read (${reason}); correct it.`);
  }
}

/** Quotes around a value are left out; in double quotes `\n` is a line end and `\"` a quote. What is no line of this kind is passed over. */
export function readEnvFile(text: string): Readonly<Record<string, string>> {
  const variables: Record<string, string> = {};
  for (const line of text.replace(/^\ufeff/, "").split(/\r?\n/)) {
    const [, name, written = ""] = /^\s*(?:export\s+)?([A-Za-z_][\w.]*)\s*=(.*)$/.exec(line) ?? [];
    if (name !== undefined) variables[name] = unquoted(written.trim());
  }
  return variables;
}

function unquoted(written: string): string {
  const [, single] = /^'([^']*)'/.exec(written) ?? [];
  if (single !== undefined) return single;
  // A folder of Windows may end in a backslash, whose quote then is the last one.
  const [, double] = /^"((?:[^"\\]|\\.)*)"/.exec(written) ?? /^"([^"]*)"/.exec(written) ?? [];
  if (double !== undefined) return double.replaceAll("\\n", "\n").replaceAll('\\"', '"');
  // A comment begins behind a blank: `#` alone is a letter of passwords.
  const comment = /\s#/.exec(written);
  return comment === null ? written : written.slice(0, comment.index).trim();
}

const timeoutMs = 10_000;

/** Throws a sentence, which never tells what the command printed: it is a secret as a rule. */
export async function valueOfCommand([command = "", ...args]: readonly string[]): Promise<string> {
  const { outcome, stdout } = await outputOfCommand(command, args, { timeoutMs });
  const text = withoutEnd(stdout, "\r\n");
  const isDone = outcome.type === "ended" && outcome.code === 0;
  if (isDone && text !== "") return text;
  const how = outcome.type === "ended" ? (outcome.code ?? outcome.signal) : outcome.type;
  const reason = isDone ? "it printed nothing" : `it failed (${how})`;
  throw new Error(`The command ${command} in \${cmd:…} gave no value: ${reason}.`);
}
