/** The schema of `providers` in the configuration. */
import * as z from "zod";
import { type SamplingName, samplingNames } from "../../conversation/settings/chat-options.ts";
import {
  filledText,
  named,
  positive,
  table,
  texts,
  word,
  yesOrNo,
} from "../../conversation/settings/schema-words.ts";
import {
  cloudNames,
  toolChoiceWords,
  wireApiNames,
} from "../../conversation/settings/vendor-settings.ts";

function isWebAddress(text: string): boolean {
  return /^https?:\/\//i.test(text) && URL.canParse(text);
}

function isPattern(value: boolean | string): boolean {
  if (typeof value === "boolean") return true;
  try {
    new RegExp(value);
    return true;
  } catch {
    // The engine's message about the pattern would not help a user who meant true or false.
    return false;
  }
}

const modelsWords = "write true, false, or a regular expression that model ids fit";
const models = z
  .union([z.boolean(), z.string().min(1)], word(modelsWords))
  .refine(isPattern, modelsWords);

const keyWords = "write the key, or a command as a list of words";
const fieldWords = "write the name of the field, or false";
const choicesWords = `write a list of ${toolChoiceWords.join(", ")}`;
const nameWords = "write letters, digits, _, . or -";

const samplingShape = Object.fromEntries(
  samplingNames.map((name) => [name, models.exactOptional()]),
) as Record<SamplingName, z.ZodExactOptional<typeof models>>;

const compat = table({
  max_tokens_field: z
    .enum(
      ["max_tokens", "max_completion_tokens"],
      word("write max_tokens or max_completion_tokens"),
    )
    .exactOptional(),
  developer_role: models.exactOptional(),
  native_tools: models.exactOptional(),
  tool_choices: z
    .array(z.enum(toolChoiceWords, word(choicesWords)), word(choicesWords))
    .exactOptional(),
  parallel_field: z
    .union([z.literal(false), filledText(fieldWords)], word(fieldWords))
    .exactOptional(),
  max_tools: positive.exactOptional(),
  tool_description_length: positive.exactOptional(),
  call_id_length: positive.min(8, "write 8 or more").exactOptional(),
  inline_references: yesOrNo.exactOptional(),
  ...samplingShape,
  reasoning_effort: models.exactOptional(),
  usage_in_stream: yesOrNo.exactOptional(),
  vision: models.exactOptional(),
});

const extras = {
  headers: named(z.string(word("write a text"))).exactOptional(),
  query: named(z.string(word("write a text"))).exactOptional(),
  extra_body: named(z.unknown()).exactOptional(),
};

const provider = table({
  ...extras,
  models: named(table(extras)).exactOptional(),
  api_key: z
    .union([filledText(keyWords), texts(keyWords).min(1, keyWords)], word(keyWords))
    .exactOptional(),
  base_url: z
    .string(word("write an address"))
    .refine(isWebAddress, "write an address that begins with http:// or https://")
    .exactOptional(),
  api: z.enum(wireApiNames, word(`write one of ${wireApiNames.join(", ")}`)).exactOptional(),
  sdk: z.enum(cloudNames, word(`write one of ${cloudNames.join(", ")}`)).exactOptional(),
  region: filledText("write a region").exactOptional(),
  project: filledText("write a project").exactOptional(),
  compat: compat.exactOptional(),
});

/** Keyed by the part of a model's name before the slash. */
export const providers = named(
  provider,
  z.string().regex(/^[A-Za-z0-9_.-]+$/, nameWords),
  nameWords,
);
