import type { ToolOutput } from "../conversation/types.ts";
import { isObject, isSameJson, parseJson, stringOf } from "./json.ts";

type Media = ToolOutput["media"][number];

/** One content block as the text that stands for it, and the media in it. */
interface Rendered {
  readonly text: string;
  readonly media?: Media;
}

/**
 * The result of `tools/call` as the transcript keeps it. It never throws and loses no text: a block
 * that is unknown or not as it should be is kept as its JSON. `structuredContent` is appended,
 * unless a text block holds the same JSON, as the protocol asks servers to send it.
 */
export function toToolOutput(result: unknown): ToolOutput {
  if (!isObject(result)) return { status: "ok", text: JSON.stringify(result) ?? "", media: [] };
  const content = result.content;
  const blocks = Array.isArray(content) ? content : content === undefined ? [] : [content];
  const rendered = blocks.map(renderBlock);
  const texts = rendered.map(({ text }) => text);
  const structured = result.structuredContent;
  if (structured !== undefined && !texts.some((text) => isSameJson(parseJson(text), structured))) {
    texts.push(JSON.stringify(structured));
  }
  const media = rendered.flatMap((block) => (block.media ? [block.media] : []));
  return {
    status: result.isError === true ? "error" : "ok",
    text: texts.length > 0 ? texts.join("\n") : "(empty result)",
    media,
  };
}

function renderBlock(block: unknown): Rendered {
  const json = { text: JSON.stringify(block) ?? "" };
  if (!isObject(block)) return json;
  switch (block.type) {
    case "text":
      return typeof block.text === "string" ? { text: block.text } : json;
    case "image":
    case "audio":
      return renderMedia(block.type, block.data, block.mimeType) ?? json;
    case "resource":
      return renderResource(block.resource) ?? json;
    case "resource_link":
      return renderLink(block) ?? json;
    default:
      return json;
  }
}

function renderResource(resource: unknown): Rendered | null {
  if (!isObject(resource)) return null;
  const uri = stringOf(resource.uri) ?? "resource without uri";
  const text = stringOf(resource.text);
  if (text !== null) return { text: `[${uri}]\n${text}` };
  return renderMedia(uri, resource.blob, resource.mimeType);
}

function renderLink(link: Readonly<Record<string, unknown>>): Rendered | null {
  const uri = stringOf(link.uri);
  if (uri === null) return null;
  const parts = [stringOf(link.name), uri, stringOf(link.mimeType)];
  const description = stringOf(link.description);
  const words = parts.filter((part) => part !== null).join(", ");
  return { text: `[link: ${words}]${description ? ` ${description}` : ""}` };
}

function renderMedia(label: string, data: unknown, mimeType: unknown): Rendered | null {
  if (typeof data !== "string") return null;
  const mime = mediaType(mimeType);
  const packed = data.replace(/\s/g, "");
  // A provider refuses the whole request for one image that is not base64.
  if (packed === "" || !/^[A-Za-z0-9+/_-]+={0,2}$/.test(packed)) {
    return { text: `[${label}: ${mime}, left out because its data is not base64]` };
  }
  const bytes = Buffer.from(packed, "base64");
  return {
    text: `[${label}: ${mime}, ${sizeText(bytes.length)}]`,
    media: { mime, data: bytes.toString("base64") },
  };
}

/** A mime type as the format allows it on a head line (format, section 5). */
function mediaType(value: unknown): string {
  const type = (stringOf(value) ?? "").split(";", 1)[0]?.trim().toLowerCase() ?? "";
  return /^[a-z]+\/[a-z0-9.+-]+$/.test(type) ? type : "application/octet-stream";
}

function sizeText(bytes: number): string {
  if (bytes < 1024) return `${bytes} B`;
  if (bytes < 1024 * 1024) return `${Math.round(bytes / 1024)} KB`;
  return `${(bytes / 1024 / 1024).toFixed(1)} MB`;
}
