/** The exact request that would be sent now; nothing is sent, written or run. */
import { nextStep } from "../../conversation/decide/next-step.ts";
import { exchangeAtLine, type Session } from "../../conversation/decide/session.ts";
import type { Failure, Models, WireRequest } from "../../conversation/ports.ts";
import type { Exchange, Transcript } from "../../transcript/transcript.ts";
import { prepareRequest, type RequestSources } from "./prepare.ts";

export interface Preview extends WireRequest {
  /** The type of the exchange's `nextStep`. */
  readonly step: string;
  readonly notices: readonly string[];
}

export interface PreviewOptions {
  /** Zero-based line in the exchange; by default, the last exchange with a question. */
  readonly line?: number;
  readonly session: Session;
}

/** For a finished answer, the request of a retry; for open calls, the one with placeholders (format, section 10). */
export async function previewRequest(
  sources: RequestSources,
  models: Pick<Models, "wire">,
  transcript: Transcript,
  options: PreviewOptions,
): Promise<Preview | Pick<Failure, "message">> {
  const exchange = previewedExchange(transcript, options.line);
  if (exchange === null) {
    return { message: "There is no question in this transcript, so there is nothing to send." };
  }
  const step = nextStep(transcript, exchange, options.session);
  const retried =
    step.type === "open-question"
      ? { steps: Math.max(0, (exchange.answer?.steps.length ?? 1) - 1) }
      : {};
  const { request, notices } = await prepareRequest(sources, transcript, exchange, {
    online: false,
    fresh: false,
    signal: new AbortController().signal,
    ...retried,
  });
  const wire = models.wire(request);
  if ("failure" in wire) return wire.failure;
  const { notices: unsent = [], ...sent } = wire;
  return { ...sent, step: step.type, notices: [...notices, ...unsent] };
}

/** The exchange at the line; for an empty new question, which asks nothing yet, the exchange above it. */
function previewedExchange(transcript: Transcript, line: number | undefined): Exchange | null {
  const last = transcript.lines.length - 1;
  const found = exchangeAtLine(transcript, line ?? last);
  if (found === null || found.question.text !== "" || found.answer !== null) return found;
  return (
    transcript.exchanges.slice(0, found.index).findLast(({ question }) => question.text !== "") ??
    null
  );
}
