/** A text in as few bytes as it can have. */

const wide = /[\u0100-\uffff]/;

/**
 * The same text, with one byte for each character where these are of Latin-1. V8 gives all characters of a text as many
 * bytes as its largest one needs, and a part of it as many as the whole: what stands behind a marker (💬) has two, and
 * so has each text that it is put into.
 */
export function compact(text: string): string {
  return wide.test(text) ? text : Buffer.from(text, "latin1").toString("latin1");
}
