/**
 * The one builder of what a model is sent: for the first request of a turn, every continuation, the preview and
 * the command line (format, section 10). It reads nothing itself.
 */
import type { Exchange, Step, Transcript } from "../transcript/types.ts";
import { type CallIds, createCallIds } from "./call-ids.ts";
import { summarisedExchanges } from "./memory.ts";
import { questionMessage } from "./question-message.ts";
import { type Copies, hasCalls, type LoadedFile, recordedCopies, sentSteps } from "./references.ts";
import { wellFormed } from "./sendable-text.ts";
import { stepMessages } from "./step-messages.ts";
import type { AssistantMessage, Message, UserMessage } from "./types.ts";

export interface MessageOptions {
  /** The exchange asked about; nothing below it is sent. */
  readonly exchange: Exchange;
  /** By plain name in the files folder; what `neededFiles` names and could be loaded. */
  readonly files: ReadonlyMap<string, LoadedFile>;
  /** Exchanges sent in full before the oldest are sent as their summaries. */
  readonly maxFullExchanges: number;
  /** Steps of the asked exchange's answer to send; by default all that are complete. 0 asks the question anew. */
  readonly steps?: number;
  /**
   * Copies of the asked question's references, in place of those its answer records: for the request that
   * answers it first, when no step line records them yet. References without one are then not reported:
   * whoever read the files has told why.
   */
  readonly copies?: Copies;
  /** Provider state of a step of the asked exchange, when it may go back to the model asked. */
  readonly openState?: (step: Step) => unknown;
}

export interface BuiltMessages {
  /** The first is a user message; every call is answered directly below; roles may repeat. */
  readonly messages: readonly Message[];
  /** Sentences about what is not sent though the transcript names it. */
  readonly notices: readonly string[];
}

/**
 * The messages for a request about one exchange. Within a turn, those of each request begin with those of the
 * request before it.
 */
export function buildMessages(transcript: Transcript, options: MessageOptions): BuiltMessages {
  const { exchange, maxFullExchanges } = options;
  const above = transcript.exchanges.slice(0, exchange.index);
  const summaries = summarisedExchanges(above, maxFullExchanges);
  const callIds = createCallIds();
  const built = above.map((older) => {
    const summary = summaries.get(older.index);
    return summary === undefined
      ? (plainExchange(older) ?? fullExchange(older, options, callIds))
      : summarisedExchange(older, summary, options);
  });
  built.push(askedExchange(options, callIds));
  const messages = built.flatMap((part) => part.messages);
  const notices = [...new Set(built.flatMap((part) => part.notices))];
  if (messages.length === 0 || messages[0]?.role === "user") return { messages, notices };
  return { messages: [withoutQuestion, ...messages], notices };
}

/** Every provider wants the user to speak first, and a file can begin with an answer. */
const withoutQuestion: UserMessage = {
  role: "user",
  content: [{ type: "text", text: "(This conversation begins with an answer.)" }],
};

function askedExchange(options: MessageOptions, callIds: CallIds): BuiltMessages {
  const { exchange, files, openState } = options;
  const copies = options.copies ?? recordedCopies(exchange.answer);
  const tellsUnread = options.copies === undefined;
  const shown = { withImages: true, tellsUnread };
  const question = questionMessage(exchange.question, { copies, files }, shown);
  const steps = exchange.answer?.steps.slice(0, sentSteps(exchange, options.steps)) ?? [];
  const answer = steps.map((step) =>
    stepMessages(step, { files, callIds, state: openState?.(step), withCalls: true }),
  );
  return joined(question, answer);
}

/** What was built before; a parse keeps the exchanges above a change as the same objects. */
const plainExchanges = new WeakMap<Exchange, BuiltMessages>();

/** An exchange that is sent as its own text and nothing else; null when there is more to it. */
function plainExchange(exchange: Exchange): BuiltMessages | null {
  if (exchange.question.references.length > 0 || hasCalls(exchange.answer)) return null;
  const known = plainExchanges.get(exchange);
  if (known !== undefined) return known;
  const built = fullExchange(exchange, { files: new Map() }, createCallIds());
  plainExchanges.set(exchange, built);
  return built;
}

/** An exchange the person went on from: what broke off in it is sent as it stands, without its calls. */
function fullExchange(
  { question, answer }: Exchange,
  { files }: Pick<MessageOptions, "files">,
  callIds: CallIds,
): BuiltMessages {
  const copies = recordedCopies(answer);
  const shown = { withImages: true, tellsUnread: true };
  const asked = questionMessage(question, { copies, files }, shown);
  const unfinished = answer?.unfinished ? answer.steps.at(-1) : undefined;
  const answered = (answer?.steps ?? []).map((step) =>
    stepMessages(step, { files, callIds, state: undefined, withCalls: step !== unfinished }),
  );
  return joined(asked, answered);
}

function summarisedExchange(
  { question, answer }: Exchange,
  summary: string,
  { files }: MessageOptions,
): BuiltMessages {
  const copies = recordedCopies(answer);
  const shown = { withImages: false, tellsUnread: true };
  const asked = questionMessage(question, { copies, files }, shown);
  const answered: AssistantMessage = {
    role: "assistant",
    content: [{ type: "text", text: `📝: ${wellFormed(summary)}` }],
  };
  return joined(asked, [{ messages: [answered], notices: [] }]);
}

function joined(
  question: ReturnType<typeof questionMessage>,
  answer: readonly BuiltMessages[],
): BuiltMessages {
  const asked = question.message === null ? [] : [question.message];
  return {
    messages: [...asked, ...answer.flatMap(({ messages }) => messages)],
    notices: [...question.notices, ...answer.flatMap(({ notices }) => notices)],
  };
}
