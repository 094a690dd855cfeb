/**
 * Reads what a vendor, a server or a proxy says about an error, in any shape of body (doc/providers.md has the table of
 * shapes): for bodies of refusals, for bodies that are not an answer, and for events of a stream. Pure.
 */
import { isObject, parseJson } from "../../shared/json.ts";
import { collapseWhitespace } from "../../shared/visible.ts";
import { isUnseen } from "../../shared/well-formed.ts";

export interface ReportedError {
  /** The sentence for the user, on one line; empty if none. It may still contain control characters and secrets. */
  readonly said: string;
  /** Identifiers of the kind of error, such as `overloaded_error insufficient_quota`; empty if there are none. */
  readonly words: string;
  /** The request's field that it is about, such as `temperature` or `tools[0].function`; empty if unknown. */
  readonly parameter: string;
  /** An HTTP status in the body; null if there is none. */
  readonly status: number | null;
  /** How long to wait, in milliseconds, if the body says so; otherwise null. */
  readonly retryAfterMs: number | null;
}

const nothing: ReportedError = {
  said: "",
  words: "",
  parameter: "",
  status: null,
  retryAfterMs: null,
};

/** Bodies contain bodies: a proxy's has the vendor's as JSON text, OpenRouter's in `metadata.raw`. */
const deepest = 8;

