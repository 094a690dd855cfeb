/** How a server's text is shown to the user in a question. */
import { clip, visible } from "../../shared/visible.ts";
import type { Asker } from "../running-calls.ts";

/** In characters, for a server's message. */
const longestMessage = 4000;

/** Lines that say which server asks, for which call, and its message. */
export function introduction(asker: Asker, message: string): readonly string[] {
  const calls = asker.calls();
  const what =
    calls.length === 0
      ? "outside of any call"
      : calls.length === 1
        ? `for the call ❓: ${calls[0]}`
        : `for one of the calls that run: ❓: ${calls.join(", ❓: ")}`;
  const asks = `The MCP server ${visible(asker.server)} asks, ${what}.`;
  return message === "" ? [asks] : [asks, ...quoted(message)];
}

/** A server's text with a mark on each line, so that no line can pass for Parley's own text. */
export function quoted(text: string, limit = longestMessage): readonly string[] {
  const shown = clip(text, limit);
  const lines = shown.text.split(/\r\n|[\r\n]/).map((line) => `│ ${visible(line)}`);
  return shown.cut ? [...lines, `… (${text.length} characters)`] : lines;
}
