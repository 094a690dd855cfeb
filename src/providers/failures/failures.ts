/**
 * Classifies errors of SDKs, the network and providers into a small set of kinds, each with a sentence for the user and
 * the next action. Pure.
 */

import type { Failure } from "../../conversation/ports.ts";
import { given } from "../../shared/given.ts";
import { visibleText } from "../../shared/visible.ts";
import { type FailedRequest, failureFactsOf, retryAfter, secretsOf } from "./failure-facts.ts";
import { kindOf, mayRetry } from "./failure-kind.ts";
import { happened, happenedForProgram, sentence } from "./failure-sentence.ts";
import { waitIn } from "./failure-words.ts";
import { redact } from "./redact.ts";

/** In milliseconds, a year. A longer wait is a server's mistake, and counts as none. */
const longestWaitMs = 366 * 86_400_000;

/** Turns a request's error into a failure, which never contains the key or a header. */
export function classify(error: unknown, request: FailedRequest): Failure {
  const facts = failureFactsOf(error, request);
  const kind = kindOf(facts, error);
  const requestId = facts.headers?.get("request-id") ?? facts.headers?.get("x-request-id");
  const asked = retryAfter(facts.headers) ?? facts.retryAfterMs ?? waitIn(facts.said);
  const retryAfterMs = asked !== null && asked <= longestWaitMs ? asked : null;
  const hide = (text: string) => redact(text, secretsOf(request));
  const happenedText = happenedForProgram(kind, facts, request);
  return {
    kind,
    message: hide(sentence(kind, facts, request, retryAfterMs)),
    ...given({
      happened: happenedText === null ? null : hide(happenedText),
      said: facts.said === "" ? null : visibleText(facts.said),
      parameter: facts.parameter === "" ? null : visibleText(facts.parameter),
      status: facts.status,
      requestId: requestId || null,
      retryAfterMs,
      retryReason: mayRetry(kind, { ...facts, retryAfterMs }, request)
        ? hide(happened(kind, facts, request))
        : null,
    }),
  };
}
