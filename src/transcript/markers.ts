/**
 * The markers of the format and the escape that keeps foreign text from becoming one (format, sections 1 and 2). This
 * is the security boundary of the project: text from a model, a tool or a web page enters a transcript only through
 * this module.
 */

/** Each marker as Parley writes it; everything else is derived from this table. */
export const markerText = {
  question: "💬:",
  answer: "🤖:",
  thought: "🧠:",
  summary: "📝:",
  call: "❓:",
  result: "🛠️:",
  comment: "<!-- parley:",
  "legacy-call": "🔧:",
  "legacy-result": "📎:",
  branch: "🌿:",
  private: "🔒:",
} as const;

export type MarkerName = keyof typeof markerText;

export interface Marker {
  readonly name: MarkerName;
  /** The characters at the start of the line, the colon included. */
  readonly text: string;
}

export const thoughtEnd = `${markerText.thought}[END]`;

const variationSelector = "\uFE0F";
const backslash = 0x5c;

/** The emoji without its colon and variation selector. */
const bareText = (text: string) => text.slice(0, -1).replace(variationSelector, "");

/** The spellings with and without U+FE0F, which is optional when reading. */
function spellings(name: MarkerName, text: string): Marker[] {
  if (name === "comment") return [{ name, text }];
  const bare = bareText(text);
  return [
    { name, text: `${bare}:` },
    { name, text: `${bare}${variationSelector}:` },
  ];
}

const names = Object.keys(markerText) as readonly MarkerName[];
const markers: readonly Marker[] = names.flatMap((name) => spellings(name, markerText[name]));

// The first UTF-16 unit settles nearly every line, so it is looked up first.
const byFirstUnit = new Map<number, readonly Marker[]>();
for (const marker of markers) {
  const unit = marker.text.charCodeAt(0);
  byFirstUnit.set(unit, [...(byFirstUnit.get(unit) ?? []), marker]);
}

/** The marker at `offset` of the line, or null. Column 0 by default. */
export function markerAt(line: string, offset = 0): Marker | null {
  const candidates = byFirstUnit.get(line.charCodeAt(offset));
  if (candidates === undefined) return null;
  for (const marker of candidates) if (line.startsWith(marker.text, offset)) return marker;
  return null;
}

/** Invisible characters: a line with them looks like the line without them. */
const ignorable = /\p{Default_Ignorable_Code_Point}/u;

const isIgnorable = (text: string, at: number) =>
  at < text.length && ignorable.test(String.fromCodePoint(text.codePointAt(at) ?? 0));

const bareMarkers = [
  ...new Set(markers.flatMap(({ name, text }) => (name === "comment" ? [] : [bareText(text)]))),
];

/**
 * Whether a text from `offset` on is not a marker but looks like the beginning of one: it begins with an invisible
 * character, or with a marker's emoji followed by such characters other than one U+FE0F. The rest of the line is not
 * looked at, so the result does not depend on how the text arrives.
 */
function isLookAlike(line: string, offset: number): boolean {
  if (isIgnorable(line, offset)) return true;
  const bare = bareMarkers.find((text) => line.startsWith(text, offset));
  if (bare === undefined) return false;
  const end = offset + bare.length;
  return line.startsWith(variationSelector, end)
    ? isIgnorable(line, end + 1)
    : isIgnorable(line, end);
}

function countBackslashes(line: string): number {
  let count = 0;
  while (line.charCodeAt(count) === backslash) count += 1;
  return count;
}

/** Whether the line is a marker without its leading backslashes, `^\\*MARKER`, or looks like one. */
export function looksLikeMarker(line: string): boolean {
  const offset = countBackslashes(line);
  return markerAt(line, offset) !== null || isLookAlike(line, offset);
}

/** Escapes one line of content as a line of the file (format, section 2). */
export function escapeLine(line: string): string {
  return looksLikeMarker(line) ? `\\${line}` : line;
}

/** Unescapes one line of the file as a line of content (format, section 2). */
export function unescapeLine(line: string): string {
  return line.charCodeAt(0) === backslash && looksLikeMarker(line) ? line.slice(1) : line;
}

/** Turns CR LF and lone CR into LF, as required before foreign text is written (format, section 1). */
export function toLineFeeds(text: string): string {
  return text.includes("\r") ? text.replace(/\r\n?/g, "\n") : text;
}

/** As `escapeLine`, but keeps the model's own `📝:` and `🧠:` lines: the prompt asks for them (format, section 2). */
export function escapeAnswerLine(line: string): string {
  const name = markerAt(line)?.name;
  return name === "summary" || name === "thought" ? line : escapeLine(line);
}

/** Text of the model's answer as lines of the file. */
export function escapeAnswerText(text: string): string[] {
  return toLineFeeds(text).split("\n").map(escapeAnswerLine);
}

