/** Which tool a call means whose name has more around it than the tool's: `functions.NAME`, `default_api.NAME`. Pure. */
import type { Tool } from "../../conversation/ports.ts";

/** Words that models put before a name. */
const prefix = /^(?:functions?|tools?|default_api|tool_code|api)[.:/]/i;
/** Kimi's number behind it, and what servers leave of gpt-oss's own form (`read<|channel|>commentary`). */
const suffix = /:\d+$|<\|.*$/s;

/** The name of the one tool that can be meant; the name as it is, when there is none. */
export function calledTool(name: string, tools: readonly Pick<Tool, "name">[]): string {
  const isTool = (word: string) => tools.some((tool) => tool.name === word);
  if (isTool(name)) return name;
  const bare = name.trim().replace(prefix, "");
  return [bare, bare.replace(suffix, "")].find(isTool) ?? name;
}
