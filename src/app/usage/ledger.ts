/**
 * Records each request's usage: one line of JSON each, in one file per month in the state folder. Losing these files
 * only loses the overview.
 */
import { appendFile } from "node:fs/promises";
import { join } from "node:path";
import * as z from "zod";
import { parseJson } from "../../shared/json.ts";
import { localDay } from "../../shared/local-time.ts";
import { makeFolder, removeFile } from "../../system/replace.ts";
import { filesOf, readIfThere } from "../state/own-files.ts";

const tokens = z.number().nonnegative();
const entrySchema = z.object({
  /** Milliseconds since 1970. */
  at: z.number(),
  /** The real path of the chat; null: a chat without a file. */
  chat: z.string().nullable(),
  /** `provider/id`. */
  model: z.string(),
  input: tokens,
  output: tokens,
  /** US dollars; null: the price is not known. */
  cost: z.number().nonnegative().nullable(),
  /** The request was not part of an answer; for example, it asked for the chat's topic. */
  beside: z.literal(true).exactOptional(),
});

/** One request. Token counts include cached and reasoning tokens. */
export type LedgerEntry = Readonly<z.infer<typeof entrySchema>>;

/** The folder of the monthly files, in the state folder. */
export const usageFolder = "usage";
/** When a new month begins, older files are removed. */
const keptMonths = 24;

const movedSchema = z.object({ at: z.number(), moved: z.string(), to: z.string() });

/** A line of the record: a request, or the move of a chat to another path. */
type Line = LedgerEntry | Readonly<z.infer<typeof movedSchema>>;

const lineSchema = z.union([entrySchema, movedSchema]);

/** Records one request. Rejects with the file system's error. */
export function recordSpent(stateFolder: string, spent: LedgerEntry): Promise<void> {
  return record(stateFolder, spent);
}

/** From now on, the past cost of the chat at `moved` counts for the one at `to`. */
export async function recordMoved(stateFolder: string, moved: string, to: string): Promise<void> {
  const known = (await readSpent(stateFolder, 0)).some(({ chat }) => chat === moved);
  if (known) await record(stateFolder, { at: Date.now(), moved, to });
}

async function record(stateFolder: string, line: Line): Promise<void> {
  const folder = join(stateFolder, usageFolder);
  await makeFolder(folder, 0o700);
  const names = await months(stateFolder);
  const name = monthOf(line.at);
  // One write per short line, so that lines of several Neovims do not mix.
  await appendFile(join(folder, name), `${JSON.stringify(line)}\n`, { mode: 0o600 });
  if (names.includes(name)) return;
  const old = [...names, name].toSorted().slice(0, -keptMonths);
  await Promise.all(old.map((month) => removeFile(join(folder, month))));
}

/** For all chats since midnight in the user's time zone; a request without a price counts as zero. */
export async function spentToday(stateFolder: string): Promise<{ cost: number; input: number }> {
  const spent = await readSpent(stateFolder, new Date().setHours(0, 0, 0, 0));
  return {
    cost: spent.reduce((sum, { cost }) => sum + (cost ?? 0), 0),
    input: spent.reduce((sum, { input }) => sum + input, 0),
  };
}

/** How many months are searched for the last request of a chat. */
const recentMonths = 3;

/**
 * The last request of an answer in the chat that is now at this real path; null: there is none in the last months.
 * Lines of other chats are not parsed, so that opening a chat is fast.
 */
export async function lastSpent(stateFolder: string, chat: string): Promise<LedgerEntry | null> {
  const names = (await months(stateFolder)).slice(-recentMonths).toReversed();
  let path = chat;
  let needle = JSON.stringify(path);
  for (const name of names) {
    const lines = await linesOf(stateFolder, name);
    // A line about a move leads to the chat's earlier path.
    for (const written of lines.toReversed()) {
      if (!written.includes(needle)) continue;
      const line = lineSchema.safeParse(parseJson(written));
      if (!line.success) continue;
      if ("moved" in line.data) {
        if (line.data.to !== path) continue;
        path = line.data.moved;
        needle = JSON.stringify(path);
      } else if (line.data.chat === path && line.data.beside !== true) return line.data;
    }
  }
  return null;
}

/** All requests since then, oldest first, with the current paths of chats. Invalid lines are skipped. */
export async function readSpent(
  stateFolder: string,
  since: number,
): Promise<readonly LedgerEntry[]> {
  const first = since > 0 ? monthOf(since) : "";
  const names = (await months(stateFolder)).filter((name) => name >= first);
  const written = await Promise.all(names.map((name) => linesOf(stateFolder, name)));
  const lines = written
    .flat()
    .flatMap((text) => lineSchema.safeParse(parseJson(text)).data ?? [])
    .filter(({ at }) => at >= since)
    .toSorted((a, b) => a.at - b.at);
  return withPathsOfNow(lines);
}

/** A path in a line means the chat that was there at that time. */
function withPathsOfNow(lines: readonly Line[]): readonly LedgerEntry[] {
  const places = new Map<string, string>();
  const spent: LedgerEntry[] = [];
  for (const line of lines.toReversed()) {
    if ("moved" in line) {
      const now = places.get(line.to) ?? line.to;
      // Earlier lines with this path may be about another chat.
      places.delete(line.to);
      places.set(line.moved, now);
    } else {
      const now = line.chat === null ? null : (places.get(line.chat) ?? line.chat);
      spent.push(now === line.chat ? line : { ...line, chat: now });
    }
  }
  return spent.toReversed();
}

async function months(stateFolder: string): Promise<readonly string[]> {
  const names = await filesOf(join(stateFolder, usageFolder));
  return names.filter((name) => /^\d{4}-\d{2}\.jsonl$/.test(name)).toSorted();
}

/** The lines of a month; empty when another Neovim removed the file meanwhile. */
async function linesOf(stateFolder: string, month: string): Promise<readonly string[]> {
  const text = await readIfThere(join(stateFolder, usageFolder, month));
  return text?.split("\n") ?? [];
}

/** The file of the month in the user's calendar. */
function monthOf(at: number): string {
  return `${localDay(at).slice(0, 7)}.jsonl`;
}
