/** Finds the tool of a call whose name has extra text around it: `functions.NAME`, `default_api.NAME`. Pure. */
import type { Tool } from "../../conversation/ports.ts";

/** Prefixes that models put before a name. */
const prefix = /^(?:functions?|tools?|default_api|tool_code|api)[.:/]/i;
/**
 * Kimi's number after the name, and what servers leave of a model's syntax: gpt-oss's (`read<|channel|>commentary`) and
 * GLM's (`read</arg_value>`, fw-ai-external/python-sdk#119).
 */
const suffix = /:\d+$|<[|/].*$/s;

/** The name of the offered tool that the call means; the unchanged name if there is none. */
export function calledTool(name: string, tools: readonly Pick<Tool, "name">[]): string {
  const isTool = (word: string) => tools.some((tool) => tool.name === word);
  if (isTool(name)) return name;
  const bare = name.trim().replace(prefix, "");
  return [bare, bare.replace(suffix, "").trimEnd()].find(isTool) ?? name;
}
