/** The view of a chat that Neovim shows beside its text: open calls, progress, notices. Lua only draws it. */

import { type CallForecast, forecastKey } from "../../app/open-chat/call-facts.ts";
import { changeFrom } from "../../app/state/approved-tools.ts";
import { callView } from "../../conversation/call-view.ts";
import { askedAgainText } from "../../conversation/decide/judge-calls.ts";
import {
  decidableExchanges,
  lastCalls,
  type OpenCall,
  openCalls,
} from "../../conversation/decide/next-step.ts";
import { toolIdentity } from "../../conversation/decide/remembered.ts";
import { anchoredExchange } from "../../conversation/decide/session.ts";
import type { Splice } from "../../conversation/editor.ts";
import { type OwnKeys, pressFor, withRespondAction } from "../../conversation/keys.ts";
import type { ModelName, Tool, UnlistedServer, Usage } from "../../conversation/ports.ts";
import { type StartingServer, waitOf } from "../../conversation/server-waits.ts";
import type { Chat, Phase, TurnEnd } from "../../conversation/turn/chat.ts";
import {
  type ChatUsage,
  contextMeter,
  shortUsageText,
  type UsageTotal,
  usageText,
} from "../../conversation/usage.ts";
import { promptTexts, rememberedText, reopenedText } from "../../conversation/waiting-text.ts";
import { counted, secondsSince } from "../../shared/counted.ts";
import { given } from "../../shared/given.ts";
import { shownLines, visible } from "../../shared/visible.ts";
import type { Exchange, Problem, Transcript } from "../../transcript/transcript.ts";
import type { ShownCall, View } from "../lua-calls.ts";
import { endSentence, type TurnOutcome, turnOutcome, unfinishedText } from "./turn-end.ts";

export interface ViewSource {
  readonly chat: Chat;
  readonly transcript: Transcript;
  readonly model: ModelName;
  readonly tools: ReadonlyMap<string, Tool>;
  /** The effects of open calls, by `forecastKey`. */
  readonly forecasts: ReadonlyMap<string, CallForecast>;
  /** What changed in a tool since it was last approved, by the tool's name. */
  readonly changes: ReadonlyMap<string, string>;
  /** The tool that each open call was first shown with, by the text of its line. */
  readonly firstShown: ReadonlyMap<string, Tool>;
  /** Set while the tools of the chat are not known yet; `since` is in milliseconds since 1970. */
  readonly listing: { readonly since: number } | null;
  /** Tools that were remembered until another program changed the chat. */
  readonly forgotten: ReadonlySet<string>;
  /** Servers whose tools are currently unknown. */
  readonly unlisted: readonly UnlistedServer[];
  readonly starting: readonly StartingServer[];
  /** The pid of another process that is answering the chat. */
  readonly otherDriver: number | null;
  /** How many entries are remembered in this chat. */
  readonly remembered: number;
  readonly lastEnd: TurnEnd | null;
  readonly ownKeys: OwnKeys;
  /** Problems of header values. */
  readonly headerProblems: readonly Problem[];
}

export function buildView(source: ViewSource): View {
  const { chat, transcript } = source;
  const exchanges = decidableExchanges(transcript, chat.session);
  const open =
    chat.active === null
      ? exchanges.flatMap((exchange) => openCalls(transcript, exchange, chat.session))
      : [];
  const current = exchanges.at(-1) ?? null;
  return {
    status: shownStatus(statusOf(source, open, current)),
    calls: exchanges.flatMap((exchange) => shownCalls(source, exchange, open)),
    running: runningCalls(source),
    unfinished_line: current?.answer?.unfinished?.line ?? null,
    diagnostics: diagnosticsOf(source),
    usage: usageOf(source),
    context: contextOf(chat),
    statusline: statusline(source, open.length),
    keys: exchanges.some((exchange) => lastCalls(exchange).length > 0),
  };
}

/** Whether replacing these lines, even with the same ones, may have removed what is drawn at them. */
export function mayEraseDrawing(
  { start, end }: Splice,
  { calls, running, ...view }: View,
): boolean {
  const lines = [...calls, ...running, view.status, view.usage].flatMap(
    (drawn) => drawn?.line ?? [],
  );
  if (view.unfinished_line !== null) lines.push(view.unfinished_line);
  return lines.some((line) => start <= line && line < end);
}

/** Neovim draws each of them and blocks with tens of thousands; any line of a foreign chat may have a problem. */
const mostDiagnostics = 500;

function diagnosticsOf({
  transcript,
  headerProblems,
  ownKeys,
}: Pick<ViewSource, "transcript" | "headerProblems" | "ownKeys">): View["diagnostics"] {
  const problems = [...headerProblems, ...transcript.problems];
  const left = problems.length - mostDiagnostics;
  return problems.slice(0, mostDiagnostics).map((problem, index) => {
    const isLast = left > 0 && index === mostDiagnostics - 1;
    const more = isLast ? `\n(${left} more below; parley check names them all.)` : "";
    return {
      line: problem.line,
      col: Buffer.byteLength((transcript.lines[problem.line] ?? "").slice(0, problem.column)),
      level: problem.level,
      code: problem.code,
      message:
        visible(withRespondAction(problem.message, `press ${pressFor(ownKeys, "respond")}`)) + more,
    };
  });
}

