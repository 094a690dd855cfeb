/** Texts that are chats and texts that are not: the rule occurs twice, since Lua decides before the host runs. */
export const chatTexts: readonly {
  readonly name: string;
  readonly lines: readonly string[];
  readonly isChat: boolean;
}[] = [
  { name: "an empty text", lines: [""], isChat: false },
  { name: "a question", lines: ["💬: hello"], isChat: true },
  { name: "a question with the variation selector", lines: ["💬\uFE0F: hello"], isChat: true },
  { name: "an answer alone", lines: ["words", "", "🤖:[demo]", "hi"], isChat: true },
  { name: "a question far below", lines: [...Array(3000).fill("note"), "💬: x"], isChat: true },
  { name: "a topic in a header", lines: ["---", "topic: budget", "---", ""], isChat: true },
  {
    name: "a topic behind a byte order mark",
    lines: ["\uFEFF---", "topic: x", "---"],
    isChat: true,
  },
  { name: "a question behind a byte order mark", lines: ["\uFEFF💬: x"], isChat: true },
  { name: "the older form", lines: ["# topic: x", "- model: y", "", "---", ""], isChat: true },
  {
    name: "a topic in the body",
    lines: ["# Notes", "", "topic: budget", "- topic: more"],
    isChat: false,
  },
  {
    name: "a topic below a header without one",
    lines: ["---", "title: x", "---", "topic: budget"],
    isChat: false,
  },
  {
    name: "an indented topic in a header",
    lines: ["---", "a: |", "  topic: x", "---"],
    isChat: false,
  },
  { name: "another word in a header", lines: ["---", "topics: x", "---"], isChat: false },
  { name: "a header that does not end", lines: ["---", "topic: x", "words"], isChat: false },
  {
    name: "the older form that does not end",
    lines: ["# topic: x", "some text", "---"],
    isChat: false,
  },
  { name: "the older form alone", lines: ["# topic: x"], isChat: false },
  { name: "a rule and a heading", lines: ["---", "", "# topic: x", "", "---"], isChat: false },
  {
    name: "a thought in a note",
    lines: ["🧠: I wonder", "📝: a summary", "❓: why"],
    isChat: false,
  },
  { name: "an indented question", lines: [" 💬: no"], isChat: false },
  { name: "a question without its colon", lines: ["💬 no"], isChat: false },
];
