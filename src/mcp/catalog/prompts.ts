/** Parses prompts as servers list and return them. An invalid part is skipped; the rest is kept. */
import { isObject, stringOf } from "../../shared/json.ts";

export interface PromptArgument {
  readonly name: string;
  readonly description: string;
  readonly required: boolean;
}

export interface ServerPrompt {
  readonly name: string;
  /** The name for people; the same as `name` if the server sends no title. */
  readonly title: string;
  readonly description: string;
  readonly arguments: readonly PromptArgument[];
}

export interface PromptMessage {
  readonly role: "user" | "assistant";
  /** One content block, as the server sent it. */
  readonly content: unknown;
}

export function toPrompts(items: readonly unknown[]): readonly ServerPrompt[] {
  const prompts = items.flatMap((item): ServerPrompt[] => {
    const name = isObject(item) ? stringOf(item.name) : null;
    if (!isObject(item) || name === null || name === "") return [];
    return [
      {
        name,
        title: stringOf(item.title) ?? name,
        description: stringOf(item.description) ?? "",
        arguments: Array.isArray(item.arguments) ? item.arguments.flatMap(toArgument) : [],
      },
    ];
  });
  return [...new Map(prompts.map((prompt) => [prompt.name, prompt])).values()];
}

function toArgument(item: unknown): PromptArgument[] {
  const name = isObject(item) ? stringOf(item.name) : null;
  if (!isObject(item) || name === null || name === "") return [];
  const description = stringOf(item.description) ?? stringOf(item.title) ?? "";
  return [{ name, description, required: item.required === true }];
}

/** The result of `prompts/get`. */
export function toPromptMessages(result: unknown): readonly PromptMessage[] {
  const messages = isObject(result) ? result.messages : null;
  if (!Array.isArray(messages)) return [];
  return messages.flatMap((message): PromptMessage[] => {
    if (!isObject(message)) return [];
    const role = message.role === "assistant" ? "assistant" : "user";
    const blocks = Array.isArray(message.content) ? message.content : [message.content];
    return blocks.map((content) => ({ role, content }));
  });
}

/** The protocol's limit. */
const mostCompletions = 100;

/** The result of `completion/complete`. */
export function toCompletions(result: unknown): readonly string[] {
  const completion = isObject(result) ? result.completion : null;
  const values = isObject(completion) ? completion.values : null;
  const texts = Array.isArray(values) ? values.filter((value) => typeof value === "string") : [];
  return texts.slice(0, mostCompletions);
}
