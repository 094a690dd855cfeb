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

/** A session that knows the calls on the lines that contain these texts. */
function known(text: string, states: Parameters<typeof knowing>[1]): Session {
  return knowing(parseTranscript(text), states);
}

const two = (first: string, second: string) =>
  `${answer}Let me see.\n\n${callLine("a", first)}\n${callLine("b", second)}\n`;

describe("the next step in a fresh session", () => {
  test.each([
    ["no question text", "💬: \n", "await-question"],
    ["blank question text", "💬:  \n\n \n", "await-question"],
    ["no answer", question, "ask-model respond"],
    ["an answer block with nothing in it", answer, "ask-model respond"],
    ["a finished answer", `${answer}It costs $911.\n`, "open-question"],
    ["a thought and nothing else", `${answer}🧠: hm\n`, "open-question"],
    [
      "an answer that was stopped in mid-text",
      `${answer}It co\n<!-- parley:unfinished stopped -->\n`,
      "ask-model respond retry",
    ],
    [
      "an answer that was killed while streaming",
      `${answer}It co\n${open}\n`,
      "ask-model respond retry",
    ],
    [
      "an answer that was killed before the first word",
      `${answer}${open}\n`,
      "ask-model respond retry",
    ],
    [
      "a response that the model only paused",
      `${answer}<!-- parley:step {"paused":true} -->\nIt co\n`,
      "ask-model respond",
    ],
    ["undecided calls", two("", ""), "await-approval a undecided, b undecided"],
    ["an unknown decision", two("zz", "ya"), "await-approval a undecided, b interrupted"],
    ["one decided and one open call", two("ya", ""), "await-approval a interrupted, b undecided"],
    [
      "approvals that were not given in this session",
      two("yA", "auto"),
      "await-approval a interrupted, b interrupted",
    ],
    ["a declined call without its result, which comes first", two("yn", ""), "write-declined a"],
    ["only declined calls", two("yn", "yN"), "write-declined a, b"],
    [
      "results for all calls",
      `${answer}${callLine("a", "ya")}\n${resultLines("a")}`,
      "ask-model respond",
    ],
    [
      "results for all calls, whatever their decisions",
      `${answer}${callLine("a")}\n${resultLines("a", "no such tool", "error")}\n${callLine("b", "yn")}\n${resultLines("b", "declined by the user", "declined")}`,
      "ask-model respond",
    ],
    [
      "one missing result",
      `${answer}${callLine("a", "ya")}\n${resultLines("a")}\n${callLine("b", "ya")}\n`,
      "await-approval b interrupted",
    ],
    [
      "results and a text after them",
      `${answer}${callLine("a", "ya")}\n${resultLines("a")}\nIt costs $911.\n\n💬: \n`,
      "await-question",
    ],
    ["a broken call", `${answer}❓: \`{"id":\`\n`, "await-approval ? broken"],
    ["a declined broken call", `${answer}❓:[yn] \`{"id":\`\n`, "await-approval ? broken"],
    [
      "an old call without a result",
      `${answer}🔧: web_search id=x\n\`\`\`json\n{}\n\`\`\`\n`,
      "ask-model respond",
    ],
  ])("with %s", (_, text, expected) => {
    expect(brief(text)).toBe(expected);
  });
});

