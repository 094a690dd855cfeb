/** How a server's words are shown to the person who is asked. */
import { clip, visible } from "../../shared/visible.ts";
import type { Asker } from "../open-calls.ts";

/** In characters of a server's message. */
const longestMessage = 4000;

/** Says who asks, for what call, and what. */
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

/** A server's text, each line marked so that none can pass for one of ours. */
export function quoted(text: string, limit = longestMessage): readonly string[] {
  const shown = clip(text, limit);
  const lines = shown.text.split(/\r\n|[\r\n]/).map((line) => `│ ${visible(line)}`);
  return shown.cut ? [...lines, `… (${text.length} characters)`] : lines;
}
