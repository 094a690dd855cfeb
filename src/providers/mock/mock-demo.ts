/**
 * `mock/demo`: an offline model that a turn cannot tell from a real one. If the question asks for something current, it
 * makes two searches and uses their results; the same question always gets the same answer. Pure.
 */

import type { Message, ModelRequest, ToolResultPart } from "../../conversation/ports.ts";
import { isObject, parseJson } from "../../shared/json.ts";
import { clip, collapseWhitespace, ellipsize } from "../../shared/visible.ts";
import { type MockPart, type MockResponse, mockUsage } from "./mock-stream.ts";

const searchTool = "web_search";

/** The model's response to this request. */
export function demoResponse(request: ModelRequest): MockResponse {
  const lastUser = request.messages.findLastIndex(({ role }) => role === "user");
  const question = questionText(request.messages[lastUser]);
  const results = request.messages
    .slice(lastUser + 1)
    .flatMap((message) => (message.role === "tool" ? message.results : []));
  const canSearch =
    request.tools.some(({ name }) => name === searchTool) && request.toolChoice !== "none";
  const isCalling = results.length === 0 && isCurrent(question) && canSearch;
  const parts: readonly MockPart[] = isCalling
    ? [text("Sure, I need to search the web."), ...searchCalls(question, request.messages)]
    : [text(results.length > 0 ? answerFrom(question, results) : plainAnswer(question))];
  const reason = isCalling ? "tool-calls" : "stop";
  return {
    parts,
    usage: mockUsage(request.messages, parts),
    end: { type: "finish", reason, rawReason: reason },
  };
}

function text(content: string): MockPart {
  return { type: "text", text: content };
}

function questionText(message: Message | undefined): string {
  if (message?.role !== "user") return "";
  return message.content.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n");
}

/** Continues the numbers of the chat's earlier calls, so that no id repeats within a chat. */
function searchCalls(question: string, messages: readonly Message[]): readonly MockPart[] {
  const before = messages
    .flatMap((message) => (message.role === "assistant" ? message.content : []))
    .filter(({ type }) => type === "tool-call").length;
  return demoQueries(question).map((query, index) => ({
    type: "call",
    call: {
      id: `call_${before + index + 1}`,
      name: searchTool,
      arguments: JSON.stringify({ query }),
    },
  }));
}

interface Finding {
  readonly title: string;
  readonly snippet: string;
}

function answerFrom(question: string, results: readonly ToolResultPart[]): string {
  const found = results.filter(({ isError }) => !isError).flatMap(findingsOf);
  const failed = results.filter(({ isError }) => isError);
  const paragraphs = [
    ...(found.length > 0 ? [describeFindings(found)] : []),
    ...(failed.length > 0 ? [describeFailures(failed, found.length > 0)] : []),
    ...(found.length + failed.length === 0 ? ["The search found nothing that I could use."] : []),
  ];
  const outcome = found.map(({ title, snippet }) => `${title}: ${snippet}`).join("; ");
  return withSummary(paragraphs.join("\n\n"), question, outcome || "that I could not look it up");
}

function findingsOf(result: ToolResultPart): readonly Finding[] {
  const content = result.content.flatMap((part) => (part.type === "text" ? [part.text] : []));
  const joined = content.join("\n");
  const value = parseJson(joined);
  const matches = isObject(value) && Array.isArray(value.matches) ? value.matches : null;
  if (matches === null) return [{ title: result.name, snippet: joined.slice(0, 200) }];
  return matches.flatMap((match: unknown) =>
    isObject(match) && typeof match.title === "string" && typeof match.snippet === "string"
      ? [{ title: match.title, snippet: match.snippet }]
      : [],
  );
}

/** A sentence such as `GOOGL is at $911 and MSFT at $544 as of today.` for prices of one day, else a list. */
function describeFindings(found: readonly Finding[]): string {
  const prices = found.map(({ title, snippet }) => {
    const [, price, day] = /^(\$[\d.,]+) as of (.+)$/.exec(snippet) ?? [];
    return { title, price, day };
  });
  const [first] = prices;
  if (first?.price === undefined || prices.some(({ day }) => day !== first.day)) {
    const list = found.map(({ title, snippet }) => `- ${title}: ${snippet}`).join("\n");
    return `This is what I found:\n\n${list}`;
  }
  const each = [
    `${first.title} is at ${first.price}`,
    ...prices.slice(1).map(({ title, price }) => `${title} at ${price}`),
  ];
  const last = each.pop();
  const all = each.length > 0 ? `${each.join(", ")} and ${last}` : last;
  return `${all} as of ${first.day}. Do you want something else?`;
}