describe("the next step with calls that the session knows", () => {
  const decided = two("ya", "yo");

  test("runs approved calls, and only those, once all calls are decided", () => {
    expect(brief(decided, known(decided, { '"a"': "approved", '"b"': "approved" }))).toBe(
      "run-tools a, b",
    );
    const half = two("ya", "");
    expect(brief(half, known(half, { '"a"': "approved" }))).toBe("await-approval b undecided");
    expect(brief(decided, known(decided, { '"a"': "approved" }))).toBe(
      "await-approval b interrupted",
    );
  });

  test("starts approved calls before it waits for running ones", () => {
    expect(brief(decided, known(decided, { '"a"': "running", '"b"': "approved" }))).toBe(
      "run-tools b",
    );
    expect(brief(decided, known(decided, { '"a"': "running", '"b"': "running" }))).toBe(
      "await-tools a, b",
    );
  });

  test("waits for a running call even when the question was deleted", () => {
    const text = decided.replace(question, "💬: \n");
    expect(brief(text, known(text, { '"a"': "running" }))).toBe("await-tools a");
    expect(brief(text)).toBe("await-question");
  });

  test("does not run a call again that lost its result, but shows it as interrupted", () => {
    expect(brief(decided, known(decided, { '"b"': "approved" }))).toBe(
      "await-approval a interrupted",
    );
  });

  test("ignores an approval of another line or another text", () => {
    const session = known(decided, { '"a"': "approved", '"b"': "approved" });
    const moved = {
      ...session,
      calls: session.calls.map((call) => ({ ...call, line: call.line + 1 })),
    };
    expect(brief(decided, moved)).toBe("await-approval a interrupted, b interrupted");
    const edited = decided.replace('"a"', '"c"');
    expect(brief(edited, session)).toBe("await-approval c interrupted");
  });

  test("uses the running entry when an edit merged two entries on one line", () => {
    const text = `${answer}${callLine("a", "ya")}\n`;
    const calls = [
      ...known(text, { '"a"': "approved" }).calls,
      ...known(text, { '"a"': "running" }).calls,
    ];
    for (const both of [calls, calls.toReversed()]) {
      expect(brief(text, { ...emptySession, calls: both })).toBe("await-tools a");
    }
  });

  test("shows an approved call that never started as undecided while another call is undecided", () => {
    const text = two("yo", "");
    const session = known(text, { '"a"': "approved" });
    // The file was read again and the line moved, so the approval is void.
    const moved = `💬: before\n\n${text}`;
    expect(brief(moved, session)).toBe("await-approval a undecided, b undecided");
    const lost = moveSession(session, { start: 0, end: text.split("\n").length, lines: [] });
    expect(brief(text, lost)).toBe("await-approval a undecided, b undecided");
    // The session that decided the other call may have run both.
    expect(brief(two("yo", "yo"), lost)).toBe("await-approval a interrupted, b interrupted");
    expect(brief(moved, known(text, { '"a"': "running" }))).toBe(
      "await-approval a interrupted, b undecided",
    );
    expect(brief(moved, known(text, {}))).toBe("await-approval a interrupted, b undecided");
  });

  test("does not use an approval for a line without a decision", () => {
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

describe("asking the model now or when the user responds", () => {
  const results = `${answer}${callLine("a", "ya")}\n${resultLines("a")}`;
  const begun = `${results}\n${open}\n`;
  const streaming = `${results}\nIt co\n${open}\n`;
  const turn = (text: string) => inTurn(emptySession, scene(text));

  test("happens at once after results only inside the running turn", () => {
    expect(brief(results)).toBe("ask-model respond");
    expect(brief(results, turn(results))).toBe("ask-model now");
  });

  test("happens at once for an empty continuation only inside the running turn", () => {
    expect(brief(begun)).toBe("ask-model respond retry");
    expect(brief(begun, turn(begun))).toBe("ask-model now retry");
  });

  test("waits for the user when a continuation already has text or was stopped", () => {
    expect(brief(streaming, turn(streaming))).toBe("ask-model respond retry");
    const stopped = begun.replace("open -->", "stopped -->");
    expect(brief(stopped, turn(stopped))).toBe("ask-model respond retry");
  });

  test("waits for the user before the first request of a turn", () => {
    expect(brief(question, turn(question))).toBe("ask-model respond");
    const killed = `${answer}${open}\n`;
    expect(brief(killed, turn(killed))).toBe("ask-model respond retry");
  });

  test("waits for the user when the running turn is in another exchange", () => {
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

  test("are ignored afterwards, approved or not", () => {
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

  test("do not include an unfinished step above an answered exchange", () => {
    const text = `${answer}It co\n<!-- parley:unfinished stopped -->\n\n${question}\n🤖:\n\nYes.\n`;
    expect(brief(text, emptySession, 0)).toBe("open-question");
  });

  test("do not include calls above the last step of an answer", () => {
    const text = `${answer}${callLine("a")}\n${resultLines("a")}\nText.\n\n<!-- parley:step {} -->\n\n${callLine("b")}\n`;
    expect(brief(text)).toBe("await-approval b undecided");
  });
});

test("an approved call waits for approval again after the user edits it", () => {
  const { transcript } = scene(two("ya", "ya"));
  const session = knowing(transcript, { '"a"': "approved", '"b"': "approved" });
  const edited = transcript.lines.with(
    lineOf(transcript, '"a"'),
    callLine("a", "ya", "something else"),
  );
  expect(brief(edited.join("\n"), session)).toBe("await-approval a interrupted");
});
