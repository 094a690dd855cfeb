/** Forms whose call is one JSON value: between delimiters, behind a marker, in a fence, or in prose. */

import { readCalls } from "../arguments/call-shapes.ts";
import { type Context, shifted } from "../arguments/known-tools.ts";
import { readBlock, readNamed } from "../arguments/repair.ts";
import type { BlockReader, Openers, Policy } from "../blocks/block.ts";
import { closedBlock } from "../blocks/block.ts";
import { fenceBlock } from "../blocks/fence-block.ts";
import { bareJson, headedJson } from "../blocks/json-block.ts";
import { leadBlock } from "../blocks/lead-block.ts";
import { pythonBlock } from "../blocks/python-block.ts";
import { smileyBlock } from "../blocks/smiley-block.ts";
import { delimitedCloser, delimitedOpener, smiley } from "../syntax/delimiters.ts";

/** One JSON object between two fixed texts. */
export function jsonBetween(
  context: Context,
  block: { opener: string; closer: string; policy: Policy; offset?: number; trailers?: string[] },
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

export function addJsonForms(openers: Openers, ids: ReadonlySet<string>, context: Context): void {
  if (ids.has("smiley")) openers.set(smiley, () => smileyBlock(context));
  if (ids.has("delimited")) {
    const block = {
      opener: delimitedOpener,
      closer: delimitedCloser,
      policy: "delimited",
    } as const;
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

const llamaEnds = ["<|eom_id|>", "<|eot_id|>", ";"];

function addRunningText(openers: Openers, ids: ReadonlySet<string>, context: Context): void {
  // Servers that take an opening tag for a token of their own leave its counterpart standing.
  const trailers = [
    ...(ids.has("llama") ? llamaEnds : []),
    ...(ids.has("hermes") ? ["</tool_call>"] : []),
  ];
  const isJson = ids.has("json");
  if (isJson) openers.set("```", () => fenceBlock(context));
  const read = (raw: string) => readCalls(raw, context);
  const bare = (first: "{" | "[", offset: number) =>
    bareJson({ offset, policy: "plain", trailers, first, read });
  if (isJson || ids.has("llama")) openers.set("{", () => bare("{", 1));
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
      if (seen === "{") return isJson ? fed(bare("[", start), seen) : null;
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
const head = /^([\w.:/-]{1,128})\s*(?:\[CALL_ID\][\w-]*)?\s*(?:\[ARGS\])?$/;

export function behindMarker(
  context: Context,
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
