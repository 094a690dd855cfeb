/** The keys of a chat in the editor: the table that Lua maps them from, and how messages name the user's own keys. */
import { approvalKeys, type DecisionRow, decisionRows } from "../transcript/decisions.ts";

export interface KeyRow {
  /** Its name in the option `keys`; the `<Plug>` map is `<Plug>(parley-…)` with `-` for `_`. */
  readonly name: string;
  /** In Neovim's notation; null: unmapped until the user sets one. */
  readonly key: string | null;
  /** The modes in which it works: Normal, Insert, Visual, operator-pending. */
  readonly modes: readonly ("n" | "i" | "x" | "o")[];
  /**
   * `chat`: works at any cursor position. `call`: only on an open call; elsewhere the key does what it does without
   * Parley.
   */
  readonly where: "chat" | "call";
  /** What it does, for lists of keys. */
  readonly words: string;
  /** The command that does the same. */
  readonly command: string;
  /** For keys that decide: the record that the key leaves, and what Lua needs to know of it before the host does. */
  readonly decision:
    | (Pick<DecisionRow, "answer" | "scope" | "asksReason"> & { readonly record: string })
    | null;
}

function chatKey(name: string, key: string | null, words: string, modes: KeyRow["modes"]): KeyRow {
  const command = `:Parley ${name}`;
  return { name, key, modes, where: "chat", words, command, decision: null };
}

/** Moves the cursor or selects text. As the target of an operator only the `<Plug>` map can do that, not a command. */
function placeKey(name: string, key: string, words: string, modes: KeyRow["modes"]): KeyRow {
  const command = `<Plug>(parley-${name.replaceAll("_", "-")})`;
  return { name, key, modes, where: "chat", words, command, decision: null };
}

/** The modes of motions, and those of text objects. */
const motion = ["n", "x", "o"] as const;
const object = ["x", "o"] as const;

/** The command of `approve_always_one` is `:Parley approve always-one`. */
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
  chatKey("retry", null, "run the last step again", ["n"]),
  chatKey("new", null, "a new chat", ["n"]),
  chatKey("chats", null, "list all chats", ["n"]),
  chatKey("toggle", null, "show the last chat, or hide it", ["n", "x"]),
  chatKey("next", null, "go to the next waiting call", ["n"]),
  chatKey("rename", null, "rename this chat", ["n"]),
  chatKey("move", null, "move this chat to another folder", ["n"]),
  chatKey("tags", null, "edit the tags of this chat", ["n"]),
  chatKey("delete", null, "move this chat to the trash", ["n"]),
  chatKey("model", null, "choose the model of this chat", ["n"]),
  chatKey("agent", null, "choose the agent of this chat", ["n"]),
  chatKey("system_prompt", null, "choose the system prompt of this chat", ["n"]),
  chatKey("web_search", null, "toggle the vendor's web search", ["n"]),
  chatKey("follow", null, "toggle following answers", ["n"]),
  chatKey("respond_all", null, "answer all questions again from here", ["n"]),
  chatKey("apply", null, "write the code block at the cursor into its file", ["n"]),
  chatKey("copy", null, "copy the code block at the cursor", ["n"]),
  chatKey("quote", null, "ask about these lines", ["n", "x"]),
  chatKey("define", null, "ask what these lines mean", ["n", "x"]),
  chatKey("branch", null, "continue from here in a new chat", ["n"]),
  chatKey("tree", null, "list the chats linked with this one", ["n"]),
  chatKey("export", null, "export this chat as HTML", ["n"]),
  chatKey("follow_link", "gf", "open the chat that a 🌿 line names", ["n"]),
  chatKey("outline", "gO", "list the questions of this chat", ["n"]),
  placeKey("next_turn", "]]", "the next question or answer", motion),
  placeKey("previous_turn", "[[", "the previous question or answer", motion),
  placeKey("next_call", "]w", "the next waiting call of this chat", motion),
  placeKey("previous_call", "[w", "the previous waiting call of this chat", motion),
  placeKey("around_exchange", "ax", "a question with its answer", object),
  placeKey("inner_exchange", "ix", "the same without trailing blank lines", object),
  placeKey("around_answer", "ar", "an answer with its 🤖 line", object),
  placeKey("inner_answer", "ir", "the text of an answer", object),
  placeKey("around_code", "ac", "a code block with its fences", object),
  placeKey("inner_code", "ic", "the lines of a code block", object),
  chatKey("help", "<C-g>?", "list the keys of this chat", ["n", "i"]),
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

/** Keys by name: several for one name, or `false` for none. Names that a preset leaves out keep their keys. */
export type KeyPreset = Readonly<Record<string, string | readonly string[] | false>>;

/**
 * Sets of keys for `keys = { preset = { … } }`. Of two presets the later wins; keys that the user sets win over both.
 */
export const keyPresets: Readonly<Record<string, KeyPreset>> = {
  /** Lower-case letters decide the call at the cursor, once; capital letters decide all open calls, and remember. */
  one: {
    approve_one: ["ya", "yo"],
    approve_always: ["yA", "yO"],
    approve_all: false,
    approve_always_one: false,
  },
  /** The keys that users of the Lua version of Parley are used to. */
  "parley.nvim": {
    respond: ["<C-g><C-g>", "<M-CR>"],
    respond_all: "<C-g>G",
    new: "<C-g>c",
    chats: "<C-g>f",
    delete: "<C-g>d",
    agent: "<C-g>a",
    system_prompt: "<C-g>P",
    web_search: "<C-g>w",
    follow: "<C-g>l",
    branch: ["<C-g>b", "<C-g>i"],
    tree: "<C-g>T",
    outline: ["gO", "<C-g>t", "<M-t>"],
    follow_link: ["gf", "<C-g>o"],
    quote: ["<C-g>q", "<M-q>"],
    define: "<C-g>D",
    export: "<C-g>e",
    copy: "<Leader>cf",
  },
};

/** The user's keys by name. A name without keys was unmapped by the user. */
export type OwnKeys = Readonly<Record<string, readonly string[]>>;

export const defaultKeys: OwnKeys = Object.fromEntries(
  keyRows.map(({ name, key }) => [name, key === null ? [] : [key]]),
);

/**
 * The layers below the host know no keys and say "respond again"; `action` is what the user does for that, such as
 * `press <C-g><C-g>`.
 */
export function withRespondAction(message: string, action: string): string {
  return message.replace(/\b[Rr]espond again\b/g, (said) =>
    said.startsWith("R") ? action.replace(/^./, (first) => first.toUpperCase()) : action,
  );
}

/** What to press for a name, such as `ya or yo`; the command when the user has no key for it. */
export function pressFor(keys: OwnKeys, name: string): string {
  const own = keys[name] ?? [];
  if (own.length > 0) return own.join(" or ");
  return keyRows.find((row) => row.name === name)?.command ?? `:Parley ${name}`;
}
