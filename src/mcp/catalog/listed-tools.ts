/** What a server listed last, and what is told when it lists something else. */

import { setTimeout as delay } from "node:timers/promises";
import { firstNames } from "../../shared/counted.ts";
import { isSameJson, messageOf } from "../../shared/json.ts";
import { clip, visible } from "../../shared/visible.ts";
import type { ListedTool, ToolList } from "./tool-list.ts";

/** A server that changes its tools all the time is told of so often; the rest is in the log. */
const mostTold = 5;

export class ListedTools {
  readonly #server: string;
  readonly #tell: (sentence: string, isShown: boolean) => void;
  #tools: readonly ListedTool[] | null = null;
  #problems: readonly string[] = [];
  #told = 0;

  /** `tell` gets a sentence for each change; `isShown`: the person is to see it. */
  constructor(server: string, tell: (sentence: string, isShown: boolean) => void) {
    this.#server = server;
    this.#tell = tell;
  }

  /** Null: not listed yet. */
  tools(): readonly ListedTool[] | null {
    return this.#tools;
  }

  /** Null: not listed yet. */
  names(): readonly string[] | null {
    return this.#tools?.map(({ name }) => name) ?? null;
  }

  /** Sentences on what was left out. */
  problems(): readonly string[] {
    return this.#problems;
  }

  take({ tools, problems }: ToolList): void {
    const before = this.#tools;
    this.#tools = tools;
    this.#problems = problems;
    if (before === null || before === tools) return;
    const sentence = toolChanges(this.#server, before, tools);
    if (sentence === null) return;
    this.#told += 1;
    this.#tell(sentence, this.#told <= mostTold);
  }
}

/** In one life of a server. One that says so again and again is listed at the next need alone. */
const mostRelists = 100;

/** Milliseconds without another word before it is listed again, and at most from the first one. */
const quietMs = 100;
const longestUnquietMs = 2000;

/** Lists again because the server said that its tools changed: once for all such words, after they end. */
export function createRelisting({
  isNeeded,
  list,
  log,
}: {
  readonly isNeeded: () => boolean;
  readonly list: () => Promise<unknown>;
  readonly log: (text: string) => void;
}): () => void {
  let isListing = false;
  let count = 0;
  let lastWord = 0;
  const quiet = async () => {
    const begun = performance.now();
    for (;;) {
      const left = Math.min(lastWord + quietMs, begun + longestUnquietMs) - performance.now();
      if (left <= 0) return;
      await delay(left, undefined, { ref: false });
    }
  };
  const listAgain = async () => {
    while (isNeeded() && count < mostRelists) {
      count += 1;
      await quiet();
      await list();
    }
  };
  return () => {
    lastWord = performance.now();
    if (isListing) return;
    isListing = true;
    listAgain()
      .catch((error: unknown) => log(messageOf(error)))
      .finally(() => {
        isListing = false;
      });
  };
}

/** How many names of each kind are told. */
const mostNames = 10;

/** Null when nothing of what a model or a person sees of the tools changed. */
export function toolChanges(
  server: string,
  before: readonly ListedTool[],
  after: readonly ListedTool[],
): string | null {
  const old = new Map(before.map((tool) => [tool.name, tool]));
  const now = new Map(after.map((tool) => [tool.name, tool]));
  const added = after.filter(({ name }) => !old.has(name));
  const gone = before.filter(({ name }) => !now.has(name));
  const changed = after.filter((tool) => {
    const known = old.get(tool.name);
    return known !== undefined && !isSameJson(withoutAbsent(known), withoutAbsent(tool));
  });
  const parts = [named("new", added), named("gone", gone), named("changed", changed)];
  const told = parts.filter((part) => part !== null);
  if (told.length === 0) return null;
  const lapsed =
    changed.length > 0 ? " A remembered yes to what changed does not count any more." : "";
  return `MCP server ${visible(server)} changed its tools: ${told.join("; ")}.${lapsed}`;
}

function withoutAbsent({ name, description, inputSchema, annotations }: ListedTool): unknown {
  return { name, description, inputSchema, annotations: annotations ?? null };
}

function named(what: string, tools: readonly ListedTool[]): string | null {
  if (tools.length === 0) return null;
  const names = tools.map(({ name }) => visible(clip(name, 100).text));
  return `${what}: ${firstNames(names, mostNames)}`;
}
