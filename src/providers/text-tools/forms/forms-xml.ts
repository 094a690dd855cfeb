/** Forms with calls as tags around raw values. */

import { readGlmValues } from "../arguments/glm.ts";
import type { KnownTools, Reading } from "../arguments/known-tools.ts";
import { readNamed } from "../arguments/repair.ts";
import {
  callOfValues,
  readElements,
  type Untyped,
  withoutOuterBreaks,
  type XmlValue,
} from "../arguments/xml-values.ts";
import { type BlockReader, closedBlock, feedOpener, type Openers } from "../blocks/block.ts";
import { type Choice, chooseOpener, leadBlock } from "../blocks/lead-block.ts";
import { xmlBlock } from "../blocks/xml-block.ts";
import type { FormId } from "../protocol-ids.ts";
import { behindMarker, jsonBetween } from "./forms-json.ts";

const toolCall = "<tool_call>";
const toolCallEnd = "</tool_call>";

/** The tag that opens the calls of four model families. */
export function toolCallTag(context: KnownTools, ids: ReadonlySet<FormId>): Openers {
  const policy = context.asked.has("hermes") ? "delimited" : "marked";
  const hermes = (offset: number) =>
    jsonBetween(context, {
      opener: toolCall,
      closer: toolCallEnd,
      policy,
      offset,
      trailers: [toolCallEnd, "</_call>", "<|im_end|>"],
    });
  const choose = (seen: string, start: number): Choice => {
    if (seen === "[" && ids.has("granite")) {
      const trailers = [toolCallEnd];
      return feedOpener(behindMarker(context, { marker: toolCall, trailers, offset: start }), seen);
    }
    if (ids.has("qwen-xml") && functionStart.startsWith(seen)) {
      if (seen !== functionStart) return "wait";
      return functionBlock(context, start + seen.length, toolCallEnd);
    }
    if (ids.has("glm") && /^[A-Za-z_]/.test(seen))
      return feedOpener(glmBlock(context, start), seen);
    return ids.has("hermes") ? feedOpener(hermes(start), seen) : null;
  };
  return { [toolCall]: () => leadBlock(toolCall.length, choose, policy) };
}

const functionStart = "<function=";

/** `<function=NAME>` without a tag around it. */
export function functionTag(context: KnownTools): Openers {
  return { [functionStart]: () => functionBlock(context, functionStart.length, null) };
}

/** `<function=NAME>` inside Seed-OSS's own tag. */
export function seedToolCall(context: KnownTools): Openers {
  const [lead, end] = ["<seed:tool_call>", "</seed:tool_call>"];
  const inner = (offset: number) => functionBlock(context, offset, end);
  return { [lead]: () => leadBlock(lead.length, chooseOpener({ [functionStart]: inner })) };
}

/** `<function=NAME>`, with parameters (Qwen) or with JSON (Llama). */
function functionBlock(context: KnownTools, offset: number, wrapper: string | null): BlockReader {
  return xmlBlock({
    offset,
    policy: "marked",
    trailers: wrapper === null ? [toolCallEnd] : [toolCallEnd, wrapper],
    wrapper,
    closer: "</function>",
    inner: "</parameter>",
    nested: "<function=",
    headEnd: ">",
    // Without its wrapper it is usually prose.
    acceptsHead: (head) => wrapper !== null || context.knows(nameOf(head)),
    takesJson: true,
    read: (head, body, isNested) =>
      readParameters(context, nameOf(head), body, isNested, {
        opening: /<parameter=([^<>\s]{1,128})>/y,
        closing: "</parameter>",
      }),
  });
}

/** `<invoke name="N">`, inside `lead` or without it, with `prefix` in each of its tags. */
export function invokeTags(context: KnownTools, lead: string, prefix: string): Openers {
  const wrapper = lead.replace("<", "</");
  const opener = `<${prefix}invoke name=`;
  const invoke = (within: string | null) => (offset: number) =>
    invokeBlock(context, prefix, offset, within, wrapper);
  const choices: Record<string, (offset: number) => BlockReader> = { [opener]: invoke(wrapper) };
  if (prefix === "") choices["<invoke>"] = (offset) => legacyBlock(context, offset, wrapper);
  return {
    [lead]: () => leadBlock(lead.length, chooseOpener(choices)),
    [opener]: () => invoke(null)(opener.length),
  };
}

