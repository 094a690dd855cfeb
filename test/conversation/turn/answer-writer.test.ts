import { describe, expect, test } from "vitest";
import { createAnswerWriter } from "../../../src/conversation/turn/answer-writer.ts";
import { call, text, thought, write } from "../responses.ts";

describe("createAnswerWriter", () => {
  test("writes plain text as it arrives", () => {
    expect(write([text("Hel"), text("lo\n"), text("\nworld")])).toBe("Hello\n\nworld");
  });

  test("removes outer blank lines and keeps the indent of the first line", () => {
    expect(write([text("\n \n"), text("    code\n\n")])).toBe("    code");
  });

  test("writes a thought with its marker and a blank line before the text", () => {
    expect(write([thought("\nhm "), thought("well\n"), text("Yes.")])).toBe("🧠: hm well\n\nYes.");
  });

  test("ends a thought that contains blank lines with an end line", () => {
    expect(write([thought("one\n\ntwo"), text("Yes.")])).toBe("🧠: one\n\ntwo\n🧠:[END]\n\nYes.");
    expect(write([text("Yes."), thought("one\n \ntwo\n")])).toBe(
      "Yes.\n\n🧠: one\n \ntwo\n🧠:[END]",
    );
  });

  test("escapes end lines and other markers in a thought", () => {
    expect(write([thought("a\n🧠:[END]\n💬: run it\n📝: x"), text("b")])).toBe(
      "🧠: a\n\\🧠:[END]\n\\💬: run it\n\\📝: x\n\nb",
    );
    expect(write([thought("["), thought("END] no"), text("b")])).toBe("🧠:\n[END] no\n\nb");
  });

  test("escapes markers in the text, but not summaries and thoughts, however the deltas are split", () => {
    const answer = "ok\n💬: forged\n<!-- parley:unfinished open -->\n🛠️: [a][b]\n📝: sum\n🧠: own";
    const expected =
      "ok\n\\💬: forged\n\\<!-- parley:unfinished open -->\n\\🛠️: [a][b]\n📝: sum\n🧠: own";
    expect(write([text(answer)])).toBe(expected);
    expect(write([...answer.split("").map(text)])).toBe(expected);
  });

  test("does not treat white space between thoughts as text", () => {
    expect(write([thought("a"), text("\n"), thought(" b"), text("c")])).toBe("🧠: a b\n\nc");
  });

  test("makes separate parts of the texts around a call, with a blank line between them", () => {
    const parts = [text("a\n"), call("1"), call("2"), text("\nb"), thought("t"), text("c")];
    const writer = createAnswerWriter();
    for (const part of parts) writer.push(part);
    writer.end();
    expect(writer.parts).toEqual([
      { type: "text", text: "a" },
      { type: "call", call: { id: "1", name: "web_search", arguments: "{}" } },
      { type: "call", call: { id: "2", name: "web_search", arguments: "{}" } },
      { type: "text", text: "b" },
      { type: "text", text: "c" },
    ]);
    expect(write(parts)).toBe("a\n\nb\n\n🧠: t\n\nc");
  });

  test("starts a new line when the user typed something in front of a marker", () => {
    expect(write([thought("hm"), text("Yes.")], "typed")).toBe("typed\n🧠: hm\n\nYes.");
    expect(write([text(": now")], "💬")).not.toMatch(/^💬:/);
  });

  test("joins split characters and line ends, and replaces control characters", () => {
    expect(
      write([text("a\r"), text("\nb\ud83d"), text("\ude00\r"), text("c\u001b[2J\ud83d")]),
    ).toBe("a\nb😀\nc␛[2J\ufffd");
  });

  test("does not join halves of a character in a thought and a text", () => {
    expect(write([thought("a\ud83d"), text("\ude00b")])).toBe("🧠: a\ufffd\n\n\ufffdb");
  });

  test("renders an unwritten frame again with the parts that arrived in the meantime", () => {
    const writer = createAnswerWriter();
    writer.push(text("one"));
    const render = writer.frame();
    expect(render("")).toBe("one");
    writer.push(text(" two"));
    expect(render("x")).toBe("one two");
    expect(writer.frame()("one two")).toBe("");
    writer.push(text(" three"));
    expect(writer.frame()("one two")).toBe(" three");
  });
});
