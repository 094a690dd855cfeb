/** A request that was refused because of one of its tools is sent once more, without that tool. */
import type { Failure, ModelRequest, StreamPart, Tool } from "../../conversation/ports.ts";
import { inNameOrder } from "./tool-schema.ts";

/** `ask` is asked a second time only when the first gave nothing but a refusal that names one tool. */
export async function* withoutRefusedTool(
  request: ModelRequest,
  ask: (request: ModelRequest) => AsyncIterable<StreamPart>,
): AsyncGenerator<StreamPart> {
  let hasBegun = false;
  for await (const part of ask(request)) {
    const tool =
      part.type === "error" && !hasBegun ? refusedTool(part.failure, request.tools) : null;
    if (tool !== null) {
      yield { type: "notice", message: dropped(tool) };
      const tools = request.tools.filter((other) => other !== tool);
      return yield* ask({ ...request, tools });
    }
    hasBegun ||= part.type !== "notice" && part.type !== "retry";
    yield part;
  }
}

function dropped({ name, server }: Tool): string {
  const of = server === null ? "" : ` of the server ${server}`;
  return `The vendor refused the request because of the tool ${name}${of}, so it was asked again without it. :Parley log has the vendor's words.`;
}

/** The one tool that a refusal names, by its place in the request or by its name. */
function refusedTool({ status, message }: Failure, tools: readonly Tool[]): Tool | null {
  if (status !== 400 && status !== 422) return null;
  // Those are about the history and the choice, also where they name a tool.
  if (/messages[.[]|input[.[]|tool_choice/i.test(message)) return null;
  const sent = inNameOrder(tools);
  const places = new Set(
    [...message.matchAll(/\btools(?:\[|\.)(\d+)/g)].map(([, place]) => Number(place)),
  );
  if (places.size > 0) return places.size === 1 ? (sent[[...places][0] ?? -1] ?? null) : null;
  const named = sent.filter(({ name }) => mentions(message, name));
  return named.length === 1 ? (named[0] ?? null) : null;
}

/** In quotes, or directly after “tool” or “function”: names of tools are often plain words. */
function mentions(message: string, name: string): boolean {
  const literal = name.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
  const pattern = `["'\`]${literal}["'\`]|\\b(?:tool|function)s? (?:named |called )?${literal}(?![\\w-])`;
  return (
    new RegExp(pattern, "i").test(message) && /\b(tool|function|schema|parameter)/i.test(message)
  );
}
