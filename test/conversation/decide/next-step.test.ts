import { describe, expect, test } from "vitest";
import { nextStep, openCalls } from "../../../src/conversation/decide/next-step.ts";
import {
  emptySession,
  moveSession,
  type Session,
} from "../../../src/conversation/decide/session.ts";
import { parseTranscript } from "../../../src/transcript/parse.ts";
import { callLine, inTurn, knowing, lineOf, question, resultLines, scene } from "../chats.ts";

const answer = `${question}\n🤖:[Model]\n\n`;
const open = "<!-- parley:unfinished open -->";

/** The step in a form that is short to compare: calls by id. */
function brief(text: string, session: Session = emptySession, index = -1) {
  const { transcript, exchange } = scene(text, index);
  const step = nextStep(transcript, exchange, session);
  switch (step.type) {
    case "ask-model":
      return `ask-model ${step.when}${step.retry === null ? "" : " retry"}`;
    case "await-approval":
      return `await-approval ${step.open.map(({ call, reason }) => `${call.call?.id ?? "?"} ${reason}`).join(", ")}`;
    case "write-declined":
    case "run-tools":
    case "await-tools":
      return `${step.type} ${step.calls.map(({ call }) => call?.id).join(", ")}`;
    default:
      return step.type;
  }
}

/** What the session knows is said by parts of lines of the same text. */
function known(text: string, states: Parameters<typeof knowing>[1]): Session {
  return knowing(parseTranscript(text), states);
}

const two = (first: string, second: string) =>
  `${answer}Let me see.\n\n${callLine("a", first)}\n${callLine("b", second)}\n`;

describe("the rows of the table, for a fresh session", () => {
  test.each([
    ["no question text", "💬: \n", "await-question"],
    ["blank question text", "💬:  \n\n \n", "await-question"],
    ["no answer", question, "ask-model respond"],
    ["an answer block with nothing in it", answer, "ask-model respond"],
    ["a finished answer", `${answer}It costs $911.\n`, "open-question"],
    ["only a thought", `${answer}🧠: hm\n`, "open-question"],
    [
      "stopped in mid-text",
      `${answer}It co\n<!-- parley:unfinished stopped -->\n`,
      "ask-model respond retry",
    ],
    ["killed while streaming", `${answer}It co\n${open}\n`, "ask-model respond retry"],
    ["killed before the first word", `${answer}${open}\n`, "ask-model respond retry"],
    [
      "a response that the model only paused",
      `${answer}<!-- parley:step {"paused":true} -->\nIt co\n`,
      "ask-model respond",
    ],
    ["undecided calls", two("", ""), "await-approval a undecided, b undecided"],
    ["an unknown decision", two("zz", "ya"), "await-approval a undecided, b interrupted"],
    ["decided, one call still open", two("ya", ""), "await-approval a interrupted, b undecided"],
    [
      "yeses that nobody gave here",
      two("yA", "auto"),
      "await-approval a interrupted, b interrupted",
    ],
    ["a no without its result goes first", two("yn", ""), "write-declined a"],
    ["every no", two("yn", "yN"), "write-declined a, b"],
    [
      "all calls have results",
      `${answer}${callLine("a", "ya")}\n${resultLines("a")}`,
      "ask-model respond",
    ],
    [
      "a result settles, whatever the decision",
      `${answer}${callLine("a")}\n${resultLines("a", "no such tool", "error")}\n${callLine("b", "yn")}\n${resultLines("b", "declined by the user", "declined")}`,
      "ask-model respond",
    ],
    [
      "one result is missing",
      `${answer}${callLine("a", "ya")}\n${resultLines("a")}\n${callLine("b", "ya")}\n`,
      "await-approval b interrupted",
    ],
    [
      "results and a text after them",
      `${answer}${callLine("a", "ya")}\n${resultLines("a")}\nIt costs $911.\n\n💬: \n`,
      "await-question",
    ],
    ["a broken call", `${answer}❓: \`{"id":\`\n`, "await-approval ? broken"],
    ["a broken call with a no", `${answer}❓:[yn] \`{"id":\`\n`, "await-approval ? broken"],
    [
      "an old call without a result",
      `${answer}🔧: web_search id=x\n\`\`\`json\n{}\n\`\`\`\n`,
      "ask-model respond",
    ],
  ])("%s", (_, text, expected) => {
    expect(brief(text)).toBe(expected);
  });
});

