/** What waits for a key, and what the person's keys do, in one line. */
import { approvalKeys, type DecisionRow, decisionRows } from "../transcript/decisions.ts";
import { needsOwnLine, type OpenCall } from "./decide/next-step.ts";
import { type OwnKeys, pressFor } from "./keys.ts";

/** For each reason: in a sentence, for one call and for several, and in one word beside others. */
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

/** Of one call, where it is not only undecided: of several that wait it may be the one that ran. */
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
 * `2 calls wait: ya all · yo this · yA/yO remember · yn/yN no · K more`, and shorter texts of the same in the order in
 * which a narrower window takes them; empty when nothing waits. What matters least goes first: how much is `remembered`
 * in the chat already, `K`, how a call came to wait, the keys that remember, other keys of the same meaning. How many
 * wait, and what says yes and no to them, is in each.
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
  return length === 1 ? "1 waits" : `${length} wait`;
}

/** `3 wait, 1 interrupted` or `1 waits, interrupted`, where `waitingText` has no room; `2 calls wait` where there is nothing to tell apart. */
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

/** `2 remembered`; empty when nothing is. */
export function rememberedText(remembered: number): string {
  return remembered === 0 ? "" : `${remembered} remembered`;
}

const allRows: readonly DecisionRow[] = approvalKeys.map((key) => decisionRows[key]);

/** A key for all calls passes over those that are decided on their own lines, and to a broken one nobody says yes. */
function usefulRows(open: readonly OpenCall[]): readonly DecisionRow[] {
  const hasReadable = open.some(({ call }) => call.broken === null);
  if (!open.every(({ call }) => needsOwnLine(call))) return allRows;
  return allRows.filter(({ scope, answer }) => scope === "one" && (hasReadable || answer === "no"));
}

/** What the keys of one word have in common; `all` and `one`: the word where only that scope has a key. */
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
 * The keys that there are; the commands where the person removed all of them. `more`: with the key for details; `least`:
 * with nothing but plain yes and no.
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
  // Who has no plain key for one of the two answers needs the one that they have.
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

function counted(count: number, one: string, many: string): string {
  return `${count} ${count === 1 ? one : many}`;
}
