/** The tools that a server lists, read page by page, without those that cannot be used. */
import { boundedSize } from "../../shared/bounded-json.ts";
import { given } from "../../shared/given.ts";
import { isObject, isSameJson, type JsonObject, stringOf } from "../../shared/json.ts";
import { ellipsize, visible } from "../../shared/visible.ts";
import { readPages } from "./content.ts";

/** A tool as its server describes it, with the server's own schema unchanged. */
export interface ListedTool {
  readonly name: string;
  readonly title?: string;
  readonly description: string;
  readonly inputSchema: JsonObject;
  /** The schema of `structuredContent` in its results. */
  readonly outputSchema?: JsonObject;
  readonly annotations?: JsonObject;
}

export interface ToolList {
  readonly tools: readonly ListedTool[];
  /** Sentences about tools that were left out. */
  readonly problems: readonly string[];
}

/**
 * Reads all pages of `tools/list`. The SDK's own method rejects the whole list if one tool is invalid; here only that
 * tool is left out.
 */
export async function readToolList(
  readPage: (cursor: string | undefined) => Promise<unknown>,
): Promise<ToolList> {
  return collect(await readPages("tools", readPage));
}

/** Maximum length of a name in a sentence, in characters. */
const longestName = 100;

/** Limits of one description, in values and UTF-16 code units, and in depth: it is traversed often and in full. */
const largestTool = 1_000_000;
const deepestTool = 200;

/** After this many problems the rest of the list is ignored. */
const mostProblems = 100;

function collect(raw: readonly unknown[]): ToolList {
  const tools = new Map<string, ListedTool>();
  const problems: string[] = [];
  for (const [index, value] of raw.entries()) {
    if (problems.length === mostProblems) break;
    const tool = readTool(value, index);
    if (typeof tool === "string") problems.push(tool);
    else if (!tools.has(tool.name)) tools.set(tool.name, tool);
    // An identical duplicate is not reported: some servers start over after their last page.
    else if (!isSameJson(tools.get(tool.name), tool)) {
      problems.push(`Its tool ${shown(tool.name)} is listed twice; the first one is used.`);
    }
  }
  return { tools: [...tools.values()], problems };
}

function shown(name: string): string {
  return visible(ellipsize(name, longestName));
}

/** Returns a sentence instead of the tool if the tool cannot be offered. */
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
 * The tools as models see them, with keys hidden. Even an honest server may repeat a key that it was given: in Python,
 * a variable can be the default of an argument. Such a default is removed, so that no model sends `[hidden]`.
 */
export function hideKeysInTools(
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
  // Most schemas contain no secret and are kept as the same object.
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
