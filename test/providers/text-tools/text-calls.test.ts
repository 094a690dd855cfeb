/** Calls in the text of a stream: what is shown, what is offered, and when. */

import { describe, expect, test } from "vitest";
import type { Message, ModelRequest, StreamPart } from "../../../src/conversation/ports.ts";
import { textToolProtocols } from "../../../src/providers/text-tools/protocols.ts";
import { protocolStream } from "../../../src/providers/text-tools/tool-protocol.ts";
import fc from "../../support/property.ts";
import {
  callsOf,
  collect,
  outline,
  requestTo,
  textOf,
  thoughtsOf,
  user,
  webSearch,
} from "../parts.ts";
import { turn } from "../turn.ts";
import { S, tools } from "./detect.ts";
import { samples } from "./samples.ts";

const prompted = [...textToolProtocols.keys()] as readonly NonNullable<
  ModelRequest["toolProtocol"]
>[];
const stop: StreamPart = { type: "finish", reason: "stop", rawReason: "stop" };
const length: StreamPart = { type: "finish", reason: "length", rawReason: "length" };
const broken: StreamPart = { type: "error", failure: { kind: "network", message: "Cut." } };
const query = '{"query":"a 😊 } </tool_call> ```"}';

const text = (piece: string): StreamPart => ({ type: "text-delta", text: piece });
const render = (id: string, args = query, name = "web_search") =>
  textToolProtocols.get(id)?.renderCall({ name, arguments: args }) ?? "";

function cut(whole: string, sizes: readonly number[]): StreamPart[] {
  const pieces: StreamPart[] = [];
  for (let at = 0, index = 0; at < whole.length; index += 1) {
    const size = Math.max(1, sizes[index % sizes.length] ?? 1);
    pieces.push(text(whole.slice(at, at + size)));
    at += size;
  }
  return pieces;
}

async function* play(parts: readonly StreamPart[]): AsyncGenerator<StreamPart> {
  yield* parts;
}

/** What comes of these parts when a model that takes tools or takes none is asked with this protocol. */
function answer(
  parts: readonly StreamPart[],
  change: Partial<ModelRequest> = {},
  takesTools = true,
): Promise<StreamPart[]> {
  const request = { ...requestTo("mock", "demo", [user("hi")]), ...change };
  const stream = protocolStream(
    () => play(parts),
    () => takesTools,
  );
  return collect(stream(request, { signal: new AbortController().signal }));
}

describe.each(prompted)("asked for %s", (toolProtocol) => {
  const call = render(toolProtocol);
  const opener = call.slice(0, call.indexOf("\n"));
  const whole = `I search.\n\n${call}\n`;

  test("text is text and a block is a call, however the answer is cut", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1 }),
        async (sizes) => {
          const parts = await answer([...cut(whole, sizes), stop], { toolProtocol });
          expect(callsOf(parts)).toEqual([{ id: "call_1", name: "web_search", arguments: query }]);
          expect(textOf(parts).trim()).toBe("I search.");
          expect(parts.at(-1)).toEqual({ ...stop, reason: "tool-calls" });
        },
      ),
      { numRuns: 30 },
    );
  });

  test("a cut answer offers no call and shows nothing of one, wherever it is cut", async () => {
    for (let end = 0; end <= whole.length; end += 1) {
      for (const last of [length, broken]) {
        const parts = await answer([text(whole.slice(0, end)), last], { toolProtocol });
        expect(callsOf(parts)).toEqual([]);
        const shown = textOf(parts).replace("I search.\n\n", "").trim();
        // The beginning of an opener alone is text, and so is JSON without delimiters: it can be anything.
        const mayStand = toolProtocol === "json" ? call.slice(0, -1) : opener.slice(0, -1);
        expect("I search.".startsWith(shown) || mayStand.startsWith(shown)).toBe(true);
        expect(parts.at(-1)).toBe(last);
      }
    }
  });

  test("text before a call is passed on before the call is complete", async () => {
    const request = { ...requestTo("mock", "demo", [user("hi")]), toolProtocol };
    let shown = "";
    let onShown = () => {};
    const isShown = new Promise<void>((resolve) => {
      onShown = resolve;
    });
    const waiting = async function* (): AsyncGenerator<StreamPart> {
      yield text("I search.\n\n");
      yield text(call.slice(0, -1));
      // Comes to its end only when the text is there.
      await isShown;
      yield text(call.slice(-1));
      yield stop;
    };
    const stream = protocolStream(waiting, () => true);
    for await (const part of stream(request, { signal: new AbortController().signal })) {
      if (part.type !== "text-delta") continue;
      shown += part.text;
      if (shown === "I search.\n\n") onShown();
    }
    expect(shown.trim()).toBe("I search.");
  });

  test("several calls and the text between them keep their order", async () => {
    const second = render(toolProtocol, '{"query":"b"}');
    const parts = await answer([text(`${call}\nand\n\n${second}\nend`), stop], { toolProtocol });
    expect(outline(parts).map((line) => line.replaceAll("\n", ""))).toEqual([
      `call call_1 ${query}`,
      "text and",
      'call call_2 {"query":"b"}',
      "text end",
      "finish tool-calls",
    ]);
  });

  test("nothing in reasoning is a call", async () => {
    const thinking = [{ type: "reasoning-delta", text: call } as const, text("No."), stop];
    const parts = await answer(thinking, { toolProtocol });
    expect(callsOf(parts)).toEqual([]);
    expect(thoughtsOf(parts)).toBe(call);
    const inText = await answer([text(`<think>\n${call}\n</think>\nNo.`), stop], { toolProtocol });
    expect(callsOf(inText)).toEqual([]);
  });

  test("ids go on from those of the history", async () => {
    const parts = await answer([text(call), stop], { toolProtocol, messages: turn });
    expect(callsOf(parts).map(({ id }) => id)).toEqual(["call_3"]);
  });
});

