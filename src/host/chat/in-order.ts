/** Starts the user's actions on one chat in the order in which they were asked for, each at its line. */
import type { Editor, Splice } from "../../conversation/editor.ts";
import { within } from "../../shared/waiting.ts";

export interface InOrder {
  /** Runs `act` when every earlier action is done or was let go; `line` is where the line has moved to by then. */
  next(
    line: number,
    act: (line: number, stopped: AbortSignal) => Promise<void> | void,
    /** It may become a turn: a stop that comes before the turn is meant for it. */
    options?: { readonly isStoppable: boolean },
  ): Promise<void>;
  /** The current action waits for the user: the next action starts. */
  letGo(): void;
  /** The current action has become a turn, which is stopped as one: the next action starts. */
  begun(): void;
  /** Aborts the signals of the actions that may become turns; false when there are none. */
  stop(): boolean;
}

/** Milliseconds after which the next action no longer waits for one that waits for something else, such as a server. */
const patienceMs = 1500;

export function createInOrder(editor: Pick<Editor, "onSplice">): InOrder {
  let last: Promise<unknown> = Promise.resolve();
  let letGo = () => {};
  let begun = () => {};
  const stoppable = new Set<AbortController>();
  return {
    async next(asked, act, { isStoppable } = { isStoppable: false }) {
      const stopper = new AbortController();
      if (isStoppable) stoppable.add(stopper);
      let line = asked;
      const unfollow = editor.onSplice((splice) => {
        line = movedLine(line, splice);
      });
      const before = last;
      let over = () => {};
      const isOver = new Promise<void>((resolve) => {
        over = resolve;
      });
      last = before.then(() => within(isOver, patienceMs));
      try {
        await before;
        letGo = over;
        begun = () => {
          stoppable.delete(stopper);
          over();
        };
        await act(line, stopper.signal);
      } finally {
        stoppable.delete(stopper);
        unfollow();
        over();
      }
    },
    letGo: () => letGo(),
    begun: () => begun(),
    stop() {
      for (const stopper of stoppable) stopper.abort();
      return stoppable.size > 0;
    },
  };
}

/** A line that was itself replaced becomes the line in its place, as far as there is one. */
function movedLine(line: number, { start, end, lines }: Splice): number {
  if (line < start) return line;
  if (line >= end) return line + lines.length - (end - start);
  return Math.max(0, Math.min(line, start + lines.length - 1));
}
