/** The files a request needs. This module reads none: the host passes what it read as `LoadedFile`. */
import { ownValue } from "../../shared/json.ts";
import { isSendableMime } from "../../shared/sendable-images.ts";
import type {
  Answer,
  Attachment,
  Exchange,
  Reference,
  Transcript,
} from "../../transcript/transcript.ts";

/** The content of a file, by its plain name in the files folder of the transcript. */
export type LoadedFile =
  | { readonly kind: "text"; readonly text: string }
  /** `data` is base64. */
  | { readonly kind: "image"; readonly mime: string; readonly data: string };

/**
 * Maps a reference as written to the plain name of its copy in the files folder. Images that a resource holds in
 * addition to its text have keys of their own, `partKey`.
 */
export type Copies = Readonly<Record<string, string>>;

export interface NeededFiles {
  /** Plain names to load from the files folder; those of the newest exchange come last. */
  readonly names: readonly string[];
  /** How often each of them is sent, by name: several references may have the same copy. */
  readonly counts: ReadonlyMap<string, number>;
  /** Copies of the asked question's references that are to be reused. */
  readonly copies: Copies;
  /** References of the asked question that are to be read and copied now; each spelling only once. */
  readonly reads: readonly Reference[];
}

export interface NeededFilesOptions {
  readonly maxFullExchanges: number;
  /** Steps of the asked exchange's answer that are sent; see `sentSteps`. */
  readonly steps?: number;
  /** The user asks for a new answer to the question: its references are read again, even where there are copies. */
  readonly fresh?: boolean;
}

/**
 * Returns what must be loaded for a request about `exchange`. References are read when the user responds to the
 * question that holds them; every later request uses the copies (format, section 10).
 */
export function neededFiles(
  transcript: Transcript,
  exchange: Exchange,
  options: NeededFilesOptions,
): NeededFiles {
  const above = transcript.exchanges.slice(0, exchange.index);
  const summarised = summarisedExchanges(above, options.maxFullExchanges);
  const older = above.filter(namesFiles).flatMap(({ index, question, answer }) => {
    const isOld = summarised.has(index);
    const shown = isOld
      ? question.references.filter(({ kind }) => kind !== "image")
      : question.references;
    const attached = isOld ? [] : attachedFiles(answer, answer?.steps.length ?? 0);
    return [...copiesOf(shown, recordedCopies(answer)).map(([, name]) => name), ...attached];
  });

  const { references } = exchange.question;
  const steps = options.fresh ? 0 : sentSteps(exchange, options.steps);
  const copies = options.fresh ? {} : recordedCopies(exchange.answer);
  const used = copiesOf(references, copies);
  const own = [...used.map(([, name]) => name), ...attachedFiles(exchange.answer, steps)];
  const counts = new Map<string, number>();
  for (const name of [...older, ...own]) {
    const before = counts.get(name) ?? 0;
    // Its place is where it is sent last.
    counts.delete(name);
    counts.set(name, before + 1);
  }
  return {
    names: [...counts.keys()],
    counts,
    copies: Object.fromEntries(used),
    reads: referencesToRead(exchange, options),
  };
}

/** References of the asked question that are to be read now; each spelling only once. */
export function referencesToRead(
  exchange: Exchange,
  { steps, fresh = false }: Pick<NeededFilesOptions, "steps" | "fresh">,
): readonly Reference[] {
  // Inside a running answer nothing new is read: the request would no longer begin like the one before.
  if (!fresh && sentSteps(exchange, steps) > 0) return [];
  const copies = fresh ? {} : recordedCopies(exchange.answer);
  const unread = exchange.question.references.filter(
    ({ source }) => copyName(copies, source) === null,
  );
  return [...new Map(unread.map((reference) => [reference.source, reference])).values()];
}

/** Whether files can affect what is sent for the exchange. */
export function namesFiles({ question, answer }: Exchange): boolean {
  return question.references.length > 0 || hasAttachments(answer);
}

function hasAttachments(answer: Answer | null): boolean {
  return (
    answer?.steps.some(({ calls }) =>
      calls.some(({ result }) => result !== null && result.attachments.length > 0),
    ) ?? false
  );
}

/**
 * How many steps of the asked exchange's answer are sent: by default all complete ones. An unfinished step is asked for
 * again, so it is not sent.
 */
export function sentSteps(exchange: Exchange, wanted?: number): number {
  const { answer } = exchange;
  if (answer === null) return 0;
  const complete = answer.steps.length - (answer.unfinished === null ? 0 : 1);
  return Math.max(0, Math.min(wanted ?? complete, complete));
}

/** The copies recorded by the first step line that has files. */
export function recordedCopies(answer: Answer | null): Copies {
  return answer?.steps.find(({ record }) => record.files !== undefined)?.record.files ?? {};
}

/** The name of the copy of a reference; null when there is none. */
export function copyName(copies: Copies, source: string): string | null {
  // A reference may be spelled like a property that every object inherits.
  return ownValue(copies, source) ?? null;
}

/** The key of the copy of a resource's image number `index`. No reference as written ends like this. */
export function partKey(source: string, index: number): string {
  return `${source} ${index + 1}`;
}

/** The copies of the images that a resource holds in addition to its text, by key. */
export function partsOf(copies: Copies, source: string): readonly [string, string][] {
  const parts: [string, string][] = [];
  for (;;) {
    const key = partKey(source, parts.length);
    const name = copyName(copies, key);
    if (name === null) return parts;
    parts.push([key, name]);
  }
}

/** The images that all providers take; other media stay in the files folder. */
export function isSendable({ mime }: Attachment): boolean {
  return isSendableMime(mime);
}

/** Each spelling only once, as it is sent. */
function copiesOf(references: readonly Reference[], copies: Copies): [string, string][] {
  const sources = new Set(references.map(({ source }) => source));
  return [...sources].flatMap((source): [string, string][] => {
    const name = copyName(copies, source);
    return name === null ? [] : [[source, name], ...partsOf(copies, source)];
  });
}

function attachedFiles(answer: Answer | null, steps: number): readonly string[] {
  const calls = answer?.steps.slice(0, steps).flatMap((step) => step.calls) ?? [];
  const attachments = calls.flatMap(({ result }) => result?.attachments ?? []);
  return attachments.filter(isSendable).map(({ file }) => file);
}

/**
 * How many of the oldest of `finished` exchanges count as old when `max` are sent in full. The border moves in jumps of
 * a quarter of `max`, so that most requests begin like the one before and prompt caches stay warm.
 */
export function oldBorder(finished: number, max: number): number {
  const jump = Math.max(1, Math.floor(max / 4));
  return jump * Math.floor(Math.max(0, finished - max) / jump);
}

/** The old exchanges above the asked one that have a summary to send instead, by index. */
export function summarisedExchanges(
  above: readonly Exchange[],
  maxFullExchanges: number,
): ReadonlyMap<number, string> {
  const finished = above.filter(({ answer }) => answer !== null && isFinished(answer));
  const old = finished.slice(0, oldBorder(finished.length, maxFullExchanges));
  const summaries = old.map(({ index, answer }) => [index, answer?.summary?.trim() ?? ""] as const);
  return new Map(summaries.filter(([, summary]) => summary !== ""));
}

/** The user continued below it, so a stopped answer counts as finished; an empty one does not. */
function isFinished(answer: Answer): boolean {
  return answer.steps.some(({ blocks }) => blocks.length > 0);
}