/** Reads the body of a response: JSON of any known shape, HTML, or plain text. */
export function readErrorBody(body: string): ReportedError {
  const text = body.trim();
  const value = /^[[{"]/.test(text) ? parseJson(text) : undefined;
  if (value !== undefined) return readErrorValue(value);
  if (/^<(!doctype|html|head|body|\?xml)/i.test(text)) return { ...nothing, said: pageWords(text) };
  return { ...nothing, said: collapseWhitespace(text) };
}

/** Reads a body, or the data of an event, that is JSON. */
export function readErrorValue(value: unknown, depth = 0): ReportedError {
  if (depth > deepest) return nothing;
  if (typeof value === "string") return fromText(value, depth);
  if (Array.isArray(value)) return fromList(value, depth);
  if (!isObject(value)) return nothing;
  const own = fromFields(value, depth);
  // The inner object is more specific; `{"type":"error"}` around it adds nothing.
  const inner = isObject(value.error) || Array.isArray(value.error) ? value.error : null;
  return inner === null ? own : join(readErrorValue(inner, depth + 1), own);
}

/** A failure that the provider reports in the middle of its stream; `error` has the shape of the SDKs' own errors. */
export class StreamedError extends Error {
  readonly error: unknown;

  constructor(error: unknown) {
    super("The vendor reported an error in its stream.");
    this.error = error;
  }
}

/** Every answer has at least one of these fields. */
const answerFields = ["choices", "output", "content", "response"];

/** Whether an event of a stream is an error, in any API. In Responses, a failed response is an event of its own. */
export function isErrorEvent(value: unknown): boolean {
  if (Array.isArray(value)) return value.some(isErrorEvent);
  if (!isObject(value)) return false;
  const { error, object, base_resp: status } = value;
  const isEmpty = isObject(error) && Object.keys(error).length === 0;
  // Next to an answer, an empty error reports none.
  if (isEmpty && answerFields.some((field) => field in value)) return false;
  if (isObject(error) || Array.isArray(error) || object === "error") return true;
  // MiniMax responds with status 200 even to a failure.
  if (isObject(status) && typeof status.status_code === "number" && status.status_code !== 0) {
    return true;
  }
  return (typeof error === "string" && error !== "") || isBareError(value);
}

/** `{"detail": "…"}`, `{"code": "…", "message": "…"}` instead of a chunk (FastAPI, DashScope, Cerebras with a type). */
function isBareError(value: Readonly<Record<string, unknown>>): boolean {
  const { type } = value;
  if (typeof type === "string" && !/error/i.test(type)) return false;
  if (answerFields.some((field) => field in value)) return false;
  return readErrorValue([value.message, value.detail]).said !== "";
}

/** Whether a JSON value that was sent instead of a stream is an error. */
export function isErrorValue(value: unknown): boolean {
  if (isErrorEvent(value) || !isObject(value)) return true;
  return !answerFields.some((field) => field in value);
}

function fromText(text: string, depth: number): ReportedError {
  const trimmed = text.trim();
  const value = /^[[{]/.test(trimmed) ? parseJson(trimmed) : undefined;
  if (value !== undefined) {
    const found = readErrorValue(value, depth + 1);
    if (found.said !== "") return found;
  }
  return { ...nothing, said: collapseWhitespace(belowSource(trimmed)) };
}

/** llama.cpp prints the place in the chat template's source first, and the exception below it. */
function belowSource(text: string): string {
  const start = text.lastIndexOf("Jinja Exception: ");
  return start > 0 && text.lastIndexOf("\n", start) >= 0 ? text.slice(start) : text;
}

/** Google wraps its error in a list; FastAPI and others list the mistakes of each field. */
function fromList(list: readonly unknown[], depth: number): ReportedError {
  const found = list
    .slice(0, 5)
    .map((item) => fieldMistake(item) ?? readErrorValue(item, depth + 1));
  return found.reduceRight((rest, each) => join(each, rest, "; "), nothing);
}

/** `{"loc": ["body", "messages", 0], "msg": "Field required"}` */
function fieldMistake(item: unknown): ReportedError | null {
  if (!isObject(item) || typeof item.msg !== "string") return null;
  const place = Array.isArray(item.loc) ? item.loc.filter((step) => step !== "body").join(".") : "";
  const words = typeof item.type === "string" ? item.type : "";
  return {
    ...nothing,
    said: place === "" ? item.msg : `${place}: ${item.msg}`,
    parameter: place,
    words,
  };
}

/** Fields that contain the sentence, or an object or a list with it; the first one with a text wins. */
const sayingFields = [
  "message",
  "detail",
  "details",
  "error",
  "errors",
  "error_description",
  "error_message",
  "reason",
  "title",
  "msg",
  "status_msg",
  "base_resp",
];

function fromFields(value: Readonly<Record<string, unknown>>, depth: number): ReportedError {
  let said = nothing;
  for (const field of sayingFields) {
    const content = value[field];
    if (field === "error" && typeof content !== "string") continue;
    if (said.said === "" && content !== undefined && content !== null)
      said = join(readErrorValue(content, depth + 1), said);
  }
  const raw = rawOf(value, depth);
  const words = [value.type, value.code, value.status].filter((word) => typeof word === "string");
  return join(raw, {
    said: said.said,
    words: [...new Set([...words, said.words])]
      .filter((word) => word !== "" && word !== "error")
      .join(" "),
    parameter: typeof value.param === "string" ? value.param : said.parameter,
    status:
      statusOf(value.code) ?? statusOf(value.status) ?? statusOf(value.status_code) ?? said.status,
    retryAfterMs: retryDelay(value.details) ?? said.retryAfterMs,
  });
}

/** OpenRouter includes the complete error of the vendor behind it. */
function rawOf({ metadata }: Readonly<Record<string, unknown>>, depth: number): ReportedError {
  if (!isObject(metadata) || metadata.raw === undefined) return nothing;
  const raw = readErrorValue(metadata.raw, depth + 1);
  const name = metadata.provider_name;
  return typeof name === "string" && raw.said !== ""
    ? { ...raw, said: `${name}: ${raw.said}` }
    : raw;
}

function statusOf(value: unknown): number | null {
  const number = typeof value === "string" && /^\d{3}$/.test(value) ? Number(value) : value;
  return typeof number === "number" && number >= 400 && number <= 599 ? number : null;
}

/** Google's `RetryInfo`: `{"retryDelay": "27s"}`. */
function retryDelay(details: unknown): number | null {
  if (!Array.isArray(details)) return null;
  for (const detail of details) {
    const delay =
      isObject(detail) && typeof detail.retryDelay === "string" ? detail.retryDelay : "";
    const seconds = /^(\d+(?:\.\d+)?)s$/.exec(delay)?.[1];
    if (seconds !== undefined) return Math.round(Number(seconds) * 1000);
  }
  return null;
}

/** Fills the gaps of the first with the second; with a separator, both sentences are kept. */
function join(
  first: ReportedError,
  second: ReportedError,
  separator: string | null = null,
): ReportedError {
  const both = [first.said, second.said].filter((said) => said !== "");
  const words = [...new Set([...first.words.split(" "), ...second.words.split(" ")])];
  return {
    said: separator === null ? (both[0] ?? "") : both.join(separator),
    words: words.filter((word) => word !== "").join(" "),
    parameter: first.parameter || second.parameter,
    status: first.status ?? second.status,
    retryAfterMs: first.retryAfterMs ?? second.retryAfterMs,
  };
}

/** The title and heading of a proxy's page or a login page. */
function pageWords(html: string): string {
  const inside = (tag: string) => {
    const found = new RegExp(`<${tag}[^>]{0,200}>([^<]{1,300})<`, "i").exec(html.slice(0, 20_000));
    return collapseWhitespace(found?.[1] ?? "");
  };
  const words = [...new Set([inside("title"), inside("h1")])].filter((each) => !isUnseen(each));
  return words.length === 0 ? "a web page" : `a web page: ${words.join(" – ")}`;
}
