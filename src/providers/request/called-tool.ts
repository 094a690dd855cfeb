/** Finds what a call means whose name has extra text around it: `functions.NAME`, or the syntax of the model. Pure. */
import type { Tool } from "../../conversation/ports.ts";
import type { ProposedCall } from "../../conversation/proposed-call.ts";
import { glmKey, readGlmValues } from "../text-tools/arguments/glm.ts";

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

/** The call with the name of the tool that it means, and with GLM's arguments if its server left them in the name. */
export function meantCall(call: ProposedCall, tools: readonly Tool[]): ProposedCall {
  return callInName(call, tools) ?? { ...call, name: calledTool(call.name, tools) };
}

/** Null if the name is just a name (zai-org/GLM-5#84). */
function callInName(call: ProposedCall, tools: readonly Tool[]): ProposedCall | null {
  const start = call.name.indexOf(glmKey);
  if (start < 0 || !/^\s*(?:\{\s*\})?\s*$/.test(call.arguments)) return null;
  const name = calledTool(call.name.slice(0, start), tools);
  const tool = tools.find((each) => each.name === name);
  if (tool === undefined) return null;
  const reading = readGlmValues(name, call.name.slice(start), tool.inputSchema);
  if (reading === null || "reason" in reading) return null;
  const [found] = reading.calls;
  const notes = [...(call.notes ?? []), "repaired" as const];
  return found === undefined ? null : { ...call, name, arguments: found.arguments, notes };
}
