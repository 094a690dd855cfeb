/** The user's own rules for calls that need no key; recorded as `[auto]`. */
import type { PolicyAnswer } from "../conversation/offer.ts";
import { parseSelection, selects } from "../conversation/tool-selection.ts";
import type { Tool } from "../conversation/types.ts";
import type { ToolCall } from "../transcript/types.ts";

/** `rules` is a tool selection (`Configuration.auto_approve`): what it selects is allowed, everything else asked. */
export function autoApproval(rules: string): (tool: Tool, call: ToolCall) => PolicyAnswer {
  const { selection } = parseSelection(rules);
  return ({ name, server, serverTool = name }) =>
    selects(selection, { name, server, serverTool }) ? "allow" : "ask";
}
