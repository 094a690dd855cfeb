/** Texts of models, servers and files on a terminal, which obeys some characters. */
import { shownLines, visible } from "../shared/visible.ts";

/** Sentences that are the same in Neovim name what a person does there; here they name what is typed in a shell. */
export function inShell(sentence: string): string {
  return (
    sentence
      .replace(/\b([Rr])espond again\b/g, (_, first) =>
        first === "R" ? "Run it again" : "run it again",
      )
      .replace(":Parley models, or `parley models` in a shell,", "parley models")
      .replace(/:Parley mcp lists\b/g, "parley mcp check lists")
      .replace(/:Parley mcp restart .{1,200}?(?= starts it| asks again|\.\s|\.$)/g, "another run")
      .replace(/:Parley (preview|models|mcp log(?:in|out))\b/g, "parley $1")
      // Nothing is logged without Neovim.
      .replace(/; :Parley log has [^.]*| :Parley log has [^.]{0,200}\./g, "")
  );
}

/** For people: every line without what a terminal obeys or nobody sees. */
export function forTerminal(text: string): string {
  return shownLines(text).join("\n");
}

/** To stdout: a program gets the text as it is, a terminal without what it obeys. */
export function print(text: string): void {
  process.stdout.write(process.stdout.isTTY ? text.replace(/[^\n\t]+/g, visible) : text);
}

/** JSON, in which such characters are written as escapes, so that it says the same. */
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
