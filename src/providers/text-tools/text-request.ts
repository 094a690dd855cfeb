/** Rewrites a request for a model that writes its calls as text. Pure. */

import type {
  AssistantMessage,
  ImagePart,
  Message,
  ModelRequest,
  TextPart,
  ToolMessage,
  UserMessage,
} from "../../conversation/ports.ts";
import { given } from "../../shared/given.ts";
import { convert, createKept } from "../../shared/kept.ts";
import { isUnseen } from "../../shared/well-formed.ts";
import type { TextToolProtocol, TextToolResult } from "./detection.ts";

const keptMessages = createKept<Message, readonly Message[]>();

/**
 * The request without the wire API's tools: the tools are in the system prompt, calls in the assistant's text, and
 * results in user messages. Provider state is left out, since it belongs to native calls. The messages of a longer
 * history still start with those of a shorter one.
 */
export function textRequest(request: ModelRequest, protocol: TextToolProtocol): ModelRequest {
  const { toolChoice: _choice, parallelToolCalls: _parallel, ...kept } = request;
  const prompt = toolPrompt(request, protocol);
  const system = [request.system, prompt].filter((text) => !isUnseen(text)).join("\n\n");
  const add = (texts: Message[], message: Message) => {
    texts.push(textMessage(message, protocol));
  };
  const messages = convert(keptMessages, request.messages, { add }, protocol);
  return { ...kept, system, messages, tools: [] };
}

function toolPrompt(
  { tools, toolChoice, parallelToolCalls }: ModelRequest,
  protocol: TextToolProtocol,
): string {
  if (tools.length === 0 || toolChoice === "none") return "";
  const named =
    typeof toolChoice === "object" ? tools.find(({ name }) => name === toolChoice.tool) : undefined;
  const rules = [
    ...(toolChoice === "required" ? ["- In this answer call at least one tool."] : []),
    ...(named === undefined ? [] : [`- In this answer call the tool ${named.name}.`]),
    ...(parallelToolCalls === false ? ["- Write at most one call in an answer."] : []),
  ];
  return [protocol.systemPrompt(tools), ...rules].join("\n");
}

function textMessage(message: Message, protocol: TextToolProtocol): Message {
  switch (message.role) {
    case "user":
      return message;
    case "assistant":
      return answerMessage(message, protocol);
    case "tool":
      return resultMessage(message, protocol);
  }
}

function answerMessage({ content }: AssistantMessage, protocol: TextToolProtocol): Message {
  const texts = content.map((part) =>
    part.type === "text" ? part.text : protocol.renderCall(part),
  );
  const text = texts.filter((part) => !isUnseen(part)).join("\n\n");
  return { role: "assistant", content: text === "" ? [] : [{ type: "text", text }] };
}

/** All results of a step as one message, in the order of its calls, with images at the end. */
function resultMessage({ results }: ToolMessage, protocol: TextToolProtocol): UserMessage {
  const text = protocol.renderResults(
    results.map(({ name, isError, content }): TextToolResult => {
      const images = content.filter((part) => part.type === "image").length;
      const note = `(${images === 1 ? "an image" : `${images} images`} below)`;
      const texts = content.flatMap((part) => (part.type === "text" ? [part.text] : []));
      const all = images === 0 ? texts : [...texts, note];
      return { name, text: all.join("\n\n"), ...given({ isError }) };
    }),
  );
  const images = results.flatMap(({ name, content }): (TextPart | ImagePart)[] => {
    const own = content.filter((part) => part.type === "image");
    return own.length === 0 ? [] : [{ type: "text", text: `From ${name}:` }, ...own];
  });
  return { role: "user", content: [{ type: "text", text }, ...images] };
}
