/** Splits a file into lines and joins them, keeping the exact bytes of lines that were not edited. Pure. */

export interface FileLine {
  readonly text: string;
  /** The original bytes of a line that is not valid UTF-8, since its text would not give them back; else null. */
  readonly bytes: Uint8Array | null;
}

export interface FileText {
  readonly lines: readonly FileLine[];
  /** The byte order mark, if there is one; not part of the first line, as in an editor. */
  readonly mark: Uint8Array;
  /** CR LF when every line ends with it; otherwise a CR is part of its line. */
  readonly lineEnd: "\n" | "\r\n";
  /** The last line, when it had no line end. It gets none as long as it stays the last. */
  readonly openLine: FileLine | null;
}

const byteOrderMark = Uint8Array.of(0xef, 0xbb, 0xbf);
const none = new Uint8Array(0);

export function readFileText(bytes: Buffer): FileText {
  const mark = bytes.subarray(0, 3).equals(byteOrderMark) ? byteOrderMark : none;
  const pieces = split(bytes.subarray(mark.length));
  const open = pieces.pop();
  const isDos = pieces.length > 0 && pieces.every((piece) => piece.at(-1) === 0x0d);
  const lines = pieces.map((piece) => toLine(isDos ? piece.subarray(0, -1) : piece));
  const openLine = open === undefined || open.length === 0 ? null : toLine(open);
  if (openLine !== null) lines.push(openLine);
  return { lines, mark, lineEnd: isDos ? "\r\n" : "\n", openLine };
}

export function unreadableLines({ lines }: FileText): readonly number[] {
  return lines.flatMap(({ bytes }, line) => (bytes === null ? [] : [line]));
}

export function writeFileText({ lines, mark, lineEnd, openLine }: FileText): Buffer {
  const end = Buffer.from(lineEnd);
  const pieces: Uint8Array[] = [mark];
  for (const line of lines) pieces.push(line.bytes ?? Buffer.from(line.text), end);
  if (openLine !== null && lines.at(-1) === openLine) pieces.pop();
  return Buffer.concat(pieces);
}

/** The pieces between the line feeds; the last one is empty when the bytes end with a line feed. */
function split(bytes: Buffer): Buffer[] {
  const pieces: Buffer[] = [];
  let start = 0;
  for (let end = bytes.indexOf(0x0a); end >= 0; end = bytes.indexOf(0x0a, start)) {
    pieces.push(bytes.subarray(start, end));
    start = end + 1;
  }
  pieces.push(bytes.subarray(start));
  return pieces;
}

function toLine(bytes: Buffer): FileLine {
  const text = bytes.toString("utf8");
  const isWhole = !text.includes("\ufffd") || bytes.equals(Buffer.from(text));
  return { text, bytes: isWhole ? null : bytes };
}
