/** The options that say what may be spent unasked. */
import * as z from "zod";
import { option, optional } from "../../conversation/settings/option.ts";
import { positive, word } from "../../conversation/settings/schema-words.ts";

const dollars = z.number(word("write US dollars")).positive("write more than 0");

export const budgetOptions = {
  max_cost: optional({
    schema: dollars,
    by: ["configuration", "command line"],
    help: "US dollars for one answer, from its question to its end; before a request would pass them you are asked, with the figure.",
    shownDefault: "none",
    example: "0.5",
  }),
  max_cost_per_day: optional({
    schema: dollars,
    by: ["configuration"],
    help: "The same for all chats of this machine since midnight.",
    shownDefault: "none",
    example: "5",
  }),
  max_input_tokens: optional({
    schema: positive,
    by: ["configuration", "command line"],
    help: "Tokens sent for one answer, all its requests together, as `max_cost`; holds where no price is known, too.",
    shownDefault: "none",
    example: "200000",
  }),
  max_input_tokens_per_day: optional({
    schema: positive,
    by: ["configuration"],
    help: "The same for all chats of this machine since midnight.",
    shownDefault: "none",
    example: "5000000",
  }),
  large_reference: option({
    schema: positive,
    default: 50_000,
    by: ["configuration", "command line"],
    help: "A file or page that a question refers to and that is longer, in tokens, is sent only after a yes.",
    example: "200000",
  }),
};
