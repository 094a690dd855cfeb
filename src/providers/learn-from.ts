/**
 * Learns from refusals: sends a changed request, tells the user once, and stores the lesson about the model when the
 * changed request is accepted, so that the next request is right from the start.
 */
import type { Failure, ModelName, ModelRequest, StreamPart, Tool } from "../conversation/ports.ts";
import type { Lesson } from "./learning/lessons.ts";
import { lessonOf } from "./learning/refusals.ts";
import type { Teaching } from "./learning/refused-fields.ts";
import { fitRequest } from "./request/fit-request.ts";
import { toolHash } from "./request/tool-schema.ts";
import { type RouteSources, routeOf } from "./route.ts";

/** Per question. The tools of a large set may be refused one by one. */
const mostLessons = 8;

interface Learner {
  /** Sends the request in its current form. */
  ask(): AsyncIterable<StreamPart>;
  /** Changes the next request and says how; null: the refusal teaches nothing new. `count` begins at 1. */
  learn(failure: Failure, count: number): string | null;
  /** Called when the request was accepted in its current form. */
  accepted(): void;
}

/** Streams the answer, with a new request after each lesson; the number of lessons per question is limited. */
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
      // After a lesson, notices are skipped: the first request has shown them, and the lesson covers anything new.
      if (part.type === "notice" && !hasBegun && count > 1) continue;
      yield part;
    }
    if (lesson === null) return;
    yield { type: "notice", message: lesson };
  }
}

/** After this many lessons about single tools, the other tools of the same servers are left out, too. */
const mostSingleTools = 3;

/** Returns a sentence for the user; null: the refusal teaches nothing. `count` is the lesson's number, from 1. */
export function learnFromRefusal(
  failure: Failure,
  count: number,
  {
    request,
    options,
    isKept,
  }: {
    readonly request: ModelRequest;
    readonly options: RouteSources & { readonly log?: (line: string) => void };
    /** Whether lessons outlive the process, as in chats; a program has no Parley log to look at. */
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

/** Stores lessons learned at `address` (a trial holds unproved ones back), and logs `said`, the vendor's text. */
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

/** Extends a lesson about tools to all tools of their servers, which probably have the same fault. */
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