function shownCalls(
  {
    chat,
    tools,
    forecasts,
    changes,
    firstShown,
    listing,
    unlisted,
    starting,
    forgotten,
  }: ViewSource,
  exchange: Exchange,
  open: readonly OpenCall[],
): readonly ShownCall[] {
  const byCall = new Map(open.map((one) => [one.call, one]));
  return lastCalls(exchange).flatMap((block, index) => {
    const waiting = byCall.get(block);
    if (waiting === undefined) return [];
    const name = block.call?.name ?? "";
    const tool = tools.get(name);
    const first = firstShown.get(block.lineText);
    const forecast = forecasts.get(forecastKey(block, index));
    const wait = listing
      ? { text: `listing its tools, ${secondsSince(listing.since)} s`, isPending: true }
      : waitOf(name, tool ?? null, unlisted, starting);
    return [
      {
        line: block.line,
        text: block.lineText,
        tool: toolIdentity(tool),
        effect: forecast?.plan?.hash ?? "",
        pending: wait?.isPending === true && block.call !== null,
        ...callView(block, {
          plan: null,
          ...forecast,
          tool: tool ?? null,
          waits: wait?.text ?? null,
          reopened: reopenedText(waiting.reason),
          askedAgain: askedAgainText(block.call, { repeated: chat.repeated, forgotten }),
          change: changes.get(name) ?? null,
          changeSinceShown: first && tool ? changeFrom(first, tool) : null,
        }),
      },
    ];
  });
}

/** Running calls, from the top; only the last one shows the key that stops them. */
function runningCalls({ chat, ownKeys }: ViewSource): View["running"] {
  const running = chat.session.calls.flatMap(({ state, run, line }) => {
    if (state !== "running" || run === undefined) return [];
    const { progress = "", since = Date.now() } = chat.runs.get(run) ?? {};
    const elapsed_ms = Math.max(0, Date.now() - since);
    return [{ line, text: visible(progress || "running"), elapsed_ms }];
  });
  const last = Math.max(...running.map(({ line }) => line));
  const stop = ` · ${pressFor(ownKeys, "stop")} stops`;
  return running.map((call) => ({ ...call, stop: call.line === last ? stop : "" }));
}

/** Makes control characters visible: the status contains text of vendors and values of headers. */
function shownStatus(status: View["status"]): View["status"] {
  if (status === null) return null;
  const shown = (text: string) => shownLines(text).join("\n");
  return {
    ...status,
    text: shown(status.text),
    ...given({ shorter: status.shorter?.map(shown) }),
  };
}

function statusOf(
  { chat, transcript, lastEnd, ownKeys, remembered, otherDriver }: ViewSource,
  open: readonly OpenCall[],
  current: Exchange | null,
): View["status"] {
  const { phase } = chat;
  const stop = ` · ${pressFor(ownKeys, "stop")} stops`;
  const line = current?.answer?.unfinished?.line;
  switch (phase.type) {
    case "preparing":
      return { kind: "progress", text: phase.text, stop, ...given({ line }) };
    case "streaming": {
      const { text, doing, since } = phase;
      // Elapsed seconds are useful where nothing else changes on screen.
      const counts = doing === "waiting" || doing === "thinking";
      return {
        kind: "progress",
        text: visible(doing === "" ? text : `${text} · ${doing}`),
        stop,
        ...given({ line }),
        ...(counts ? { elapsed_ms: Math.max(0, Date.now() - since) } : {}),
      };
    }
    case "retrying":
      return {
        kind: "progress",
        text: visible(`attempt ${phase.attempt} of ${phase.attempts}: ${phase.text}`),
        wait_ms: Math.max(0, phase.until - Date.now()),
        stop,
        ...given({ line }),
      };
    case "tools":
      // Drawn as long as no call's row shows that it is running.
      return { kind: "progress", text: "running the approved calls", stop };
    case "idle":
      break;
  }
  if (otherDriver !== null) {
    return { kind: "info", text: `another process (pid ${otherDriver}) is answering` };
  }
  const lastCall = open.at(-1)?.call;
  if (lastCall) {
    const [text = "", ...shorter] = promptTexts(open, ownKeys, remembered);
    return { kind: "waiting", text, shorter, line: lastCall.end - 1 };
  }
  const own = anchoredExchange(transcript, chat.session.respondedTo ?? undefined);
  const isOwn = own !== null && own === current;
  return endText(
    lastEnd,
    current,
    { ...turnOutcome(transcript, chat), isOwn },
    pressFor(ownKeys, "respond"),
  );
}