describe("what this session knows", () => {
  const decided = two("ya", "yo");

  test("approved calls run once all are decided, and only those", () => {
    expect(brief(decided, known(decided, { '"a"': "approved", '"b"': "approved" }))).toBe(
      "run-tools a, b",
    );
    const half = two("ya", "");
    expect(brief(half, known(half, { '"a"': "approved" }))).toBe("await-approval b undecided");
    expect(brief(decided, known(decided, { '"a"': "approved" }))).toBe(
      "await-approval b interrupted",
    );
  });

  test("what waits for its start goes before what runs", () => {
    expect(brief(decided, known(decided, { '"a"': "running", '"b"': "approved" }))).toBe(
      "run-tools b",
    );
    expect(brief(decided, known(decided, { '"a"': "running", '"b"': "running" }))).toBe(
      "await-tools a, b",
    );
  });

  test("what runs is awaited while the question is out of the text", () => {
    const text = decided.replace(question, "💬: \n");
    expect(brief(text, known(text, { '"a"': "running" }))).toBe("await-tools a");
    expect(brief(text)).toBe("await-question");
  });

  test("a call that ran here and lost its result is interrupted, not runnable", () => {
    expect(brief(decided, known(decided, { '"b"': "approved" }))).toBe(
      "await-approval a interrupted",
    );
  });

  test("an approval is for exactly this line and text", () => {
    const session = known(decided, { '"a"': "approved", '"b"': "approved" });
    const moved = {
      ...session,
      calls: session.calls.map((call) => ({ ...call, line: call.line + 1 })),
    };
    expect(brief(decided, moved)).toBe("await-approval a interrupted, b interrupted");
    const edited = decided.replace('"a"', '"c"');
    expect(brief(edited, session)).toBe("await-approval c interrupted");
  });

  test("of two entries that an edit merged on one line, the one that runs counts", () => {
    const text = `${answer}${callLine("a", "ya")}\n`;
    const calls = [
      ...known(text, { '"a"': "approved" }).calls,
      ...known(text, { '"a"': "running" }).calls,
    ];
    for (const both of [calls, calls.toReversed()]) {
      expect(brief(text, { ...emptySession, calls: both })).toBe("await-tools a");
    }
  });

  test("beside an undecided call, one that was approved here and never started has not run", () => {
    const text = two("yo", "");
    const session = known(text, { '"a"': "approved" });
    // The file was read again, and stands elsewhere now: the approval is void.
    const moved = `💬: before\n\n${text}`;
    expect(brief(moved, session)).toBe("await-approval a undecided, b undecided");
    const lost = moveSession(session, { start: 0, end: text.split("\n").length, lines: [] });
    expect(brief(text, lost)).toBe("await-approval a undecided, b undecided");
    // Whoever decided the other one may have run both.
    expect(brief(two("yo", "yo"), lost)).toBe("await-approval a interrupted, b interrupted");
    expect(brief(moved, known(text, { '"a"': "running" }))).toBe(
      "await-approval a interrupted, b undecided",
    );
    expect(brief(moved, known(text, {}))).toBe("await-approval a interrupted, b undecided");
  });

  test("an approval never decides a line that carries none", () => {
    const text = two("", "yn");
    expect(brief(text, known(text, { '"a"': "approved", '"b"': "approved" }))).toBe(
      "write-declined b",
    );
    const bare = two("", "ya");
    expect(brief(bare, known(bare, { '"a"': "approved", '"b"': "approved" }))).toBe(
      "await-approval a undecided",
    );
  });
});

