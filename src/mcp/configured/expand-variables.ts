/**
 * Expands `${…}` in a server's configuration, reads its `envFile`, and runs commands that print a value (`${cmd:…}`).
 * Each value is inserted once; variables inside a value are not expanded.
 */
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the variables of configurations look like this

import { basename, sep } from "node:path";
import { messageOf } from "../../shared/json.ts";
import { withoutEnd } from "../../shared/without-end.ts";
import { outputOfCommand } from "../../system/commands.ts";
import { readRegularText } from "../../system/regular-file.ts";
import { codeOf } from "../../system/system-error.ts";
import type { OAuthSettings } from "../oauth/settings.ts";

/** Where values come from. A missing value throws an error for the user; it never becomes an empty text. */
export interface VariableSources {
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly workspaceFolder: string;
  readonly userHome: string;
  /** Runs a command without a shell and returns what it prints; null if commands are not allowed. */
  readonly run: ((words: readonly string[]) => Promise<string>) | null;
  /** The user's answer for `${input:id}`. */
  readonly input: (id: string) => Promise<string>;
  /** Returns a sentence why an environment variable must not be used here; null if it may be used. */
  readonly refusal: (variable: string) => string | null;
}

/** `${…}`, and `$NAME` as Gemini CLI writes it. */
const variable = /\$\{([^{}]*)\}|\$([A-Z_][A-Z0-9_]*)/g;

/** Throws an error for the user if a value cannot be obtained. */
export async function expandText(text: string, sources: VariableSources): Promise<string> {
  const pieces: string[] = [];
  let from = 0;
  // One by one, so that the user never sees two questions at once.
  for (const match of text.matchAll(variable)) {
    const [written, name, bare = ""] = match;
    const value =
      name === undefined ? bareValue(bare, written, sources) : await valueFor(name, sources);
    pieces.push(text.slice(from, match.index), value);
    from = match.index + match[0].length;
  }
  return pieces.join("") + text.slice(from);
}

/** Expands all text settings of a login. Throws an error for the user if a value cannot be obtained. */
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

/** Keeps the text if there is no such variable: passwords may contain a dollar sign, too. */
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
      `\${${name}} is not a known variable; use \${VAR}, \${VAR:-default}, \${env:VAR}, \${workspaceFolder}, \${userHome} or \${input:id}.`,
    );
  }
  const value = environment[key];
  if (value !== undefined && value !== "") return permitted(key, value, sources);
  if (fallback !== undefined) return fallback;
  throw new Error(
    `The variable ${key} is not set; set it before Neovim starts, or give \${${key}:-default}.`,
  );
}

/** Splits a command like a shell: quotes keep spaces, a backslash escapes one character; nothing else is special. */
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

/** In bytes. */
const largestEnvFile = 1024 * 1024;

/** Returns the variables of the file. Throws an error for the user. */
export async function variablesOfFile(path: string): Promise<Readonly<Record<string, string>>> {
  try {
    return readEnvFile(await readRegularText(path, largestEnvFile));
  } catch (error) {
    const reason = codeOf(error) || messageOf(error);
    throw new Error(`Its envFile ${path} could not be read (${reason}); correct it.`);
  }
}

/** Removes quotes around values; in double quotes `\n` is a line end and `\"` a quote. Skips all other lines. */
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
  // A Windows path may end in a backslash; then the quote behind it is the closing one, not an escaped one.
  const [, double] = /^"((?:[^"\\]|\\.)*)"/.exec(written) ?? /^"([^"]*)"/.exec(written) ?? [];
  if (double !== undefined) return double.replaceAll("\\n", "\n").replaceAll('\\"', '"');
  // A comment starts after a space: a password may contain a bare `#`.
  const comment = /\s#/.exec(written);
  return comment === null ? written : written.slice(0, comment.index).trim();
}

const timeoutMs = 10_000;

/** Throws an error for the user, without the command's output, since that is usually a secret. */
export async function valueOfCommand([command = "", ...args]: readonly string[]): Promise<string> {
  const { outcome, stdout } = await outputOfCommand(command, args, { timeoutMs });
  const text = withoutEnd(stdout, "\r\n");
  const isDone = outcome.type === "ended" && outcome.code === 0;
  if (isDone && text !== "") return text;
  const how = outcome.type === "ended" ? (outcome.code ?? outcome.signal) : outcome.type;
  const reason = isDone ? "it printed nothing" : `it failed (${how})`;
  throw new Error(`The command ${command} in \${cmd:…} gave no value: ${reason}.`);
}
