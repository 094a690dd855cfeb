import type { ToolSelection } from "../conversation/settings/tool-selection.ts";
import {
  mentionsServer,
  parseSelection,
  selects,
} from "../conversation/settings/tool-selection.ts";

/** A parsed selection, or null for the default: all tools. */
export type ServerSelection = ToolSelection | null;

/**
 * What cannot be read in the text is told by the parser to whoever shows problems; here it is
 * passed over.
 */
export function readSelection(text: string | null): ServerSelection {
  return text === null ? null : parseSelection(text).selection;
}

/**
 * Whether the selection means the tool `name` (on the wire), which its server calls `serverTool`.
 */
export function wants(
  selection: ServerSelection,
  tool: { readonly name: string; readonly server: string; readonly serverTool: string },
): boolean {
  return selection === null || selects(selection, tool);
}

/**
 * Whether the selection names the server, or the tool by its name on the wire; the default names
 * nothing.
 */
export function names(selection: ServerSelection, server: string, tool: string): boolean {
  if (selection === null) return false;
  if (mentionsServer(selection, server)) return true;
  return selection.words.some(({ pattern, removes }) => !removes && pattern === tool);
}

/**
 * Whether any tool of the server can be meant; when none can, it need not be started to find out.
 * `prefix` is what the names of its tools begin with on the wire.
 */
export function mayWant(selection: ServerSelection, server: string, prefix: string): boolean {
  if (selection === null) return true;
  const { words, others } = selection;
  const removal = words.findLastIndex(({ pattern, removes }) => removes && pattern === server);
  if (removal < 0 && others) return true;
  return words.slice(removal + 1).some(({ pattern, removes }) => {
    if (removes) return false;
    const [head = "", ...rest] = pattern.split("*");
    const beginnings = [`${server}.`, prefix];
    if (rest.length === 0)
      return head === server || beginnings.some((text) => head.startsWith(text));
    return beginnings.some((text) => text.startsWith(head) || head.startsWith(text));
  });
}
