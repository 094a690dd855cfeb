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
  if (type === "image/jpg" || type === "image/pjpeg") return "image/jpeg";
  return isMediaType(type) ? type : unknownMediaType;
}

/** Base64 data without a data URL around it, as some servers and programs write it, and without white space. */
export function bareBase64(data: string): string {
  const head = /^\s*data:[^,]{0,200},/i.exec(data.slice(0, 300))?.[0] ?? "";
  return data.slice(head.length).replace(/\s/g, "");
}
