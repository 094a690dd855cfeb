/** The body of a request as bytes. What was written ahead of its messages is copied in place of being written again. */
import { createKept } from "../../shared/kept.ts";

/** The JSON of elements of a list (messages, items), with commas between them. */
const keptElements = createKept<object, Uint8Array>();

/** Writes the lists of a body ahead. */
export function writeLists(body: object): void {
  for (const list of Object.values(body)) {
    if (isList(list)) keptElements.keep(list, () => Buffer.from(elements(list)));
  }
}

/**
 * @param body of JSON values; fields without a value are left out
 * @returns its JSON in UTF-8
 */
export function bodyBytes(body: object): Uint8Array {
  const writer = createWriter();
  let between = "{";
  for (const [name, value] of Object.entries(body)) {
    if (value === undefined) continue;
    writer.text(`${between}${JSON.stringify(name)}:`);
    between = ",";
    if (isList(value)) writeList(writer, value);
    else writer.text(JSON.stringify(value));
  }
  writer.text(between === "{" ? "{}" : "}");
  return writer.all();
}

function writeList(writer: Writer, list: readonly object[]): void {
  let between = "[";
  /** Elements that were not written ahead. */
  let others: object[] = [];
  const writeOthers = () => {
    if (others.length > 0) writer.text(`${between}${elements(others)}`);
    if (others.length > 0) between = ",";
    others = [];
  };
  keptElements.walk(list, {
    each: (element) => others.push(element),
    segment(bytes) {
      writeOthers();
      writer.text(between);
      writer.bytes(bytes);
      between = ",";
      return true;
    },
  });
  writeOthers();
  writer.text(between === "[" ? "[]" : "]");
}

/** The elements' JSON, with commas between them. */
function elements(list: readonly object[]): string {
  return JSON.stringify(list).slice(1, -1);
}

function isList(value: unknown): value is readonly object[] {
  return Array.isArray(value) && value.every((one) => typeof one === "object" && one !== null);
}

interface Writer {
  text(text: string): void;
  bytes(bytes: Uint8Array): void;
  /** Everything that was written. */
  all(): Uint8Array;
}

function createWriter(): Writer {
  const pieces: Uint8Array[] = [];
  let text = "";
  const endText = () => {
    if (text !== "") pieces.push(Buffer.from(text));
    text = "";
  };
  return {
    text(more) {
      text += more;
    },
    bytes(more) {
      endText();
      pieces.push(more);
    },
    all() {
      endText();
      const [only] = pieces;
      return pieces.length === 1 && only ? only : Buffer.concat(pieces);
    },
  };
}
