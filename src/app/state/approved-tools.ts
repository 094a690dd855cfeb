/** Remembers which definition of a server's tool the user last approved on this machine, to report changes since. */

import { join } from "node:path";
import { serverKeyOf } from "../../conversation/decide/remembered.ts";
import type { Tool } from "../../conversation/ports.ts";
import { canonicalJson, sha256 } from "../../shared/hash.ts";
import { isObject } from "../../shared/json.ts";
import { localDay } from "../../shared/local-time.ts";
import { fieldsOf, filesOf, type Keep, readOwn, writeOwn } from "./own-files.ts";

export interface ApprovedTool {
  /** `2026-11-20`, in the user's own calendar. */
  readonly day: string;
  /** Hashes of what was approved. */
  readonly hashes: Readonly<Record<DefinitionPart, string>>;
}

/** Today in the format of `day`. */
export function today(): string {
  return localDay(Date.now());
}

/**
 * Stores the current definitions and returns them by name. Only tools of servers are stored: others change with their
 * files.
 */
export async function keepApproved(
  stateFolder: string,
  tools: readonly Tool[],
  keep: Keep = (written) => written,
): Promise<ReadonlyMap<string, ApprovedTool>> {
  const kept = new Map<string, ApprovedTool>();
  for (const tool of tools) {
    if (tool.server === null) continue;
    const { server, name } = tool;
    const approved = { day: today(), hashes: hashesOf(tool) };
    const text = `${JSON.stringify({ server, name, ...approved })}\n`;
    kept.set(name, approved);
    const folder = approvedFolder(stateFolder);
    if ((await readOwn(join(folder, fileOf(tool)))) === text) continue;
    await keep(writeOwn(folder, fileOf(tool), text));
  }
  return kept;
}

/** What the user last approved, by name; tools that were never approved are missing. */
export async function approvedTools(
  stateFolder: string,
  tools: Iterable<Tool>,
): Promise<ReadonlyMap<string, ApprovedTool>> {
  const folder = approvedFolder(stateFolder);
  const files = new Set(await filesOf(folder));
  const found = new Map<string, ApprovedTool>();
  if (files.size === 0) return found;
  for (const tool of tools) {
    if (tool.server === null || !files.has(fileOf(tool))) continue;
    const record = readRecord(await readOwn(join(folder, fileOf(tool))));
    if (record !== null) found.set(tool.name, record);
  }
  return found;
}

/** Says in words what has changed; null when the definition is as it was approved. */
export function changeSince(approved: ApprovedTool | undefined, tool: Tool): string | null {
  if (approved === undefined) return null;
  const now = hashesOf(tool);
  const changed = partNames.filter((part) => now[part] !== approved.hashes[part]);
  if (changed.length === 0) return null;
  return `definition changed since ${approved.day}: ${changed.map((part) => definitionParts[part]).join(", ")}`;
}

/** Whether the tool belongs to a project's server and was never approved by a key: the project chose its name. */
export function isUnknown({ serverFile }: Tool, approved: ApprovedTool | undefined): boolean {
  return serverFile !== undefined && approved === undefined;
}

function hashesOf(tool: Tool): Record<DefinitionPart, string> {
  const hash = (part: DefinitionPart) => sha256(partText(tool, part));
  return {
    description: hash("description"),
    inputSchema: hash("inputSchema"),
    annotations: hash("annotations"),
  };
}

/** The folder with one file for each approval. */
export function approvedFolder(stateFolder: string): string {
  return join(stateFolder, "approved-tools");
}

function fileOf(tool: Tool): string {
  return `${sha256(JSON.stringify([serverKeyOf(tool), tool.name]))}.json`;
}

function readRecord(text: string): ApprovedTool | null {
  const { day, hashes } = fieldsOf(text) ?? {};
  if (typeof day !== "string" || !/^\d{4}-\d\d-\d\d$/.test(day)) return null;
  if (!isObject(hashes)) return null;
  const { description, inputSchema, annotations } = hashes;
  if (typeof description !== "string" || typeof inputSchema !== "string") return null;
  return typeof annotations === "string"
    ? { day, hashes: { description, inputSchema, annotations } }
    : null;
}

/** The parts of a definition in plain words. */
export const definitionParts = {
  description: "description",
  inputSchema: "arguments",
  annotations: "claims",
} as const;
export type DefinitionPart = keyof typeof definitionParts;

const partNames: readonly DefinitionPart[] = ["description", "inputSchema", "annotations"];

/** A part as text, the same for the same definition whatever the order of its keys. */
function partText(tool: Tool, part: DefinitionPart): string {
  return canonicalJson(tool[part] ?? null);
}

/** The end of a sentence about what changed; null when nothing that the user sees did. */
export function changeFrom(before: Tool, now: Tool): string | null {
  const changed = partNames.filter((part) => partText(before, part) !== partText(now, part));
  if (changed.length > 0) return changed.map((part) => definitionParts[part]).join(", ");
  const isSame = before.server === now.server && before.serverFile === now.serverFile;
  return isSame ? null : "server";
}
