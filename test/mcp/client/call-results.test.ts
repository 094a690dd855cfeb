import { describe, expect, it } from "vitest";
import { outputOfResult } from "../../../src/mcp/client/call-results.ts";
import fc from "../../support/property.ts";

const pixel = Buffer.from("not really a picture").toString("base64");

function textOf(...content: readonly unknown[]): string {
  return outputOfResult({ content }).text;
}

describe("a result", () => {
  it("has its texts joined by line ends", () => {
    expect(textOf({ type: "text", text: "a" }, { type: "text", text: "b" })).toBe("a\nb");
  });

  it("is an error where the server says so", () => {
    const content = [{ type: "text", text: "no" }];
    expect(outputOfResult({ content, isError: true }).status).toBe("error");
    expect(outputOfResult({ content, isError: "yes" }).status).toBe("ok");
  });

  it("says that it is empty", () => {
    expect(outputOfResult({ content: [] }).text).toBe("(empty result)");
    expect(outputOfResult({}).text).toBe("(empty result)");
    const empty = { content: null, structuredContent: null, isError: true, _meta: {} };
    expect(outputOfResult(empty)).toMatchObject({ status: "error", text: "(empty result)" });
  });

  it("keeps an image and a sound as media, with a line for each", () => {
    const output = outputOfResult({
      content: [
        { type: "image", data: pixel, mimeType: "IMAGE/PNG; q=1" },
        { type: "audio", data: pixel, mimeType: "audio/wav" },
      ],
    });
    expect(output.media).toEqual([
      { mime: "image/png", data: pixel },
      { mime: "audio/wav", data: pixel },
    ]);
    expect(output.text).toBe("[image: image/png, 20 bytes]\n[audio: audio/wav, 20 bytes]");
  });

  it("brings base64 of any kind into the one that providers take", () => {
    const [media] = outputOfResult({
      content: [{ type: "image", data: "-_\n-_", mimeType: "image/png" }],
    }).media;
    expect(media?.data).toBe("+/+/");
  });

  it.each(["image/jpg", "image/png", "image/x-unknown", undefined])(
    "names an image by its bytes, whatever its server calls it: %s",
    (mimeType) => {
      const data = Buffer.from([0xff, 0xd8, 0xff, 0xe0]).toString("base64");
      const content = [
        { type: "image", data, mimeType },
        { type: "image", data: `data:${mimeType};base64,${data}`, mimeType },
        { type: "audio", data, mimeType: "audio/mpeg" },
      ];
      expect(outputOfResult({ content }).media).toEqual([
        { mime: "image/jpeg", data },
        { mime: "image/jpeg", data },
        { mime: "audio/mpeg", data },
      ]);
    },
  );

  it("has no media whose data is not base64", () => {
    const output = outputOfResult({ content: [{ type: "image", data: "<svg>", mimeType: "x" }] });
    expect(output.media).toEqual([]);
    expect(output.text).toContain("left out because its data is not base64");
  });

  it("keeps resources by what they hold, and links by their words", () => {
    expect(textOf({ type: "resource", resource: { uri: "file:///a", text: "content" } })).toBe(
      "[file:///a]\ncontent",
    );
    const blob = outputOfResult({
      content: [
        { type: "resource", resource: { uri: "x:b", blob: pixel, mimeType: "application/pdf" } },
      ],
    });
    expect(blob.media).toEqual([{ mime: "application/pdf", data: pixel }]);
    expect(blob.text).toBe("[x:b: application/pdf, 20 bytes]");
    expect(
      textOf({ type: "resource_link", uri: "x:c", name: "c.txt", description: "the third" }),
    ).toBe("[link: c.txt, x:c] the third");
  });

  it("has a text once that the structured content holds under one name", () => {
    const [a, b] = ["first line", "second"].map((text) => ({ type: "text", text }));
    const of = (structuredContent: unknown, ...content: readonly unknown[]) =>
      outputOfResult({ content, structuredContent }).text;
    expect(of({ content: "first line" }, a)).toBe("first line");
    expect(of({ content: "first line\nsecond" }, a, b)).toBe("first line\nsecond");
    expect(of({ content: "another" }, a)).toBe('first line\n{"content":"another"}');
    expect(of({ content: "first line", size: 10 }, a)).toContain('"size":10');
    expect(of({}, a)).toBe("first line\n{}");
  });

  it("has no terminal colours, wherever they are", () => {
    const red = (text: string) => `\u001b[1;31m${text}\u001b[0m`;
    expect(textOf({ type: "text", text: red("red") })).toBe("red");
    expect(textOf({ type: "resource", resource: { uri: "x:a", text: red("red") } })).toBe(
      "[x:a]\nred",
    );
    const output = (structuredContent: unknown) =>
      outputOfResult({ content: [{ type: "text", text: "red" }], structuredContent }).text;
    expect(output({ content: red("red") })).toBe("red");
    expect(output({ a: [red("b")], c: 1 })).toBe('red\n{"a":["b"],"c":1}');
    // Other control sequences are no colours: they stay, and are shown as what they are.
    expect(textOf({ type: "text", text: "a\u001b[2Jb" })).toBe("a\u001b[2Jb");
  });

  it("says of whole numbers that may have been rounded on the way that they may", () => {
    const sent = '{"id":1234567890123456789,"size":1e300}';
    const structuredContent: unknown = JSON.parse(sent);
    const note = "[Whole numbers above 9007199254740991 in it may have been rounded.]";
    const { text } = outputOfResult({ content: [], structuredContent });
    expect(text).toBe(`${JSON.stringify(structuredContent)}\n${note}`);
    // The text has the digits that the server wrote.
    const content = [{ type: "text", text: sent }];
    expect(outputOfResult({ content, structuredContent }).text).toBe(sent);
    for (const plain of [{ id: 9007199254740991, size: 0.1 }, { id: "1234567890123456789" }])
      expect(outputOfResult({ content: [], structuredContent: plain }).text).not.toContain(note);
  });

  it("has structured content once", () => {
    const structuredContent = { b: [1, { c: null }], a: "x" };
    const same = [{ type: "text", text: '{ "a": "x", "b": [1, {"c": null}] }' }];
    expect(outputOfResult({ content: same, structuredContent }).text).toBe(same[0]?.text);
    const other = [{ type: "text", text: '{"a":"x"}' }];
    expect(outputOfResult({ content: other, structuredContent }).text).toBe(
      `{"a":"x"}\n${JSON.stringify(structuredContent)}`,
    );
    expect(outputOfResult({ content: [], structuredContent }).text).toBe(
      JSON.stringify(structuredContent),
    );
  });

  it("keeps what is only for the user apart from what the model gets", () => {
    const personal = { audience: ["user"] };
    const output = outputOfResult({
      content: [
        { type: "text", text: "for both", annotations: { audience: ["user", "assistant"] } },
        { type: "text", text: "for you", annotations: personal },
        { type: "image", data: pixel, mimeType: "image/png", annotations: personal },
        { type: "text", text: "for all", annotations: { audience: [] } },
      ],
    });
    expect(output).toMatchObject({ text: "for both\nfor all", media: [] });
    expect(output.personal).toEqual({
      text: "for you\n[image: image/png, 20 bytes]",
      media: [{ mime: "image/png", data: pixel }],
    });
    const alone = outputOfResult({ content: [{ type: "text", text: "x", annotations: personal }] });
    expect(alone.text).toBe("(the result is only for the user)");
  });

  it("is what has other names, where the name of the protocol is missing", () => {
    expect(outputOfResult({ toolResult: "two cities" }).text).toBe("two cities");
    expect(outputOfResult({ cities: ["Bern"], _meta: {} }).text).toBe('{"cities":["Bern"]}');
    expect(outputOfResult({ content: "two cities" }).text).toBe("two cities");
  });

  it("keeps what it does not know as JSON", () => {
    expect(textOf({ type: "hologram", depth: 3 })).toBe('{"type":"hologram","depth":3}');
    expect(textOf({ type: "text", text: 7 })).toBe('{"type":"text","text":7}');
    expect(textOf({ type: "resource_link" }, null)).toBe('{"type":"resource_link"}\nnull');
  });
});

