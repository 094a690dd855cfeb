/** What waits for a key, and what the person's keys do, in one line. */
import { approvalKeys, type DecisionRow, decisionRows } from "../transcript/decisions.ts";
import type { OpenCall } from "./decide/next-step.ts";
import { type OwnKeys, pressFor } from "./keys.ts";

/** `2 calls wait`; empty when nothing waits. */
export function waitingText(open: readonly OpenCall[]): string {
  const count = (reason: OpenCall["reason"]) =>
    open.filter((call) => call.reason === reason).length;
  return [
    counted(count("undecided"), "call waits", "calls wait"),
    counted(
      count("interrupted"),
      "call was interrupted and may have run or not",
      "calls were interrupted and may have run or not",
    ),
    counted(
      count("changed"),
      "call changed after you approved it and waits again",
      "calls changed after you approved them and wait again",
    ),
    counted(
      count("broken"),
      "line cannot be read as a call: repair it or say no on it",
      "lines cannot be read as calls: repair them or say no on each",
    ),
  ]
    .filter((state) => state !== null)
    .join(", ");
}

/**
 * `2 calls wait: ya all · yo this · yA/yO remember · yn/yN no · K more`; empty when nothing waits. Behind it stands how
 * much is `remembered` in the chat already.
 */
export function promptText(open: readonly OpenCall[], keys: OwnKeys, remembered = 0): string {
  if (open.length === 0) return "";
  const said = rememberedText(remembered);
  return `${waitingText(open)}: ${whatKeysDo(keys)}${said === "" ? "" : ` · ${said}`}`;
}

/** `2 remembered`; empty when nothing is. */
export function rememberedText(remembered: number): string {
  return remembered === 0 ? "" : `${remembered} remembered`;
}

const rows: readonly DecisionRow[] = approvalKeys.map((key) => decisionRows[key]);

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

/** The keys that there are; the commands where the person removed all of them. */
function whatKeysDo(keys: OwnKeys): string {
  const pressed = ({ option }: DecisionRow) => (keys[option] ?? []).join("/");
  const said = words.flatMap(({ answer, remember, both, all, one }) => {
    const own = rows.filter(
      (row) => row.answer === answer && row.remember === remember && pressed(row) !== "",
    );
    if (both !== null && own.length === 2) return [`${own.map(pressed).join("/")} ${both}`];
    return own.map((row) => `${pressed(row)} ${row.scope === "all" ? all : one}`);
  });
  if (said.length === 0) return rows.map(({ option }) => pressFor(keys, option)).join(" · ");
  const details = keys["details"] ?? [];
  return [...said, ...(details.length > 0 ? [`${details.join("/")} more`] : [])].join(" · ");
}

function counted(count: number, one: string, many: string): string | null {
  return count === 0 ? null : `${count} ${count === 1 ? one : many}`;
}
