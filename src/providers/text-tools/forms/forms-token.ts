/** Forms with special tokens that servers leak into the text: Kimi, DeepSeek, gpt-oss, Gemma. */

import { readGemma } from "../arguments/gemma.ts";
import { type KnownTools, type Reading, shifted } from "../arguments/known-tools.ts";
import { readNamed } from "../arguments/repair.ts";
import { type BlockReader, closedBlock, type Openers } from "../blocks/block.ts";
import { headedJson } from "../blocks/json-block.ts";
import { readToolCode } from "../blocks/python-block.ts";
import { createMatcher } from "../syntax/literal.ts";

/** `<|tool_call>call:NAME{…}`. */
export function gemmaToken(): Openers {
  const [opener, closer] = ["<|tool_call>", "<tool_call|>"];
  return {
    [opener]: () =>
      closedBlock({
        offset: opener.length,
        policy: "marked",
        quote: '<|"|>',
        closer,
        read: (raw) => readGemma(raw.slice(opener.length)),
      }),
  };
}

/** Python calls in a `tool_code` fence. */
export function toolCodeFence(): Openers {
  const opener = "```tool_code\n";
  return {
    [opener]: () =>
      closedBlock({
        offset: opener.length,
        policy: "plain",
        quote: null,
        closer: "```",
        read(raw) {
          const reading = readToolCode(raw.slice(opener.length));
          return reading && shifted(reading, opener.length);
        },
      }),
  };
}

interface Section {
  /** The texts around all calls of a step. */
  readonly lead: string;
  readonly end: string;
  /** The texts around one call. */
  readonly opener: string;
  readonly closer: string;
  readonly read: (body: string, context: KnownTools) => Reading | null;
}

/** The openers of a section's calls, and of the section itself, which includes its first call. */
export function section(
  context: KnownTools,
  { lead, end, opener, closer, read }: Section,
): Openers {
  const call = (offset: number, wrapper: string | null) =>
    closedBlock({
      offset,
      policy: "marked",
      closer,
      trailers: [end],
      wrapper,
      read: (raw) => read(raw.slice(raw.indexOf(opener) + opener.length), context),
    });
  return {
    [opener]: () => call(opener.length, null),
    [lead]: () => sectionBlock(lead.length, opener, (offset) => call(offset, end)),
  };
}

/** In code units. Text between the start of a section and its first call is not shown. */
const longestLead = 4096;

function sectionBlock(
  offset: number,
  opener: string,
  open: (offset: number) => BlockReader,
): BlockReader {
  const matcher = createMatcher(opener);
  let inner: BlockReader | null = null;
  let count = offset;
  return {
    policy: "marked",
    get trailers() {
      return inner?.trailers ?? [];
    },
    get wrapper() {
      return inner?.wrapper ?? null;
    },
    get end() {
      return inner?.end ?? count;
    },
    feed(unit) {
      if (inner) return inner.feed(unit);
      count += 1;
      if (matcher.feed(unit)) inner = open(count);
      return inner === null && count > offset + longestLead;
    },
    conclude: (raw) => inner?.conclude(raw) ?? null,
    fallback: (finish) => inner?.fallback(finish) ?? 0,
  };
}

export function readKimi(body: string, context: KnownTools): Reading | null {
  const [head, json] = splitAt(body, "<|tool_call_argument_begin|>");
  const name = /^(?:functions\.)?([\w.:/-]{1,128}?)(?::\d+)?$/.exec(head.trim())?.[1];
  return name === undefined || json === null ? null : readNamed(name, json, context);
}

export function readDeepSeek(body: string, context: KnownTools): Reading | null {
  const [first, rest] = splitAt(body, "<｜tool▁sep｜>");
  if (rest === null) return null;
  // V3 writes `function<sep>NAME` and a fence, V3.1 writes `NAME<sep>` and bare JSON.
  const fenced = withoutFence(rest);
  return readNamed(fenced?.name ?? first.trim(), fenced?.json ?? rest, context);
}

/** Splits the name from the fence after it. A single pattern for both could take quadratic time. */
function withoutFence(text: string): { readonly name: string; readonly json: string } | null {
  const opening = /^\s*([\w.:/-]{1,128})\s*```(?:json)?/.exec(text);
  const rest = text.slice(opening?.[0].length ?? 0).trimEnd();
  if (opening?.[1] === undefined || !rest.endsWith("```")) return null;
  return { name: opening[1], json: rest.slice(0, -3) };
}

const harmonyOpeners = [
  "<|start|>assistant<|channel|>commentary to=functions.",
  "<|start|>assistant to=functions.",
  "<|channel|>commentary to=functions.",
];

/** What is left where a server drops the special tokens (NousResearch/hermes-agent#84231); other words may follow. */
const bareRecipient = "to=functions.";

/** A function call on the commentary channel. */
export function harmony(context: KnownTools): Openers {
  return {
    ...Object.fromEntries(
      harmonyOpeners.map((opener) => [opener, () => harmonyBlock(context, opener)]),
    ),
    [bareRecipient]: () =>
      headedJson({
        offset: bareRecipient.length,
        policy: "marked",
        longestHead: 128,
        read(head, json) {
          const name = /^([\w.:/-]+)[^<]*$/.exec(head)?.[1];
          return name === undefined ? null : readNamed(name, json, context);
        },
      }),
  };
}

function harmonyBlock(context: KnownTools, opener: string): BlockReader {
  return closedBlock({
    offset: opener.length,
    policy: "marked",
    closer: "<|call|>",
    isStopToken: true,
    read(raw) {
      const [head, json] = splitAt(raw.slice(opener.length), "<|message|>");
      const name = /^[\w.:/-]{1,128}/.exec(head)?.[0];
      return name === undefined || json === null ? null : readNamed(name, json, context);
    },
  });
}

function splitAt(text: string, separator: string): readonly [string, string | null] {
  const at = text.indexOf(separator);
  return at < 0 ? [text, null] : [text.slice(0, at), text.slice(at + separator.length)];
}
