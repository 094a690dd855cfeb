/** `envFile` of a server: lines of `NAME=value`, as dotenv files are written. */
import { readFile } from "node:fs/promises";
import { messageOf } from "../../shared/json.ts";

/** The variables of the file. Throws a sentence. */
export async function variablesOfFile(path: string): Promise<Readonly<Record<string, string>>> {
  try {
    return readEnvFile(await readFile(path, "utf8"));
  } catch (error) {
    const reason = error instanceof Error && "code" in error ? error.code : messageOf(error);
    throw new Error(`Its envFile ${path} could not be read (${reason}); correct it.`);
  }
}

/** Quotes around a value are left out; `\n` in double quotes is a line end. What is no line of this kind is passed over. */
export function readEnvFile(text: string): Readonly<Record<string, string>> {
  const variables: Record<string, string> = {};
  for (const line of text.replace(/^\ufeff/, "").split(/\r?\n/)) {
    const [, name, written = ""] = /^\s*(?:export\s+)?([A-Za-z_][\w.]*)\s*=(.*)$/.exec(line) ?? [];
    if (name !== undefined) variables[name] = unquoted(written.trim());
  }
  return variables;
}

function unquoted(written: string): string {
  const quote = written[0];
  const end = quote === '"' || quote === "'" ? written.indexOf(quote, 1) : -1;
  if (end > 0) {
    const inside = written.slice(1, end);
    return quote === '"' ? inside.replaceAll("\\n", "\n") : inside;
  }
  // A comment begins behind a blank: `#` alone is a letter of passwords.
  const comment = /\s#/.exec(written);
  return comment === null ? written : written.slice(0, comment.index).trim();
}
