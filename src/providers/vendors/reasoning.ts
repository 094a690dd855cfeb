/** Translates the reasoning effort to the fields of each API. Pure. */
import type {
  MessageCreateParamsStreaming,
  OutputConfig,
} from "@anthropic-ai/sdk/resources/messages";
import type { ResponseCreateParamsStreaming } from "openai/resources/responses/responses";
import {
  type ModelRequest,
  type ReasoningEffort,
  reasoningEfforts,
} from "../../conversation/ports.ts";
import { formatModelName } from "../../conversation/settings/model-name.ts";
import { type Compat, effortsOf, fits } from "./compat.ts";

type EffortRequest = Pick<
  ModelRequest,
  "model" | "reasoningEffort" | "tools" | "toolChoice" | "maxOutputTokens"
>;

interface Effort {
  /** Null: nothing is sent, and the model uses its default. */
  readonly effort: ReasoningEffort | null;
  /** A sentence if this differs from the requested effort. */
  readonly notice: string | null;
}

/** The effort to send: the requested one, or the nearest that the model accepts. */
export function effortFor(request: EffortRequest, compat: Compat): Effort {
  const { model, reasoningEffort: wanted, tools } = request;
  if (compat.reasoning.noneWithTools && tools.length > 0) {
    const notice =
      wanted === undefined || wanted === "none"
        ? null
        : `${formatModelName(model)} reasons only without tools here, so reasoning_effort: ${wanted} is left out.`;
    return { effort: "none", notice };
  }
  if (wanted === undefined) return { effort: null, notice: null };
  const withoutBudget = wanted === "none" ? null : noBudget(request, compat);
  if (withoutBudget !== null) return { effort: null, notice: withoutBudget };
  const known = effortsOf(compat, model.id);
  if (known.includes(wanted)) return { effort: wanted, notice: null };
  const name = formatModelName(model);
  const [first, ...others] = known;
  if (first === undefined) {
    const notice =
      wanted === "none"
        ? null
        : `${name} does not support a reasoning effort, so reasoning_effort: ${wanted} is left out.`;
    return { effort: null, notice };
  }
  const effort = others.reduce((best, next) => nearer(wanted, best, next), first);
  const notice = `${name} does not support the reasoning effort “${wanted}”, so ${effort} is requested. It supports ${known.join(", ")}.`;
  return { effort, notice };
}

/** Anthropic's minimum for a thinking budget, and the tokens of the output that are reserved for the answer itself. */
const leastBudget = 1024;

/** Why a model with a thinking budget cannot think in this request (rule A11); null if it can. */
function noBudget(
  { model, tools, toolChoice = "auto", maxOutputTokens }: EffortRequest,
  { reasoning }: Compat,
): string | null {
  if (!fits(reasoning.tokenBudget, model.id)) return null;
  const name = formatModelName(model);
  if (tools.length > 0 && toolChoice !== "auto" && toolChoice !== "none") {
    return `${name} does not reason when it must call a tool, so reasoning_effort is left out of this request.`;
  }
  return maxOutputTokens !== undefined && maxOutputTokens < 2 * leastBudget
    ? `max_tokens: ${maxOutputTokens} leaves ${name} no room to reason, so reasoning_effort is left out.`
    : null;
}

function nearer(wanted: ReasoningEffort, best: ReasoningEffort, next: ReasoningEffort) {
  const distance = (effort: ReasoningEffort) =>
    Math.abs(reasoningEfforts.indexOf(effort) - reasoningEfforts.indexOf(wanted));
  return distance(next) < distance(best) ? next : best;
}

/** The fields of chat completions; some are not in the SDK's types. */
export function chatReasoning(
  request: EffortRequest,
  compat: Compat,
): Readonly<Record<string, unknown>> {
  const { effort } = effortFor(request, compat);
  if (effort === null) return {};
  switch (compat.reasoning.request) {
    case "reasoning_effort":
      return { reasoning_effort: effort };
    case "reasoning":
      return { reasoning: { effort } };
    case "thinking":
      return effort === "none"
        ? { thinking: { type: "disabled" } }
        : { thinking: { type: "enabled" }, reasoning_effort: effort };
    case "thinking_config":
      return { extra_body: { google: { thinking_config: googleThinking(request, effort) } } };
    case "output_config":
      return {};
  }
}

/** Thinking budgets in tokens, for models without efforts: Google's older ones, and Claude up to 4.5. */
const thinkingBudgets: Readonly<Record<ReasoningEffort, number>> = {
  none: 0,
  minimal: 1024,
  low: 1024,
  medium: 8192,
  high: 24_576,
  xhigh: 24_576,
  max: 24_576,
};

/** Google refuses a separate effort, so it is part of this object (rule G5). */
function googleThinking({ model }: EffortRequest, effort: ReasoningEffort) {
  const amount = /^gemini-2/.test(model.id)
    ? { thinking_budget: thinkingBudgets[effort] }
    : { thinking_level: effort };
  return { ...amount, include_thoughts: effort !== "none" };
}

/** Requests a summary, which is the only part of the thoughts that can be shown. */
export function responsesReasoning(
  request: EffortRequest,
  compat: Compat,
): Pick<ResponseCreateParamsStreaming, "reasoning"> {
  const { effort } = effortFor(request, compat);
  if (effort === null) return {};
  const isShown = effort !== "none" && fits(compat.reasoning.summary, request.model.id);
  return { reasoning: isShown ? { effort, summary: "auto" } : { effort } };
}

const shownThinking = { type: "adaptive", display: "summarized" } as const;

/** Newer models think by default without showing it, so their thoughts are requested. */
export function anthropicThinking(
  request: EffortRequest,
  compat: Compat,
  answer: {
    readonly maxTokens: number;
    /** Whether every response of the open tool loop is sent back with its thinking (rule A8). */
    readonly hasThought: boolean;
  },
): Pick<MessageCreateParamsStreaming, "thinking" | "output_config"> {
  const { effort } = effortFor(request, compat);
  if (effort === null) {
    return fits(compat.reasoning.shownUnasked, request.model.id) ? { thinking: shownThinking } : {};
  }
  if (effort === "none") return { thinking: { type: "disabled" } };
  if (fits(compat.reasoning.tokenBudget, request.model.id)) {
    const budget = Math.min(thinkingBudgets[effort], answer.maxTokens - leastBudget);
    if (!answer.hasThought || budget < leastBudget) return {};
    return { thinking: { type: "enabled", budget_tokens: budget } };
  }
  return { thinking: shownThinking, output_config: { effort: outputEffort(effort) } };
}

function outputEffort(
  effort: Exclude<ReasoningEffort, "none">,
): NonNullable<OutputConfig["effort"]> {
  return effort === "minimal" ? "low" : effort;
}
