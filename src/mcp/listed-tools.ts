/** What a server listed last, and what is told when it lists something else. */
import { toolChanges } from "./tool-changes.ts";
import type { ServerTool, ToolList } from "./tool-list.ts";

/** A server that changes its tools all the time is told of so often; the rest is in the log. */
const mostTold = 5;

export class ListedTools {
  readonly #server: string;
  readonly #tell: (sentence: string, isShown: boolean) => void;
  #tools: readonly ServerTool[] | null = null;
  #problems: readonly string[] = [];
  #told = 0;

  /** `tell` gets a sentence for each change; `isShown`: the person is to see it. */
  constructor(server: string, tell: (sentence: string, isShown: boolean) => void) {
    this.#server = server;
    this.#tell = tell;
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

/** Lists again because the server said that its tools changed: once for all such words meanwhile. */
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
  const listAgain = async () => {
    while (isNeeded() && count < mostRelists) {
      count += 1;
      await list();
    }
  };
  return () => {
    if (isListing) return;
    isListing = true;
    listAgain()
      .catch((error: unknown) => log(error instanceof Error ? error.message : String(error)))
      .finally(() => {
        isListing = false;
      });
  };
}
