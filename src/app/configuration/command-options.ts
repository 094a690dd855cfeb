/** The options that say how commands of models run. */
import * as z from "zod";
import { option, optional } from "../../conversation/settings/option.ts";
import { filledText, table, word, yesOrNo } from "../../conversation/settings/schema-words.ts";

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
    help: "Commands of `run_command` run in bubblewrap (Linux), see |parley-run-command|: they write only below the folders in `write` (relative ones begin at the working folder) and in a /tmp of their own, and reach the network only with `net = true`. Where bubblewrap is not to be had they do not start.",
    shownDefault: "none",
    example: '{ write = { "." }, net = false }',
  }),
};
