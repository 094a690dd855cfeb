/** What a person asks of one chat begins in the order in which it was asked, at the line it was asked at. */
import type { Editor, Splice } from "../../conversation/editor.ts";
import { within } from "../../shared/waiting.ts";

export interface InOrder {
  /** Does `act` when everything before it is done, or was let go of; `line` is where that line is by then. */
  next(line: number, act: (line: number) => Promise<void> | void): Promise<void>;
  /** What is being done has become a turn, or waits for the person: what was asked after it begins. */
  letGo(): void;
}

/** Milliseconds after which the next wish no longer waits for one that waits for somebody else, such as a server. */
const patienceMs = 1500;

export function createInOrder(editor: Pick<Editor, "onSplice">): InOrder {
  let last: Promise<unknown> = Promise.resolve();
  let letGo = () => {};
  return {
    async next(asked, act) {
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
        await act(line);
      } finally {
        unfollow();
        over();
      }
    },
    letGo: () => letGo(),
  };
}

/** A line that was replaced itself is the one in its place, as far as there is one. */
function movedLine(line: number, { start, end, lines }: Splice): number {
  if (line < start) return line;
  if (line >= end) return line + lines.length - (end - start);
  return Math.max(0, Math.min(line, start + lines.length - 1));
}
