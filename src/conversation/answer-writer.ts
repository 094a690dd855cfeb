/** Turns the parts of a model's stream into the text to write at the tip of the answer, frame by frame. */
import { escapeAtTip, holdBack } from "../transcript/markers.ts";
import { ResponseLayout, type ResponsePart, type Segment } from "./response-layout.ts";
import type { StreamPart } from "./types.ts";

export type { ResponsePart };

export interface AnswerWriter {
  /** True when there may be something to write now. */
  push(part: StreamPart): boolean;
  /** The response is over, complete or not: nothing is held back any more, an open thought is closed. */
  end(): void;
  /**
   * Begins a frame; what the frame before it rendered last counts as written. The function takes what stands
   * before the tip on its line and returns what to write there; it may be asked again until that is written.
   */
  frame(): (linePrefix: string) => string;
  /** Texts and calls so far, in the response's order, unescaped and without thoughts, as `finishStep` takes them. */
  readonly parts: readonly ResponsePart[];
}

/** A writer for one response. */
export function createAnswerWriter(): AnswerWriter {
  let waiting: Segment[] = [];
  let taken: Taken = { segments: 0, characters: 0 };
  let ended = false;
  const layout = new ResponseLayout((segment) => {
    const last = waiting.at(-1);
    const isSame = last?.kind === segment.kind && segment.kind !== "layout";
    if (isSame) waiting[waiting.length - 1] = { ...last, text: last.text + segment.text };
    else waiting.push(segment);
  });
  return {
    push(part) {
      if (part.type === "text-delta") layout.add("text", part.text);
      else if (part.type === "reasoning-delta") layout.add("thought", part.text);
      else if (part.type === "tool-call") layout.addCall(part.call);
      return waiting.length > taken.segments;
    },
    end() {
      layout.end();
      ended = true;
    },
    frame() {
      waiting = without(waiting, taken);
      taken = { segments: 0, characters: 0 };
      return (linePrefix) => {
        const rendered = render(waiting, linePrefix, ended);
        taken = rendered.taken;
        return rendered.text;
      };
    },
    get parts() {
      return layout.parts;
    },
  };
}

/** How much was rendered: whole segments, and characters of the one after them. */
interface Taken {
  readonly segments: number;
  readonly characters: number;
}

function without(segments: readonly Segment[], { segments: whole, characters }: Taken): Segment[] {
  const [first, ...rest] = segments.slice(whole);
  if (first === undefined) return [];
  return [{ ...first, text: first.text.slice(characters) }, ...rest];
}

/** The last segment may still grow: of it, what could become a marker waits for more, unless nothing follows. */
function render(
  segments: readonly Segment[],
  linePrefix: string,
  isComplete: boolean,
): { readonly text: string; readonly taken: Taken } {
  let text = "";
  let prefix = linePrefix;
  let taken: Taken = { segments: 0, characters: 0 };
  segments.forEach((segment, index) => {
    const isGrowing = !isComplete && index === segments.length - 1 && segment.kind !== "layout";
    const kept = isGrowing ? holdBack(segment.text, prefix === "") : 0;
    const size = segment.text.length - kept;
    const written = renderSegment({ ...segment, text: segment.text.slice(0, size) }, prefix);
    text += written;
    prefix = (prefix + written).slice((prefix + written).lastIndexOf("\n") + 1);
    taken = isGrowing
      ? { segments: index, characters: size }
      : { segments: index + 1, characters: 0 };
  });
  return { text, taken };
}

function renderSegment({ kind, text }: Segment, prefix: string): string {
  if (kind !== "layout") return escapeAtTip(prefix, text, { answerText: kind === "text" });
  // Somebody typed at the tip before our marker got there; it means something at column 0 only.
  return prefix !== "" && !text.startsWith("\n") ? `\n${text}` : text;
}
