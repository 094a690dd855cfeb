/** The table of the options that hold for one chat. A row is all that an option of the header costs. */
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

/** Everywhere but on the command line, which has words of its own for some. */
const everywhere = ["configuration", "agent", "model", "header"] as const;

function readModel({ value }: HeaderEntry, header: Header): string {
  const provider = header.entries.findLast(({ key }) => key === "provider");
  return pairedModelName(provider?.value ?? null, value);
}

/**
 * Numbers that go to the vendor under their own names. A row here is one more; the vendor's row says which models
 * take it.
 */
const samplingOptions = {
  temperature: optional({
    schema: z
      .number(word("write a number from 0 to 2"))
      .min(0, "write a number from 0 to 2")
      .max(2, "write a number from 0 to 2"),
    by: everywhere,
    header: numeral,
    help: "As the provider defines it; a model that does not take it is not sent it, and you are told.",
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
    help: "As the provider defines it; a model that does not take it is not sent it, and you are told.",
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
    help: "What the chat is about; `?` is replaced by the `📝:` line of the first answer, or by the beginning of its question.",
    example: '"prices"',
  }),
  topic_model: optional({
    schema: modelName,
    by: ["configuration"],
    help: "The model that is asked for the topic of a chat (`topic: ?`) when its first answer has no `📝:` line that gives one. It is asked beside the turn, with the beginning of the question and of the answer, and counts in `:Parley usage`. Without it the topic is the beginning of the question.",
    shownDefault: "none",
    example: '"openai/gpt-5-nano"',
  }),
  tags: option({
    schema: z.array(z.string()),
    default: [],
    by: ["header"],
    header: words,
    help: "Words to find the chat by.",
    shownDefault: "none",
    example: '{ "money" }',
  }),
  model: optional({
    schema: modelName,
    by: ["configuration", "agent", "header", "command line"],
    header: { read: readModel, isList: false },
    help: "The model of chats that name none, as `provider/id`, see |parley-models|.",
    shownDefault: "that of the first vendor with a key, else `mock/demo`, which works offline",
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
    help: "The text that goes before every chat.",
    shownDefault: "to answer in Markdown, and to end with a `📝:` line",
    example: '"Be brief."',
  }),
  tools: optional({
    schema: selection,
    by: [...everywhere, "command line"],
    // A word that cannot be read is passed over: what is configured could offer more than was asked.
    header: { ...selected, read: ({ value }) => readable(value) },
    help: "Which tools are offered: servers, `server.tool` and tools, separated by commas; `-` before one removes it; `none` offers none.",
    shownDefault: "all, but the built-in mock server only to `mock/*` models",
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
    help: "When there are more tools than this, the model searches for those it needs, see |parley-tool-search|; with 0 it gets all of them, however many.",
    example: "20",
  }),
  tool_choice: optional({
    schema: z
      .string(word(choiceWords))
      .refine((choice) => parseToolChoice(choice) !== null, choiceWords),
    by: everywhere,
    header: oneWord,
    help: "Whether the model must call a tool: `auto`, `required`, `none` or the name of a tool. `required` and a name hold for the first request of a turn.",
    shownDefault: "the provider's",
    example: '"auto"',
  }),
  parallel_tool_calls: optional({
    schema: yesOrNo,
    by: everywhere,
    header: flag,
    help: "Whether a model may propose several calls at once.",
    shownDefault: "the provider's",
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
    help: "Exchanges that are sent in full; of older ones only the `📝:` summary is sent.",
    example: "20",
  }),
  max_tokens: optional({
    schema: positive,
    by: everywhere,
    header: numeral,
    help: "The longest answer of one request, in tokens.",
    shownDefault: "the model's own",
    example: "4000",
  }),
  reasoning_effort: optional({
    schema: z.enum(reasoningEfforts, word(`write one of ${reasoningEfforts.join(", ")}`)),
    by: everywhere,
    header: oneWord,
    help: "How much a model thinks before it answers. The nearest level that the model knows is requested; what it shows of its thoughts follows `🧠:`.",
    shownDefault: "the model's own",
    example: '"low"',
  }),
  ...samplingOptions,
  rules_files: option({
    schema: texts("write a list of files"),
    default: [],
    by: everywhere,
    header: wordsOrNone,
    help: "Files with the rules of a project, such as AGENTS.md, or folders of them: sent below the system prompt with every request, and named on screen, see |parley-rules-files|.",
    shownDefault: "none",
    example: '{ "AGENTS.md", ".cursor/rules" }',
  }),
  server_tools: option({
    schema: texts("write a list of names"),
    default: [],
    by: everywhere,
    header: wordsOrNone,
    help: "Tools that the vendor runs itself, see |parley-server-tools|.",
    shownDefault: "none",
    example: '{ "web_search" }',
  }),
  tool_protocol: option({
    schema: z.enum(toolProtocols, word(`write one of ${toolProtocols.join(", ")}`)),
    default: "auto",
    by: everywhere,
    header: oneWord,
    help: "How tool calls are written, see |parley-text-tools|.",
    example: '"native"',
  }),
  label: optional({
    schema: oneLineText,
    by: ["agent"],
    help: "Shown in the brackets of the agent's `🤖:` lines, in place of the model's id.",
    example: '"Coder"',
  }),
  description: optional({
    schema: oneLineText,
    by: ["agent"],
    help: "Shown in the list of `:Parley agent`.",
    example: '"writes code"',
  }),
};

/** The words of a selection that can be read. */
function readable(value: string): string {
  const items = value.split(",");
  return items.filter((item) => parseSelection(item).problems.length === 0).join(",");
}

/** What a model's own entry and an agent may set. */
export const modelOptions = setBy(chatOptions, "model");
export const agentOptions = setBy(chatOptions, "agent");
export const headerOptions = setBy(chatOptions, "header");

export const headerDefaults = defaultsOf(headerOptions);
