/** The table of the options that apply to one chat; a row here is all that a new option of the header needs. */
import * as z from "zod";
import type { Header, HeaderEntry } from "../../transcript/transcript.ts";
import { reasoningEfforts } from "../ports.ts";
import { toolProtocols } from "../proposed-call.ts";
import { modelNameAdvice, pairedModelName, parseModelName } from "./model-name.ts";
import {
  defaultsOf,
  flag,
  numeral,
  oneWord,
  option,
  optional,
  selected,
  setBy,
  text,
  words,
  wordsOrNone,
} from "./option.ts";
import { anyText, oneLineText, positive, texts, word, yesOrNo } from "./schema-words.ts";
import { parseToolChoice } from "./tool-choice.ts";
import { parseSelection } from "./tool-selection.ts";

const modelName = z
  .string(word("write provider/model-id"))
  .refine((name) => parseModelName(name) !== null, {
    error: ({ input }) => modelNameAdvice(String(input)),
  });

/** Servers and tools, in the grammar of `tools`. */
export const selection = z
  .string(word("write a text with commas between servers and tools"))
  .refine(
    (list) => parseSelection(list).problems.length === 0,
    "write servers, tools or server.tool, with commas between them",
  );

const choiceWords = "write auto, required, none or the name of a tool";

/** Everywhere except on the command line, which has its own names for some. */
const everywhere = ["configuration", "agent", "model", "header"] as const;

function readModel({ value }: HeaderEntry, header: Header): string {
  const provider = header.entries.findLast(({ key }) => key === "provider");
  return pairedModelName(provider?.value ?? null, value);
}

/**
 * Numbers that are sent to the vendor under their own names. A new one needs a row here; the vendor's row says which
 * models take it.
 */
const samplingOptions = {
  temperature: optional({
    schema: z
      .number(word("write a number from 0 to 2"))
      .min(0, "write a number from 0 to 2")
      .max(2, "write a number from 0 to 2"),
    by: everywhere,
    header: numeral,
    help: "Sampling temperature: higher values make answers more random. If a model does not accept it, it is not sent, and a message says so.",
    shownDefault: "the model's own",
    example: "0.7",
  }),
  top_p: optional({
    schema: z
      .number(word("write a number above 0 and up to 1"))
      .gt(0, "write a number above 0 and up to 1")
      .max(1, "write a number above 0 and up to 1"),
    by: everywhere,
    header: numeral,
    help: "Nucleus sampling: the model considers only the most likely tokens that together have this probability. If a model does not accept it, it is not sent, and a message says so.",
    shownDefault: "the model's own",
    example: "0.9",
  }),
};

export type SamplingName = keyof typeof samplingOptions;

export const samplingNames = Object.keys(samplingOptions) as readonly SamplingName[];

