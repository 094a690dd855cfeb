/** A short form of a transcript, for the expectations of tests. */
import { parseTranscript } from "../../src/transcript/parse.ts";
import type { Block, Exchange, Step, Transcript } from "../../src/transcript/transcript.ts";

export function callLine(id: string, mark = "", args = "{}"): string {
  const call = { id, type: "function", function: { name: "t", arguments: args } };
  return `❓:${mark === "" ? "" : `[${mark}]`} \`${JSON.stringify(call)}\``;
}

export function resultLines(id: string, text = "r"): string {
  return `🛠️: [t][${id}]\n\n\`${text}\``;
}

function outlineBlock(block: Block): string {
  if (block.kind !== "call") return `${block.kind} ${block.text}`;
  const { call, decision, result } = block;
  const mark = decision === null ? "" : `[${decision}]`;
  const got = result === null ? "" : ` → ${result.status === "ok" ? "" : `(${result.status}) `}`;
  return `call${mark} ${call?.id ?? "broken"}${got}${result?.text ?? ""}`;
}

function outlineStep(step: Step): string[] {
  return [...(step.stepLine === null ? [] : ["step"]), ...step.blocks.map(outlineBlock)];
}

function textOf(transcript: Transcript, range: { start: number; end: number } | null): string {
  return range === null ? "" : transcript.lines.slice(range.start, range.end).join("\n");
}

function outlineExchange(transcript: Transcript, exchange: Exchange) {
  const { answer, question } = exchange;
  return {
    question: question.text,
    ...(answer !== null && {
      steps: answer.steps.map(outlineStep),
      ...(answer.label !== null && { label: answer.label }),
      ...(answer.unfinished !== null && { unfinished: answer.unfinished.reason }),
      ...(answer.aside !== null && { aside: textOf(transcript, answer.aside) }),
      ...(answer.summary !== null && { summary: answer.summary }),
    }),
  };
}

/** Questions, answers and problems of a text. */
export function outline(text: string) {
  const transcript = parseTranscript(text);
  return transcript.exchanges.map((exchange) => outlineExchange(transcript, exchange));
}

/** Codes of the problems with their one-based lines. */
export function problems(text: string): string[] {
  return parseTranscript(text).problems.map(({ line, code }) => `${line + 1} ${code}`);
}
