/** Finds the arguments of a GLM call that its server left in the name (zai-org/GLM-5#84). Pure. */
import type { Tool } from "../../conversation/ports.ts";
import type { ProposedCall } from "../../conversation/proposed-call.ts";
import { calledTool } from "../request/called-tool.ts";
import { glmKey, readGlmValues } from "./arguments/glm.ts";

/** The call with the name of the tool that it means, and with the arguments from its name if it has no others. */
export function intendedCall(call: ProposedCall, tools: readonly Tool[]): ProposedCall {
  return callInName(call, tools) ?? { ...call, name: calledTool(call.name, tools) };
}

/** Null if the name is just a name. */
function callInName(call: ProposedCall, tools: readonly Tool[]): ProposedCall | null {
  const start = call.name.indexOf(glmKey);
  if (start < 0 || !["", "{}"].includes(call.arguments.replace(/\s+/g, ""))) return null;
  const name = calledTool(call.name.slice(0, start), tools);
  const tool = tools.find((each) => each.name === name);
  if (tool === undefined) return null;
  const reading = readGlmValues(name, call.name.slice(start), tool.inputSchema);
  if (reading === null || "reason" in reading) return null;
  const [found] = reading.calls;
  const notes = [...(call.notes ?? []), "repaired" as const];
  return found === undefined ? null : { ...call, name, arguments: found.arguments, notes };
}
