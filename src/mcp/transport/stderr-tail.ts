/** The last lines that a server wrote to stderr, with the secrets of its configuration hidden. */
import { stripVTControlCharacters } from "node:util";
import { withoutSecrets } from "../configured/secrets.ts";

/** Keeps the last lines that a server wrote to stderr, to explain its failures. */
export interface StderrTail {
  push(chunk: string): void;
  /** Empty if the server wrote nothing. */
  text(): string;
}

const maximumLines = 50;
const maximumLineLength = 400;

/**
 * `secrets` are values that must not appear in an error, such as a token in the server's environment: a server that
 * prints its settings would reveal them.
 */
export function createStderrTail(secrets: readonly string[]): StderrTail {
  const lines: string[] = [];
  let last = "";

  const keep = (line: string) => {
    if (line.trim() === "") return;
    lines.push(line);
    if (lines.length > maximumLines) lines.shift();
  };
  // Half a secret would not be recognised, so a line is cut only after its secrets are hidden.
  const clean = (line: string) => {
    const hidden = withoutSecrets(line, secrets);
    return stripVTControlCharacters(hidden)
      .replace(/\p{Cc}+/gu, " ")
      .slice(0, maximumLineLength);
  };
  // Text that cannot end up in the first `maximumLineLength` characters of a line need not be kept.
  const longestSecret = Math.max(0, ...secrets.map((secret) => secret.length));

  return {
    push(chunk) {
      const parts = chunk.split("\n");
      const rest = parts.pop() ?? "";
      const [first] = parts;
      if (first !== undefined) {
        parts[0] = last + first;
        last = "";
      }
      for (const part of parts.slice(-maximumLines)) keep(clean(part));
      last = (last + rest).slice(0, 4 * maximumLineLength + longestSecret);
    },
    text: () => [...lines, clean(last)].filter((line) => line.trim() !== "").join("\n"),
  };
}