function describeFailures(failed: readonly ToolResultPart[], foundSome: boolean): string {
  const reasons = failed.map(({ content }) => {
    const said = content.flatMap((part) => (part.type === "text" ? [part.text] : [])).join(" ");
    return clip(collapseWhitespace(said), 160).text;
  });
  const isDeclined = reasons.every((reason) => /declin/i.test(reason));
  if (isDeclined) {
    return foundSome
      ? "I left out what you declined to have searched."
      : "You declined the search, so I cannot look this up. Tell me how you want to go on.";
  }
  const [first = "no reason was given"] = reasons.filter((reason) => !/declin/i.test(reason));
  return `${foundSome ? "Part of the search" : "The search"} did not work: ${first}`;
}

function plainAnswer(question: string): string {
  const asked = oneLine(question);
  const answer = isCurrent(question)
    ? "I would have to search the web for this, but no web_search tool is offered to me here. The header line `tools: mock` offers one."
    : `I am the offline model of Parley: I know nothing of my own, but I heard you: “${asked}”. Ask me for something current, such as the latest stock price of google and microsoft, to see tool calls, or choose a real model with :Parley model.`;
  return withSummary(answer, question, "that I am only the offline model");
}

function withSummary(answer: string, question: string, outcome: string): string {
  return `${answer}\n\n📝: you asked “${oneLine(question)}”, and I answered: ${outcome}`;
}

function oneLine(question: string): string {
  const line = collapseWhitespace(question);
  return line.length > 80 ? ellipsize(line, 79) : line;
}

/* ------------------------------------------- what the offline model would search for */

const currentWords =
  /\b(latest|current|currently|today|tonight|tomorrow|now|news|headlines?|prices?|stocks?|weather|forecast|temperature|scores?|recent|recently|this (?:week|month|year))\b/i;

/** Whether a question asks for something that only a search can answer. */
function isCurrent(question: string): boolean {
  return currentWords.test(question);
}

const polite =
  /^(?:please|hey|hi|hello|can|could|would|will|do|you|i|we|me|us|to|want|need|like|know|tell|give|show|find|find out|get|look up|search(?: the web)?(?: for)?|check|what|which|how|is|are|was|it|the|a|an|latest|current|currently|recent|today|right now|now|for)\s+/i;

const trailing = /\s+(?:is it|please|today|now|right now|currently|for me|at the moment)$/i;

/**
 * Two or more queries: one for each subject that the question joins by commas, `and`, `or` or `versus`, or else two
 * about the same subject. `the latest stock price of google and microsoft` becomes `google stock price` and
 * `microsoft stock price`.
 */
export function demoQueries(question: string): readonly string[] {
  const bare = bareWords(question);
  const [, topic, joined] = /^(.+?)\s+(?:of|for|in|about|on|from)\s+(.+)$/.exec(bare) ?? [];
  const [, before, ending] =
    /^(.+?)\s+(stock price|price|weather|forecast|news|score)$/.exec(bare) ?? [];
  const subjects = subjectsOf(joined ?? before ?? bare);
  const subject = topic ?? ending ?? "";
  const queries = [...new Set(subjects.map((each) => `${each} ${subject}`.trim()))];
  const [only = "news"] = queries;
  return queries.length > 1 ? queries.slice(0, 4) : [only, `${only} today`];
}

function bareWords(question: string): string {
  let bare = question
    .toLowerCase()
    .replace(/[’']s\b/g, "")
    .replace(/[?!.:;“”"`]+/g, " ")
    .replace(/\s+/g, " ")
    .trim()
    .replace(/\bprices\b/g, "price");
  for (let shorter = strip(bare); shorter !== bare; shorter = strip(bare)) bare = shorter;
  return bare;
}

function strip(text: string): string {
  return text.replace(polite, "").replace(trailing, "");
}

function subjectsOf(text: string): readonly string[] {
  return text
    .split(/\s*,\s*(?:and\s+|or\s+)?|\s+(?:and|or|versus|vs|&)\s+/)
    .map((subject) => subject.replace(/^(?:the|a|an)\s+/, "").trim())
    .filter((subject) => subject !== "");
}
