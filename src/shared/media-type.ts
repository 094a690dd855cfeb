/** Media types, such as `image/png`. */

const form = /^[a-z]+\/[a-z0-9.+-]+$/;

/** For bytes of any kind. */
export const unknownMediaType = "application/octet-stream";

export function isMediaType(text: string): boolean {
  return form.test(text);
}

/** The type that a server declares, without its parameters; `unknownMediaType` if it declares none. */
export function mediaTypeOf(declared: unknown): string {
  const type =
    typeof declared === "string" ? declared.replace(/;.*/s, "").trim().toLowerCase() : "";
  return isMediaType(type) ? type : unknownMediaType;
}
