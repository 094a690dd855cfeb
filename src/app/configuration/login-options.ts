/** The option that says where logins of MCP servers are kept. */
import { optional } from "../../conversation/settings/option.ts";
import { table, texts } from "../../conversation/settings/schema-words.ts";

/** Stands in a command for the name of one login. */
export const serverPlaceholder = "{server}";

const words = `write a command as a list of words, one with ${serverPlaceholder} in it`;
const command = texts(words)
  .min(1, words)
  .refine((list) => list.some((word) => word.includes(serverPlaceholder)), words);

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
