/** What must hold after a session, whatever happened in it. Each breach is a sentence. */
import { z } from "zod";

/** One answer of the model. */
export interface Said {
  /** When it was asked for, by the count of `watch.lua`. */
  readonly seq: number;
  readonly words: string[];
  /** Queries of its calls, each of them once in a session. */
  readonly calls: string[];
  end: "stop" | "length" | "tool_calls" | "drop" | null;
  /** Whether the second chat asked for it. */
  readonly isElsewhere: boolean;
  /** Whether nobody listened to its end. */
  isGone(): boolean;
}

export const watchReport = z.object({
  seq: z.number(),
  faults: z.array(z.string()),
  written: z.record(z.string(), z.number()),
  /** Words that were written into the second chat. */
  elsewhere: z.record(z.string(), z.boolean()),
  events: z.array(z.object({ seq: z.number(), name: z.string(), reason: z.string() })),
  notes: z.array(z.object({ seq: z.number(), text: z.string(), level: z.number() })),
  /** What the host was asked for. */
  sent: z.array(z.object({ seq: z.number(), action: z.string() })),
  keys: z.array(
    z.object({ seq: z.number(), key: z.string(), is_yes: z.boolean(), texts: z.array(z.string()) }),
  ),
});
export type WatchReport = z.infer<typeof watchReport>;

interface Evidence {
  readonly replies: readonly Said[];
  /** The replies and the keys of a second Neovim with the same chat. */
  readonly beside: { readonly replies: readonly Said[]; readonly keys: WatchReport["keys"] };
  /** What the tools did: `begin QUERY`, `end QUERY`. */
  readonly runs: readonly string[];
  readonly messages: string;
}

export function verdictOf(report: WatchReport, evidence: Evidence): string[] {
  return [
    ...report.faults,
    ...rawErrors(report, evidence.messages),
    ...wordFaults(report, evidence),
    ...runFaults(report, evidence),
    ...silentKeys(report, evidence.runs),
    ...silentEnds(report, evidence.replies),
  ];
}

const raw =
  /E5108|stack traceback|\.lua:\d+:|Error executing|attempt to \w+ a|TypeError|undefined|could not do that|did not understand|could not continue/;

function rawErrors({ notes }: WatchReport, messages: string): string[] {
  const texts = [...notes.map(({ text }) => text), ...messages.split("\n")];
  const isRaw = (text: string) => raw.test(text) && !/'(nomodifiable|readonly)' is set/.test(text);
  return texts.filter(isRaw).map((text) => `raw error: ${text}`);
}

const isModels = (word: string) => /^[mn]/.test(word);
const bare = (word: string) => word.slice(1, -1);

function wordFaults(
  { written, elsewhere, events }: WatchReport,
  { replies, beside }: Evidence,
): string[] {
  const doubled = Object.entries(written)
    .filter(([word, count]) => isModels(word) && count > 1)
    .map(([word, count]) => `the host wrote ${word} ${count} times`);
  const said = new Set([...replies, ...beside.replies].flatMap(({ words }) => words.map(bare)));
  const foreign =
    replies.length === 0
      ? []
      : Object.keys(written).filter((word) => isModels(word) && !said.has(word));
  const strayed = replies.flatMap(({ words, isElsewhere }) =>
    isElsewhere
      ? words.filter((word) => written[bare(word)] !== undefined && !elsewhere[bare(word)])
      : [],
  );
  const lost = replies.flatMap((reply, index) => {
    const until = replies[index + 1]?.seq ?? Number.POSITIVE_INFINITY;
    const ends = events.filter(
      ({ seq, name }) => seq > reply.seq && seq <= until && name !== "ParleyStart",
    );
    const isWhole = reply.end !== null && reply.end !== "drop" && !reply.isGone();
    // A turn that ended for another reason has said so; what the model said after that is nobody's.
    const isUsual =
      ends.length > 0 &&
      ends.every(({ name, reason }) => name === "ParleyWaiting" || reason === "done");
    if (!isWhole || !isUsual) return [];
    return reply.words.filter((word) => written[bare(word)] === undefined);
  });
  return [
    ...doubled,
    ...foreign.map((word) => `the host wrote ${word}, which nobody said`),
    ...strayed.map((word) => `the host wrote ${word} into the wrong chat`),
    ...lost.map((word) => `the model's ${word} is lost`),
  ];
}

/** Of several calls with the same words, each is one of its own: the user copied a line. */
const covered = (texts: readonly string[], query: string) =>
  texts.filter((text) => text.includes(`\\"${query}\\"`)).length;

function runFaults(report: WatchReport, { runs, beside, ...evidence }: Evidence): string[] {
  const keys = [...report.keys, ...beside.keys];
  const replies = [...evidence.replies, ...beside.replies];
  const remembers = keys.some(({ key }) => key === "yA" || key === "yO");
  const begun = runs.filter((line) => line.startsWith("begin ")).map((line) => line.slice(6));
  return [...new Set(begun)].flatMap((query) => {
    const times = begun.filter((one) => one === query).length;
    const pressed = keys.reduce(
      (sum, { is_yes, texts }) => sum + (is_yes ? covered(texts, query) : 0),
      0,
    );
    if (times > Math.max(1, pressed)) return [`${query} ran ${times} times after ${pressed} yes`];
    if (pressed === 0 && !remembers) return [`${query} ran without a key`];
    if (replies.length > 0 && !replies.some(({ calls }) => calls.includes(query)))
      return [`${query} ran and nobody called it`];
    return [];
  });
}

/** A key runs its call, or somebody says why not. */
function silentKeys({ keys, notes }: WatchReport, runs: readonly string[]): string[] {
  return keys
    .filter(({ is_yes, texts, seq }) => {
      if (!is_yes) return false;
      const began = runs.some(
        (line) => line.startsWith("begin ") && covered(texts, line.slice(6)) > 0,
      );
      return !began && !notes.some((note) => note.seq > seq);
    })
    .map(({ key, texts }) => `${key} on ${texts.length} calls did nothing and said nothing`);
}

/** By an event, or, where the question of the turn is gone, by the sentence that says so. */
export function hasEndedSince(
  since: number,
  { events, notes }: Pick<WatchReport, "events" | "notes">,
): boolean {
  const ends = [
    ...events.filter(({ name }) => name !== "ParleyStart"),
    ...notes.filter(({ text }) => text.startsWith("The question is empty")),
  ];
  return ends.some(({ seq }) => seq > since);
}

/** Every turn ends with an event, and every end but a new question or calls that wait with a sentence. */
function silentEnds({ events, notes }: WatchReport, replies: readonly Said[]): string[] {
  const ends = events.filter(({ name }) => name !== "ParleyStart");
  const last = replies.at(-1);
  const faults: string[] = [];
  const isTold = last === undefined || hasEndedSince(last.seq, { events, notes });
  if (!isTold) {
    faults.push("the last turn ended without an event");
  }
  for (const { seq, name, reason } of ends) {
    if (name === "ParleyWaiting" || reason === "done") continue;
    const isTold = notes.some((note) => Math.abs(note.seq - seq) <= 8);
    if (!isTold) faults.push(`an end was not told: ${name} ${reason}`);
  }
  return faults;
}
