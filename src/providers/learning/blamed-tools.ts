/** Finds the tools that a refusal is about: by position, by name, or by what their schemas contain. Pure. */
import type { Tool } from "../../conversation/ports.ts";
import { prepareTool } from "../request/prepare-tool.ts";
import { inNameOrder } from "../request/tool-schema.ts";
import type { Compat } from "../vendors/compat.ts";

/** None if the text is about something else; all if it is about a schema without saying whose. */
export function blamedTools(
  words: string,
  tools: readonly Tool[],
  compat: Compat,
): readonly Tool[] {
  // These are about the history or the tool choice, even if they name a tool.
  if (tools.length === 0 || /messages[.[]|input[.[]|tool_choice|thought.?signature/i.test(words))
    return [];
  const sent = inNameOrder(tools);
  const places = placesIn(words);
  if (places.length > 0) return places.flatMap((place) => sent[place] ?? []);
  const named = sent.filter(({ name }) => mentions(words, name));
  if (named.length > 0) return named;
  // Google does not say which tool (google-gemini/gemini-cli#5923).
  if (/nesting depth/i.test(words)) return deepest(sent, compat);
  const path = /\bpath '([^']{1,300})'/.exec(words)?.[1];
  const having = path === undefined ? [] : sent.filter((tool) => hasPath(tool.inputSchema, path));
  if (having.length > 0) return having;
  return /input_schema|function_declarations|(?:tool|function)\w{0,20}.{0,40}\bschema|json schema/i.test(
    words,
  )
    ? sent
    : [];
}

/** The tools with the deepest schemas as sent: with references inlined, and with parts left out. */
function deepest(tools: readonly Tool[], compat: Compat): readonly Tool[] {
  const depths = tools.map((tool) => depthOf(prepareTool(tool, compat).schema));
  const most = Math.max(...depths);
  return tools.filter((_, index) => depths[index] === most);
}

/** Deeper levels are not counted. */
const deepestRead = 100;

function depthOf(value: unknown, depth = 0): number {
  if (typeof value !== "object" || value === null || depth >= deepestRead) return depth;
  return Object.values(value).reduce<number>(
    (most, each) => Math.max(most, depthOf(each, depth + 1)),
    depth,
  );
}

/** Moonshot gives the path in a schema (“At path 'properties.headers': type is not defined”), but not the tool. */
function hasPath(schema: unknown, path: string): boolean {
  let place = schema;
  for (const step of path.split(/[.[\]]+/).filter((each) => each !== "")) {
    if (typeof place !== "object" || place === null || !Object.hasOwn(place, step)) return false;
    place = Object.getOwnPropertyDescriptor(place, step)?.value;
  }
  return true;
}

/** Google counts the functions within its single tool. */
function placesIn(words: string): readonly number[] {
  const inOne = [...words.matchAll(/function_?declarations(?:\[|\.)(\d+)/gi)];
  const found = inOne.length > 0 ? inOne : [...words.matchAll(/\btools(?:\[|\.)(\d+)/g)];
  return [...new Set(found.map(([, place]) => Number(place)))];
}

function mentions(words: string, name: string): boolean {
  return mentionOf(name).test(words) && /\b(tool|function|schema|parameter)/i.test(words);
}

/** In quotes, or directly after “tool” or “function”, since tools' names are often ordinary words. */
function mentionOf(name: string): RegExp {
  const literal = name.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
  const pattern = `["'\`]${literal}["'\`]|\\b(?:tool|function)s? (?:named |called )?${literal}(?![\\w-])`;
  return new RegExp(pattern, "gi");
}

/** The text without names of tools and paths in their schemas, which may look like fields of a request. */
export function withoutTools(words: string, tools: readonly Tool[]): string {
  const placeless = words.replace(/\btools(?:\[|\.)\d[\w.[\]-]*/g, "");
  return tools.reduce((left, { name }) => left.replace(mentionOf(name), ""), placeless);
}
