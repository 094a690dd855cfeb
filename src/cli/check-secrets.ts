/** Looks for keys and tokens in chats and in the folders beside them: what is committed with a chat is public. */

import { readdir } from "node:fs/promises";
import { basename, join } from "node:path";
import { filesFolder } from "../app/references/files.ts";
import { messageOf } from "../shared/json.ts";
import { readNamedFile } from "../system/regular-file.ts";
import { isMissing, systemReason } from "../system/system-error.ts";
import { forTerminal, print } from "./terminal.ts";

/** What looks like a secret, by the forms that vendors give theirs. Each is linear in the length of a line. */
const kinds: readonly { readonly name: string; readonly form: RegExp }[] = [
  { name: "private key", form: /-----BEGIN [A-Z ]{0,40}PRIVATE KEY/ },
  { name: "Anthropic key", form: /\bsk-ant-[A-Za-z0-9_-]{20,}/ },
  { name: "OpenRouter key", form: /\bsk-or-[A-Za-z0-9_-]{20,}/ },
  { name: "OpenAI key", form: /\bsk-(?!ant-|or-)[A-Za-z0-9_-]{20,}/ },
  { name: "Google key", form: /\bAIza[A-Za-z0-9_-]{35}/ },
  { name: "xAI key", form: /\bxai-[A-Za-z0-9]{20,}/ },
  { name: "Groq key", form: /\bgsk_[A-Za-z0-9]{20,}/ },
  { name: "Hugging Face token", form: /\bhf_[A-Za-z0-9]{20,}/ },
  { name: "GitHub token", form: /\b(?:gh[pousr]_[A-Za-z0-9]{36}|github_pat_[A-Za-z0-9_]{30,})/ },
  { name: "GitLab token", form: /\bglpat-[A-Za-z0-9_-]{20,}/ },
  { name: "Slack token", form: /\bxox[abeoprs]-[A-Za-z0-9-]{10,}/ },
  { name: "npm token", form: /\bnpm_[A-Za-z0-9]{36}/ },
  { name: "AWS key", form: /\b(?:AKIA|ASIA)[A-Z0-9]{16}\b/ },
  { name: "Stripe key", form: /\b[rs]k_live_[A-Za-z0-9]{16,}/ },
  // Its first part says how it is signed, and is short.
  { name: "JSON Web Token", form: /\beyJ[A-Za-z0-9_-]{10,800}\.eyJ[A-Za-z0-9_-]{10,}\./ },
  {
    name: "login in an address",
    form: /\b[a-z][a-z0-9+.-]{1,20}:\/\/[^\s/:@]{1,100}:[^\s/:@]{3,200}@/i,
  },
  {
    name: "value of a secret",
    form: /\b(?:[A-Z][A-Z0-9_]{0,60})?(?:API_KEY|TOKEN|SECRET|PASSWORD)\s{0,3}[=:]\s{0,3}["']?[^\s"'${<]{12,}/,
  },
  {
    // As in YAML, JSON (in a call its quotes are escaped) and code. A value without a digit is a placeholder as a rule.
    name: "value of a secret",
    form: /(?:api[_-]?key|token|secret|passw(?:or)?d)(?:\\?["'])?\s{0,3}[=:]\s{0,3}\\?["'](?=[^"'\s]{0,200}\d)[^"'\s${<\\]{12,200}\\?["']/i,
  },
];

export interface FoundSecret {
  /** From 1. */
  readonly line: number;
  readonly column: number;
  /** What it looks like; never the secret itself. */
  readonly kind: string;
}

/** The first of each line; values of the environment are found wherever they stand. */
export function findSecrets(
  text: string,
  known: ReadonlyMap<string, string> = new Map(),
): readonly FoundSecret[] {
  return text.split("\n").flatMap((content, index): FoundSecret[] => {
    const line = index + 1;
    for (const [variable, value] of known) {
      const at = content.indexOf(value);
      if (at >= 0) return [{ line, column: at + 1, kind: `value of $${variable}` }];
    }
    for (const { name, form } of kinds) {
      const found = form.exec(content);
      if (found !== null) return [{ line, column: found.index + 1, kind: name }];
    }
    return [];
  });
}

/** Characters; what is shorter stands in texts that have nothing to do with it. */
const shortestKnown = 8;

/** Prints `FILE:LINE:COLUMN: error: … [secret]` for each, and gives whether there was none. */
export async function checkSecrets(
  file: string,
  keys: { readonly environment: NodeJS.ProcessEnv; readonly variables: ReadonlySet<string> },
  tell: (text: string) => void,
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
      const reason = systemReason(error) ?? messageOf(error);
      tell(`${path} could not be read, so it was not checked: ${reason}.`);
    }
  }
  return isClean;
}

/** The files in the folder of a chat; links are not followed. */
async function beside(file: string): Promise<readonly string[]> {
  // A hook may name these files themselves.
  if (basename(file).endsWith(".files")) return [];
  const folder = filesFolder(file);
  const entries = await readdir(folder, { withFileTypes: true }).catch((error: unknown) => {
    if (isMissing(error)) return [];
    throw error;
  });
  return entries.filter((entry) => entry.isFile()).map(({ name }) => join(folder, name));
}
