/** Results of calls as outputs of tools: what is text, media and data, and what breaks a rule of MCP. */
import type { Media, ToolOutput } from "../../conversation/ports.ts";
import { boundedSize } from "../../shared/bounded-json.ts";
import { jsonText } from "../../shared/hash.ts";
import { isObject, isSameJson, parseJson, stringOf } from "../../shared/json.ts";
import { readBinary, sizeOf } from "../catalog/content.ts";

/** One content block as the text that stands for it, and the media in it. */
interface Rendered {
  readonly text: string;
  readonly media?: Media;
}

/**
 * The result of `tools/call` as the transcript keeps it. It never throws and loses no text: a block
 * that is unknown or not as it should be is kept as its JSON. `structuredContent` is appended,
 * unless the text blocks say the same.
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

/** Servers by hand, and those of 2024-10-07, give a result under a name of their own. */
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
 * A text block holds the same JSON, as the protocol asks servers to send it, or the structured content is the text
 * under one name, as server-filesystem gives every file: a model would read it twice.
 */
function isSaid({ json, value: structured }: Structured, texts: readonly string[]): boolean {
  if (structured === null) return texts.includes(json);
  if (texts.some((text) => isSameJson(parseJson(text), structured))) return true;
  if (!isObject(structured)) return false;
  const [only, ...more] = Object.values(structured);
  return more.length === 0 && (texts.join("\n") === only || texts.some((text) => text === only));
}

const nothing = "(empty result)";
const nothingForModel = "(the result is for the user alone)";

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

/** The same value, its texts without colours: else it would say another thing than the text beside it. */
function plainTexts(value: unknown): Structured | null {
  if (value === undefined || value === null) return null;
  // Of a value that no stack holds, the text alone is looked at.
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

/** The client reads numbers as JavaScript has them: who takes such an id for the server's would mean another thing. */
const rounded = `[Whole numbers above ${Number.MAX_SAFE_INTEGER} in it may have been rounded.]`;

interface Structured {
  readonly json: string;
  /** Null where it is nested too deeply to be compared. */
  readonly value: unknown;
  /** It has whole numbers that may not be those that were sent. */
  readonly isRounded: boolean;
}

/** Colours of a terminal (SGR) say nothing in a text; other control sequences are shown as what they are. */
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
  return { text: `[${label}: ${mime}, ${sizeOf(media.data)}]`, media };
}

/** Whether the server means it for the person and not for the model. */
function isPersonal(block: unknown): boolean {
  const annotations = isObject(block) ? block.annotations : null;
  const audience = isObject(annotations) ? annotations.audience : null;
  return Array.isArray(audience) && audience.includes("user") && !audience.includes("assistant");
}
