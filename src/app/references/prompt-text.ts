/** Turns a prompt of an MCP server into the text of a question: embedded resources become references or text. */
import { harmless } from "../../conversation/results.ts";
import { readBinary } from "../../mcp/catalog/content.ts";
import type { PromptMessage } from "../../mcp/catalog/prompts.ts";
import { type ResourcePart, toResourcePart } from "../../mcp/catalog/resources.ts";
import { isObject, stringOf } from "../../shared/json.ts";
import { escapeReferences, resourceReference } from "../../transcript/references.ts";
import { largestText, tooLargeText } from "../files/file-content.ts";
import { linkInFilesFolder } from "./files-link.ts";
import { saveMedia } from "./media.ts";

export interface PromptSource {
  /** The server's key in the configuration. */
  readonly server: string;
  /** Path of the chat; null while it has no file: then no media are kept, and the text says so. */
  readonly path: string | null;
  /** Whether the server returns this resource when it is read. */
  readonly canRead: (uri: string) => Promise<boolean>;
}

/** Nothing in the server's own text counts as a reference. Lines are not escaped yet. */
export async function promptText(
  messages: readonly PromptMessage[],
  place: PromptSource,
): Promise<string> {
  const isDialogue = messages.some(({ role }) => role === "assistant");
  const parts: string[] = [];
  for (const { role, content } of messages) {
    const text = await blockText(content, place);
    const speaker = role === "assistant" ? "Assistant:\n" : "User:\n";
    parts.push(isDialogue ? speaker + text : text);
  }
  const text = parts.join("\n\n");
  if (text.length > largestText) {
    throw new Error(`The prompt ${tooLargeText(largestText, "a text")}, so nothing was written.`);
  }
  return text;
}

async function blockText(block: unknown, place: PromptSource): Promise<string> {
  const json = plain(JSON.stringify(block) ?? "");
  if (!isObject(block)) return json;
  switch (block.type) {
    case "text":
      return typeof block.text === "string" ? plain(block.text) : json;
    case "image":
    case "audio": {
      const binary = readBinary(block.data, block.mimeType);
      return binary === null ? json : mediaText(block.type, binary, place);
    }
    case "resource": {
      const part = toResourcePart(block.resource, "resource without uri");
      return part === null ? json : resourceText(part, place);
    }
    case "resource_link":
      return reference(stringOf(block.uri), place) ?? json;
    default:
      return json;
  }
}

/** A reference where the resource can be read again for the request; otherwise its content in the prompt. */
async function resourceText(part: ResourcePart, place: PromptSource): Promise<string> {
  const written = reference(part.uri, place);
  if (written !== null && (await place.canRead(part.uri))) return written;
  if ("text" in part) return plain(`[${part.uri}]\n${part.text}`);
  return mediaText(part.uri, part, place);
}

function reference(uri: string | null, { server }: PromptSource): string | null {
  return uri === null ? null : resourceReference(server, uri);
}

async function mediaText(
  label: string,
  { mime, data }: { readonly mime: string; readonly data: string | null },
  { path }: PromptSource,
): Promise<string> {
  if (data === null) return plain(`[${label}: ${mime}, left out because its data is not base64]`);
  if (path === null) return plain(`[${label}: ${mime}, not kept: the chat has no file yet]`);
  const kept = await saveMedia(path, { mime, data });
  if (!kept.mime.startsWith("image/"))
    return plain(`[${label}: ${kept.mime}, kept beside the chat as ${kept.file}]`);
  return `![${kept.mime}](${linkInFilesFolder(path, kept.file)})`;
}

function plain(text: string): string {
  return escapeReferences(harmless(text));
}
