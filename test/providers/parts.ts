import type {
  Message,
  ModelRequest,
  Models,
  StreamPart,
  Tool,
} from "../../src/conversation/ports.ts";

export async function collect(stream: AsyncIterable<StreamPart>): Promise<StreamPart[]> {
  const parts: StreamPart[] = [];
  for await (const part of stream) parts.push(part);
  return parts;
}

export function ask(models: Models, request: ModelRequest): Promise<StreamPart[]> {
  return collect(models.stream(request, { signal: new AbortController().signal }));
}

export function textOf(parts: readonly StreamPart[]): string {
  return parts.flatMap((part) => (part.type === "text-delta" ? [part.text] : [])).join("");
}

export function thoughtsOf(parts: readonly StreamPart[]): string {
  return parts.flatMap((part) => (part.type === "reasoning-delta" ? [part.text] : [])).join("");
}

/** Text, and thoughts, in one part each, however many pieces they came in. */
export function joined(parts: readonly StreamPart[]): StreamPart[] {
  const found: StreamPart[] = [];
  for (const part of parts) {
    const last = found.at(-1);
    const isText = part.type === "text-delta" || part.type === "reasoning-delta";
    if (isText && last?.type === part.type)
      found.splice(-1, 1, { ...part, text: last.text + part.text });
    else found.push(part);
  }
  return found;
}

export function callsOf(parts: readonly StreamPart[]) {
  return parts.flatMap((part) => (part.type === "tool-call" ? [part.call] : []));
}

export function failureOf(parts: readonly StreamPart[]) {
  const last = parts.at(-1);
  if (last?.type !== "error") throw new Error(`No failure but ${JSON.stringify(last)}.`);
  return last.failure;
}

/** What a user sees: order of text and calls, whatever the size of the pieces. */
export function outline(parts: readonly StreamPart[]): string[] {
  const found: string[] = [];
  let open = false;
  for (const part of parts) {
    if (part.type === "text-delta" && open) {
      found[found.length - 1] += part.text;
      continue;
    }
    if (part.type === "text-delta") found.push(`text ${part.text}`);
    if (part.type === "text-delta" || part.type === "tool-call") open = part.type === "text-delta";
    if (part.type === "tool-call") found.push(`call ${part.call.id} ${part.call.arguments}`);
    if (part.type === "finish") found.push(`finish ${part.reason}`);
    if (part.type === "error") found.push(`error ${part.failure.kind}`);
  }
  return found;
}

export const webSearch: Tool = {
  name: "web_search",
  description: "Searches the web.",
  inputSchema: {
    $schema: "http://json-schema.org/draft-07/schema#",
    type: "object",
    properties: { query: { type: "string" } },
    required: ["query"],
    additionalProperties: false,
  },
  server: "mock",
};

export function user(text: string): Message {
  return { role: "user", content: [{ type: "text", text }] };
}

export function requestTo(
  provider: string,
  id: string,
  messages: readonly Message[],
): ModelRequest {
  return { model: { provider, id }, system: "Be short.", messages, tools: [webSearch] };
}