describe("a block that cannot be read", () => {
  const malformed = `${S}\n{"name":"web_search","arguments":{"query":}\n${S}`;

  test("is a call of its own with the block as it was and the reason", async () => {
    const parts = await answer([text(`I search.\n${malformed}`), stop], { toolProtocol: "smiley" });
    expect(callsOf(parts)).toEqual([
      {
        id: "call_1",
        name: "invalid_tool_call",
        arguments: JSON.stringify({ raw: malformed }),
        unreadable: expect.stringMatching(/^This tool call cannot be read: .*write the call again/),
      },
    ]);
    expect(textOf(parts).trim()).toBe("I search.");
  });

  test("gives one when it is too large, and keeps a head and a tail of it", async () => {
    const large = `<<<TOOL_CALL>>>\n{"name":"web_search","arguments":{"query":"${"a".repeat(1_300_000)}`;
    const parts = await answer([...cut(large, [7000]), stop], { toolProtocol: "delimited" });
    const [only, ...others] = callsOf(parts);
    expect(others).toEqual([]);
    expect(only?.unreadable).toContain("larger than 1048576 bytes");
    expect(only?.arguments.length).toBeLessThan(70_000);
    expect(only?.arguments).toMatch(/<<<TOOL_CALL>>>.*bytes of this result are left out/);
    expect(textOf(parts)).toBe("");
  });

  test("whose end is missing is one too", async () => {
    const parts = await answer([text(`${S}\n{"name":"web`), stop], { toolProtocol: "smiley" });
    expect(callsOf(parts).map(({ name }) => name)).toEqual(["invalid_tool_call"]);
  });
});

test("a call that was mended says so, and a call of an unknown tool is a call", async () => {
  const mended = `${S}{"name":"web_search","arguments":{"query":"a",}}${S}`;
  const parts = await answer([text(`${mended}${render("smiley", "{}", "fly")}`), stop], {
    toolProtocol: "smiley",
  });
  expect(callsOf(parts)).toEqual([
    { id: "call_1", name: "web_search", arguments: '{"query":"a"}', notes: ["repaired"] },
    { id: "call_2", name: "fly", arguments: "{}" },
  ]);
});

test("thoughts beside a call are thoughts", async () => {
  const json = '{"thoughts":"I look.","tool_request":{"name":"web_search","parameters":{}}}';
  const parts = await answer([text(`\`\`\`json\n${json}\n\`\`\``), stop], { toolProtocol: "json" });
  expect(thoughtsOf(parts)).toBe("I look.");
  expect(callsOf(parts)).toEqual([{ id: "call_1", name: "web_search", arguments: "{}" }]);
});

describe("salvage around calls by the API", () => {
  const leaked = '<tool_call>\n{"name":"web_search","arguments":{"query":"x"}}\n</tool_call>';
  const countingSearch = { ...webSearch, inputSchema: tools[0]?.inputSchema ?? {} };
  const native: StreamPart = {
    type: "tool-call",
    call: { id: "toolu_1", name: "web_search", arguments: "{}" },
  };

  test.each(
    samples.filter(({ id }) => !/smiley|delimited|-xml$/.test(id) || /qwen|anthropic/.test(id)),
  )("a leaked call of $id is offered as salvaged", async ({ text: sample, found }) => {
    for (const toolProtocol of ["auto", "native"] as const) {
      const parts = await answer([text(sample), stop], { tools: [countingSearch], toolProtocol });
      const known = found.filter((item) => item.startsWith("web_search{"));
      const calls = callsOf(parts).filter(({ name }) => name === "web_search");
      expect(calls.map((call) => `web_search${call.arguments}`)).toEqual(known);
      for (const call of calls) expect(call.notes?.[0]).toBe("salvaged");
    }
  });

  test("the state of a response whose calls were in its text is left out", async () => {
    const state = { thinking: "x" };
    expect((await answer([text(leaked), { ...stop, state }])).at(-1)).toEqual({
      ...stop,
      reason: "tool-calls",
    });
    expect((await answer([text("Hi."), { ...stop, state }])).at(-1)).toEqual({ ...stop, state });
  });

  test("a call by the API makes all text text, in its place", async () => {
    const parts = await answer([text(`a ${leaked} b`), native, text(" c"), stop]);
    expect(callsOf(parts)).toEqual([native.call]);
    expect(outline(parts)).toEqual([
      `text a ${leaked} b`,
      "call toolu_1 {}",
      "text  c",
      "finish stop",
    ]);
  });

  test("is text in an answer that was cut, however large", async () => {
    const large = leaked.replace("x", "a".repeat(1_300_000));
    for (const [last, block] of [
      [length, leaked],
      [broken, leaked],
      [length, large],
    ] as const) {
      const parts = await answer([...cut(`a ${block} b`, [7000]), last]);
      expect(textOf(parts) === `a ${block} b`).toBe(true);
      expect(callsOf(parts)).toEqual([]);
    }
  });

  test.each([
    ["native-only", { toolProtocol: "native-only" }],
    ["no tools", { tools: [] }],
    ["tool_choice: none", { toolChoice: "none" }],
  ] as const)("costs nothing with %s: the parts are passed on as they are", async (_, change) => {
    const given = [text(leaked), stop];
    const parts = await answer(given, change);
    expect(parts).toHaveLength(2);
    parts.forEach((part, index) => {
      expect(part).toBe(given[index]);
    });
  });

  test("a tool that is not there is text", async () => {
    const other = leaked.replace("web_search", "fly");
    expect(textOf(await answer([text(other), stop]))).toBe(other);
  });
});

