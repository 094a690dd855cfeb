/** Replaces the images in messages by a remark. Pure. */
import type { Message } from "../../conversation/ports.ts";

export interface ImagesHidden {
  readonly messages: readonly Message[];
  /** Number of replaced images. */
  readonly count: number;
}

/** `keeps`: index of a message whose images stay; null: none. */
export function withoutImages(
  all: readonly Message[],
  remark: string,
  keeps: number | null = null,
): ImagesHidden {
  let count = 0;
  const hide = <P extends { readonly type: string }>(part: P) => {
    if (part.type !== "image") return part;
    count += 1;
    return { type: "text" as const, text: remark };
  };
  const messages = all.map((message, index): Message => {
    if (index === keeps) return message;
    switch (message.role) {
      case "user":
        return { ...message, content: message.content.map(hide) };
      case "tool": {
        const results = message.results.map((result) => ({
          ...result,
          content: result.content.map(hide),
        }));
        return { ...message, results };
      }
      default:
        return message;
    }
  });
  return { messages, count };
}
