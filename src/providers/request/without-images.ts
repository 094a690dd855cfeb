/** Messages without their images, with a remark in place of each. Pure. */
import type { Message } from "../../conversation/ports.ts";

export interface ImagesHidden {
  readonly messages: readonly Message[];
  /** How many there were. */
  readonly count: number;
}

/** `keeps`: the place of a message whose images stay; none when left out. */
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