describe("now or when the person says so", () => {
  const results = `${answer}${callLine("a", "ya")}\n${resultLines("a")}`;
  const begun = `${results}\n${open}\n`;
  const streaming = `${results}\nIt co\n${open}\n`;
  const turn = (text: string) => inTurn(emptySession, scene(text));

  test("after results, at once inside the running turn only", () => {
    expect(brief(results)).toBe("ask-model respond");
    expect(brief(results, turn(results))).toBe("ask-model now");
  });

  test("the empty continuation after results, at once inside the running turn only", () => {
    expect(brief(begun)).toBe("ask-model respond retry");
    expect(brief(begun, turn(begun))).toBe("ask-model now retry");
  });

  test("a continuation that has text is asked again only by the person", () => {
    expect(brief(streaming, turn(streaming))).toBe("ask-model respond retry");
    const stopped = begun.replace("open -->", "stopped -->");
    expect(brief(stopped, turn(stopped))).toBe("ask-model respond retry");
  });

  test("the first request of a turn is the person's", () => {
    expect(brief(question, turn(question))).toBe("ask-model respond");
    const killed = `${answer}${open}\n`;
    expect(brief(killed, turn(killed))).toBe("ask-model respond retry");
  });

  test("a turn of another exchange is none", () => {
    const both = `${results}\n${results}`;
    const session = inTurn(emptySession, scene(both, 0));
    expect(brief(both, session)).toBe("ask-model respond");
    expect(brief(both, session, 0)).toBe("ask-model now");
  });
});

describe("calls of earlier exchanges", () => {
  const later = `${two("", "ya")}\n${question}`;
  const answered = `${later}\n🤖:\n\nIt costs $911.\n`;

  test("are offered while no later exchange has an answer", () => {
    expect(brief(later, emptySession, 0)).toBe("await-approval a undecided, b interrupted");
  });

  test("are inert afterwards, approved or not", () => {
    expect(brief(answered, emptySession, 0)).toBe("open-question");
    expect(brief(answered, known(answered, { '"b"': "approved" }), 0)).toBe("open-question");
    const declined = answered.replace("[ya]", "[yn]");
    expect(brief(declined, emptySession, 0)).toBe("open-question");
    const { transcript, exchange } = scene(answered, 0);
    expect(openCalls(transcript, exchange, emptySession)).toEqual([]);
  });

  test("are offered again in the exchange this session responded to last", () => {
    const session = inTurn(known(answered, {}), scene(answered, 0));
    expect(brief(answered, { ...session, turn: null }, 0)).toBe(
      "await-approval a undecided, b interrupted",
    );
    const before = `${two("", "ya").replaceAll('"a"', '"c"')}\n${answered}`;
    const second = { ...inTurn(emptySession, scene(before, 1)), turn: null };
    expect(brief(before, second, 0)).toBe("open-question");
    expect(brief(before, second, 1)).toBe("await-approval a undecided, b interrupted");
  });

  test("a mark above an answered exchange counts for nothing", () => {
    const text = `${answer}It co\n<!-- parley:unfinished stopped -->\n\n${question}\n🤖:\n\nYes.\n`;
    expect(brief(text, emptySession, 0)).toBe("open-question");
  });

  test("only the last step of an answer is looked at", () => {
    const text = `${answer}${callLine("a")}\n${resultLines("a")}\nText.\n\n<!-- parley:step {} -->\n\n${callLine("b")}\n`;
    expect(brief(text)).toBe("await-approval b undecided");
  });
});

test("an approved call that is edited by hand waits again", () => {
  const { transcript } = scene(two("ya", "ya"));
  const session = knowing(transcript, { '"a"': "approved", '"b"': "approved" });
  const edited = transcript.lines.with(
    lineOf(transcript, '"a"'),
    callLine("a", "ya", "something else"),
  );
  expect(brief(edited.join("\n"), session)).toBe("await-approval a interrupted");
});
