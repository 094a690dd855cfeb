/** How an approval gets from a key, a memory or a rule to exactly one line of the text (format, section 9). */
import { parseCallLine } from "../../transcript/call-line.ts";
import { parseLines } from "../../transcript/parse.ts";
import type { CallBlock, Exchange, Transcript } from "../../transcript/transcript.ts";
import type { Tool } from "../ports.ts";
import { noPlans, type Plans } from "./plans.ts";
import { toolIdentity } from "./remembered.ts";
import type { Anchor, Session, TrackedCall } from "./session.ts";

/** The calls of the last step of an exchange after its lines were changed to `lines`. */
export function writtenCalls(
  transcript: Transcript,
  exchange: Exchange,
  lines: readonly string[],
): readonly CallBlock[] {
  const { answer } = parseLines(lines, transcript).exchanges[exchange.index] ?? { answer: null };
  return answer?.steps.findLast(({ calls }) => calls.length > 0)?.calls ?? [];
}

/**
 * The session in which the calls at `grants` may start. `transcript` is the text read after the edits that
 * recorded the decisions were applied. A line that is not there any more as it was decided gets nothing: its
 * call is then shown as interrupted and waits for a key. `tools` and `plans` are
 * those that were on screen; plans are by the lines of this text.
 */
export function grant(
  session: Session,
  transcript: Transcript,
  grants: readonly Anchor[],
  tools: ReadonlyMap<string, Tool>,
  plans: Plans = noPlans,
): Session {
  const lines = grants.flatMap((wanted) => {
    const line = findLine(transcript, wanted);
    return line === null ? [] : [line];
  });
  const approved = lines.map((line): TrackedCall => {
    const text = transcript.lines[line] ?? "";
    const name = parseCallLine(text)?.call?.name ?? "";
    const plan = plans.get(line);
    return {
      line,
      text,
      state: "approved",
      tool: toolIdentity(tools.get(name)),
      effect: plan?.hash ?? "",
      isAlone: plan?.changes ?? false,
    };
  });
  const kept = session.calls.filter(({ line }) => !lines.includes(line));
  return { ...session, calls: [...kept, ...approved] };
}

/** Somebody may have typed above since the edits: the same text elsewhere is the same call when it occurs there once. */
function findLine(transcript: Transcript, { line, text }: Anchor): number | null {
  if (transcript.lines[line] === text) return line;
  const found = transcript.lines.indexOf(text);
  return found >= 0 && transcript.lines.indexOf(text, found + 1) < 0 ? found : null;
}
