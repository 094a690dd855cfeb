import { describe, expect, it } from "vitest";
import { askForm } from "../../../src/mcp/asking/form.ts";
import { readFields } from "../../../src/mcp/asking/form-fields.ts";
import { formPage, pageField, readPage } from "../../../src/mcp/asking/form-page.ts";
import fc from "../../support/property.ts";
import { type Answer, scriptedUser } from "../../support/scripted-user.ts";

/** The machine may be busy. */
const patience = { timeout: 10_000 };

const schema = {
  type: "object",
  properties: {
    name: { type: "string", title: "Name", description: "in full" },
    age: { type: "integer", minimum: 0, default: 30 },
    news: { type: "boolean", default: true },
    color: {
      type: "string",
      oneOf: [
        { const: "r", title: "Red" },
        { const: "b", title: "Blue" },
      ],
    },
    fish: { type: "array", items: { enum: ["tuna", "trout"] }, minItems: 1, default: ["tuna"] },
  },
  required: ["name"],
};

async function ask(answers: readonly Answer[], from: object = schema) {
  const one = scriptedUser(answers);
  const form = { title: "shop asks", details: ["why"], fields: readFields(from) };
  const result = await askForm(form, one, new AbortController().signal);
  return { result, asked: one.asked };
}

const only = (property: object, required: readonly string[] = []) => ({
  type: "object",
  properties: { it: property },
  required,
});

describe("a form of one field", () => {
  it("is asked, shown, and sent", async () => {
    const { result, asked } = await ask(
      ["Answer", "41", "Send"],
      only({ type: "integer", minimum: 0, default: 30 }),
    );
    expect(result).toEqual({ action: "accept", content: { it: 41 } });
    expect(asked[0]).toEqual({
      prompt: "shop asks",
      details: "why",
      items: "Answer|Decline|Cancel",
    });
    expect(asked[1]).toMatchObject({
      prompt: "shop asks: it (whole number, 0 or more; optional): ",
      items: "30",
    });
    expect(asked[2]).toMatchObject({
      details: "This is sent:\n  it: 41",
      items: "Send|Edit it|Decline|Cancel",
    });
  });

  it("offers its choices", async () => {
    const { properties } = schema;
    expect((await ask(["Answer", "No", "Send"], only(properties.news))).asked[1]?.items).toBe(
      "Yes (default)|No|Leave it out",
    );
    const color = await ask(["Answer", "Blue", "Send"], only(properties.color));
    expect(color.asked[1]?.items).toBe("Red|Blue|Leave it out");
    expect(color.result.content).toEqual({ it: "b" });
    const fish = await ask(
      ["Answer", "[x] tuna", "Done", "[ ] trout", "Done", "Send"],
      only(properties.fish),
    );
    expect(fish.asked[1]?.items).toBe("Done: tuna|[x] tuna|[ ] trout|Leave it out");
    expect(fish.asked[3]?.prompt).toMatch(/^Choose at least 1\. shop asks: it/);
    expect(fish.result.content).toEqual({ it: ["trout"] });
  });

  it("leaves out what is optional, and asks again with the reason and what was typed", async () => {
    const out = await ask(["Answer", "", "Send"], only({ type: "string" }));
    expect(out.result).toEqual({ action: "accept", content: {} });
    const name = only({ type: "string", minLength: 3 }, ["it"]);
    const { asked, result } = await ask(["Answer", " ", "An", "Ann", "Send"], name);
    expect(asked[2]?.prompt).toMatch(/^It is required\. shop asks: it/);
    expect(asked[3]).toMatchObject({ items: "An" });
    expect(asked[3]?.prompt).toMatch(/^Write at least 3 characters\. shop asks: it/);
    expect(result.content).toEqual({ it: "Ann" });
  });

  it("is declined, or cancelled by leaving it, as two answers", async () => {
    const text = only({ type: "string" }, ["it"]);
    expect((await ask(["Decline"], text)).result).toEqual({ action: "decline" });
    expect((await ask([null], text)).result).toEqual({ action: "cancel" });
    expect((await ask(["Cancel"], text)).result).toEqual({ action: "cancel" });
    const left = await ask(["Answer", null, null], text);
    expect(left.result).toEqual({ action: "cancel" });
    expect(left.asked[2]).toMatchObject({
      details: "This is sent:\n  it: (required, not answered yet)",
      items: "Answer|Decline|Cancel",
    });
    const kept = await ask(["Answer", "Ann", "Edit", null, "Decline"], text);
    expect(kept.asked[4]?.details).toBe("This is sent:\n  it: Ann");
    expect(kept.result).toEqual({ action: "decline" });
  });

  it("without fields is a question of yes or no", async () => {
    const none = { type: "object", properties: {} };
    const { asked, result } = await ask(["Accept"], none);
    expect(result).toEqual({ action: "accept", content: {} });
    // What Enter takes in a list, once or often, agrees to nothing.
    expect(asked).toMatchObject([{ details: "why", items: "Decline|Accept|Cancel" }]);
    expect((await ask(["Decline"], none)).result).toEqual({ action: "decline" });
    expect((await ask([null], none)).result).toEqual({ action: "cancel" });
  });

  it("ends when nobody waits for it", async () => {
    const stop = new AbortController();
    const one = scriptedUser(["Answer"]);
    const form = { title: "shop asks", details: [], fields: readFields(only({ type: "string" })) };
    const asking = askForm(form, one, stop.signal);
    await expect.poll(() => one.open(), patience).toBe(1);
    stop.abort(new Error("stopped"));
    await expect(asking).rejects.toThrow("stopped");
    expect(one.open()).toBe(0);
  });
});