test("a model that imitates calls though no tools are offered shows nothing of them", async () => {
  const messages: readonly Message[] = turn;
  const parts = await answer([text(`Ok. ${render("smiley")}`), stop], {
    toolProtocol: "smiley",
    tools: [],
    messages,
  });
  expect(textOf(parts).trim()).toBe("Ok.");
  expect(callsOf(parts).map(({ name }) => name)).toEqual(["web_search"]);
  const wanted = { toolProtocol: "smiley", toolChoice: "none", messages } as const;
  expect(textOf(await answer([text(render("smiley")), stop], wanted))).toBe(render("smiley"));
});

/** vllm-project/vllm#39056: the server takes all for thoughts, and gives neither text nor a call. */
describe("a response that is thoughts alone", () => {
  const think = (piece: string): StreamPart => ({ type: "reasoning-delta", text: piece });
  const xml =
    "<tool_call>\n<function=web_search>\n<parameter=query>\nx\n</parameter>\n</function>\n</tool_call>";

  test("offers the calls that its thoughts end with, each to be looked at", async () => {
    for (const change of [{}, { toolProtocol: "smiley" as const }]) {
      const parts = await answer([think("I should "), think(`search.\n${xml}\n`), stop], change);
      expect(callsOf(parts)).toMatchObject([{ name: "web_search", notes: ["salvaged"] }]);
      expect(thoughtsOf(parts)).toContain(xml);
      expect(parts.at(-1)).toEqual({ ...stop, reason: "tool-calls" });
    }
  });

  test.each([
    ["that end in other words", [think(`Shall I write ${xml}? No.`), stop]],
    ["with text behind them", [think(xml), text("It is 5."), stop]],
    ["that were cut", [think(xml), length]],
    ["that broke off", [think(xml), broken]],
    ["about no tool", [think(xml.replace("web_search", "other")), stop]],
  ])("offers none: thoughts %s", async (_, parts) => {
    expect(callsOf(await answer(parts))).toEqual([]);
  });
});

describe("a tag of thoughts in the text that is never closed", () => {
  const call = render("hermes");

  test("hides no call at the end of the answer, and the user has to review it", async () => {
    for (const before of ["The <think> tag opens thoughts.\n\n", "I search.\n<think>\nHm.\n"]) {
      for (const sizes of [[1000], [1], [3, 7]]) {
        const parts = await answer([...cut(before + call, sizes), stop], {
          toolProtocol: "hermes",
        });
        expect(callsOf(parts)).toMatchObject([{ name: "web_search", notes: ["salvaged"] }]);
        expect(textOf(parts)).toBe(before + call);
      }
    }
  });

  test.each([
    ["that is closed", [text(`So: <think>${call}</think>\nNo.`), stop]],
    ["closed behind all", [text(`So: <think>${call}</think>`), stop]],
    ["with words behind the call", [text(`So: <think>${call} or not?`), stop]],
    ["in an answer that was cut", [text(`So: <think>${call}`), length]],
  ])("offers no call: thoughts %s", async (_, parts) => {
    expect(callsOf(await answer(parts, { toolProtocol: "hermes" }))).toEqual([]);
  });

  test("makes a call to be reviewed where an ordinary word is the tag", async () => {
    for (const [between, notes] of [
      ["<thought> tags. ", ["salvaged"]],
      ["<thought>Hm.</thought> ", undefined],
    ] as const) {
      const parts = await answer([text(`Use ${between}${call}`), stop], { toolProtocol: "hermes" });
      expect(callsOf(parts).map((found) => found.notes)).toEqual([notes]);
    }
  });
});
