/** What servers say about using their tools, as placed below the system prompt. */
import { clip } from "../../shared/visible.ts";
import type { ServerInstructions, Tool } from "../ports.ts";
import { harmless } from "../results.ts";

/** In characters. Servers in the field send up to 2000. */
export const longestInstructions = 4000;
const longestOfAll = 16_000;

const heading =
  "# Instructions of MCP servers\n\nHow the tools of these servers are used, in the words of the servers. The user did not write them.";

/** Lists the instructions under the name of each server that has a tool in the request; empty when there are none. */
export function instructionsText(
  instructions: readonly ServerInstructions[],
  tools: readonly Tool[],
): string {
  const servers = new Set(tools.map(({ server }) => server));
  let left = longestOfAll;
  const parts = instructions.flatMap(({ server, text }) => {
    const words = harmless(text).trim();
    if (!servers.has(server) || words === "" || left === 0) return [];
    const shown = clip(words, Math.min(longestInstructions, left));
    left -= shown.text.length;
    const end = shown.cut ? `\n[${words.length - shown.text.length} characters are left out]` : "";
    return [`## ${harmless(server).replace(/\s+/g, " ")}\n\n${shown.text}${end}`];
  });
  return parts.length === 0 ? "" : [heading, ...parts].join("\n\n");
}
