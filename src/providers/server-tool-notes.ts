/** What a tool of the vendor's was asked, in words for the line that shows it (see answer-text.ts). Pure. */
import { isRecord, parseJson } from "./text.ts";

export interface ServerToolNote {
  /** For example `web search`. */
  readonly label: string;
  /** What was searched, opened or run; empty when the vendor does not say. */
  readonly subject: string;
}

type Fields = Readonly<Record<string, unknown>>;

/** The note of an item of a Responses stream; null for items that are no call of a vendor's tool. */
export function responsesNote(item: Fields & { readonly type: string }): ServerToolNote | null {
  const name = /^(.+)_call$/.exec(item.type)?.[1];
  if (name === undefined || name === "function") return null;
  // Some vendors' own tools come as calls of tools with names of their own.
  if (name === "custom_tool") {
    return { label: label(textOf(item.name) || "tool"), subject: subjectOf(item.input) };
  }
  const subject = subjectOf(item.action) || subjectOf(item);
  return { label: label(name), subject };
}

/** The note of a `server_tool_use` block of Anthropic's. */
export function anthropicNote(name: unknown, input: unknown): ServerToolNote {
  return { label: label(textOf(name) || "tool"), subject: subjectOf(input) };
}

function label(name: string): string {
  return name.replaceAll("_", " ");
}

/** Fields that say the most, the most telling first. */
const telling = ["query", "queries", "url", "pattern", "command", "code", "path"] as const;

function subjectOf(value: unknown): string {
  const parsed = typeof value === "string" ? (parseJson(value) ?? value) : value;
  if (typeof parsed === "string") return parsed;
  if (!isRecord(parsed)) return "";
  for (const field of telling) {
    const found = parsed[field];
    const texts = (Array.isArray(found) ? found : [found]).filter(isWords);
    if (texts.length > 0) return texts.join("; ");
  }
  return "";
}

function isWords(value: unknown): value is string {
  return typeof value === "string" && value.trim() !== "";
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}
