import type {
  AssistantMessage,
  ImagePart,
  Message,
  TextPart,
  ToolCallPart,
  ToolMessage,
} from "../../src/conversation/ports.ts";

/** What every history must keep, whatever the provider, but for ids, which each request maps; a sentence for each breach. */
export function checkHistory(messages: readonly Message[]): string[] {
  const first = messages[0]?.role;
  const start = first === undefined || first === "user" ? [] : [`the first message is ${first}`];
  return [...start, ...messages.flatMap(checkMessage(messages))];
}

function checkMessage(messages: readonly Message[]) {
  return (message: Message, index: number): string[] => {
    const at = (breaches: readonly string[]) => breaches.map((breach) => `${index}: ${breach}`);
    switch (message.role) {
      case "user":
        return at(checkContent(message.content));
      case "assistant":
        return at([...checkAssistant(message), ...checkAnswered(message, messages[index + 1])]);
      case "tool":
        return at(checkResults(message, messages[index - 1]));
    }
  };
}

function checkAssistant({ content }: AssistantMessage): string[] {
  const texts = content.filter((part) => part.type === "text");
  const calls = content.filter((part) => part.type === "tool-call");
  return [
    ...(content.length === 0 ? ["an empty message"] : []),
    ...texts.flatMap(({ text }) => checkText(text)),
    ...texts.flatMap(({ text }) => (/\s$/.test(text) ? ["white space at the end of a text"] : [])),
    ...calls.flatMap(checkCall),
  ];
}

function checkCall(call: ToolCallPart): string[] {
  const breaches = checkText(call.arguments);
  const value: unknown = JSON.parse(call.arguments);
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    breaches.push("arguments are not an object");
  }
  if (holdsHalfCharacter(value)) breaches.push("half a character in the arguments");
  return breaches;
}

/** Also in values that the JSON text writes as escapes. */
function holdsHalfCharacter(value: unknown): boolean {
  if (typeof value === "string") return /\p{Surrogate}/u.test(value);
  if (typeof value !== "object" || value === null) return false;
  return Object.entries(value).some((entry) => entry.some(holdsHalfCharacter));
}

function checkAnswered({ content }: AssistantMessage, next: Message | undefined): string[] {
  const calls = content.filter((part) => part.type === "tool-call").map(({ id }) => id);
  if (calls.length === 0) return [];
  if (next?.role !== "tool") return ["calls are not answered directly after"];
  const results = next.results.map(({ callId }) => callId);
  return JSON.stringify(calls) === JSON.stringify(results) ? [] : ["calls and results differ"];
}

function checkResults({ results }: ToolMessage, before: Message | undefined): string[] {
  const isAfterCalls =
    before?.role === "assistant" && before.content.some(({ type }) => type === "tool-call");
  return [
    ...(isAfterCalls ? [] : ["results without calls"]),
    ...(results.length === 0 ? ["no results"] : []),
    ...results.flatMap(({ content }) => checkContent(content)),
  ];
}

function checkContent(content: readonly (TextPart | ImagePart)[]): string[] {
  if (content.length === 0) return ["no content"];
  return content.flatMap((part) => (part.type === "text" ? checkText(part.text) : []));
}

function checkText(text: string): string[] {
  return [
    ...(/[^\s\p{Cc}]/u.test(text) ? [] : ["an empty text"]),
    ...(/\p{Surrogate}/u.test(text) ? ["half a character"] : []),
  ];
}