describe("whatever a server sends as a result", () => {
  it("is a text where it is nested deeper than any stack, and once where the text says it too", () => {
    const levels = 100_000;
    const json = "[".repeat(levels) + "]".repeat(levels);
    let deep: unknown = [];
    for (let level = 1; level < levels; level += 1) deep = [deep];
    expect(outputOfResult({ content: [], structuredContent: deep }).text).toBe(json);
    const content = [{ type: "text", text: json }];
    expect(outputOfResult({ content, structuredContent: deep }).text).toBe(json);
  });

  const word = fc.string({ minLength: 3 });
  const block = fc.oneof(
    fc.record({ type: fc.constant("text"), text: word }),
    fc.record({
      type: fc.constantFrom("text", "image", "audio", "resource", "link"),
      a: fc.json(),
    }),
    fc.jsonValue(),
  );

  it("never throws, is never an empty text without media, and loses no text", () => {
    fc.assert(
      fc.property(fc.array(block), fc.option(fc.jsonValue()), (content, structuredContent) => {
        const output = outputOfResult(JSON.parse(JSON.stringify({ content, structuredContent })));
        expect(output.text).not.toBe("");
        for (const part of content) {
          if (typeof part === "object" && part !== null && "text" in part) {
            const { text } = part;
            if (typeof text === "string") expect(output.text).toContain(text);
          }
        }
      }),
    );
  });

  it("is used if it is not a result at all", () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(["ok", "error"]).toContain(outputOfResult(value).status);
      }),
    );
  });
});
