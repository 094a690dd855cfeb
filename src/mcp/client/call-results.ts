/** Converts results of calls to outputs of tools: text, media and data, and whatever breaks a rule of MCP. */
import type { Media, ToolOutput } from "../../conversation/ports.ts";
import { boundedSize } from "../../shared/bounded-json.ts";
import { jsonText } from "../../shared/hash.ts";
import { isObject, isSameJson, parseJson, stringOf } from "../../shared/json.ts";
import { dataSizeText, readBinary } from "../catalog/content.ts";

/** One content block as text, with its media. */
interface Rendered {
  readonly text: string;
  readonly media?: Media;
}

/**
 * The result of `tools/call` as the transcript stores it. Never throws and loses no text: an unknown or malformed
 * block is kept as its JSON. `structuredContent` is appended, unless the text blocks say the same.
 */
export function outputOfResult(result: unknown): ToolOutput {
  if (!isObject(result)) return { status: "ok", text: jsonText(result), media: [] };
  const content = result.content;
  const single = content === undefined || content === null ? [] : [content];
  const blocks = Array.isArray(content) ? content : single.length > 0 ? single : otherWords(result);
  const rendered = blocks.filter((block) => !isPersonal(block)).map(renderBlock);
  const personal = blocks.filter(isPersonal).map(renderBlock);
  const texts = rendered.map(({ text }) => text);
  const structured = plainTexts(result.structuredContent);
  if (structured !== null && !isSaid(structured, texts)) {
    texts.push(structured.json, ...(structured.isRounded ? [rounded] : []));
  }
  return {
    status: result.isError === true ? "error" : "ok",
    text: texts.length > 0 ? texts.join("\n") : personal.length > 0 ? nothingForModel : nothing,
    media: mediaOf(rendered),
    ...(personal.length === 0
      ? {}
      : {
          personal: {
            text: personal.map(({ text }) => text).join("\n"),
            media: mediaOf(personal),
          },
        }),
  };
}

/** Hand-written servers, and those of 2024-10-07, put the result under a key of their own. */
function otherWords({
  _meta,
  content,
  isError,
  resultType,
  structuredContent,
  ...others
}: Readonly<Record<string, unknown>>): readonly unknown[] {
  const [only, ...more] = Object.values(others);
  if (only === undefined || (structuredContent !== undefined && structuredContent !== null)) {
    return [];
  }
  return [typeof only === "string" && more.length === 0 ? only : others];
}

/**
 * Whether the text already contains the structured content, so that a model would read it twice: as the same JSON in a
 * text block, as the protocol recommends, or as its only field, as server-filesystem sends every file.
 */
function isSaid({ json, value: structured }: Structured, texts: readonly string[]): boolean {
  if (structured === null) return texts.includes(json);
  if (texts.some((text) => isSameJson(parseJson(text), structured))) return true;
  if (!isObject(structured)) return false;
  const [only, ...more] = Object.values(structured);
  return more.length === 0 && (texts.join("\n") === only || texts.some((text) => text === only));
}

const nothing = "(empty result)";
const nothingForModel = "(the result is only for the user)";

function mediaOf(blocks: readonly Rendered[]): readonly Media[] {
  return blocks.flatMap(({ media }) => (media ? [media] : []));
}

function renderBlock(block: unknown): Rendered {
  if (typeof block === "string") return { text: withoutColours(block) };
  const json = { text: jsonText(block) };
  if (!isObject(block)) return json;
  switch (block.type) {
    case "text":
      return typeof block.text === "string" ? { text: withoutColours(block.text) } : json;
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

/** Removes colours from the value's texts as well, so that it can be compared with the text blocks. */
function plainTexts(value: unknown): Structured | null {
  if (value === undefined || value === null) return null;
  // For a value too deep for recursion, only its JSON text is compared.
  if (boundedSize(value, Number.POSITIVE_INFINITY) === null) {
    return { json: jsonText(value), value: null, isRounded: false };
  }
  let isRounded = false;
  const json = JSON.stringify(value, (_, item: unknown) => {
    isRounded ||= Number.isInteger(item) && !Number.isSafeInteger(item);
    return typeof item === "string" ? withoutColours(item) : item;
  });
  return json === undefined ? null : { json, value: JSON.parse(json), isRounded };
}

/** JSON numbers become JavaScript numbers, so a large id may differ from the server's: the model must know that. */
const rounded = `[Whole numbers above ${Number.MAX_SAFE_INTEGER} in it may have been rounded.]`;

interface Structured {
  readonly json: string;
  /** Null if it is nested too deeply to be compared. */
  readonly value: unknown;
  /** Contains whole numbers that may differ from those that were sent. */
  readonly isRounded: boolean;
}

/** Removes terminal colours (SGR), which mean nothing in a text; other control sequences stay and are made visible. */
function withoutColours(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: an escape is what it looks for
  return text.replace(/\u001b\[[\d;:]*m/g, "");
}

function renderResource(resource: unknown): Rendered | null {
  if (!isObject(resource)) return null;
  const uri = stringOf(resource.uri) ?? "resource without uri";
  const text = stringOf(resource.text);
  if (text !== null) return { text: `[${uri}]\n${withoutColours(text)}` };
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
  const binary = readBinary(data, mimeType);
  if (binary === null) return null;
  const { mime } = binary;
  if (binary.data === null) {
    return { text: `[${label}: ${mime}, left out because its data is not base64]` };
  }
  const media = { mime, data: binary.data };
  return { text: `[${label}: ${mime}, ${dataSizeText(media.data)}]`, media };
}

/** Whether the server sends it for the user and not for the model. */
function isPersonal(block: unknown): boolean {
  const annotations = isObject(block) ? block.annotations : null;
  const audience = isObject(annotations) ? annotations.audience : null;
  return Array.isArray(audience) && audience.includes("user") && !audience.includes("assistant");
}
