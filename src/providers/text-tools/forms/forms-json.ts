/** Forms whose call is one JSON value: between delimiters, behind a marker, in a fence, or in prose. */

import { type KnownTools, shifted } from "../arguments/known-tools.ts";
import { readBlock, readNamed } from "../arguments/repair.ts";
import { type BlockPolicy, type BlockReader, closedBlock, type Openers } from "../blocks/block.ts";
import { fenceBlock } from "../blocks/fence-block.ts";
import { type BareJsonOptions, bareJson, headedJson } from "../blocks/json-block.ts";
import { leadBlock } from "../blocks/lead-block.ts";
import { pythonBlock } from "../blocks/python-block.ts";
import { smileyBlock } from "../blocks/smiley-block.ts";
import { delimitedCloser, delimitedOpener, smiley } from "../syntax/delimiters.ts";

/** A form with delimiters, when models can be asked for it. */
export function blockPolicyOf(id: string, context: KnownTools): BlockPolicy {
  return context.asked.has(id) ? "delimited" : "marked";
}

/** One JSON object between two fixed texts. */
export function jsonBetween(
  context: KnownTools,
  block: {
    opener: string;
    closer: string;
    policy: BlockPolicy;
    offset?: number;
    trailers?: string[];
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

export function addJsonForms(
  openers: Openers,
  ids: ReadonlySet<string>,
  context: KnownTools,
): void {
  if (ids.has("smiley")) openers.set(smiley, () => smileyBlock(context));
  if (ids.has("delimited")) {
    const block = {
      opener: delimitedOpener,
      closer: delimitedCloser,
      policy: blockPolicyOf("delimited", context),
    };
    openers.set(delimitedOpener, () => jsonBetween(context, block));
  }
  if (ids.has("tool-request-xml")) {
    const block = {
      opener: "<tool_request>",
      closer: "</tool_request>",
      policy: "marked",
    } as const;
    openers.set(block.opener, () => jsonBetween(context, block));
  }
  if (ids.has("llama")) {
    openers.set("<|python_tag|>", () => behindMarker(context, "<|python_tag|>", 0, llamaEnds));
  }
  if (ids.has("phi")) openers.set("functools", () => behindMarker(context, "functools", 0, []));
  if (ids.has("granite")) {
    openers.set("<|tool_call|>", () => behindMarker(context, "<|tool_call|>", 0, []));
  }
  if (ids.has("mistral")) {
    openers.set("[TOOL_CALLS]", () => behindMarker(context, "[TOOL_CALLS]", 256, ["</s>"]));
  }
  addRunningText(openers, ids, context);
}

/** Tags that no family of models has, and that models put around the JSON of a call all the same. */
const tags = ["function_call", "functioncall", "tool_calls", "tool_use", "tool", "call", "json"];

const llamaEnds = ["<|eom_id|>", "<|eot_id|>", ";"];

function addRunningText(openers: Openers, ids: ReadonlySet<string>, context: KnownTools): void {
  const trailers = [
    // A bracket too many.
    "}",
    ...(ids.has("llama") ? llamaEnds : []),
    // Servers that take an opening tag for a token of their own leave its counterpart standing.
    ...(ids.has("hermes") ? ["</tool_call>"] : []),
  ];
  const isJson = ids.has("json");
  const isAsked = context.asked.has("json");
  if (isJson) openers.set("```", () => fenceBlock(context));
  const bare = (
    first: "{" | "[",
    at: Pick<BareJsonOptions, "jsonStart" | "offset">,
    ends = trailers,
  ) => bareJson(context, { ...at, policy: "plain", isAsked, trailers: ends, first });
  if (isJson || ids.has("llama")) openers.set("{", () => bare("{", { jsonStart: 0, offset: 1 }));
  if (isJson) {
    openers.set("{{", () =>
      leadBlock(2, (seen, offset) =>
        /["']/.test(seen) ? fed(bare("{", { jsonStart: 1, offset }), seen) : null,
      ),
    );
    for (const tag of tags) {
      openers.set(`<${tag}>`, () =>
        leadBlock(tag.length + 2, (seen, jsonStart) => {
          if (seen !== "{" && seen !== "[") return null;
          return bare(seen, { jsonStart, offset: jsonStart + 1 }, [...trailers, `</${tag}>`]);
        }),
      );
    }
  }
  const isPython = ids.has("pythonic");
  if (isPython) {
    openers.set("<|python_start|>", () =>
      leadBlock("<|python_start|>".length, (seen, start) =>
        seen === "[" ? pythonBlock(context, start + 1, "<|python_end|>") : null,
      ),
    );
  }
  if (!isJson && !isPython && !ids.has("llama")) return;
  openers.set("[", (place) =>
    leadBlock(1, (seen, start) => {
      if (seen === "{")
        return isJson ? fed(bare("[", { jsonStart: 0, offset: start }), seen) : null;
      const isCall = isPython && place.isLineStart && /[A-Za-z_]/.test(seen);
      return isCall ? fed(pythonBlock(context, start, null), seen) : null;
    }),
  );
}

/** A reader that has taken the text that was needed to choose it. */
export function fed(reader: BlockReader, text: string): BlockReader {
  for (let at = 0; at < text.length; at += 1) reader.feed(text.charCodeAt(at));
  return reader;
}

/** `NAME[CALL_ID]id[ARGS]` of Mistral; other forms have no head. */
const head = /^([\w.:/-]{1,128})\s*(?:\[CALL_ID\][\w-]*\s*)?(?:\[ARGS\])?$/;

export function behindMarker(
  context: KnownTools,
  marker: string,
  longestHead: number,
  trailers: readonly string[],
  offset = marker.length,
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
