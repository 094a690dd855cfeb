/** Notices for the user about a request: what it sends unasked, what it leaves out, and how large it is. Pure. */

import type { ModelName, ModelRequest, Tool } from "../../conversation/ports.ts";
import type { LoadedFile } from "../../conversation/request/needed-files.ts";
import {
  type RequestSize,
  tokensOf,
  tokensOfImage,
} from "../../conversation/request/request-size.ts";
import type { ChatSettings } from "../../conversation/settings/chat-settings.ts";
import { formatModelName } from "../../conversation/settings/model-name.ts";
import {
  builtinGroup,
  parseSelection,
  selectable,
  unknownWords,
} from "../../conversation/settings/tool-selection.ts";
import { type ModelFacts, moneyText, shortCount } from "../../conversation/usage.ts";
import { mockServerName } from "../../mcp/mcp-host.ts";
import { sizeText } from "../../shared/counted.ts";
import type { Transcript } from "../../transcript/transcript.ts";
import type { ReadContent } from "../references/read-references.ts";
import type { ReadRules } from "../references/rules-files.ts";

/** The tools that the user may have chosen for a chat. */
export interface ChosenTools {
  /** A tool selection instead of those in the header and the configuration; null: there is none. */
  readonly selection: string | null;
  /** The existing servers, by their names in a tool selection. */
  readonly servers: readonly string[];
  /** The servers that are configured but disabled. */
  readonly disabled: readonly string[];
}

export const toolsHint =
  "This chat has no tools. Write `tools: mock` in the header to try a whole turn; `:help parley-mcp` says how to add real tools.";

/** Whether this is a new chat with a real model, by a user who chose no tools and has no servers. */
export function hasNeverHadTools(
  { selection, servers }: ChosenTools,
  { exchanges }: Transcript,
  settings: ChatSettings,
  { provider }: ModelName,
): boolean {
  const isOwn = servers.some((name) => name !== builtinGroup && name !== mockServerName);
  const isChosen =
    selection !== null || settings.tools !== null || settings.server_tools.length > 0;
  return exchanges.length === 1 && provider !== "mock" && !isOwn && !isChosen;
}

/** A sentence for each word of the tool selection that matches nothing. */
export function selectionNotices(
  { selection: own, ...known }: ChosenTools,
  settings: ChatSettings,
  tools: readonly Tool[],
): readonly string[] {
  const wanted = own ?? settings.tools;
  if (wanted === null) return [];
  const { selection, problems } = parseSelection(wanted);
  const unknown = unknownWords(selection, tools.map(selectable), known);
  // Problems of a selection in the header or the configuration are reported at its line.
  return own === null ? unknown : [...problems, ...unknown];
}

/** Rules are never sent without a notice. */
export function rulesNotices({ read, unread }: ReadRules): readonly string[] {
  const tokens = tokensOf(read.map(({ text }) => text).join(""));
  const sent = `Rules sent with every request: ${read.map(({ name }) => name).join(", ")}, about ${shortCount(tokens)} tokens`;
  return [
    ...(read.length === 0 ? [] : [sent]),
    ...(unread.length === 0 ? [] : [`Rules that are not sent: ${unread.join("; ")}.`]),
  ];
}

/** What was read for a question, its size, and what it costs to send it once. */
export function readFilesText(read: readonly ReadContent[], { price }: ModelFacts): string {
  const sizes = read.map(({ name, content }) => ({ name, ...contentSize(content) }));
  const each = sizes.map(({ name, bytes }) => `${name} (${sizeText(bytes)})`);
  const tokens = sizes.reduce((sum, size) => sum + size.tokens, 0);
  const known = price(tokens);
  const money = known === null ? "" : `, ${moneyText((tokens * known.input) / 1_000_000)}`;
  const all = `${read.length > 1 ? "; all of it " : ", "}about ${shortCount(tokens)} tokens${money}`;
  return `${each.join(", ")}${all}`;
}

function contentSize(content: LoadedFile): { readonly bytes: number; readonly tokens: number } {
  if (content.kind === "image") {
    return { bytes: Math.round(content.data.length * 0.75), tokens: tokensOfImage };
  }
  const { text } = content;
  return { bytes: Buffer.byteLength(text), tokens: tokensOf(text) };
}

const toolsShare = 0.05;
const requestShare = 0.8;

/** Sentences for the user; none when the context window is unknown. They stay the same as the chat grows. */
export function contextNotices(
  request: ModelRequest,
  size: RequestSize,
  contextWindow: number | null,
): readonly string[] {
  if (contextWindow === null) return [];
  const model = formatModelName(request.model);
  const notices: string[] = [];
  if (size.tools > contextWindow * toolsShare) {
    notices.push(
      `The descriptions of the ${request.tools.length} tools take about ${size.tools} tokens of every request, more than 5 % of the context window of ${model} (${contextWindow}). Offer fewer with tools: in the header.`,
    );
  }
  if (size.all > contextWindow * requestShare) {
    notices.push(
      `This chat is close to the context window of ${model} (${contextWindow} tokens). Lower max_full_exchanges in the header, so that older exchanges are sent as their summaries, or begin a new chat.`,
    );
  }
  return notices;
}
