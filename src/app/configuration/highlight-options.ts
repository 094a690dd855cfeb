/** The options that say who colours the Markdown of chats. */
import * as z from "zod";
import { option } from "../../conversation/settings/option.ts";
import { word, yesOrNo } from "../../conversation/settings/schema-words.ts";

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