describe("a form of several fields", () => {
  it("is one text, with what is to be known above each line", async () => {
    const { asked, result } = await ask([
      "Name: Ann: née\nname: Ann: née\nage: 41\nnews: n\ncolor: blue\nfish: Tuna, trout,tuna",
    ]);
    expect(asked[0]?.details.split("\n")).toEqual([
      "# shop asks",
      "# why",
      "#",
      "# Fill in after the colons. :w sends it, :q declines. An empty field is left out.",
      "",
      "# Name; required; in full",
      "name: ",
      "",
      "# optional; whole number, 0 or more",
      "age: 30",
      "",
      "# optional",
      "#   one of: yes, no (<C-x><C-o> completes)",
      "news: yes",
      "",
      "# optional",
      "#   one of: Red, Blue (<C-x><C-o> completes)",
      "color: ",
      "",
      "# optional; 1 of them or more",
      "#   any of: tuna, trout (<C-x><C-o> completes)",
      "fish: tuna",
    ]);
    expect(result).toEqual({
      action: "accept",
      content: { name: "Ann: née", age: 41, news: false, color: "b", fish: ["tuna", "trout"] },
    });
  });

  it("names each mistake at its line, and is declined by leaving it", async () => {
    const { asked, result } = await ask(["age: -1\nnews: perhaps\ncolor: green\nfish: eel", null]);
    expect(asked[1]?.items.split("|")).toEqual([
      "7: name is required.",
      "10: It must be 0 or more.",
      "14: Write yes or no.",
      '18: "green" is not one of: Red, Blue.',
      '22: "eel" is not one of: tuna, trout.',
    ]);
    expect(result).toEqual({ action: "decline" });
  });

  it("begins at what is to be filled in", () => {
    const fields = readFields(schema).map(pageField);
    expect(formPage({ title: "t", details: [], purpose: "sends it", fields }).cursor).toBe(5);
  });

  it("goes on in lines that begin with two spaces, and tells what belongs to nothing", () => {
    const fields = readFields(schema).map(pageField);
    const read = (...lines: readonly string[]) => readPage(fields, lines);
    expect(read("name: one", "  # two", "", "   three", "age: 3").values).toEqual({
      name: "one\n# two\n three",
      age: 3,
    });
    // Spaces behind the colon come from typing.
    expect(read("name:   one two ", "age:  4").values).toEqual({ name: "one two", age: 4 });
    expect(read("name: a", "name: b", "other: c", "words").mistakes).toEqual([
      { line: 1, text: "name occurs twice." },
      { line: 2, text: expect.stringContaining("not a field of the form") },
      { line: 3, text: expect.stringContaining("two spaces") },
    ]);
    expect(read().mistakes).toEqual([{ line: 0, text: "name is required." }]);
  });

  it("reads back whatever the server's names, choices and defaults are", () => {
    const word = fc.string({ minLength: 1, maxLength: 12 });
    fc.assert(
      fc.property(
        fc.uniqueArray(word, { minLength: 2, maxLength: 6 }),
        fc.uniqueArray(word, { minLength: 1, maxLength: 5 }),
        fc.nat(4),
        (names, values, picked) => {
          const properties = Object.fromEntries(
            names.map((name) => [
              name,
              { type: "string", enum: values, default: values[picked % values.length] },
            ]),
          );
          const fields = readFields({ type: "object", properties }).map(pageField);
          const page = formPage({ title: "t", details: [], purpose: "sends it", fields });
          const { values: read, mistakes } = readPage(fields, page.lines);
          expect(mistakes).toEqual([]);
          const wanted = values[picked % values.length];
          for (const { name, initial } of fields) {
            if (initial.trim() !== "") expect(read[name]).toBe(wanted);
          }
        },
      ),
      // Every form compiles a schema.
      { numRuns: 30 },
    );
  });
});
