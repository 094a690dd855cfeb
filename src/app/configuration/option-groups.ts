/** Options of config.json that belong together, as rows for `options.ts`: spending, commands of models, colours, windows, logins. */
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

/** What may be spent unasked. */
export const budgetOptions = {
  max_cost: optional({
    schema: dollars,
    by: ["configuration", "command line"],
    help: "US dollars for one answer, from its question to its end; you are asked, with the figure, before a request would exceed them.",
    shownDefault: "none",
    example: "0.5",
  }),
  max_cost_per_day: optional({
    schema: dollars,
    by: ["configuration"],
    help: "The same for all chats on this machine since midnight.",
    shownDefault: "none",
    example: "5",
  }),
  max_input_tokens: optional({
    schema: positive,
    by: ["configuration", "command line"],
    help: "Tokens sent for one answer, all its requests together, as `max_cost`; this also holds where no price is known.",
    shownDefault: "none",
    example: "200000",
  }),
  max_input_tokens_per_day: optional({
    schema: positive,
    by: ["configuration"],
    help: "The same for all chats on this machine since midnight.",
    shownDefault: "none",
    example: "5000000",
  }),
  large_reference: option({
    schema: positive,
    default: 50_000,
    by: ["configuration", "command line"],
    help: "A file or page that a question refers to is sent only after a yes when it has more tokens than this.",
    example: "200000",
  }),
};

/** How commands of models run. */
export const commandOptions = {
  command_timeout: option({
    schema: z.number(word("write seconds")).positive("write more than 0"),
    default: 120,
    by: ["configuration"],
    help: "Seconds after which a command of `run_command` is ended, with all that it started.",
    example: "600",
  }),
  sandbox: optional({
    schema: table({
      write: z.array(filledText("write a folder")).exactOptional(),
      net: yesOrNo.exactOptional(),
    }),
    by: ["configuration"],
    help: "Commands of `run_command` run in bubblewrap (Linux), see |parley-run-command|: they write only below the folders in `write` (relative ones begin at the working folder) and in a /tmp of their own, and reach the network only with `net = true`, and no socket of another program. Without bubblewrap they do not start.",
    shownDefault: "none",
    example: '{ write = { "." }, net = false }',
  }),
};

/** Who colours the Markdown of chats. */
export const highlightOptions = {
  highlight: option({
    schema: z.enum(["parley", "treesitter"], word("write parley or treesitter")),
    default: "parley",
    by: ["configuration"],
    help: 'Who gives Markdown its tree-sitter colours, where you have them. `"parley"` parses what is on screen, so that a key costs the same in every chat; `"treesitter"` is Neovim\'s own, which parses all of the chat after each change. See |parley-colours|.',
    example: '"treesitter"',
    isLua: true,
  }),
  stream_highlight: option({
    schema: yesOrNo,
    default: false,
    by: ["configuration"],
    help: 'With `highlight = "treesitter"`: leave it on while an answer streams. It costs several milliseconds for every write.',
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
    help: "Fold results with more lines than this; `false` folds none of them. Step lines are one row with this or `fold_calls`. Folds are made in windows where 'foldmethod' is \"manual\".",
    example: "30",
    isLua: true,
  }),
  fold_calls: option({
    schema: yesOrNo,
    default: true,
    by: ["configuration"],
    help: "Show each settled call with its result as one row, which opens while the cursor is in it. Another 'foldmethod' is set aside in the windows of chats.",
    example: "false",
    isLua: true,
  }),
  wrap: option({
    schema: yesOrNo,
    default: true,
    by: ["configuration"],
    help: "Break long lines between words at the edge of the windows of chats, whatever 'wrap' and 'linebreak' are elsewhere: a paragraph of an answer is one line. `false` leaves both as they are.",
    example: "false",
    isLua: true,
  }),
  turn_rule: option({
    schema: yesOrNo,
    default: true,
    by: ["configuration"],
    help: "Draw a faint line over the blank line above each question but the first. It is not part of the text; its colour is `ParleyRule`.",
    example: "false",
    isLua: true,
  }),
  follow: option({
    schema: yesOrNo,
    default: true,
    by: ["configuration"],
    help: "Let the cursor follow the answer after you respond or decide, until you move, scroll or type; a window whose cursor is on the last line follows too. `false`: it goes to the next open call, and nowhere else.",
    example: "false",
    isLua: true,
  }),
};

/** Stands in a command for the name of one login. */
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
    help: "Where logins of MCP servers are kept in place of a file, see |parley-login-commands|: programs as lists of words, run without a shell. `write` gets the login on its standard input, `read` prints it, `clear` forgets it; `{server}` stands for the name of one login.",
    shownDefault: "none: a file that you alone may read",
    example:
      '{ read = { "pass", "show", "parley/{server}" }, write = { "pass", "insert", "--multiline", "--force", "parley/{server}" } }',
  }),
};
