/** The tools that a server listed last, and reports of changes to them. */

import { setTimeout as delay } from "node:timers/promises";
import { summariseNames } from "../../shared/counted.ts";
import { isSameJson, messageOf } from "../../shared/json.ts";
import { clip, visible } from "../../shared/visible.ts";
import type { ListedTool, ToolList } from "./tool-list.ts";

/** How many changes of one server are shown to the user; further ones only go to the log. */
const mostReported = 5;

export class ListedTools {
  readonly #server: string;
  readonly #report: (sentence: string, isShown: boolean) => void;
  #tools: readonly ListedTool[] | null = null;
  #problems: readonly string[] = [];
  #reported = 0;

  /** `tell` receives a sentence for each change; `isShown`: show it to the user. */
  constructor(server: string, report: (sentence: string, isShown: boolean) => void) {
    this.#server = server;
    this.#report = report;
  }

  /** Null: not listed yet. */
  tools(): readonly ListedTool[] | null {
    return this.#tools;
  }

  /** Null: not listed yet. */
  names(): readonly string[] | null {
    return this.#tools?.map(({ name }) => name) ?? null;
  }

  /** Sentences about tools that were left out. */
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
    this.#reported += 1;
    this.#report(sentence, this.#reported <= mostReported);
  }
}

/** Per run of a server. If it announces even more changes, its tools are listed only when next requested. */
const mostRelists = 100;

/** Milliseconds without a notification before listing again, and the longest wait since the first notification. */
const quietMs = 100;
const longestUnquietMs = 2000;

/** Lists the tools again after a server's change notifications: once for a burst of them, after it ends. */
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

/** Maximum number of names in each part of the sentence. */
const mostNames = 10;

/** Null if nothing changed that a model or the user sees of the tools. */
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
  const present = parts.filter((part) => part !== null);
  if (present.length === 0) return null;
  const lapsed =
    changed.length > 0 ? " Parley asks again about remembered tools that changed." : "";
  return `MCP server ${visible(server)} changed its tools: ${present.join("; ")}.${lapsed}`;
}

function withoutAbsent({ name, description, inputSchema, annotations }: ListedTool): unknown {
  return { name, description, inputSchema, annotations: annotations ?? null };
}

function named(what: string, tools: readonly ListedTool[]): string | null {
  if (tools.length === 0) return null;
  const names = tools.map(({ name }) => visible(clip(name, 100).text));
  return `${what}: ${summariseNames(names, mostNames)}`;
}
