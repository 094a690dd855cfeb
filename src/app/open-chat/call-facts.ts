/** The facts about a proposed call that its text does not contain. */
import type { CallFacts } from "../../conversation/call-view.ts";
import type { OfferedTools } from "../../conversation/chat-tools.ts";
import { lastCalls, planBatch } from "../../conversation/decide/next-step.ts";
import { type RememberedUse, rememberedBy, scopeOf } from "../../conversation/decide/remembered.ts";
import type { CallPlan } from "../../conversation/ports.ts";
import type { ChatPorts } from "../../conversation/turn/chat.ts";
import { isObject, parseJson } from "../../shared/json.ts";
import type { CallBlock, Exchange, Transcript } from "../../transcript/transcript.ts";
import type { App } from "../app.ts";
import { approvedTools, changeSince, isUnknown } from "../state/approved-tools.ts";
import type { Verdict } from "../tools/policy.ts";
import { policyNow } from "./chat-ports.ts";

/** The tools are looked at again, so that what is shown is what would run. */
export async function callFacts(
  app: App,
  ports: Pick<ChatPorts, "tools" | "remembered">,
  transcript: Transcript,
  { exchange, block }: { readonly exchange: Exchange; readonly block: CallBlock },
): Promise<CallFacts> {
  const { call } = block;
  const offered = await ports.tools.look(transcript);
  const tool = call && (offered.tools.get(call.name) ?? null);
  if (call === null || tool === null) {
    return { tool: null, launch: [], rule: "nothing runs", history: [], forecast: null };
  }
  const approved = (await approvedTools(app.options.stateFolder, [tool])).get(tool.name);
  const change = changeSince(approved, tool);
  const [launch, subject, forecasts] = await Promise.all([
    tool.server === null ? [] : app.servers.launch(tool.server),
    offered.subject(call),
    forecastCalls(offered, [exchange]),
  ]);
  const changed = change === null ? null : "the definition changed";
  const unknown = "you have not approved this tool of the project yet";
  const verdict = policyNow(app)(tool, call, subject);
  const memory = await memoryOf(ports, transcript, { tool, changes: scopeOf(subject) });
  const unchanged =
    approved === undefined
      ? "you have not approved it on this machine yet"
      : `definition unchanged since it was approved on ${approved.day}`;
  return {
    tool,
    launch,
    rule: ruleText(verdict, changed ?? (isUnknown(tool, approved) ? unknown : null)),
    history: tool.server === null ? [memory] : [memory, change ?? unchanged],
    forecast: forecasts.get(forecastKey(block, lastCalls(exchange).indexOf(block))) ?? null,
  };
}

/** `why`: the reason for asking although a rule allows the call; null: there is none. */
function ruleText({ answer, rule, guard }: Verdict, why: string | null): string {
  if (rule === null) {
    return `none covers this call, so you are asked${guard === null ? "" : `; ${guard}`}`;
  }
  const asked = guard === null ? "you are asked" : `you are asked, because ${guard}`;
  const words = { allow: "allowed", ask: asked, insist: asked, deny: "never run" };
  const isAsked = answer === "allow" && why !== null;
  return `${rule}, so: ${isAsked ? `you are asked, because ${why}` : words[answer]}`;
}

async function memoryOf(
  { remembered }: Pick<ChatPorts, "remembered">,
  transcript: Transcript,
  use: RememberedUse,
): Promise<string> {
  const [records, path] = await Promise.all([remembered.records(), remembered.path()]);
  const mark = rememberedBy(use, transcript, records, path);
  return mark === null ? "not remembered in this chat" : `remembered by a [${mark}] line above`;
}

/** What is known about a waiting call before it is decided. */
export interface CallForecast {
  /** Null: the effect of the call cannot be known. */
  readonly plan: CallPlan | null;
  /** A call above this one may change its effect in a way that cannot be known. */
  readonly isGuess: boolean;
  /** The default values of arguments that the call leaves out. */
  readonly defaults: Readonly<Record<string, unknown>>;
}

/** Equal for the same line in the same batch, wherever the batch is in the text. */
export function forecastKey({ lineText }: CallBlock, indexInBatch: number): string {
  return `${indexInBatch} ${lineText}`;
}

/** Forecasts for the last calls of these exchanges, by `forecastKey`. */
export async function forecastCalls(
  offered: Pick<OfferedTools, "plans" | "subject">,
  exchanges: readonly Exchange[],
): Promise<ReadonlyMap<string, CallForecast>> {
  const found = new Map<string, CallForecast>();
  for (const exchange of exchanges) {
    const plans = await planBatch(exchange, offered.plans);
    let isGuess = false;
    for (const [index, block] of lastCalls(exchange).entries()) {
      if (block.call === null || block.result !== null) continue;
      const plan = plans.get(block.line) ?? null;
      const subject = await offered.subject(block.call);
      const defaults = filledIn(block.call.arguments, subject?.arguments ?? {});
      found.set(forecastKey(block, index), {
        plan,
        isGuess: isGuess && plan?.changes === true,
        defaults,
      });
      isGuess ||= plan === null || subject?.command !== undefined;
    }
  }
  return found;
}

function filledIn(
  text: string,
  parsed: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> {
  const given = parseJson(text);
  if (!isObject(given)) return {};
  const added = Object.entries(parsed).filter(
    ([name, value]) => value !== undefined && !Object.hasOwn(given, name),
  );
  return Object.fromEntries(added);
}
