/** Text, JSON and images on their way to a provider. Pure. */
import type { ImagePart, TextPart } from "../conversation/ports.ts";
import { boundedSize } from "../shared/bounded-json.ts";
import { isObject, parseJson } from "../shared/json.ts";
import { isSendableMime, type SendableMime } from "../shared/sendable-images.ts";
import { wellFormed, wellFormedJson } from "../shared/well-formed.ts";

/**
 * The object that a call's arguments are; anything else goes out as `{"raw": …}` (format, section 4), and so does one
 * that is nested without end, which no stack could write.
 */
export function argumentsObject(text: string): Readonly<Record<string, unknown>> {
  const value = parseJson(text);
  const isWritable = boundedSize(value, Number.POSITIVE_INFINITY) !== null;
  return isObject(value) && isWritable ? value : { raw: text };
}

/** A call's arguments as the model sent them, as long as they are an object: the prefix stays the same byte for byte. */
export function argumentsText(text: string): string {
  return wellFormedJson(isObject(parseJson(text)) ? text : JSON.stringify({ raw: text }));
}

/** The text of a result where no field says that the call failed. */
export function failureText(text: string, isError: boolean): string {
  return isError && !/^\W*error\b/i.test(text) ? `Error: ${text}` : text;
}

/** The parts of a failed result where no field says so: its first text does, or one above its images. */
export function tellFailure(
  content: readonly (TextPart | ImagePart)[],
): readonly (TextPart | ImagePart)[] {
  const [first, ...others] = content;
  if (first?.type !== "text")
    return [{ type: "text", text: "Error: the call failed." }, ...content];
  return [{ ...first, text: failureText(first.text, true) }, ...others];
}

/** The same value with every string in it well-formed. */
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

/** Stands for an image that the model cannot be given. */
export function imagePlaceholder({ mime }: ImagePart): string {
  return `(an image of type ${mime} was left out: only JPEG, PNG, GIF and WebP can be sent)`;
}

/** Stands for an image that goes to a model without eyes. */
export const blindPlaceholder = "(an image was left out: this model sees none)";

/** Stands for an image of a chat of which the vendor refused one. */
export const refusedPlaceholder =
  "(an image was left out: the vendor refused one of this conversation)";
