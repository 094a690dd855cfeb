/** Looks for keys and tokens in chats and in the folders next to them: what is committed with a chat is public. */

import { readdir } from "node:fs/promises";
import { basename, join } from "node:path";
import { reasonOf } from "../app/files/reason-of.ts";
import { filesFolder } from "../app/references/files.ts";
import { readNamedFile } from "../system/regular-file.ts";
import { isMissing } from "../system/system-error.ts";
import { forTerminal, print } from "./terminal.ts";

/** Texts that look like secrets, by the formats of the vendors. Each pattern is linear in the length of a line. */
const kinds: readonly { readonly name: string; readonly form: RegExp }[] = [
  { name: "private key", form: /-----BEGIN [A-Z ]{0,40}PRIVATE KEY/g },
  { name: "Anthropic key", form: /\bsk-ant-[A-Za-z0-9_-]{20,}/g },
  { name: "OpenRouter key", form: /\bsk-or-[A-Za-z0-9_-]{20,}/g },
  { name: "OpenAI key", form: /\bsk-(?!ant-|or-)[A-Za-z0-9_-]{20,}/g },
  { name: "Google key", form: /\bAIza[A-Za-z0-9_-]{35}/g },
  { name: "xAI key", form: /\bxai-[A-Za-z0-9]{20,}/g },
  { name: "Groq key", form: /\bgsk_[A-Za-z0-9]{20,}/g },
  { name: "Hugging Face token", form: /\bhf_[A-Za-z0-9]{20,}/g },
  { name: "GitHub token", form: /\b(?:gh[pousr]_[A-Za-z0-9]{36}|github_pat_[A-Za-z0-9_]{30,})/g },
  { name: "GitLab token", form: /\bglpat-[A-Za-z0-9_-]{20,}/g },
  { name: "Slack token", form: /\bxox[abeoprs]-[A-Za-z0-9-]{10,}/g },
  { name: "npm token", form: /\bnpm_[A-Za-z0-9]{36}/g },
  { name: "AWS key", form: /\b(?:AKIA|ASIA)[A-Z0-9]{16}\b/g },
  { name: "Stripe key", form: /\b[rs]k_live_[A-Za-z0-9]{16,}/g },
  // The first part only says how the token is signed, so it is short.
  { name: "JSON Web Token", form: /\beyJ[A-Za-z0-9_-]{10,800}\.eyJ[A-Za-z0-9_-]{10,}\./g },
  {
    name: "login in an address",
    form: /\b[a-z][a-z0-9+.-]{1,20}:\/\/[^\s/:@]{1,100}:[^\s/:@]{3,200}@/gi,
  },
  {
    name: "value of a secret",
    form: /\b(?:[A-Z][A-Z0-9_]{0,60})?(?:API_KEY|TOKEN|SECRET|PASSWORD)\s{0,3}[=:]\s{0,3}["']?[^\s"'${<]{12,}/g,
  },
  {
    // As in YAML, JSON (escaped inside a call) and code. A value without a digit is usually a placeholder.
    name: "value of a secret",
    form: /(?:api[_-]?key|token|secret|passw(?:or)?d)(?:\\?["'])?\s{0,3}[=:]\s{0,3}\\?["'](?=[^"'\s]{0,200}\d)[^"'\s${<\\]{12,200}\\?["']/gi,
  },
];

export interface FoundSecret {
  /** One-based. */
  readonly line: number;
  readonly column: number;
  /** What it looks like; never the secret itself. */
  readonly kind: string;
}

/** The secrets of each line, in order. */
export function findSecrets(
  text: string,
  known: ReadonlyMap<string, string> = new Map(),
): readonly FoundSecret[] {
  return text.split("\n").flatMap((content, index) =>
    placesIn(content, known).map(({ from, kind }) => ({
      line: index + 1,
      column: from + 1,
      kind,
    })),
  );
}

/** The most secrets reported for one line: a line of a megabyte may hold thousands. */
const mostOfLine = 20;

interface Place {
  readonly from: number;
  readonly end: number;
  readonly kind: string;
}

/** A place that several patterns match is reported once, for the first of them. */
function placesIn(content: string, known: ReadonlyMap<string, string>): readonly Place[] {
  const found: Place[] = [];
  const add = (from: number, { length }: string, kind: string) => {
    const end = from + length;
    const isNew = found.every((other) => end <= other.from || other.end <= from);
    if (isNew && found.length < mostOfLine) found.push({ from, end, kind });
  };
  for (const [variable, value] of known) {
    for (let at = content.indexOf(value); at >= 0; at = content.indexOf(value, at + value.length)) {
      add(at, value, `value of $${variable}`);
    }
  }
  for (const { name, form } of kinds) {
    for (const { index, 0: secret } of content.matchAll(form)) add(index, secret, name);
  }
  return found.toSorted((a, b) => a.from - b.from);
}

/** In characters; shorter values also occur in unrelated texts. */
const shortestKnown = 8;

/** Prints `FILE:LINE:COLUMN: error: … [secret]` for each, and returns whether there was none. */
export async function checkSecrets(
  file: string,
  keys: { readonly environment: NodeJS.ProcessEnv; readonly variables: ReadonlySet<string> },
  notify: (text: string) => void,
): Promise<boolean> {
  const known = new Map(
    [...keys.variables].flatMap((name) => {
      const value = keys.environment[name]?.trim() ?? "";
      return value.length < shortestKnown ? [] : [[name, value] as const];
    }),
  );
  let isClean = true;
  for (const path of [file, ...(await beside(file))]) {
    try {
      const text = (await readNamedFile(path)).toString("utf8");
      for (const { line, column, kind } of findSecrets(text, known)) {
        isClean = false;
        const place = `${path}:${line}:${column}`;
        print(`${forTerminal(`${place}: error: This looks like a secret (${kind}). [secret]`)}\n`);
      }
    } catch (error) {
      isClean = false;
      const reason = reasonOf(error);
      notify(`${path} could not be read, so it was not checked: ${reason}.`);
    }
  }
  return isClean;
}

/** The files in the folder of a chat; links are not followed. */
async function beside(file: string): Promise<readonly string[]> {
  // A Git hook may pass these files directly.
  if (basename(file).endsWith(".files")) return [];
  const folder = filesFolder(file);
  const entries = await readdir(folder, { withFileTypes: true }).catch((error: unknown) => {
    if (isMissing(error)) return [];
    throw error;
  });
  return entries.filter((entry) => entry.isFile()).map(({ name }) => join(folder, name));
}
