/** Replaces images in messages by a remark. Pure. */
import type { ImagePart, Message } from "../../conversation/ports.ts";

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
  const messages = all.map((message, index) =>
    index === keeps
      ? message
      : hideImages(message, remark, () => {
          count += 1;
          return true;
        }),
  );
  return { messages, count };
}

/** In characters of base64. Every request is measured, so nothing is made of its thousands of messages. */
export function imageSize(all: readonly Message[]): number {
  let size = 0;
  const add = (content: readonly (ImagePart | { readonly type: "text" })[]) => {
    for (const part of content) if (part.type === "image") size += part.data.length;
  };
  for (const message of all) {
    if (message.role === "user") add(message.content);
    if (message.role === "tool") for (const { content } of message.results) add(content);
  }
  return size;
}

/** Keeps the images of the newest messages that have up to `most` characters of base64 in all. */
export function withNewestImages(
  all: readonly Message[],
  remark: string,
  most: number,
): ImagesHidden {
  let [count, left] = [0, most];
  const isTooMuch = ({ data }: ImagePart) => {
    left -= data.length;
    if (left < 0) count += 1;
    return left < 0;
  };
  const messages = all
    .toReversed()
    .map((message) => hideImages(message, remark, isTooMuch))
    .toReversed();
  return { messages, count };
}

function hideImages(
  message: Message,
  remark: string,
  isHidden: (image: ImagePart) => boolean,
): Message {
  const hide = <P extends { readonly type: string }>(part: P | ImagePart) =>
    isImage(part) && isHidden(part) ? { type: "text" as const, text: remark } : part;
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
}

function isImage(part: { readonly type: string }): part is ImagePart {
  return part.type === "image";
}
