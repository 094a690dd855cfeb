/** Forms with a call as one JSON value: between delimiters, after a marker, in a fence, or in prose. */

import { type KnownTools, shifted } from "../arguments/known-tools.ts";
import { readBlock, readNamed } from "../arguments/repair.ts";
import {
  type BlockPolicy,
  type BlockReader,
  closedBlock,
  feedOpener,
  type Openers,
} from "../blocks/block.ts";
import { fenceBlock } from "../blocks/fence-block.ts";
import { type BareJsonOptions, bareJson, headedJson } from "../blocks/json-block.ts";
import { leadBlock } from "../blocks/lead-block.ts";
import { pythonBlock } from "../blocks/python-block.ts";
import type { FormId } from "../protocol-ids.ts";
import { smileys } from "../syntax/delimiters.ts";

/** Reads one JSON object between two fixed texts. */
export function jsonBetween(
  context: KnownTools,
  block: {
    readonly opener: string;
    readonly closer: string;
    readonly policy: BlockPolicy;
    readonly offset?: number;
    readonly trailers?: readonly string[];
  },
): BlockReader {
  const { opener, closer, policy } = block;
  return closedBlock({
    offset: block.offset ?? opener.length,
    policy,
    closer,
    trailers: block.trailers ?? [closer],
    begins: /[{[`]|\ufeff|\ufe0f/,
    read: (raw) => shifted(readBlock(raw.slice(opener.length), context), opener.length),
  });
}

/** Tags that belong to no model family, but that models still put around a call's JSON. */
const tags = [
  "function_call",
  "functioncall",
  "tool_calls",
  "tool_use",
  "tool",
  "call",
  "json",
  "TOOLCALL",
];

export const llamaEnds = ["<|eom_id|>", "<|eot_id|>", ";"];

/** Reads JSON in prose that may be a call; `at` says where the JSON and the fed code units begin. */
function bare(
  context: KnownTools,
  ids: ReadonlySet<FormId>,
  first: "{" | "[",
  at: Pick<BareJsonOptions, "jsonStart" | "offset">,
  ...ends: readonly string[]
): BlockReader {
  const trailers = [
    // An extra bracket.
    "}",
    ...(ids.has("llama") ? llamaEnds : []),
    // Servers that treat an opening tag as a special token leave its closing tag in the text.
    ...(ids.has("hermes") ? ["</tool_call>"] : []),
    // A closing run whose opening one is missing.
    ...(ids.has("smiley") ? [smileys] : []),
    ...ends,
  ];
  // With other text around it, it is not the requested form.
  const isAsked = context.asked.has("json") && at.jsonStart === 0;
  return bareJson(context, { ...at, policy: "plain", isAsked, trailers, first });
}

/** An object as the whole answer or in prose. */
export function bareObject(context: KnownTools, ids: ReadonlySet<FormId>): Openers {
  return { "{": () => bare(context, ids, "{", { jsonStart: 0, offset: 1 }) };
}

/** JSON in a fence, in prose, in double braces, or in tags that belong to no model family. */
export function jsonInText(context: KnownTools, ids: ReadonlySet<FormId>): Openers {
  const doubled = () =>
    leadBlock(2, (seen, offset) =>
      /["']/.test(seen)
        ? feedOpener(bare(context, ids, "{", { jsonStart: 1, offset }), seen)
        : null,
    );
  const tagged = (tag: string) =>
    leadBlock(tag.length + 2, (seen, jsonStart) => {
      if (seen !== "{" && seen !== "[") return null;
      return bare(context, ids, seen, { jsonStart, offset: jsonStart + 1 }, `</${tag}>`);
    });
  return {
    "```": () => fenceBlock(context),
    ...bareObject(context, ids),
    "{{": doubled,
    ...Object.fromEntries(tags.map((tag) => [`<${tag}>`, () => tagged(tag)])),
    ...bracket(context, ids),
  };
}

/** The tokens of Llama 4 and of LFM2. */
const pythonTokens: readonly (readonly [opener: string, closer: string])[] = [
  ["<|python_start|>", "<|python_end|>"],
  ["<|tool_call_start|>", "<|tool_call_end|>"],
];

/** A Python list of calls, alone or between tokens. */
export function pythonInText(context: KnownTools, ids: ReadonlySet<FormId>): Openers {
  const between = pythonTokens.map(([opener, closer]): [string, () => BlockReader] => [
    opener,
    () =>
      leadBlock(opener.length, (seen, start) =>
        seen === "[" ? pythonBlock(context, start + 1, closer) : null,
      ),
  ]);
  return { ...Object.fromEntries(between), ...bracket(context, ids) };
}

/** A list of objects or of Python calls. */
function bracket(context: KnownTools, ids: ReadonlySet<FormId>): Openers {
  return {
    "[": (place) =>
      leadBlock(1, (seen, start) => {
        if (seen === "{" && ids.has("json")) {
          return feedOpener(bare(context, ids, "[", { jsonStart: 0, offset: start }), seen);
        }
        const isCall = ids.has("pythonic") && place.isLineStart && /[A-Za-z_]/.test(seen);
        return isCall ? feedOpener(pythonBlock(context, start, null), seen) : null;
      }),
  };
}

/** Mistral's `NAME[CALL_ID]id[ARGS]`; other forms have no head. */
const head = /^([\w.:/-]{1,128})\s*(?:\[CALL_ID\][\w-]*\s*)?(?:\[ARGS\])?$/;

/** Reads JSON after a fixed text, with a name before the JSON of at most `longestHead` code units. */
export function behindMarker(
  context: KnownTools,
  {
    marker,
    trailers = [],
    longestHead = 0,
    offset = marker.length,
  }: {
    readonly marker: string;
    readonly trailers?: readonly string[];
    readonly longestHead?: number;
    readonly offset?: number;
  },
): BlockReader {
  return headedJson({
    offset,
    policy: "marked",
    longestHead,
    trailers,
    read(headText, json, start) {
      if (headText === "") return shifted(readBlock(json, context), start);
      const name = head.exec(headText)?.[1];
      return name === undefined ? null : readNamed(name, json, context);
    },
  });
}
