/** The thoughts in the text of one response, and what it shows of where the model's thoughts begin. */
import type { StreamPart } from "../../conversation/ports.ts";
import type { Lesson } from "../learning/lessons.ts";
import { ThinkSplitter } from "./think-tags.ts";

const unbegunText =
  "What stands above </think> in this answer is the model's thoughts, whose beginning its server leaves out. From its next answer on they are shown as thoughts.";
const unendedText =
  "The server marked no thoughts in this answer, so all of it is shown as the answer, too. The next one is taken as it comes.";

export class ThoughtsInText {
  readonly #thinksFirst: boolean;
  readonly #learn: (lesson: Lesson) => void;
  #splitter: ThinkSplitter | null = null;
  /** The server tells thoughts apart itself. */
  #isToldApart = false;

  /** `learn` is told what the response shows about the model. */
  constructor(thinksFirst: boolean, learn: (lesson: Lesson) => void) {
    this.#thinksFirst = thinksFirst;
    this.#learn = learn;
  }

  /** Thoughts came beside the text. */
  toldApart(): void {
    this.#isToldApart = true;
    if (this.#splitter !== null) this.#splitter.beginsInThought = false;
  }

  push(text: string): readonly StreamPart[] {
    this.#splitter ??= new ThinkSplitter(this.#thinksFirst && !this.#isToldApart);
    return this.#splitter.push(text);
  }

  /** What is held back, before something that is no text. */
  flush(): readonly StreamPart[] {
    return this.#splitter?.end() ?? [];
  }

  /** The response is complete. `isAnswer`: by the vendor's word, and it has no call. */
  end({ isAnswer }: { readonly isAnswer: boolean }): readonly StreamPart[] {
    const held = this.flush();
    const { unended = null, hasUnbegun = false } = this.#splitter ?? {};
    if (hasUnbegun && !this.#isToldApart) {
      this.#learn({ kind: "thinks-first", is: true });
      return [...held, { type: "notice", message: unbegunText }];
    }
    const isLost = unended !== null && isAnswer;
    if (isLost || (this.#thinksFirst && this.#isToldApart)) {
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
