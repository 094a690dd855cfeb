/** Finds the thoughts in the text of one response, and learns whether the model's text begins inside a thought. */
import type { StreamPart } from "../../conversation/ports.ts";
import type { Lesson } from "../learning/lessons.ts";
import { ThinkSplitter } from "./think-tags.ts";

const unbegunText =
  "The text above </think> in this answer is the model's reasoning; its server leaves out the opening tag. From its next answer on, it is shown as 🧠 thoughts.";
const unendedText =
  "The server did not mark any thoughts in this answer, so all of it is shown as the answer, too. The next answer is shown as it arrives.";

export class ThoughtsInText {
  readonly #thinksFirst: boolean;
  readonly #learn: (lesson: Lesson) => void;
  #splitter: ThinkSplitter | null = null;
  /** The server separates thoughts from text itself. */
  #isSeparated = false;

  /** `learn` receives what the response reveals about the model. */
  constructor(thinksFirst: boolean, learn: (lesson: Lesson) => void) {
    this.#thinksFirst = thinksFirst;
    this.#learn = learn;
  }

  /** Called when thoughts arrive separately from the text. */
  thoughtsAreSeparate(): void {
    this.#isSeparated = true;
    if (this.#splitter !== null) this.#splitter.beginsInThought = false;
  }

  push(text: string): readonly StreamPart[] {
    this.#splitter ??= new ThinkSplitter(this.#thinksFirst && !this.#isSeparated);
    return this.#splitter.push(text);
  }

  /** Returns what was held back; called before anything that is not text. */
  flush(): readonly StreamPart[] {
    return this.#splitter?.end() ?? [];
  }

  /** Called when the response is complete. `isAnswer`: the vendor says that it is finished, and it has no call. */
  end({ isAnswer }: { readonly isAnswer: boolean }): readonly StreamPart[] {
    const held = this.flush();
    const { unended = null, hasUnbegun = false } = this.#splitter ?? {};
    if (hasUnbegun && !this.#isSeparated) {
      this.#learn({ kind: "thinks-first", is: true });
      return [...held, { type: "notice", message: unbegunText }];
    }
    const isLost = unended !== null && isAnswer;
    if (isLost || (this.#thinksFirst && this.#isSeparated)) {
      this.#learn({ kind: "thinks-first", is: false });
    }
    if (!isLost) return held;
    return [
      ...held,
      { type: "text-delta", text: unended },
      { type: "notice", message: unendedText },
    ];
  }
}
