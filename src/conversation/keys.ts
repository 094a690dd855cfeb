/** The keys of a chat in the editor: the table that Lua maps them from, and how sentences name the person's own. */
import { approvalKeys, type DecisionRow, decisionRows } from "../transcript/decisions.ts";

export interface KeyRow {
  /** In the option `keys`; the `<Plug>` map is `<Plug>(parley-…)` with `-` for `_`. */
  readonly name: string;
  /** As Neovim writes keys; null: none until the person sets one. */
  readonly key: string | null;
  /** In which modes it works: Normal, Insert. */
  readonly modes: readonly ("n" | "i")[];
  /** `chat`: wherever the cursor is. `call`: on an open call only; elsewhere the key is what it is without Parley. */
  readonly where: "chat" | "call";
  /** What it does, for lists of keys. */
  readonly words: string;
  /** What does the same without a key. */
  readonly command: string;
  /** Of keys that decide: the record that it leaves, and what Lua has to know of it before the host does. */
  readonly decision:
    | (Pick<DecisionRow, "answer" | "scope" | "asksReason"> & { readonly record: string })
    | null;
}

function chatKey(name: string, key: string | null, words: string, modes: KeyRow["modes"]): KeyRow {
  const command = `:Parley ${name}`;
  return { name, key, modes, where: "chat", words, command, decision: null };
}

/** `approve_always_one` is `:Parley approve always-one`. */
function decisionKey(record: (typeof approvalKeys)[number]): KeyRow {
  const { option, words, answer, scope, asksReason }: DecisionRow = decisionRows[record];
  const [verb = "", ...rest] = option.split("_");
  return {
    name: option,
    key: record,
    modes: ["n"],
    where: "call",
    words,
    command: `:Parley ${verb} ${rest.join("-")}`,
    decision: { record, answer, scope, asksReason },
  };
}

/** In the order in which they are listed. */
export const keyRows: readonly KeyRow[] = [
  chatKey("respond", "<C-g><C-g>", "answer the question at the cursor", ["n", "i"]),
  chatKey("stop", "<C-g>x", "stop what runs in this chat", ["n", "i"]),
  chatKey("retry", null, "ask for the last step again", ["n"]),
  chatKey("new", null, "a new chat", ["n"]),
  chatKey("follow_link", "gf", "open the chat that a 🌿 line names", ["n"]),
  chatKey("help", "<C-g>?", "list the keys of this chat", ["n"]),
  ...approvalKeys.map(decisionKey),
  {
    name: "details",
    key: "K",
    modes: ["n"],
    where: "call",
    words: "show everything about this call",
    command: ":Parley details",
    decision: null,
  },
];

/** Keys by their names: several for one name, or `false` for none. Names that a preset leaves out keep theirs. */
export type KeyPreset = Readonly<Record<string, string | readonly string[] | false>>;

/** Sets of keys for `keys = { preset = { … } }`; the later of two wins, and what the person sets wins over both. */
export const keyPresets: Readonly<Record<string, KeyPreset>> = {
  /**
   * The other reading of the requirements: `a` and `o` are about the call at the cursor, `A` and `O` about all, and
   * the capital ones remember.
   */
  one: {
    approve_one: ["ya", "yo"],
    approve_always: ["yA", "yO"],
    approve_all: false,
    approve_always_one: false,
  },
};

/** The keys as the person has them, by name. A name without keys was removed. */
export type OwnKeys = Readonly<Record<string, readonly string[]>>;

export const defaultKeys: OwnKeys = Object.fromEntries(
  keyRows.map(({ name, key }) => [name, key === null ? [] : [key]]),
);

/** What to press for a name, such as `ya or yo`; the command where the person has no key for it. */
export function pressFor(keys: OwnKeys, name: string): string {
  const own = keys[name] ?? [];
  if (own.length > 0) return own.join(" or ");
  return keyRows.find((row) => row.name === name)?.command ?? `:Parley ${name}`;
}