export const chatOptions = {
  topic: optional({
    schema: z.string(),
    by: ["header"],
    header: oneWord,
    help: "The topic of the chat. `?` is replaced by the `📝:` line of the first answer or, without one, by the beginning of its question.",
    example: '"prices"',
  }),
  topic_model: optional({
    schema: modelName,
    by: ["configuration"],
    help: "The model that writes the topic of a chat (`topic: ?`) if the first answer has no `📝:` line. It gets the beginning of the question and of the answer, in a separate request that counts in `:Parley usage`. If this is not set, the topic is the beginning of the question.",
    shownDefault: "none",
    example: '"openai/gpt-5-nano"',
  }),
  tags: option({
    schema: z.array(z.string()),
    default: [],
    by: ["header"],
    header: words,
    help: "Tags to find the chat by.",
    shownDefault: "none",
    example: '{ "money" }',
  }),
  model: optional({
    schema: modelName,
    by: ["configuration", "agent", "header", "command line"],
    header: { read: readModel, isList: false },
    help: "The model of chats whose header does not name one, as `provider/id`, see |parley-models|.",
    shownDefault: "a model of the first vendor with a key, else `mock/demo`, which works offline",
    example: '"anthropic/claude-sonnet-5-5"',
  }),
  system_prompt: option({
    schema: anyText,
    default: [
      "You are a helpful assistant in a text editor. Answer in Markdown.",
      "End every final answer with one line of its own that begins with 📝: and sums up the exchange in one sentence: what was asked and what you answered.",
      "Write no such line when you call a tool.",
    ].join("\n"),
    by: everywhere,
    header: text,
    help: "The system prompt of every request.",
    shownDefault: "asks for Markdown, and for a `📝:` line at the end",
    example: '"Be brief."',
  }),
  tools: optional({
    schema: selection,
    by: [...everywhere, "command line"],
    // Words that cannot be read are skipped: the configured selection could offer more than was asked for.
    header: { ...selected, read: ({ value }) => readable(value) },
    help: "The tools that the model may call: servers, `server.tool` and tool names, separated by commas. `-` before a name removes it; `none` offers no tools.",
    shownDefault:
      "all tools of servers and of your own; those of the built-in mock server only for `mock/*` models",
    example: '"files, -files.write_file"',
  }),
  tool_search: option({
    schema: z
      .number(word("write a number"))
      .int("write a whole number")
      .nonnegative("write 0 or more"),
    default: 64,
    by: everywhere,
    header: numeral,
    help: "If there are more tools than this, the model searches for the ones it needs, see |parley-tool-search|. With 0 it always gets all of them.",
    example: "20",
  }),
  tool_choice: optional({
    schema: z
      .string(word(choiceWords))
      .refine((choice) => parseToolChoice(choice) !== null, choiceWords),
    by: everywhere,
    header: oneWord,
    help: "Whether the model must call a tool: `auto`, `required`, `none` or the name of a tool. `required` and a name apply only to the first request of a turn.",
    shownDefault: "the vendor's",
    example: '"auto"',
  }),
  parallel_tool_calls: optional({
    schema: yesOrNo,
    by: everywhere,
    header: flag,
    help: "Whether the model may propose several calls in one response.",
    shownDefault: "the vendor's",
    example: "false",
  }),
  max_full_exchanges: option({
    schema: z
      .number(word("write a number"))
      .int("write a whole number")
      .nonnegative("write 0 or more"),
    default: 42,
    by: everywhere,
    header: numeral,
    help: "Number of recent exchanges that are sent in full; of older ones, only the question and the `📝:` summary.",
    example: "20",
  }),
  max_tokens: optional({
    schema: positive,
    by: everywhere,
    header: numeral,
    help: "Maximum length of the response to one request, in tokens.",
    shownDefault: "the model's own",
    example: "4000",
  }),
  reasoning_effort: optional({
    schema: z.enum(reasoningEfforts, word(`write one of ${reasoningEfforts.join(", ")}`)),
    by: everywhere,
    header: oneWord,
    help: "How much a model reasons before it answers. Parley requests the nearest level that the model supports. The reasoning that a model shows follows `🧠:`.",
    shownDefault: "the model's own",
    example: '"low"',
  }),
  ...samplingOptions,
  rules_files: option({
    schema: texts("write a list of files"),
    default: [],
    by: everywhere,
    header: wordsOrNone,
    help: "Files with a project's rules, such as AGENTS.md, or folders of such files. They are sent below the system prompt with every request, and a message names them, see |parley-rules-files|.",
    shownDefault: "none",
    example: '{ "AGENTS.md", ".cursor/rules" }',
  }),
  server_tools: option({
    schema: texts("write a list of names"),
    default: [],
    by: everywhere,
    header: wordsOrNone,
    help: "Tools that the vendor runs on its own servers, see |parley-server-tools|.",
    shownDefault: "none",
    example: '{ "web_search" }',
  }),
  tool_protocol: option({
    schema: z.enum(toolProtocols, word(`write one of ${toolProtocols.join(", ")}`)),
    default: "auto",
    by: everywhere,
    header: oneWord,
    help: "How the model writes tool calls, see |parley-text-tools|.",
    example: '"native"',
  }),
  label: optional({
    schema: oneLineText,
    by: ["agent"],
    help: "Shown in the brackets of the agent's `🤖:` lines instead of the model's id.",
    example: '"Coder"',
  }),
  description: optional({
    schema: oneLineText,
    by: ["agent"],
    help: "Shown in the list of `:Parley agent`.",
    example: '"writes code"',
  }),
};

/** The words of a selection that can be parsed. */
function readable(value: string): string {
  const items = value.split(",");
  return items.filter((item) => parseSelection(item).problems.length === 0).join(",");
}

/** What a model's own entry and an agent may set. */
export const modelOptions = setBy(chatOptions, "model");
export const agentOptions = setBy(chatOptions, "agent");
export const headerOptions = setBy(chatOptions, "header");

export const headerDefaults = defaultsOf(headerOptions);
