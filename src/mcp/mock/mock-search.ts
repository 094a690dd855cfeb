/** The canned answers of the built-in mock server. Pure. */

export interface SearchMatch {
  readonly title: string;
  readonly snippet: string;
}

export interface SearchResult {
  readonly matches: readonly SearchMatch[];
  /** Says that this was not a real search. */
  readonly note: string;
}

const note = "Canned results of Parley's mock server; no web search was made.";

interface Topic {
  readonly words: RegExp;
  readonly matches: readonly SearchMatch[];
}

const topics: readonly Topic[] = [
  {
    words: /\b(google|alphabet|googl?)\b/i,
    matches: [{ title: "GOOGL", snippet: "$911 as of today" }],
  },
  {
    words: /\b(microsoft|msft)\b/i,
    matches: [{ title: "MSFT", snippet: "$544 as of today" }],
  },
  {
    words: /\b(apple|aapl)\b/i,
    matches: [{ title: "AAPL", snippet: "$278 as of today" }],
  },
  {
    words: /\b(amazon|amzn)\b/i,
    matches: [{ title: "AMZN", snippet: "$233 as of today" }],
  },
  {
    words: /\b(nvidia|nvda)\b/i,
    matches: [{ title: "NVDA", snippet: "$187 as of today" }],
  },
  {
    words: /\b(weather|forecast|temperature)\b/i,
    matches: [
      { title: "Weather today", snippet: "Partly cloudy, 18 °C, light wind from the west" },
      { title: "Weather tomorrow", snippet: "Rain in the morning, 15 °C, clearing later" },
    ],
  },
  {
    words: /\b(news|headlines?)\b/i,
    matches: [
      { title: "City opens a new public library", snippet: "Doors open on Saturday at ten" },
      { title: "Markets little changed", snippet: "Indices close within half a percent" },
    ],
  },
];

/** Returns the matches of every topic in the query, or else one match that repeats the query. */
export function search(query: string): SearchResult {
  const found = topics.filter(({ words }) => words.test(query)).flatMap(({ matches }) => matches);
  if (found.length > 0) return { matches: found, note };
  const title = query.trim() === "" ? "Nothing" : query.trim();
  return {
    matches: [{ title, snippet: `A page that says a few general things about “${title}”` }],
    note,
  };
}
