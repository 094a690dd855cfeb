/** What the offline model would search for. Pure. */

const currentWords =
  /\b(latest|current|currently|today|tonight|tomorrow|now|news|headlines?|prices?|stocks?|weather|forecast|temperature|scores?|recent|recently|this (?:week|month|year))\b/i;

/** Whether a question asks for something that only a search could know. */
export function isCurrent(question: string): boolean {
  return currentWords.test(question);
}

const polite =
  /^(?:please|hey|hi|hello|can|could|would|will|do|you|i|we|me|us|to|want|need|like|know|tell|give|show|find|find out|get|look up|search(?: the web)?(?: for)?|check|what|which|how|is|are|was|it|the|a|an|latest|current|currently|recent|today|right now|now|for)\s+/i;

const trailing = /\s+(?:is it|please|today|now|right now|currently|for me|at the moment)$/i;

/**
 * Two or more queries: one for each subject that the question joins by commas, `and`, `or` or `versus`, or two
 * sides of one subject. `the latest stock price of google and microsoft` is `google stock price` and
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
