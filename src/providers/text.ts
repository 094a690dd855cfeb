/** Converts text, JSON and images for providers. Pure. */
import type { ImagePart, TextPart } from "../conversation/ports.ts";
import { boundedSize } from "../shared/bounded-json.ts";
import { isObject, parseJson } from "../shared/json.ts";
import { isSendableMime, type SendableMime } from "../shared/sendable-images.ts";
import { wellFormed, wellFormedJson } from "../shared/well-formed.ts";

/**
 * A call's arguments as an object. Anything else is sent as `{"raw": …}` (format, section 4), and so is a value that
 * is nested too deeply to be serialized.
 */
export function argumentsObject(text: string): Readonly<Record<string, unknown>> {
  const value = parseJson(text);
  const isWritable = boundedSize(value, Number.POSITIVE_INFINITY) !== null;
  return isObject(value) && isWritable ? value : { raw: text };
}

/** A call's arguments as the model sent them, if they are an object: cached prefixes must match byte for byte. */
export function argumentsText(text: string): string {
  return wellFormedJson(isObject(parseJson(text)) ? text : JSON.stringify({ raw: text }));
}

/** The text of a result, for APIs without a field for failed calls. */
export function failureText(text: string, isError: boolean): string {
  return isError && !/^\W*error\b/i.test(text) ? `Error: ${text}` : text;
}

/** Marks a failed result for APIs without a field for that: in its first text, or in a text before its images. */
export function markFailure(
  content: readonly (TextPart | ImagePart)[],
): readonly (TextPart | ImagePart)[] {
  const [first, ...others] = content;
  if (first?.type !== "text")
    return [{ type: "text", text: "Error: the call failed." }, ...content];
  return [{ ...first, text: failureText(first.text, true) }, ...others];
}

/** The same value with every string well-formed (without lone surrogates). */
export function wellFormedValue(value: unknown): unknown {
  if (typeof value === "string") return wellFormed(value);
  if (Array.isArray(value)) return value.map(wellFormedValue);
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [wellFormed(key), wellFormedValue(item)]),
  );
}

export function isSendableImage(image: ImagePart): image is ImagePart & { mime: SendableMime } {
  return isSendableMime(image.mime);
}

/** Replaces an image of a type that cannot be sent. */
export function imagePlaceholder({ mime }: ImagePart): string {
  return `(an image of type ${mime} was left out: only JPEG, PNG, GIF and WebP can be sent)`;
}

/** Replaces an image for a model without image input. */
export const noImageInputPlaceholder = "(an image was left out: this model sees none)";

/** Replaces an older image where all of a request are too large. */
export const tooLargePlaceholder =
  "(an image was left out: those of this conversation are too large in all)";

/** Replaces the images of a chat after the vendor refused one of them. */
export const refusedPlaceholder =
  "(an image was left out: the vendor refused one of this conversation)";
