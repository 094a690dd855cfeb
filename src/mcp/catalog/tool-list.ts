/** The tools that a server lists, read page by page, without those that cannot be used. */
import { boundedSize } from "../../shared/bounded-json.ts";
import { given } from "../../shared/given.ts";
import { isObject, isSameJson, type JsonObject, stringOf } from "../../shared/json.ts";
import { ellipsize, visible } from "../../shared/visible.ts";
import { readPages } from "./content.ts";

/** A tool as its server describes it; the schema is the server's own, untouched. */
export interface ListedTool {
  readonly name: string;
  readonly title?: string;
  readonly description: string;
  readonly inputSchema: JsonObject;
  /** Of the structured content of its results. */
  readonly outputSchema?: JsonObject;
  readonly annotations?: JsonObject;
}

export interface ToolList {
  readonly tools: readonly ListedTool[];
  /** Sentences on what was left out. */
  readonly problems: readonly string[];
}

/**
 * Reads all pages of `tools/list`. The SDK's own method refuses the whole list when one tool in it is
 * invalid; here such a tool costs itself only.
 */
export async function readToolList(
  readPage: (cursor: string | undefined) => Promise<unknown>,
): Promise<ToolList> {
  return collect(await readPages("tools", readPage));
}

/** Characters of a name in a sentence. */
const longestName = 100;

/** Everything that is said of one tool, in values and units of text, and how deep: all of it is walked through, often. */
const largestTool = 1_000_000;
const deepestTool = 200;

/** A list with more mistakes is none: the rest of it is not looked at. */
const mostProblems = 100;

function collect(raw: readonly unknown[]): ToolList {
  const tools = new Map<string, ListedTool>();
  const problems: string[] = [];
  for (const [index, value] of raw.entries()) {
    if (problems.length === mostProblems) break;
    const tool = readTool(value, index);
    if (typeof tool === "string") problems.push(tool);
    else if (!tools.has(tool.name)) tools.set(tool.name, tool);
    // The same once more: some servers begin again behind their last page.
    else if (!isSameJson(tools.get(tool.name), tool)) {
      problems.push(`Its tool ${shown(tool.name)} is listed twice; the first one is used.`);
    }
  }
  return { tools: [...tools.values()], problems };
}

function shown(name: string): string {
  return visible(ellipsize(name, longestName));
}

/** A sentence instead of the tool when it cannot be offered. */
function readTool(value: unknown, index: number): ListedTool | string {
  if (!isObject(value)) return `Its tool number ${index + 1} is not an object and is left out.`;
  const { name, description, inputSchema, outputSchema, annotations, execution } = value;
  if (typeof name !== "string" || name === "") {
    return `Its tool number ${index + 1} has no name and is left out.`;
  }
  if (boundedSize(value, largestTool, deepestTool) === null) {
    return `Its tool ${shown(name)} is described by more than 1 MB, or more than ${deepestTool} levels deep, and is left out.`;
  }
  if (!isObject(inputSchema)) {
    return `Its tool ${shown(name)} has no schema for its arguments and is left out.`;
  }
  if (isObject(execution) && execution.taskSupport === "required") {
    return `Its tool ${shown(name)} runs only as a task, which is not supported, and is left out.`;
  }
  return {
    name,
    ...given({ title: typeof value.title === "string" ? value.title : null }),
    description: stringOf(description) ?? "",
    inputSchema,
    ...given({
      outputSchema: isObject(outputSchema) ? outputSchema : null,
      annotations: isObject(annotations) ? annotations : null,
    }),
  };
}

/**
 * The tools as models see them: an honest server may repeat a key that it was given, as Python's do where a variable is
 * the default of an argument. Such a default is left out, so that nobody sends `[hidden]` in its place.
 */
export function withoutKeys(
  { tools, problems }: ToolList,
  hide: (text: string) => string,
): ToolList {
  const hidden = (value: unknown): unknown => {
    if (typeof value === "string") return hide(value);
    if (Array.isArray(value)) return value.map(hidden);
    return isObject(value) ? hiddenMembers(value) : value;
  };
  const hiddenMembers = (value: JsonObject): JsonObject => {
    const entries = Object.entries(value).flatMap(([name, one]) => {
      const shown = hidden(one);
      return name === "default" && typeof one === "string" && shown !== one ? [] : [[name, shown]];
    });
    return Object.fromEntries(entries);
  };
  // Nearly all have nothing to hide, and stay the server's own.
  const hiddenIn = (value: JsonObject): JsonObject => {
    const text = JSON.stringify(value);
    return hide(text) === text ? value : hiddenMembers(value);
  };
  return {
    problems,
    tools: tools.map((tool) => ({
      ...tool,
      description: hide(tool.description),
      inputSchema: hiddenIn(tool.inputSchema),
      ...given({
        title: tool.title === undefined ? null : hide(tool.title),
        annotations: tool.annotations === undefined ? null : hiddenIn(tool.annotations),
      }),
    })),
  };
}
