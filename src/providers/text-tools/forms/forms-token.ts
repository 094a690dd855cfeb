/** Forms between special tokens that servers leak: Kimi, DeepSeek, gpt-oss, Gemma. */

import { readGemma } from "../arguments/gemma.ts";
import { type KnownTools, type Reading, shifted } from "../arguments/known-tools.ts";
import { readNamed } from "../arguments/repair.ts";
import { type BlockReader, closedBlock, type Openers } from "../blocks/block.ts";
import { readToolCode } from "../blocks/python-block.ts";
import { createMatcher } from "../syntax/literal.ts";

export function addTokenForms(
  openers: Openers,
  ids: ReadonlySet<string>,
  context: KnownTools,
): void {
  if (ids.has("kimi")) {
    const opener = "<|tool_call_begin|>";
    addSection(openers, {
      lead: "<|tool_calls_section_begin|>",
      end: "<|tool_calls_section_end|>",
      opener,
      open: token(context, [opener, "<|tool_call_end|>"], readKimi),
    });
  }
  if (ids.has("deepseek")) {
    const opener = "<｜tool▁call▁begin｜>";
    addSection(openers, {
      lead: "<｜tool▁calls▁begin｜>",
      end: "<｜tool▁calls▁end｜>",
      opener,
      open: token(context, [opener, "<｜tool▁call▁end｜>"], readDeepSeek),
    });
  }
  if (ids.has("harmony")) {
    for (const opener of harmonyOpeners) openers.set(opener, () => harmony(context, opener));
  }
  if (ids.has("gemma")) {
    const [opener, closer] = ["<|tool_call>", "<tool_call|>"];
    openers.set(opener, () =>
      closedBlock({
        offset: opener.length,
        policy: "marked",
        quote: '<|"|>',
        closer,
        read: (raw) => readGemma(raw.slice(opener.length)),
      }),
    );
    const fence = "```tool_code\n";
    openers.set(fence, () =>
      closedBlock({
        offset: fence.length,
        policy: "plain",
        quote: null,
        closer: "```",
        read(raw) {
          const reading = readToolCode(raw.slice(fence.length));
          return reading && shifted(reading, fence.length);
        },
      }),
    );
  }
}

type OpenToken = (offset: number, wrapper: string, isInSection: boolean) => BlockReader;

interface Section {
  readonly lead: string;
  readonly end: string;
  readonly opener: string;
  readonly open: OpenToken;
}

/** The calls of a section, and the first one together with what stands before it in the section. */
function addSection(openers: Openers, { lead, end, opener, open }: Section): void {
  openers.set(opener, () => open(opener.length, end, false));
  openers.set(lead, () => sectionBlock(lead.length, opener, (offset) => open(offset, end, true)));
}

/** Text between the beginning of a section and its first call is dropped from the display. */
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

function token(
  context: KnownTools,
  [opener, closer]: readonly [string, string],
  read: (body: string, context: KnownTools) => Reading | null,
): OpenToken {
  return (offset, wrapper, isInSection) =>
    closedBlock({
      offset,
      policy: "marked",
      closer,
      trailers: [wrapper],
      wrapper: isInSection ? wrapper : null,
      read: (raw) => read(raw.slice(raw.indexOf(opener) + opener.length), context),
    });
}

function readKimi(body: string, context: KnownTools): Reading | null {
  const [head, json] = splitAt(body, "<|tool_call_argument_begin|>");
  const name = /^(?:functions\.)?([\w.:/-]{1,128}?)(?::\d+)?$/.exec(head.trim())?.[1];
  return name === undefined || json === null ? null : readNamed(name, json, context);
}

function readDeepSeek(body: string, context: KnownTools): Reading | null {
  const [first, rest] = splitAt(body, "<｜tool▁sep｜>");
  if (rest === null) return null;
  // V3 writes `function<sep>NAME` and a fence, V3.1 `NAME<sep>` and bare JSON.
  const fenced = withoutFence(rest);
  return readNamed(fenced?.name ?? first.trim(), fenced?.json ?? rest, context);
}

/** The name and what stands in the fence behind it. No pattern for both: what it tries could grow with the square. */
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

function harmony(context: KnownTools, opener: string): BlockReader {
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
