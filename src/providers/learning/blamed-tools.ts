/** Which tools of a request a refusal is about, by its words: their places, their names, or what their schemas have. Pure. */
import type { Tool } from "../../conversation/ports.ts";
import { prepareTool } from "../request/prepare-tool.ts";
import { inNameOrder } from "../request/tool-schema.ts";
import type { Compat } from "../vendors/compat.ts";

/** None, when the words are about something else; all, when they are about a schema and do not say whose. */
export function blamedTools(
  words: string,
  tools: readonly Tool[],
  compat: Compat,
): readonly Tool[] {
  // Those are about the history and the choice, also where they name a tool.
  if (tools.length === 0 || /messages[.[]|input[.[]|tool_choice|thought.?signature/i.test(words))
    return [];
  const sent = inNameOrder(tools);
  const places = placesIn(words);
  if (places.length > 0) return places.flatMap((place) => sent[place] ?? []);
  const named = sent.filter(({ name }) => mentions(words, name));
  if (named.length > 0) return named;
  // Google does not say whose (google-gemini/gemini-cli#5923).
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

/** As they are sent: references stand for what they name, and not all of a schema goes out. */
function deepest(tools: readonly Tool[], compat: Compat): readonly Tool[] {
  const depths = tools.map((tool) => depthOf(prepareTool(tool, compat).schema));
  const most = Math.max(...depths);
  return tools.filter((_, index) => depths[index] === most);
}

/** What is deeper is as deep as that. */
const deepestRead = 100;

function depthOf(value: unknown, depth = 0): number {
  if (typeof value !== "object" || value === null || depth >= deepestRead) return depth;
  return Object.values(value).reduce<number>(
    (most, each) => Math.max(most, depthOf(each, depth + 1)),
    depth,
  );
}

/** Moonshot says where in a schema (“At path 'properties.headers': type is not defined”), and not in whose. */
function hasPath(schema: unknown, path: string): boolean {
  let place = schema;
  for (const step of path.split(/[.[\]]+/).filter((each) => each !== "")) {
    if (typeof place !== "object" || place === null || !Object.hasOwn(place, step)) return false;
    place = Object.getOwnPropertyDescriptor(place, step)?.value;
  }
  return true;
}

/** Google counts the functions in its one tool. */
function placesIn(words: string): readonly number[] {
  const inOne = [...words.matchAll(/function_?declarations(?:\[|\.)(\d+)/gi)];
  const found = inOne.length > 0 ? inOne : [...words.matchAll(/\btools(?:\[|\.)(\d+)/g)];
  return [...new Set(found.map(([, place]) => Number(place)))];
}

function mentions(words: string, name: string): boolean {
  return mentionOf(name).test(words) && /\b(tool|function|schema|parameter)/i.test(words);
}

/** In quotes, or directly after “tool” or “function”: names of tools are often plain words. */
function mentionOf(name: string): RegExp {
  const literal = name.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
  const pattern = `["'\`]${literal}["'\`]|\\b(?:tool|function)s? (?:named |called )?${literal}(?![\\w-])`;
  return new RegExp(pattern, "gi");
}

/** The words without names of tools and places in their schemas, which may read like fields of a request. */
export function withoutTools(words: string, tools: readonly Tool[]): string {
  const placeless = words.replace(/\btools(?:\[|\.)\d[\w.[\]-]*/g, "");
  return tools.reduce((left, { name }) => left.replace(mentionOf(name), ""), placeless);
}