/** Whether the tip holds a marker that no stream of Parley leaves there; a stream leaves only `🧠:` and `📝:`. */
function isForeignMarker(linePrefix: string): boolean {
  const name = markerAt(linePrefix)?.name;
  return name !== undefined && name !== "thought" && name !== "summary";
}

/** Escapes the first line; the line at the tip may hold a marker that the user has typed in part; see `escapeAtTip`. */
function escapeFirstLine(
  linePrefix: string,
  line: string,
  escapeOne: (line: string) => string,
): string {
  if (linePrefix === "") return escapeOne(line);
  if (line !== "" && isForeignMarker(linePrefix)) return `\n${escapeOne(line)}`;
  if (looksLikeMarker(linePrefix) || !looksLikeMarker(linePrefix + line)) return line;
  if (countBackslashes(linePrefix) === linePrefix.length) return `\\${line}`;
  return `\n${escapeOne(line)}`;
}

/**
 * Returns the text to write at the tip when its line already holds `linePrefix`. Escapes line by line, judging the
 * first line together with the prefix. `answerText` is for the model's own answer text, whose `📝:` and `🧠:` lines are
 * written as they came.
 *
 * Callers keep back what `holdBack` says, so only the user can have typed a prefix that is a marker or part of one.
 * Such a prefix cannot be changed here, so the text then goes on a new line: one more line break, but no character
 * lost, no marker made of two halves, and no call or turn with foreign content.
 */
export function escapeAtTip(
  linePrefix: string,
  text: string,
  options: { readonly answerText: boolean },
): string {
  const escapeOne = options.answerText ? escapeAnswerLine : escapeLine;
  const [first = "", ...rest] = toLineFeeds(text).split("\n");
  return [escapeFirstLine(linePrefix, first, escapeOne), ...rest.map(escapeOne)].join("\n");
}

function isMarkerBeginning(text: string): boolean {
  return markers.some((marker) => marker.text.length > text.length && marker.text.startsWith(text));
}

function endsInHalfCharacter(text: string): boolean {
  const unit = text.charCodeAt(text.length - 1);
  return unit === 0x0d || (unit >= 0xd800 && unit <= 0xdbff);
}

/**
 * How many UTF-16 units at the end of streamed text must wait for more of it: a last line that may still become a
 * marker, including its leading backslashes, a CR that may be half of CR LF, or half a surrogate pair. `atLineStart`
 * says whether `text` begins at column 0. At the end of the stream everything is written.
 */
export function holdBack(text: string, atLineStart: boolean): number {
  const lineStart = Math.max(text.lastIndexOf("\n"), text.lastIndexOf("\r", text.length - 2)) + 1;
  if (atLineStart || lineStart > 0) {
    const line = text.slice(lineStart);
    if (line !== "" && isMarkerBeginning(line.slice(countBackslashes(line)))) return line.length;
  }
  return endsInHalfCharacter(text) ? 1 : 0;
}

/** A parsed `🤖:` line (format, section 1). */
export interface AnswerLine {
  /** Without brackets; null when there is none. */
  readonly label: string | null;
  /** The text after the label: the first line of the answer. */
  readonly text: string;
}

/** Parses a `🤖:` line; balanced brackets inside the label belong to it. */
export function readAnswerLine(line: string): AnswerLine {
  const text = line.slice(markerAt(line)?.text.length ?? 0).trimStart();
  if (!text.startsWith("[")) return { label: null, text };
  let depth = 0;
  for (let index = 0; index < text.length; index += 1) {
    if (text[index] === "[") depth += 1;
    if (text[index] === "]") depth -= 1;
    if (depth === 0) {
      return { label: text.slice(1, index), text: text.slice(index + 1).trimStart() };
    }
  }
  return { label: null, text };
}

/** A label or a header value as it is written: one line without control characters (format, section 3). */
export function oneLine(text: string): string {
  return text.replace(/[\p{Cc}\u2028\u2029]+/gu, " ").trim();
}

function isBalanced(text: string): boolean {
  let depth = 0;
  for (const character of text) {
    if (character === "[") depth += 1;
    if (character === "]") depth -= 1;
    if (depth < 0) return false;
  }
  return depth === 0;
}

/** Renders the first line of an answer; the label is for readers, so brackets that would end it early become round. */
export function renderAnswerLine(label: string | null): string {
  if (label === null) return markerText.answer;
  const text = oneLine(label);
  const safe = isBalanced(text) ? text : text.replaceAll("[", "(").replaceAll("]", ")");
  return `${markerText.answer}[${safe}]`;
}

/** Whether the line's paragraph has a `💬:` with blanks in front of it, by 'autoindent' or by a person: it is no marker. */
export function isBehindBlanks(lines: readonly string[], line: number): boolean {
  for (let at = line; at >= 0; at -= 1) {
    const text = lines[at]?.trimStart() ?? "";
    if (text.startsWith(markerText.question)) return text !== lines[at];
    if (text === "") return false;
  }
  return false;
}