/** `isOwn`: `end` belongs to a turn of this exchange. `respond`: the key that continues. */
function endText(
  end: TurnEnd | null,
  current: Exchange | null,
  left: TurnOutcome & { readonly isOwn: boolean },
  respond: string,
): View["status"] {
  const line = current?.answer?.unfinished?.line;
  const place = given({ line });
  switch (end?.type) {
    case "failed":
      return { kind: "error", text: end.failure.message, ...place };
    case "limit":
      return { kind: "info", text: end.message, ...place };
    case "stopped":
      if (line === undefined) return { kind: "info", text: endSentence(end, left, respond)[1] };
      break;
    case "conflict":
      return { kind: "error", text: endSentence(end, { ...left, unfinished: null }, respond)[1] };
    default:
      break;
  }
  const reason = current?.answer?.unfinished?.reason;
  if (reason === undefined) return null;
  const text = unfinishedText(reason, left.isOwn ? end : null, respond);
  return { kind: "info", text, ...place };
}

/** Tokens of the last request with its answer, and of its model's context window. */
function contextOf({ usage: { last } }: Chat): View["context"] {
  if (last === null || last.window === null) return null;
  return { used: last.usage.input + last.usage.output, window: last.window };
}

/** The usage at the end of its answer; null when the answer is gone or its usage is unknown. */
function usageOf({ chat, transcript, lastEnd }: ViewSource): View["usage"] {
  const { answer, chat: whole } = chat.usage;
  const current = anchoredExchange(transcript, chat.session.respondedTo ?? undefined);
  if (whole.requests === 0 || !current?.answer) return null;
  // The turn ended, but its end was undone.
  if (lastEnd?.type === "done" && current.answer.unfinished !== null) return null;
  const texts = answer.requests > 0 ? [usageText(answer)] : [];
  if (whole.requests > answer.requests) texts.push(`this chat: ${usageText(whole)}`);
  const text = texts.join(" · ");
  const { tip, range } = current.answer;
  let line = Math.min(tip, range.end) - 1;
  while (line > range.start && transcript.lines[line]?.trim() === "") line -= 1;
  return { text, line };
}

export interface StatuslineSource {
  readonly chat: Chat;
  readonly model: ModelName;
  readonly remembered: number;
  readonly lastEnd: TurnEnd | null;
}

/**
 * `gpt-5.5 · 2 calls wait · 1 remembered · context ▂ 1.3k/400k · 1.2k in, 56 out, $0.0012`: model, state, how much is
 * remembered, how full the context window was and what this chat used; unknown parts are left out.
 */
function statusline(source: StatuslineSource, waitingCalls: number): string {
  const { chat, model } = source;
  const used = chat.usage.chat.requests > 0 ? shortUsageText(chat.usage.chat) : "";
  const memories = rememberedText(source.remembered);
  const context = contextMeter(chat.usage.last);
  const words = [model.id, stateOf(source, waitingCalls), memories, context, used].filter(
    (text) => text !== "",
  );
  // Statuslines evaluate what follows a %, and the name of a model may be any text from a file.
  return visible(words.join(" · ")).replaceAll("%", "%%");
}

/** What a chat does, in a word or two; empty when it is idle. */
export const phaseWords: Readonly<Record<Phase["type"], string>> = {
  idle: "",
  preparing: "preparing",
  streaming: "answering",
  retrying: "retrying",
  tools: "running tools",
};

function stateOf({ chat, lastEnd }: StatuslineSource, waitingCalls: number): string {
  const doing = phaseWords[chat.phase.type];
  if (doing !== "") return doing;
  if (waitingCalls > 0) return counted(waitingCalls, "call waits", "calls wait");
  return lastEnd?.type === "failed" ? "failed" : "";
}

/** Tokens, with the names of the `prices` setting. */
interface LuaUsage {
  readonly input: number;
  readonly output: number;
  readonly cache_read?: number;
  readonly cache_write?: number;
  readonly reasoning?: number;
}

interface LuaTotal {
  readonly usage: LuaUsage;
  readonly requests: number;
  /** In US dollars; absent when a price is unknown. */
  readonly cost?: number;
}

/** The usage of the answer and, as `chat`, of all requests of this session; empty before the first usage report. */
export function usageData({ answer, chat }: ChatUsage): Partial<LuaTotal> & { chat?: LuaTotal } {
  if (chat.requests === 0) return {};
  return { ...(answer.requests > 0 ? luaTotal(answer) : {}), chat: luaTotal(chat) };
}

function luaTotal({ usage, cost, requests }: UsageTotal): LuaTotal {
  return { usage: luaUsage(usage), requests, ...given({ cost }) };
}

function luaUsage({ input, output, cacheRead, cacheWrite, reasoning }: Usage): LuaUsage {
  return {
    input,
    output,
    ...given({ cache_read: cacheRead, cache_write: cacheWrite, reasoning }),
  };
}

/** The tools that open calls were first shown with, of servers only: the user's own tools change with their files. */
export function withShown(
  before: ReadonlyMap<string, Tool>,
  open: readonly OpenCall[],
  tools: ReadonlyMap<string, Tool>,
): ReadonlyMap<string, Tool> {
  const shown = open.flatMap(({ call: { call, lineText } }) => {
    const tool = before.get(lineText) ?? (call === null ? undefined : tools.get(call.name));
    return tool === undefined || tool.server === null ? [] : [[lineText, tool] as const];
  });
  return new Map(shown);
}
