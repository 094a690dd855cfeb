/** Reports what was spent in a period, as tables with bars. Pure. */
import { basename } from "node:path";
import { moneyText, shortCount } from "../../conversation/usage.ts";
import { counted } from "../../shared/counted.ts";
import { localDay } from "../../shared/local-time.ts";
import type { LedgerEntry } from "./ledger.ts";

export const periods = ["today", "week", "month", "year", "all"] as const;
export type Period = (typeof periods)[number];

const days: Readonly<Record<Exclude<Period, "all">, number>> = {
  today: 1,
  week: 7,
  month: 30,
  year: 365,
};

/** When a period that ends now began: the start of a day, in milliseconds since 1970. */
export function beginOf(period: Period, now: number): number {
  if (period === "all") return 0;
  const today = new Date(now);
  today.setHours(0, 0, 0, 0);
  // By the calendar, since some days have 23 hours.
  today.setDate(today.getDate() - (days[period] - 1));
  return today.getTime();
}

interface Sum {
  readonly name: string;
  readonly requests: number;
  readonly input: number;
  readonly output: number;
  /** US dollars of the requests with a known price. */
  readonly cost: number;
  /** Requests without a known price. */
  readonly unpriced: number;
}

/** The most rows of a table; the others are only counted. */
const mostRows = 20;
/** Cells of a row, so that no row is broken at 80 columns. */
const rowLength = 79;
/** Cells of the longest bar: the remaining room, within these limits. */
const [leastBar, mostBar] = [6, 20];

/** The lines of the overview: days, the newest first, then models and chats, the most expensive first. */
export function usageReport(spent: readonly LedgerEntry[], period: Period): readonly string[] {
  if (spent.length === 0) {
    return [`# Usage: ${period}`, "", "No paid answers were recorded in this period."];
  }
  const total = sumOf("all", spent);
  const byDay = group(spent, ({ at }) => localDay(at))
    .toSorted(byName)
    .toReversed();
  const byModel = group(spent, ({ model }) => model).toSorted(byCost);
  const byChat = group(spent, ({ chat }) => chat ?? "without a file").toSorted(byCost);
  return [
    `# Usage: ${period}`,
    "",
    `${sumText(total)}${unpricedText(total)}`,
    ...table("Days", byDay),
    ...table("Models", byModel),
    ...table(
      "Chats",
      byChat.map((sum) => ({ ...sum, name: basename(sum.name) })),
    ),
  ];
}

function table(title: string, sums: readonly Sum[]): readonly string[] {
  const shown = sums.slice(0, mostRows);
  const texts = shown.map(sumText);
  const room = rowLength - 8 - Math.max(...texts.map((text) => text.length));
  const names = shown.map(({ name }) => shortened(name, room - leastBar));
  const width = Math.max(...names.map((name) => [...name].length));
  const barLength = Math.min(mostBar, room - width);
  const largest = Math.max(...sums.map(weight));
  const rows = shown.map((sum, index) => {
    const cells = largest === 0 ? 0 : Math.ceil((weight(sum) / largest) * barLength);
    const bar = "█".repeat(cells).padEnd(barLength);
    const name = names[index] ?? "";
    return `    ${name}${" ".repeat(width - [...name].length)}  ${bar}  ${texts[index]}`;
  });
  const left = sums.length - shown.length;
  const rest = left > 0 ? [`    and ${left} more`] : [];
  return ["", `## ${title}`, "", ...rows, ...rest];
}

/** Keeps the beginning and the end: file names begin with a day and end with what distinguishes them. */
function shortened(name: string, most: number): string {
  const characters = [...name];
  if (characters.length <= most) return name;
  const end = Math.floor((most - 1) / 2);
  return `${characters.slice(0, most - 1 - end).join("")}…${characters.slice(-end).join("")}`;
}

/** What the length of a bar shows: money, or tokens where no price is known at all. */
function weight({ cost, input, output, unpriced, requests }: Sum): number {
  return unpriced === requests ? (input + output) / 1e9 : cost;
}

function sumText({ requests, input, output, cost, unpriced }: Sum): string {
  const money = unpriced === requests ? "price unknown" : moneyText(cost);
  const times = counted(requests, "request");
  return `${money}  ${shortCount(input)} in, ${shortCount(output)} out, ${times}`;
}

function unpricedText({ unpriced, requests }: Sum): string {
  if (unpriced === 0 || unpriced === requests) return "";
  return `. The price of ${unpriced} of them is not known and is not in the sum.`;
}

function group(spent: readonly LedgerEntry[], key: (spent: LedgerEntry) => string): readonly Sum[] {
  const groups = new Map<string, LedgerEntry[]>();
  for (const one of spent) {
    const same = groups.get(key(one));
    if (same) same.push(one);
    else groups.set(key(one), [one]);
  }
  return [...groups].map(([name, members]) => sumOf(name, members));
}

function sumOf(name: string, spent: readonly LedgerEntry[]): Sum {
  const add = (value: (one: LedgerEntry) => number) =>
    spent.reduce((sum, one) => sum + value(one), 0);
  return {
    name,
    requests: spent.length,
    input: add(({ input }) => input),
    output: add(({ output }) => output),
    cost: add(({ cost }) => cost ?? 0),
    unpriced: spent.filter(({ cost }) => cost === null).length,
  };
}

const byCost = (a: Sum, b: Sum) => weight(b) - weight(a);
const byName = (a: Sum, b: Sum) => (a.name < b.name ? -1 : 1);
