/** The line that says what waits for a key, and what the user's keys do. */
import { counted } from "../shared/counted.ts";
import { approvalKeys, type DecisionRow, decisionRows } from "../transcript/decisions.ts";
import { needsOwnLine, type OpenCall } from "./decide/next-step.ts";
import { type OwnKeys, pressFor } from "./keys.ts";

/** For each reason: the phrase for one call and for several, and one word for use next to others. */
const reasons: Readonly<Record<OpenCall["reason"], readonly [string, string, string]>> = {
  undecided: ["call waits", "calls wait", ""],
  interrupted: [
    "call was interrupted and may or may not have run",
    "calls were interrupted and may or may not have run",
    "interrupted",
  ],
  changed: [
    "call changed after you approved it and waits again",
    "calls changed after you approved them and wait again",
    "changed",
  ],
  broken: [
    "line cannot be read as a call: repair or decline it",
    "lines cannot be read as calls: repair or decline each",
    "unreadable",
  ],
};

/** For one call that is more than undecided: of several waiting calls it may be the one that ran. */
export function reopenedText(reason: OpenCall["reason"]): string | null {
  switch (reason) {
    case "interrupted":
      return "interrupted, may have run";
    case "changed":
      return "changed after you approved it";
    case "undecided":
    case "broken":
      return null;
  }
}

/** `2 calls wait`; empty when nothing waits. */
export function waitingText(open: readonly OpenCall[]): string {
  return counts(open)
    .map(({ count, words: [one, many] }) => counted(count, one, many))
    .join(", ");
}

/**
 * `2 calls wait: ya all · yo this · yA/yO remember · yn/yN no · K more`, then ever shorter texts for narrower windows;
 * empty when nothing waits. The least important goes first: the number of calls `remembered` in the chat, `K`, how a
 * call came to wait, the keys that remember, other keys with the same meaning. Every text says how many calls wait, and
 * which keys approve and decline them.
 */
export function promptTexts(
  open: readonly OpenCall[],
  keys: OwnKeys,
  remembered = 0,
): readonly string[] {
  if (open.length === 0) return [];
  const [long, short, bare] = [waitingText(open), shortText(open), bareText(open)];
  const said = rememberedText(remembered);
  const rows = usefulRows(open);
  const all = whatKeysDo(keys, { rows, more: true });
  const texts = [
    `${long}: ${all}${said === "" ? "" : ` · ${said}`}`,
    `${long}: ${all}`,
    `${long}: ${whatKeysDo(keys, { rows })}`,
    `${short}: ${whatKeysDo(keys, { rows })}`,
    `${short}: ${whatKeysDo(keys, { rows, least: true })}`,
    `${bare}: ${whatKeysDo(keys, { rows, least: true })}`,
    `${bare}: ${whatKeysDo(firstKeys(keys), { rows, least: true })}`,
  ];
  return texts.filter((text, index) =>
    texts.slice(0, index).every((before) => before.length > text.length),
  );
}

function bareText({ length }: readonly OpenCall[]): string {
  return counted(length, "waits", "wait");
}

/**
 * `3 wait, 1 interrupted` or `1 waits, interrupted`, when `waitingText` is too long; `2 calls wait` when there is
 * nothing to tell apart.
 */
function shortText(open: readonly OpenCall[]): string {
  const marked = counts(open).filter(({ words }) => words[2] !== "");
  if (marked.length === 0) return waitingText(open);
  const said = marked.map(({ count, words: [, , word] }) =>
    open.length === 1 ? word : `${count} ${word}`,
  );
  return [bareText(open), ...said].join(", ");
}

function counts(open: readonly OpenCall[]) {
  return (Object.keys(reasons) as OpenCall["reason"][])
    .map((reason) => ({
      count: open.filter((call) => call.reason === reason).length,
      words: reasons[reason],
    }))
    .filter(({ count }) => count > 0);
}

function firstKeys(keys: OwnKeys): OwnKeys {
  return Object.fromEntries(Object.entries(keys).map(([name, own]) => [name, own.slice(0, 1)]));
}

/** `2 remembered`; empty when none is. */
export function rememberedText(remembered: number): string {
  return remembered === 0 ? "" : `${remembered} remembered`;
}

const allRows: readonly DecisionRow[] = approvalKeys.map((key) => decisionRows[key]);

/** A key for all calls skips those that are decided on their own lines, and a broken call cannot be approved. */
function usefulRows(open: readonly OpenCall[]): readonly DecisionRow[] {
  const hasReadable = open.some(({ call }) => call.broken === null);
  if (!open.every(({ call }) => needsOwnLine(call))) return allRows;
  return allRows.filter(({ scope, answer }) => scope === "one" && (hasReadable || answer === "no"));
}

/**
 * The keys that share a word, and their words: `both` for the pair, `all` and `one` where only that scope has a key.
 */
const words = [
  { answer: "yes", remember: false, both: null, all: "all", one: "this" },
  {
    answer: "yes",
    remember: true,
    both: "remember",
    all: "remember all",
    one: "remember this",
  },
  { answer: "no", remember: false, both: "no", all: "no to all", one: "no" },
] as const;

/**
 * Names the keys that the user has; the commands when the user removed all keys. `more`: includes the key for details;
 * `least`: only plain approval and denial.
 */
function whatKeysDo(
  keys: OwnKeys,
  {
    rows,
    more = false,
    least = false,
  }: { readonly rows: readonly DecisionRow[]; readonly more?: boolean; readonly least?: boolean },
): string {
  const pressed = ({ option }: DecisionRow) => (keys[option] ?? []).join("/");
  const own = rows.filter((row) => pressed(row) !== "");
  // Without a plain key for one of the two answers, the key that also remembers is named.
  const isNeeded = ({ answer, remember }: DecisionRow) =>
    !least || !remember || !own.some((row) => row.answer === answer && !row.remember);
  const said = words.flatMap(({ answer, remember, both, all, one }) => {
    const these = own.filter(
      (row) => row.answer === answer && row.remember === remember && isNeeded(row),
    );
    if (both !== null && these.length === 2) return [`${these.map(pressed).join("/")} ${both}`];
    return these.map((row) => `${pressed(row)} ${row.scope === "all" ? all : one}`);
  });
  if (said.length === 0) {
    const commands = rows.filter(({ remember }) => !least || !remember);
    return commands.map(({ option }) => pressFor(keys, option)).join(" · ");
  }
  const details = more ? (keys["details"] ?? []) : [];
  return [...said, ...(details.length > 0 ? [`${details.join("/")} more`] : [])].join(" · ");
}
