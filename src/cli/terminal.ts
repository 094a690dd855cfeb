/** Shows texts of models, servers and files on a terminal, which acts on some characters. */
import { withRespondAction } from "../conversation/keys.ts";
import { shownLines, visible } from "../shared/visible.ts";

/** Replaces the Neovim actions in shared sentences by what the user types in a shell. */
export function inShell(sentence: string): string {
  return (
    withRespondAction(sentence, "run it again")
      .replace(":Parley models, or `parley models` in a shell,", "parley models")
      .replace(/:Parley mcp lists\b/g, "parley mcp check lists")
      .replace(/:Parley mcp restart .{1,200}?(?= starts it| asks again|\.\s|\.$)/g, "another run")
      .replace(/:Parley (preview|models|mcp log(?:in|out))\b/g, "parley $1")
      // Without Neovim there is no log.
      .replace(/; :Parley log has [^.]*| :Parley log has [^.]{0,200}\./g, "")
  );
}

/** For reading: every line without characters that are invisible or that a terminal acts on. */
export function forTerminal(text: string): string {
  return shownLines(text).join("\n");
}

/** Writes to stdout: a program gets the text as it is, a terminal gets it without characters that it acts on. */
export function print(text: string): void {
  process.stdout.write(process.stdout.isTTY ? text.replace(/[^\n\t]+/g, visible) : text);
}

/** JSON with such characters escaped, so that its meaning is unchanged. */
export function jsonForTerminal(value: unknown, indent = 2): string {
  return JSON.stringify(value, null, indent).replace(
    /[\u007f-\u009f\p{Cf}\p{Zl}\p{Zp}]/gu,
    (character) =>
      Array.from(
        { length: character.length },
        (_, index) => `\\u${character.charCodeAt(index).toString(16).padStart(4, "0")}`,
      ).join(""),
  );
}
