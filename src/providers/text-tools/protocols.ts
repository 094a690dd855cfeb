/** The forms that a model can be asked for: their prompts, and how past calls and results are written. */
import type { AskedForm } from "../../conversation/proposed-call.ts";
import { isObject, parseJson } from "../../shared/json.ts";
import { collapseWhitespace } from "../../shared/visible.ts";
import type { TextToolCall, TextToolProtocol, TextToolResult } from "./detection.ts";
import { delimitedCloser, delimitedOpener, smiley, smileys } from "./syntax/delimiters.ts";

interface Wording {
  readonly opener: string;
  readonly closer: string;
  /** A sentence that says exactly what surrounds the JSON. */
  readonly rule: string;
}

const wordings: Readonly<Record<AskedForm, Wording>> = {
  smiley: {
    opener: smileys,
    closer: smileys,
    rule: `Write a line of exactly 14 smileys before and after the JSON object (${smiley}).`,
  },
  delimited: {
    opener: delimitedOpener,
    closer: delimitedCloser,
    rule: `Write the JSON object between a line ${delimitedOpener} and a line ${delimitedCloser}.`,
  },
  json: {
    opener: "```json",
    closer: "```",
    rule: "Write the JSON object in a code fence with the language json, with nothing else in it.",
  },
  hermes: {
    opener: "<tool_call>",
    closer: "</tool_call>",
    rule: "Write the JSON object between a line <tool_call> and a line </tool_call>.",
  },
};

/** The forms that a model can be asked for, by id. */
export const textToolProtocols: ReadonlyMap<string, TextToolProtocol> = new Map(
  Object.entries(wordings).map(([id, wording]) => [id, protocolOf(id, wording)]),
);

function protocolOf(id: string, wording: Wording): TextToolProtocol {
  const renderCall = ({ name, arguments: text }: TextToolCall) => {
    const args = isObject(parseJson(text)) ? text : JSON.stringify({ raw: text });
    const json = `{"name": ${JSON.stringify(name)}, "arguments": ${args}}`;
    return `${wording.opener}\n${json}\n${wording.closer}`;
  };
  return {
    id,
    renderCall,
    renderResults: (results) => results.map(renderResult).join("\n"),
    systemPrompt(tools) {
      const lists = tools.map(({ name, description, inputSchema }) =>
        [
          `- Name: ${name}`,
          `  Description: ${collapseWhitespace(description)}`,
          `  Arguments, as a JSON Schema: ${JSON.stringify(inputSchema)}`,
        ].join("\n"),
      );
      const example = renderCall({ name: "tool_name", arguments: '{"argument": "value"}' });
      return [
        "You can use these tools:",
        lists.join("\n"),
        `To call a tool, write this in your answer:\n\n${example}`,
        rules(wording.rule),
      ].join("\n\n");
    },
  };
}

function rules(rule: string): string {
  return [
    "Rules:",
    `- ${rule}`,
    '- The object has the keys "name" and "arguments"; the arguments fit the schema of the tool.',
    "- One call is one object. For several calls write several, each with its own delimiters.",
    "- You may write text before and after a call.",
    "- After your calls, end the answer. The results come with the next message; never make them up.",
    "- Do not write this form for anything but a call that you want to be made.",
  ].join("\n");
}

/** Written as JSON, so that no line of the result can pass for anything else. */
function renderResult({ name, text, isError }: TextToolResult): string {
  const content = isError ? { name, error: text } : { name, result: text };
  return `Tool result: ${harmlessResult(JSON.stringify(content))}`;
}

const wordJoiner = "\u2060";
const tags =
  /<(?=\/?(?:tool>|tool_(?:call|request|name|use)|call>|json>|function|invoke|minimax|antml|think|thought>|reasoning>|seed:|TOOLCALL>)|[|｜<]|[\w-]+\.[\w.-]+>)/g;
const smileyRun = /(?:😊\ufe0f?){7}/gu;

/** Results are untrusted and models repeat them, so every opener in them is broken up. */
function harmlessResult(text: string): string {
  return text
    .replace(smileyRun, `$&${wordJoiner}`)
    .replace(tags, `<${wordJoiner}`)
    .replace(/\[(?=TOOL_CALLS\])/g, `[${wordJoiner}`)
    .replace(/to=(?=functions\.)/g, `to${wordJoiner}=`)
    .replace(/```/g, `\`${wordJoiner}\`\``);
}
