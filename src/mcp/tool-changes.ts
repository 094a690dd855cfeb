/** What changed in a server's list of tools, as a sentence: what a person allowed may not be what is there now. */
import { visible } from "../conversation/visible.ts";
import { isSameJson } from "./json.ts";
import type { ServerTool } from "./tool-list.ts";

/** How many names of each kind are told. */
const mostNames = 10;

/** Null when nothing of what a model or a person sees of the tools changed. */
export function toolChanges(
  server: string,
  before: readonly ServerTool[],
  after: readonly ServerTool[],
): string | null {
  const old = new Map(before.map((tool) => [tool.name, tool]));
  const now = new Map(after.map((tool) => [tool.name, tool]));
  const added = after.filter(({ name }) => !old.has(name));
  const gone = before.filter(({ name }) => !now.has(name));
  const changed = after.filter((tool) => {
    const known = old.get(tool.name);
    return known !== undefined && !isSameJson(withoutAbsent(known), withoutAbsent(tool));
  });
  const parts = [named("new", added), named("gone", gone), named("changed", changed)];
  const told = parts.filter((part) => part !== null);
  if (told.length === 0) return null;
  const lapsed =
    changed.length > 0 ? " A remembered yes to what changed does not count any more." : "";
  return `MCP server ${visible(server)} changed its tools: ${told.join("; ")}.${lapsed}`;
}

function withoutAbsent({ name, description, inputSchema, annotations }: ServerTool): unknown {
  return { name, description, inputSchema, annotations: annotations ?? null };
}

function named(what: string, tools: readonly ServerTool[]): string | null {
  if (tools.length === 0) return null;
  const names = tools.slice(0, mostNames).map(({ name }) => visible(name.slice(0, 100)));
  const left = tools.length - names.length;
  return `${what}: ${names.join(", ")}${left > 0 ? ` and ${left} more` : ""}`;
}
