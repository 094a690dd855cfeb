/** Lists of servers that Gemini CLI has beside the table of servers: `"mcp": {"allowed": […], "excluded": […]}`. */
import { isObject, type JsonObject } from "../../shared/json.ts";
import type { JsonPath } from "./commented-json.ts";

interface ServerLists {
  readonly isOff: (name: string) => boolean;
  /** Lists that cannot be read; all servers are then off. */
  readonly mistakes: readonly JsonPath[];
}

const keys: ReadonlySet<string> = new Set(["allowed", "excluded", "serverCommand"]);

/** Null if the file has no such lists. */
export function serverListsOf({ mcp }: JsonObject): ServerLists | null {
  if (!isObject(mcp)) return null;
  const names = Object.keys(mcp);
  if (names.length === 0 || !names.every((name) => keys.has(name))) return null;
  const { allowed, excluded = [] } = mcp;
  const isReadable = (list: unknown) => list === undefined || isNames(list);
  const mistakes = (["allowed", "excluded"] as const)
    .filter((key) => !isReadable(mcp[key]))
    .map((key) => ["mcp", key]);
  const isExcluded = (name: string) => isNames(excluded) && excluded.includes(name);
  const isAllowed = (name: string) => !isNames(allowed) || allowed.includes(name);
  return {
    isOff: (name) => mistakes.length > 0 || isExcluded(name) || !isAllowed(name),
    mistakes,
  };
}

function isNames(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((name) => typeof name === "string");
}
