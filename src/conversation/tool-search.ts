/**
 * Many tools in few tokens: a request holds `find_tools` in place of the servers' tools, and the tools that the model
 * has found so far. Which these are is read from the transcript: from results of `find_tools`, and from calls.
 */

import { summariseNames } from "../shared/counted.ts";
import { objectOf, parseJson, textOf } from "../shared/json.ts";
import { ellipsize } from "../shared/visible.ts";
import type { CallBlock, ResultStatus, Step } from "../transcript/transcript.ts";
import type { Tool } from "./ports.ts";
import { harmless } from "./results.ts";

/** The name of the tool that finds others. It runs nothing: its calls are answered from the list of tools. */
export const findToolsName = "find_tools";

export interface ToolSearch {
  /** What the request offers, in the order in which it is sent. */
  readonly tools: readonly Tool[];
  /** The answer to a call of `find_tools`. */
  find(argumentsText: string): { readonly status: ResultStatus; readonly text: string };
}

/** The most tools that one search returns. */
const mostFound = 8;
const longestDescription = 200;
const serversNamed = 30;

/**
 * The most words of a query that are used: a search needs no approval, and compares each with all words of all tools.
 */
const mostWords = 30;
/** In characters. */
const longestQuery = 1000;

/**
 * Returns null while at most `above` tools are offered (always for 0), or when a tool already has the name
 * `find_tools`. `sent` returns the steps that the request holds.
 */
export function toolSearch(
  all: readonly Tool[],
  sent: () => readonly Step[],
  above: number,
): ToolSearch | null {
  if (above === 0 || all.length <= above || all.some(({ name }) => name === findToolsName)) {
    return null;
  }
  // The user's own tools and the built-in ones are few, and chosen one by one.
  const searched = all.filter(({ server }) => server !== null);
  if (searched.length === 0) return null;
  const byName = new Map(searched.map((tool) => [tool.name, tool]));
  const loaded = loadedNames(sent(), byName).flatMap((name, loadedAs) => {
    const tool = byName.get(name);
    return tool === undefined ? [] : [{ ...tool, loadedAs }];
  });
  const own = all.filter(({ server }) => server === null);
  return {
    tools: [...own, findToolsTool(searched), ...loaded],
    find: (argumentsText) => find(argumentsText, searched),
  };
}

/** Identical for the same tools, so that a vendor's prompt cache stays valid. */
function findToolsTool(searched: readonly Tool[]): Tool {
  const counts = new Map<string, number>();
  for (const { server } of searched) counts.set(server ?? "", (counts.get(server ?? "") ?? 0) + 1);
  const servers = [...counts].sort(([a], [b]) => (a < b ? -1 : 1));
  const named = servers.map(([name, count]) => `${name} (${count})`);
  return {
    name: findToolsName,
    description: `Finds tools. There are ${searched.length} more tools than are described here, of these servers: ${harmless(summariseNames(named, serversNamed))}. Say in a few words what you want to do, or name a server; the tools that fit are described to you in the next step, and you can call them then.`,
    inputSchema: {
      type: "object",
      properties: { query: { type: "string", description: "A few words, such as: create issue" } },
      required: ["query"],
    },
    server: null,
  };
}

/** In the order in which they first appeared, so that new tools come after those already sent. */
function loadedNames(sent: readonly Step[], tools: ReadonlyMap<string, Tool>): readonly string[] {
  const names = sent
    .flatMap(({ calls }) => calls.flatMap(namesIn))
    .filter((name) => tools.has(name));
  return [...new Set(names)];
}

function namesIn({ call, decision, result }: CallBlock): readonly string[] {
  if (call === null) return [];
  if (call.name !== findToolsName) return [call.name];
  if (decision !== "find" || result?.status !== "ok") return [];
  return result.text.split("\n").flatMap((line) => /^([A-Za-z0-9_.-]+): /.exec(line)?.[1] ?? []);
}

function find(argumentsText: string, searched: readonly Tool[]): ReturnType<ToolSearch["find"]> {
  const query = textOf(objectOf(parseJson(argumentsText)).query).slice(0, longestQuery);
  const words = wordsOf(query).slice(0, mostWords);
  if (words.length === 0) {
    const text = `The query of ${findToolsName} is a text of a few words, such as {"query":"create issue"}.`;
    return { status: "error", text };
  }
  const found = searched
    .map((tool) => ({ tool, score: scoreOf(tool, words) }))
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score || (a.tool.name < b.tool.name ? -1 : 1));
  if (found.length === 0) {
    const text = `None of ${searched.length} tools fits these words. Try other words, or answer without a tool.`;
    return { status: "ok", text };
  }
  const shown = found.slice(0, mostFound).map(({ tool }) => `${tool.name}: ${shortly(tool)}`);
  const more = found.length > mostFound ? `, the best ${mostFound} of them` : "";
  const head = `${found.length} of ${searched.length} tools fit${more}. You can call these now:`;
  return { status: "ok", text: [head, ...shown].join("\n") };
}

function shortly({ description, title }: Tool): string {
  const [line = ""] = harmless(description.trim() || title || "").split("\n");
  return ellipsize(line.trim(), longestDescription);
}

/** Lower case; `createIssue` and `create_issue` are two words. */
function wordsOf(text: string): readonly string[] {
  const apart = text.replace(/(\p{Ll})(\p{Lu})/gu, "$1 $2").toLowerCase();
  return [...new Set(apart.split(/[^\p{L}\p{N}]+/u).filter((word) => word !== ""))];
}

/** The weights of a word in the name, the server and the description; a shared beginning counts half. */
const weights = { name: 6, server: 4, description: 1 };

function scoreOf(tool: Tool, words: readonly string[]): number {
  const own = {
    name: wordsOf(`${tool.serverTool ?? tool.name} ${tool.title ?? ""}`),
    server: wordsOf(tool.server ?? ""),
    description: wordsOf(tool.description.slice(0, 2000)),
  };
  const score = (word: string) =>
    (["name", "server", "description"] as const).reduce((sum, part) => {
      if (own[part].includes(word)) return sum + weights[part];
      const isBegun = own[part].some(
        (one) =>
          one.length > 2 && word.length > 2 && (one.startsWith(word) || word.startsWith(one)),
      );
      return isBegun ? sum + weights[part] / 2 : sum;
    }, 0);
  return words.reduce((sum, word) => sum + score(word), 0);
}
