/** How each form is read: its openers, and the readers that start there. */

import type { KnownTools } from "../arguments/known-tools.ts";
import type { OpenBlock, Openers } from "../blocks/block.ts";
import { smileyBlock } from "../blocks/smiley-block.ts";
import { dottedBlock, simpleBlock } from "../blocks/tag-blocks.ts";
import { detectableProtocols, type FormId } from "../protocol-ids.ts";
import { delimitedCloser, delimitedOpener, smiley } from "../syntax/delimiters.ts";
import {
  bareObject,
  behindMarker,
  jsonBetween,
  jsonInText,
  llamaEnds,
  pythonInText,
} from "./forms-json.ts";
import {
  gemmaToken,
  harmony,
  readDeepSeek,
  readKimi,
  section,
  toolCodeFence,
} from "./forms-token.ts";
import { functionTag, invokeTags, legacyInvoke, seedToolCall, toolCallTag } from "./forms-xml.ts";

const [dsml, antml] = ["｜DSML｜", "antml:"];

/** `ids`: all forms to look for. Forms that share an opener share its reader, which checks the text after it. */
type FormOpeners = (context: KnownTools, ids: ReadonlySet<FormId>) => Openers;

/** If two forms have different readers for an opener, the last row wins. */
const forms: Readonly<Record<FormId, FormOpeners>> = {
  smiley: (context) => ({ [smiley]: () => smileyBlock(context) }),
  delimited(context) {
    const policy = context.asked.has("delimited") ? "delimited" : "marked";
    const [opener, closer] = [delimitedOpener, delimitedCloser];
    return { [opener]: () => jsonBetween(context, { opener, closer, policy }) };
  },
  json: jsonInText,
  hermes: toolCallTag,
  "qwen-xml": (context, ids) => ({
    ...toolCallTag(context, ids),
    ...functionTag(context),
    ...seedToolCall(context),
  }),
  llama: (context, ids) => ({
    ...behind(context, "<|python_tag|>", llamaEnds),
    ...bareObject(context, ids),
    ...functionTag(context),
  }),
  mistral(context) {
    const block = { marker: "[TOOL_CALLS]", trailers: ["</s>"], longestHead: 256 };
    return { [block.marker]: () => behindMarker(context, block) };
  },
  kimi: (context) =>
    section(context, {
      lead: "<|tool_calls_section_begin|>",
      end: "<|tool_calls_section_end|>",
      opener: "<|tool_call_begin|>",
      closer: "<|tool_call_end|>",
      read: readKimi,
    }),
  deepseek: (context) => ({
    ...section(context, {
      lead: "<｜tool▁calls▁begin｜>",
      end: "<｜tool▁calls▁end｜>",
      opener: "<｜tool▁call▁begin｜>",
      closer: "<｜tool▁call▁end｜>",
      read: readDeepSeek,
    }),
    ...invokeTags(context, `<${dsml}function_calls>`, dsml),
    ...invokeTags(context, `<${dsml}tool_calls>`, dsml),
  }),
  glm: toolCallTag,
  minimax: (context) => invokeTags(context, "<minimax:tool_call>", ""),
  harmony,
  granite: (context, ids) => ({
    ...behind(context, "<|tool_call|>"),
    ...toolCallTag(context, ids),
  }),
  phi: (context) => behind(context, "functools"),
  gemma: () => ({ ...gemmaToken(), ...toolCodeFence() }),
  "anthropic-xml": (context) => ({
    ...invokeTags(context, "<function_calls>", ""),
    ...invokeTags(context, `<${antml}function_calls>`, antml),
    ...legacyInvoke(context),
  }),
  pythonic: pythonInText,
  "tool-request-xml"(context) {
    const [opener, closer] = ["<tool_request>", "</tool_request>"];
    return { [opener]: () => jsonBetween(context, { opener, closer, policy: "marked" }) };
  },
  "simple-xml": (context) => ({ "<tool_name>": () => simpleBlock(context) }),
  "dotted-xml": (context) => ({ "<": () => dottedBlock(context) }),
};

function behind(context: KnownTools, marker: string, trailers: readonly string[] = []): Openers {
  return { [marker]: () => behindMarker(context, { marker, trailers }) };
}

/** Returns the readers of these forms, keyed by opener. Throws for an unknown id. */
export function openersOf(
  protocols: readonly string[],
  context: KnownTools,
): ReadonlyMap<string, OpenBlock> {
  for (const id of protocols) {
    if (detectableProtocols.has(id)) continue;
    const known = [...detectableProtocols.keys()].join(", ");
    throw new Error(`There is no tool protocol ${JSON.stringify(id)}. Use one of: ${known}.`);
  }
  const wanted = formIds.filter((id) => protocols.includes(id));
  const ids = new Set(wanted);
  return new Map(wanted.flatMap((id) => Object.entries(forms[id](context, ids))));
}

const formIds = Object.keys(forms) as FormId[];
