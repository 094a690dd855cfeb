/** Options of config.json in groups, for `options.ts`: spending, commands of models, colours, windows, logins. */
import * as z from "zod";
import { option, optional } from "../../conversation/settings/option.ts";
import {
  filledText,
  positive,
  table,
  texts,
  word,
  yesOrNo,
} from "../../conversation/settings/schema-words.ts";

const dollars = z.number(word("write US dollars")).positive("write more than 0");

/** Limits on spending without asking. */
export const budgetOptions = {
  max_cost: optional({
    schema: dollars,
    by: ["configuration", "command line"],
    help: "Cost limit of one answer with all its requests, in US dollars. Before a request would exceed it, Parley shows the amount and asks you.",
    shownDefault: "none",
    example: "0.5",
  }),
  max_cost_per_day: optional({
    schema: dollars,
    by: ["configuration"],
    help: "The same as `max_cost`, for all chats on this machine since midnight.",
    shownDefault: "none",
    example: "5",
  }),
  max_input_tokens: optional({
    schema: positive,
    by: ["configuration", "command line"],
    help: "Limit of the input tokens of one answer, over all its requests. It works like `max_cost`, and also for models without a known price.",
    shownDefault: "none",
    example: "200000",
  }),
  max_input_tokens_per_day: optional({
    schema: positive,
    by: ["configuration"],
    help: "The same as `max_input_tokens`, for all chats on this machine since midnight.",
    shownDefault: "none",
    example: "5000000",
  }),
  large_reference: option({
    schema: positive,
    default: 50_000,
    by: ["configuration", "command line"],
    help: "If a file or web page that a question refers to has more tokens than this, Parley asks before sending it.",
    example: "200000",
  }),
};

/** How commands run that a model asks for. */
export const commandOptions = {
  command_timeout: option({
    schema: z.number(word("write seconds")).positive("write more than 0"),
    default: 120,
    by: ["configuration"],
    help: "Time limit of a command of `run_command`, in seconds. The command then ends, along with everything it started.",
    example: "600",
  }),
  sandbox: optional({
    schema: table({
      write: z.array(filledText("write a folder")).exactOptional(),
      net: yesOrNo.exactOptional(),
    }),
    by: ["configuration"],
    help: "Run the commands of `run_command` in bubblewrap (Linux), see |parley-run-command|. They can write only to the folders in `write` (relative to the working directory) and to their own /tmp. They have network access only with `net = true`, and cannot reach other programs' sockets. Without bubblewrap they do not start.",
    shownDefault: "none",
    example: '{ write = { "." }, net = false }',
  }),
};

/** What colours the Markdown of chats. */
export const highlightOptions = {
  highlight: option({
    schema: z.enum(["parley", "treesitter"], word("write parley or treesitter")),
    default: "parley",
    by: ["configuration"],
    help: 'Which highlighter applies tree-sitter colours, if you use them. `"parley"` parses only what is on screen, so that long chats stay fast; `"treesitter"` is Neovim\'s own, which parses the whole chat after each change. See |parley-colours|.',
    example: '"treesitter"',
    isLua: true,
  }),
  stream_highlight: option({
    schema: yesOrNo,
    default: false,
    by: ["configuration"],
    help: 'With `highlight = "treesitter"`: keep highlighting while an answer streams. Each write then takes several milliseconds longer.',
    example: "true",
    isLua: true,
  }),
};

const lineWords = "write a number of lines, or false";

/** How chats look in their windows, and where the cursor goes. */
export const screenOptions = {
  fold_results: option({
    schema: z.union(
      [z.number().int(lineWords).positive(lineWords), z.literal(false)],
      word(lineWords),
    ),
    default: 12,
    by: ["configuration"],
    help: "Fold results with more lines than this; `false` does not fold them. If this or `fold_calls` is on, step lines are folded into one row. Folds are created only in windows where 'foldmethod' is \"manual\".",
    example: "30",
    isLua: true,
  }),
  fold_calls: option({
    schema: yesOrNo,
    default: true,
    by: ["configuration"],
    help: "Show each settled call with its result as one row, which opens while the cursor is in it. Chats then do not use your own 'foldmethod'.",
    example: "false",
    isLua: true,
  }),
  wrap: option({
    schema: yesOrNo,
    default: true,
    by: ["configuration"],
    help: "Wrap long lines between words in the windows of chats, whatever 'wrap' and 'linebreak' are elsewhere, since a paragraph of an answer is one line. `false` leaves both options alone.",
    example: "false",
    isLua: true,
  }),
  turn_rule: option({
    schema: yesOrNo,
    default: true,
    by: ["configuration"],
    help: "Draw a faint line above each question but the first, on the blank line there. It is not part of the text; its highlight group is `ParleyRule`.",
    example: "false",
    isLua: true,
  }),
  follow: option({
    schema: yesOrNo,
    default: true,
    by: ["configuration"],
    help: "Let the cursor follow the answer after you send a question or decide a call, until you move, scroll or type. A window whose cursor is on the last line follows too. With `false`, the cursor only moves to the next open call.",
    example: "false",
    isLua: true,
  }),
};

/** In a command, replaced by the name of one login. */
export const serverPlaceholder = "{server}";

const words = `write a command as a list of words, one with ${serverPlaceholder} in it`;
const command = texts(words)
  .min(1, words)
  .refine((list) => list.some((word) => word.includes(serverPlaceholder)), words);

/** Where logins of MCP servers are kept. */
export const loginOptions = {
  login_commands: optional({
    schema: table({ read: command, write: command, clear: command.exactOptional() }),
    by: ["configuration"],
    help: "Commands that keep logins of MCP servers in a keychain instead of a file, see |parley-login-commands|; lists of words, run without a shell. `write` gets the login on its standard input, `read` prints it, and `clear` deletes it. `{server}` is replaced by the name of the login.",
    shownDefault: "none: a file that only you can read",
    example:
      '{ read = { "pass", "show", "parley/{server}" }, write = { "pass", "insert", "--multiline", "--force", "parley/{server}" } }',
  }),
};
