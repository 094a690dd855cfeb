/** What of a tool's definition is another one than before, in the words people have for its parts. */
import { canonicalJson } from "../shared/canonical-json.ts";
import type { Tool } from "./ports.ts";

/** The parts of a definition as people call them. */
export const definitionParts = {
  description: "description",
  inputSchema: "arguments",
  annotations: "claims",
} as const;
export type DefinitionPart = keyof typeof definitionParts;

export const partNames: readonly DefinitionPart[] = ["description", "inputSchema", "annotations"];

/** A part as a text that is the same for the same definition, in whatever order its keys stand. */
export function partText(tool: Tool, part: DefinitionPart): string {
  return canonicalJson(tool[part] ?? null);
}

/** A sentence's end on what changed; null when nothing did that a person could know. */
export function changeFrom(before: Tool, now: Tool): string | null {
  const changed = partNames.filter((part) => partText(before, part) !== partText(now, part));
  if (changed.length > 0) return changed.map((part) => definitionParts[part]).join(", ");
  const isSame = before.server === now.server && before.serverFile === now.serverFile;
  return isSame ? null : "server";
}
