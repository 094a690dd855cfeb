/**
 * Learns from refusals: asks again with a changed request, says it once, and keeps what the refusal taught about the
 * model when the changed request is accepted, so that the next one goes out right at once.
 */
import type { Failure, ModelName, ModelRequest, StreamPart, Tool } from "../conversation/ports.ts";
import type { Lesson } from "./learning/lessons.ts";
import { lessonOf } from "./learning/refusals.ts";
import type { Teaching } from "./learning/refused-fields.ts";
import { fitRequest } from "./request/fit-request.ts";
import { toolHash } from "./request/tool-schema.ts";
import { type RouteSources, routeOf } from "./route.ts";

/** Of one question. A pack of tools may be refused one by one. */
const mostLessons = 8;

interface Learner {
  /** Sends the request as it is by now. */
  ask(): AsyncIterable<StreamPart>;
  /** Changes what is sent next, and says how; null: the refusal teaches nothing new. `count` begins at 1. */
  learn(failure: Failure, count: number): string | null;
  /** The request was accepted as it is by now. */
  accepted(): void;
}

/** The parts of the answer, asked for again after each lesson; how often one question is asked is bounded. */
export async function* withLessons({ ask, learn, accepted }: Learner): AsyncGenerator<StreamPart> {
  for (let count = 1; ; count += 1) {
    let hasBegun = false;
    let lesson: string | null = null;
    for await (const part of ask()) {
      if (part.type === "error" && !hasBegun && count <= mostLessons) {
        lesson = learn(part.failure, count);
        if (lesson !== null) break;
      }
      const isAnswer = part.type !== "notice" && part.type !== "retry" && part.type !== "error";
      if (isAnswer && !hasBegun) accepted();
      hasBegun ||= isAnswer;
      // What the first request could not take was said, and what the next cannot take is the lesson.
      if (part.type === "notice" && !hasBegun && count > 1) continue;
      yield part;
    }
    if (lesson === null) return;
    yield { type: "notice", message: lesson };
  }
}

/** So many tools of one question are refused one by one; then the rest of their servers' tools goes too. */
const mostSingleTools = 3;

/** The sentence for the person; null: the refusal teaches nothing. `count` is the number of the lesson, from 1. */
export function learnFrom(
  failure: Failure,
  count: number,
  {
    request,
    options,
    isKept,
  }: {
    readonly request: ModelRequest;
    readonly options: RouteSources & { readonly log?: (line: string) => void };
    /** Whether it outlives the process, as in chats; a program has no log of Parley's to look at. */
    readonly isKept: boolean;
  },
): string | null {
  const route = routeOf(request, options);
  if ("failure" in route) return null;
  const { vendor, api, isApiChosen, address } = route;
  const sent = { request: fitRequest(request, vendor).request, vendor, api, isApiChosen };
  const found = lessonOf(failure, sent);
  if (found === null) return null;
  const teaching = count > mostSingleTools ? withServers(found, sent.request.tools) : found;
  keepLessons(teaching.lessons, { model: request.model, address, said: failure.said }, options);
  const memory = isKept
    ? "If that works, it is remembered for a month; :Parley log has its words."
    : "If that works, it is remembered while this program runs.";
  return `${vendor.label} refused a request for ${request.model.id}, ${teaching.remedy}. ${memory}`;
}

/** Proved ones at once, others when they are. `address`: where they were learned. `said`: the vendor's words, for the log. */
export function keepLessons(
  lessons: readonly Lesson[],
  {
    model: { provider, id },
    address,
    said = "its answer",
  }: { readonly model: ModelName; readonly address: string; readonly said?: string | undefined },
  { lessons: store, log }: Pick<RouteSources, "lessons"> & { log?: (line: string) => void },
): void {
  const about = { vendor: provider, model: id, baseUrl: address, date: new Date().toISOString() };
  store.add(lessons.map((lesson) => ({ ...about, lesson })));
  log?.(`${provider}/${id}: lessons ${JSON.stringify(lessons)} from: ${said}`);
}

/** A server one of whose many tools was refused at last: the others are likely to be alike. */
function withServers(teaching: Teaching, tools: readonly Tool[]): Teaching {
  const refused = new Set(
    teaching.lessons.flatMap((each) => (each.kind === "tool" ? each.name : [])),
  );
  const servers = new Set(
    tools
      .filter(({ name, server }) => refused.has(name) && server !== null)
      .map(({ server }) => server),
  );
  const all = tools.filter(({ name, server }) => refused.has(name) || servers.has(server));
  if (all.length === refused.size) return teaching;
  const lessons = all.map(
    (tool): Lesson => ({ kind: "tool", name: tool.name, hash: toolHash(tool) }),
  );
  const names = [...servers].join(", ");
  return { lessons, remedy: `so it is asked without the tools of ${names}` };
}
