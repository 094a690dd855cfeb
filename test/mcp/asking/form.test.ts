import { describe, expect, it } from "vitest";
import { askForm } from "../../../src/mcp/asking/form.ts";
import { readFields } from "../../../src/mcp/asking/form-fields.ts";
import { type Answer, person } from "../../support/person.ts";

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
  const one = person(answers);
  const form = { title: "shop asks", details: ["why"], fields: readFields(from) };
  const result = await askForm(form, one, new AbortController().signal);
  return { result, asked: one.asked };
}

describe("a form", () => {
  it("is asked field by field, shown, and sent", async () => {
    const { result, asked } = await ask([
      "Answer",
      "Ann",
      "41",
      "No",
      "Blue",
      "[ ] trout",
      "Done",
      "Send",
    ]);
    expect(result).toEqual({
      action: "accept",
      content: { name: "Ann", age: 41, news: false, color: "b", fish: ["tuna", "trout"] },
    });
    expect(asked[0]).toEqual({
      prompt: "shop asks",
      details: "why",
      items: "Answer|Decline|Cancel",
    });
    expect(asked[1]?.prompt).toBe("shop asks 1/5, Name (in full; required): ");
    expect(asked[2]).toMatchObject({
      prompt: "shop asks 2/5, age (whole number, 0 or more; optional): ",
      items: "30",
    });
    expect(asked[3]?.items).toBe("Yes (default)|No|Leave it out");
    expect(asked[4]?.items).toBe("Red|Blue|Leave it out");
    expect(asked[6]?.items).toBe("Done: tuna, trout|[x] tuna|[x] trout|Leave it out");
    expect(asked[7]?.details).toBe(
      "This is sent:\n  Name: Ann\n  age: 41\n  news: No\n  color: Blue\n  fish: tuna, trout",
    );
    expect(asked[7]?.items).toBe("Send|Edit a field|Decline|Cancel");
  });

  it("leaves out what is optional", async () => {
    const out = "Leave it out";
    const { result } = await ask(["Answer", "Ann", "", out, out, out, "Send"]);
    expect(result).toEqual({ action: "accept", content: { name: "Ann" } });
  });

  it("asks again with the reason, and with what was typed", async () => {
    const { result, asked } = await ask([
      ...["Answer", " ", "Ann", "-1", "1"],
      ...["Yes", "Red", "[x] tuna", "Done", "[ ] trout", "Done", "Send"],
    ]);
    expect(asked[2]?.prompt).toMatch(/^It is required\. shop asks 1\/5/);
    expect(asked[4]).toMatchObject({ items: "-1" });
    expect(asked[4]?.prompt).toMatch(/^It must be 0 or more\. shop asks 2\/5/);
    expect(asked[9]?.prompt).toMatch(/^Choose at least 1\. shop asks 5\/5/);
    expect(result.content).toMatchObject({ name: "Ann", age: 1, fish: ["trout"] });
  });

  it("is declined, or cancelled by leaving it, as two answers", async () => {
    expect((await ask(["Decline"])).result).toEqual({ action: "decline" });
    expect((await ask([null])).result).toEqual({ action: "cancel" });
    expect((await ask(["Cancel"])).result).toEqual({ action: "cancel" });
    expect((await ask(["Answer", null, null])).result).toEqual({ action: "cancel" });
    expect((await ask(["Answer", "Ann", null, "Decline"])).result).toEqual({ action: "decline" });
  });

  it("that is left keeps what was answered, and is not sent without what is required", async () => {
    const empty = await ask(["Answer", null, "Decline"]);
    expect(empty.asked[2]?.items).toBe("Go on answering (5 left)|Edit a field|Decline|Cancel");
    expect(empty.asked[2]?.details).toContain("Name: (required, not answered yet)");
    const half = await ask(["Answer", "Ann", null, "Go on", null, "Send"]);
    expect(half.asked[3]?.items).toBe("Send|Go on answering (4 left)|Edit a field|Decline|Cancel");
    expect(half.result).toEqual({ action: "accept", content: { name: "Ann" } });
  });

  it("can be changed before it is sent", async () => {
    const out = "Leave it out";
    const all = ["Answer", "Ann", "7", "Yes", out, out];
    const { result, asked } = await ask([
      ...all,
      "Edit",
      "age: 7",
      "8",
      "Edit",
      "news",
      out,
      "Send",
    ]);
    expect(asked[8]).toMatchObject({ items: "7" });
    expect(result.content).toEqual({ name: "Ann", age: 8 });
  });

  it("without fields is a question of yes or no", async () => {
    const { result } = await ask(["Answer", "Send"], { type: "object", properties: {} });
    expect(result).toEqual({ action: "accept", content: {} });
  });

  it("ends when nobody waits for it", async () => {
    const stop = new AbortController();
    const one = person(["Answer"]);
    const form = { title: "shop asks", details: [], fields: readFields(schema) };
    const asking = askForm(form, one, stop.signal);
    await expect.poll(() => one.open(), patience).toBe(1);
    stop.abort(new Error("stopped"));
    await expect(asking).rejects.toThrow("stopped");
    expect(one.open()).toBe(0);
  });
});
