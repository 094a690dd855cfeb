/** Stores a text in as few bytes as possible. */

const wide = /[\u0100-\uffff]/;

/**
 * Returns the same text, with one byte per character when all are in Latin-1. V8 uses as many bytes for all characters
 * of a text as its largest one needs, and a substring uses as many as the whole: text after a marker (💬) has two, and
 * so has each text that it becomes part of.
 */
export function compact(text: string): string {
  return wide.test(text) ? text : Buffer.from(text, "latin1").toString("latin1");
}
