import { describe, expect, it } from "vitest";
import { parseComment, renderStepLine, renderUnfinished } from "../../src/transcript/comments.ts";
import type { StepRecord } from "../../src/transcript/transcript.ts";
import fc from "../support/property.ts";
import * as arbitrary from "./arbitraries.ts";

const foreign = fc.oneof(arbitrary.text, fc.constantFrom("-->", "--!>", "<!--", "a--b---c"));
const record: fc.Arbitrary<StepRecord> = fc.record(
  {
    model: foreign,
    state: foreign,
    files: fc.dictionary(foreign, fc.constantFrom("a.txt", "0f-1_2.png")),
    tail: fc.boolean(),
  },
  { requiredKeys: [] },
);

describe("a step line", () => {
  it("round-trips any record as one comment on one line", () => {
    fc.assert(
      fc.property(record, fc.dictionary(foreign, fc.jsonValue()), (step, others) => {
        const line = renderStepLine(step, others);
        expect(line).toMatch(/^<!-- parley:step [^\n\r]* -->$/);
        expect(line.slice(4, -3)).not.toMatch(/--|>/);
        expect(parseComment(line)).toMatchObject({ kind: "step", record: step });
      }),
    );
  });

  it("keeps unknown keys and takes all known keys from the new record", () => {
    const read = parseComment('<!-- parley:step {"model":"a/b","tail":true,"later":{"x":[1]}} -->');
    if (read?.kind !== "step") throw new Error("This is a step line.");
    const line = renderStepLine({ model: "c/d" }, read.json);
    expect(line).toBe('<!-- parley:step {"model":"c/d","later":{"x":[1]}} -->');
  });

  it.each([
    ['<!-- parley:step {"model":1} -->'],
    ['<!-- parley:step {"state":{}} -->'],
    ['<!-- parley:step {"files":[]} -->'],
    ['<!-- parley:step {"files":{"a":"../b"}} -->'],
    ['<!-- parley:step {"files":{"a":1}} -->'],
    ['<!-- parley:step {"tail":"yes"} -->'],
    ["<!-- parley:step [] -->"],
    ["<!-- parley:step -->"],
    ["<!-- parley:step {} --> text"],
    ["<!-- parley:steps {} -->"],
    ["<!-- parley:"],
  ])("is malformed in %s", (line) => {
    expect(parseComment(line)?.kind).toBe("malformed");
  });

  it.each(["<!-- parley -->", " <!-- parley:step {} -->", "text"])(
    "is not recognized in %j",
    (line) => {
      expect(parseComment(line)).toBeNull();
    },
  );
});

describe("the mark of an unfinished answer", () => {
  it.each(["open", "stopped", "length", "error", "empty"] as const)(
    "round-trips the reason %s",
    (reason) => {
      const line = renderUnfinished(reason);
      expect(line).toBe(`<!-- parley:unfinished ${reason} -->`);
      expect(parseComment(line)).toEqual({ kind: "unfinished", reason });
      expect(parseComment(`<!-- parley:unfinished  ${reason}-->  `)).toEqual({
        kind: "unfinished",
        reason,
      });
    },
  );

  it.each(["<!-- parley:unfinished done -->", "<!-- parley:unfinished Open -->"])(
    "is malformed in %s",
    (line) => {
      expect(parseComment(line)?.kind).toBe("malformed");
    },
  );
});
