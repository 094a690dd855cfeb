/** Markdown code spans and fences, as call lines and result bodies use them (format, sections 4 and 5). */

const backtick = 0x60;

function runLength(text: string, start: number, unit: number): number {
  let end = start;
  while (text.charCodeAt(end) === unit) end += 1;
  return end - start;
}

/** Length of the longest run of backticks. */
function longestRun(text: string): number {
  let longest = 0;
  let start = text.indexOf("`");
  while (start >= 0) {
    const length = runLength(text, start, backtick);
    longest = Math.max(longest, length);
    start = text.indexOf("`", start + length);
  }
  return longest;
}

/** Renders one line of text, not empty, as a code span. */
export function renderSpan(text: string): string {
  const fence = "`".repeat(longestRun(text) + 1);
  const padded =
    text.startsWith("`") || text.endsWith("`") || (text.startsWith(" ") && text.endsWith(" "));
  return padded ? `${fence} ${text} ${fence}` : fence + text + fence;
}

export interface Span {
  readonly text: string;
  /** Column after the closing backticks. */
  readonly end: number;
}

function stripPadding(text: string): string {
  return text.length > 1 && text.startsWith(" ") && text.endsWith(" ") ? text.slice(1, -1) : text;
}

/** The code span that begins at `start`; null when there is none, or when it is not closed on this line. */
export function readSpan(line: string, start: number): Span | null {
  const fence = runLength(line, start, backtick);
  if (fence === 0) return null;
  let at = line.indexOf("`", start + fence);
  while (at >= 0) {
    const length = runLength(line, at, backtick);
    if (length === fence) {
      return { text: stripPadding(line.slice(start + fence, at)), end: at + length };
    }
    at = line.indexOf("`", at + length);
  }
  return null;
}

/** A fence of backticks that no line of the text closes. */
export function fenceFor(text: string): string {
  return "`".repeat(Math.max(3, longestRun(text) + 1));
}

export interface Fence {
  /** UTF-16 unit of the fence character: backtick or tilde. */
  readonly unit: number;
  readonly length: number;
  /** Columns before the fence, at most 3. */
  readonly indent: number;
}

const tilde = 0x7e;

/** The fence that this line opens, as CommonMark reads it, or null. */
export function openingFence(line: string): Fence | null {
  let indent = 0;
  while (indent < 4 && line.charCodeAt(indent) === 0x20) indent += 1;
  const unit = line.charCodeAt(indent);
  if (indent > 3 || (unit !== backtick && unit !== tilde)) return null;
  const length = runLength(line, indent, unit);
  if (length < 3) return null;
  // A backtick in the info string makes it a code span, not a fence.
  if (unit === backtick && line.includes("`", indent + length)) return null;
  return { unit, length, indent };
}

/** Whether this line closes the fence: the same character, at least as long, nothing after it. */
export function closesFence(line: string, fence: Fence): boolean {
  const closing = openingFence(line);
  return (
    closing !== null &&
    closing.unit === fence.unit &&
    closing.length >= fence.length &&
    isBlank(line.slice(closing.indent + closing.length))
  );
}

/** The line that closes such a fence. */
export function closingFence(fence: Fence): string {
  return " ".repeat(fence.indent) + String.fromCharCode(fence.unit).repeat(fence.length);
}

/** Only spaces and tabs (format, section 1). */
export function isBlank(line: string): boolean {
  const first = line.charCodeAt(0);
  if (line.length > 0 && first !== 0x20 && first !== 0x09) return false;
  return /^[ \t]*$/.test(line);
}

/** A fenced block whose fence no line of the text closes. */
export function fenced(text: string): string {
  const fence = fenceFor(text);
  return `${fence}\n${text}${text === "" || text.endsWith("\n") ? "" : "\n"}${fence}`;
}