function invokeBlock(
  context: KnownTools,
  prefix: string,
  offset: number,
  within: string | null,
  wrapper: string,
): BlockReader {
  const tag = `${prefix}parameter`;
  const opening = new RegExp(`<${tag} name="([^"<>]{1,128})"(?: string="(true|false)")?>`, "y");
  return xmlBlock({
    offset,
    policy: "marked",
    trailers: [wrapper],
    wrapper: within,
    closer: `</${prefix}invoke>`,
    inner: `</${tag}>`,
    nested: `<${prefix}invoke name=`,
    headEnd: ">",
    acceptsHead: (head) => within !== null || context.knows(nameOf(head)),
    takesJson: true,
    read: (head, body, isNested) =>
      readParameters(context, nameOf(head), body, isNested, { opening, closing: `</${tag}>` }),
  });
}

/** Returns `N` for `"N"` of `<invoke name="N">` and for `N` of `<function=N>`. */
function nameOf(head: string): string {
  return head.trim().replace(/^(["'])(.*)\1$/, "$2");
}

function readParameters(
  context: KnownTools,
  name: string,
  body: string,
  isNested: boolean,
  tags: { readonly opening: RegExp; readonly closing: string },
): Reading {
  if (body.trimStart().startsWith("{")) return readNamed(name, body, context);
  if (isNested) return ambiguous(name);
  const elements = readElements(body, tags.opening, () => tags.closing);
  if (elements === null) return ambiguous(name);
  const values = elements.map(({ key, text, match }): XmlValue => {
    const value = { key, text: withoutOuterBreaks(text) };
    return match[2] === undefined ? value : { ...value, isString: match[2] === "true" };
  });
  return typed(context, name, values, "string");
}

function typed(
  context: KnownTools,
  name: string,
  values: readonly XmlValue[],
  untyped: Untyped,
): Reading {
  return callOfValues(name, values, context.schemaOf(name), untyped);
}

function ambiguous(name: string): Reading {
  return { reason: "its tags are not closed, or a value holds tags of the call itself", name };
}

/** The older form, with the name in its own tag. */
export function legacyInvoke(context: KnownTools): Openers {
  return { "<invoke>": () => legacyBlock(context, "<invoke>".length, null) };
}

function legacyBlock(context: KnownTools, offset: number, wrapper: string | null): BlockReader {
  const form =
    /^<invoke>\s*<tool_name>([^<>]{1,128})<\/tool_name>\s*(?:<parameters>([\s\S]*)<\/parameters>\s*)?$/;
  return closedBlock({
    offset,
    policy: "marked",
    quote: null,
    closer: "</invoke>",
    begins: /</,
    trailers: wrapper === null ? [] : [wrapper],
    wrapper,
    read(raw) {
      const match = form.exec(raw.slice(Math.max(0, raw.indexOf("<invoke>"))));
      if (match === null) return null;
      const name = (match[1] ?? "").trim();
      const opening = /<([A-Za-z_][\w.-]{0,127})>/y;
      const elements = readElements(match[2] ?? "", opening, ([, key]) => `</${key}>`);
      if (elements === null) return ambiguous(name);
      return typed(
        context,
        name,
        elements.map(({ key, text }) => ({ key, text: withoutOuterBreaks(text) })),
        "string",
      );
    },
  });
}

function glmBlock(context: KnownTools, offset: number): BlockReader {
  return xmlBlock({
    offset,
    policy: "marked",
    trailers: [toolCallEnd],
    closer: toolCallEnd,
    inner: "</arg_value>",
    nested: toolCall,
    headEnd: null,
    takesWrittenBreaks: true,
    read(_head, body, isNested) {
      const name = /^[\w.:/-]{1,128}/.exec(body)?.[0] ?? "";
      if (isNested) return ambiguous(name);
      const reading = readGlmValues(name, body.slice(name.length), context.schemaOf(name));
      return reading ?? ambiguous(name);
    },
  });
}
