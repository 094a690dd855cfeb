/** Which definition of a server's tool a person last said yes to, on this machine: what changed since is told. */

import { join } from "node:path";
import { serverKeyOf } from "../../conversation/decide/remembered.ts";
import type { Tool } from "../../conversation/ports.ts";
import { canonicalJson, sha256 } from "../../shared/hash.ts";
import { isObject } from "../../shared/json.ts";
import { localDay } from "../../shared/local-time.ts";
import { fieldsOf, filesOf, type Keep, readOwn, writeOwn } from "./own-files.ts";

export interface ApprovedTool {
  /** `2026-11-20`, of the person's own calendar. */
  readonly day: string;
  /** Hashes of what was approved. */
  readonly hashes: Readonly<Record<DefinitionPart, string>>;
}

/** As days are kept. */
export function today(): string {
  return localDay(Date.now());
}

/**
 * Keeps the definitions as they are now, and gives them back by name. Tools of ours are left out: they change with their
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

/** What a person approved last, by name; tools that nobody approved are missing. */
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

/** What is another now, in words; null when it is as it was approved. */
export function changeSince(approved: ApprovedTool | undefined, tool: Tool): string | null {
  if (approved === undefined) return null;
  const now = hashesOf(tool);
  const changed = partNames.filter((part) => now[part] !== approved.hashes[part]);
  if (changed.length === 0) return null;
  return `definition changed since ${approved.day}: ${changed.map((part) => definitionParts[part]).join(", ")}`;
}

/** Whether it is of a project's server and no key said yes to it yet: its name is the project's choice. */
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

/** Each approval is a file of it. */
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

/** The parts of a definition as people call them. */
export const definitionParts = {
  description: "description",
  inputSchema: "arguments",
  annotations: "claims",
} as const;
export type DefinitionPart = keyof typeof definitionParts;

const partNames: readonly DefinitionPart[] = ["description", "inputSchema", "annotations"];

/** A part as a text that is the same for the same definition, in whatever order its keys stand. */
function partText(tool: Tool, part: DefinitionPart): string {
  return canonicalJson(tool[part] ?? null);
}

/** A sentence's end on what changed; null when nothing did that a person could know. */
export function changeFrom(before: Tool, now: Tool): string | null {
  const changed = partNames.filter((part) => partText(before, part) !== partText(now, part));
  if (changed.length > 0) return changed.map((part) => definitionParts[part]).join(", ");
  const isSame = before.server === now.server && before.serverFile === now.serverFile;
  return isSame ? null : "server";
}
