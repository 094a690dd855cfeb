/**
 * The types of a parsed transcript (doc/format.md). All line numbers are zero-based, counted in lines of the file;
 * `end` is exclusive. Everything here is plain, immutable data.
 */
import type { Decision } from "./decisions.ts";

export interface LineRange {
  readonly start: number;
  readonly end: number;
}

/** A replacement of whole lines, computed against one snapshot of the text. */
export interface Edit extends LineRange {
  /** New lines, without line ends. `start === end` inserts above line `start`. */
  readonly lines: readonly string[];
}

export type ProblemLevel = "error" | "warning" | "info";

/** A remark about a place in the text. The text itself is never changed because of one. */
export interface Problem {
  readonly line: number;
  /** Zero-based UTF-16 column; consumers convert it to what they show. */
  readonly column: number;
  readonly level: ProblemLevel;
  /** Stable kebab-case name, such as `broken-call`; the full list is `problemLevels` in problems.ts. */
  readonly code: string;
  /** A sentence: what is wrong, what was kept, what to do. */
  readonly message: string;
  /** Edits that the user may choose to apply, the recommended one first. */
  readonly fixes?: readonly { readonly title: string; readonly edits: readonly Edit[] }[];
}

export interface HeaderEntry {
  readonly key: string;
  /** The items of a list joined by commas; empty when nothing of it can be read. */
  readonly value: string;
  /** How it is written. `literal`: verbatim, not as YAML; `unreadable`: it cannot be used. */
  readonly form: "literal" | "plain" | "quoted" | "block" | "list" | "unreadable";
  /** Why it is not read as it was meant; null when it is. */
  readonly reason: string | null;
  /** Written as `key+:`: appended to the configured value. */
  readonly append: boolean;
  readonly line: number;
  /** First line after the value. */
  readonly end: number;
}

export interface Header {
  /** Null when the file has no header. Includes the `---` lines. */
  readonly range: LineRange | null;
  readonly entries: readonly HeaderEntry[];
}

/** One tool call as the model proposed it. `arguments` is the JSON text exactly as sent. */
export interface ToolCall {
  readonly id: string;
  readonly name: string;
  readonly arguments: string;
}

export type ResultStatus = "ok" | "error" | "declined" | "cancelled" | "timeout";

export interface Attachment {
  /** For example `image/png`. */
  readonly mime: string;
  /** A plain file name inside `<transcript>.files/`. */
  readonly file: string;
}

export interface ResultBlock {
  readonly range: LineRange;
  readonly name: string;
  readonly callId: string;
  readonly status: ResultStatus;
  readonly attachments: readonly Attachment[];
  /** Plain file name inside `<transcript>.files/` that holds the uncut text. */
  readonly fullText: string | null;
  /** The body, unescaped, lines joined by LF. */
  readonly text: string;
}

export interface CallBlock {
  readonly kind: "call";
  /** The `❓:` (or `🔧:`) line. */
  readonly line: number;
  /** The exact text of that line in the file. */
  readonly lineText: string;
  /** Null when the call is broken. */
  readonly call: ToolCall | null;
  /** The exact characters of the JSON in the code span; empty when there is none. */
  readonly json: string;
  readonly decision: Decision | null;
  /** Words in parentheses after the span: `repaired`, `salvaged`. */
  readonly notes: readonly string[];
  /** Why this is a broken call, as a sentence; null when it is not. */
  readonly broken: string | null;
  readonly result: ResultBlock | null;
  /** `legacy`: a `🔧:` of the Lua Parley; never open, never run. */
  readonly source: "parley" | "legacy";
  /** First line after the call and, when it has one, its result. */
  readonly end: number;
}

export interface TextBlock {
  readonly kind: "text";
  readonly range: LineRange;
  /** Unescaped, without outer blank lines; `📝:` lines are unchanged. Never empty. */
  readonly text: string;
}

export interface ThoughtBlock {
  readonly kind: "thought";
  readonly range: LineRange;
  /** Unescaped, without marker. */
  readonly text: string;
}

/** Content of an answer that is not a call. Only text is sent to a model. */
export type ContentBlock = TextBlock | ThoughtBlock;

export type Block = ContentBlock | CallBlock;

/** The JSON of a `<!-- parley:step … -->` line. Unknown keys are kept by the writer. */
export interface StepRecord {
  readonly model?: string;
  /** base64url of JSON, see src/conversation/request/provider-state.ts. */
  readonly state?: string;
  /** Reference as written in the question (`@@./a.ts@@` or the image path) → plain file name in the files folder. */
  readonly files?: Readonly<Record<string, string>>;
  /** The response has text after its last call. */
  readonly tail?: boolean;
  /** The response paused: the model continues it when asked again. */
  readonly paused?: boolean;
}

/** One model response with the results of its calls. */
export interface Step {
  readonly range: LineRange;
  readonly stepLine: number | null;
  readonly record: StepRecord;
  readonly blocks: readonly Block[];
  readonly calls: readonly CallBlock[];
}

export type UnfinishedReason = "open" | "stopped" | "length" | "error" | "empty";

export interface Unfinished {
  readonly line: number;
  readonly reason: UnfinishedReason;
}

export interface Answer {
  /** From the `🤖:` line to the end of the block, including the user's text below the tip. */
  readonly range: LineRange;
  /** The `[label]` without brackets; null when there is none. */
  readonly label: string | null;
  /** In order. When `unfinished` is set, the last step is the one it belongs to (possibly without blocks). */
  readonly steps: readonly Step[];
  readonly unfinished: Unfinished | null;
  /** Where the next step of this answer is written: directly below the last result (or, without calls, the last text). */
  readonly tip: number;
  /** The user's text in no step (below the tip, or below an unfinished mark); null when there are only blank lines. */
  readonly aside: LineRange | null;
  /** Text of the last `📝:` line, without marker; null when there is none. */
  readonly summary: string | null;
}

export interface Reference {
  /** `resource`: it reads like one, and it is one only when a server of this name exists. */
  readonly kind: "file" | "image" | "resource" | "named";
  /** As written: `@@./a.ts@@` for a file, the path for an image, `@server:uri`. The key in `StepRecord.files`. */
  readonly source: string;
  /** Path, URL or name (`diff:main`) inside the marks; the URI of a resource. */
  readonly target: string;
  /** `alt` of an image, the server of a resource, else empty. */
  readonly label: string;
  readonly line: number;
}

export interface Question {
  /** From the `💬:` line (or where the exchange begins without one) to the next structural line. */
  readonly range: LineRange;
  /** Marker and private parts removed, unescaped, trimmed; references and images still as written. */
  readonly text: string;
  readonly references: readonly Reference[];
}

export interface Exchange {
  readonly index: number;
  readonly range: LineRange;
  readonly question: Question;
  readonly answer: Answer | null;
}

export interface Transcript {
  readonly lines: readonly string[];
  readonly header: Header;
  readonly exchanges: readonly Exchange[];
  readonly problems: readonly Problem[];
}
