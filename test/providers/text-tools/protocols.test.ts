import { describe, expect, test } from "vitest";
import { createKnownTools } from "../../../src/providers/text-tools/arguments/known-tools.ts";
import { openersOf } from "../../../src/providers/text-tools/forms/forms.ts";
import { detectableProtocols } from "../../../src/providers/text-tools/protocol-ids.ts";
import { textToolProtocols } from "../../../src/providers/text-tools/protocols.ts";
import { webSearch } from "../parts.ts";
import { callsOf, detect, S } from "./detect.ts";

const all = [...textToolProtocols.values()];

describe.each(all)("$id", (protocol) => {
  const prompt = protocol.systemPrompt([webSearch]);

  test("the prompt names each tool with its schema, and shows the form of renderCall", () => {
    expect(prompt).toContain("- Name: web_search\n  Description: Searches the web.");
    expect(prompt).toContain(JSON.stringify(webSearch.inputSchema));
    const example = protocol.renderCall({
      name: "tool_name",
      arguments: '{"argument": "value"}',
    });
    expect(prompt).toContain(`\n${example}\n`);
  });

  test("a model that follows the example is understood", () => {
    const opener = protocol.renderCall({ name: "x", arguments: "{}" }).split("\n")[0] ?? "";
    const example = prompt
      .slice(prompt.indexOf(`\n${opener}\n`))
      .replace("tool_name", "web_search");
    expect(callsOf(detect(protocol.id, example))).toEqual([
      { name: "web_search", arguments: '{"argument": "value"}' },
    ]);
  });

  test("arguments that are no object go out as raw", () => {
    const text = protocol.renderCall({ name: "web_search", arguments: '"a"' });
    expect(callsOf(detect(protocol.id, text))).toEqual([
      { name: "web_search", arguments: '{"raw":"\\"a\\""}' },
    ]);
  });

  test("several results are one text, and say which tool and whether it failed", () => {
    expect(
      protocol.renderResults([
        { name: "web_search", text: "a\nb" },
        { name: "mock.search", text: "not found", isError: true },
      ]),
    ).toBe(
      'Tool result: {"name":"web_search","result":"a\\nb"}\nTool result: {"name":"mock.search","error":"not found"}',
    );
  });
});

test("a result keeps no run of 14 smileys, with selectors between them or not", () => {
  const smiley = textToolProtocols.get("smiley");
  const text = `${S}{}${"😊\ufe0f".repeat(14)}`;
  const rendered = smiley?.renderResults([{ name: "a", text }]) ?? "";
  expect(rendered).not.toContain(S);
  expect(rendered.replaceAll("\u2060", "")).toContain(text);
});

test("a result keeps the opener of no form, but brackets and words of prose and code", () => {
  const protocols = [...detectableProtocols.keys()];
  const openers = openersOf(protocols, createKnownTools({ protocols, tools: [], asked: [] }));
  const kept = [...openers.keys()].filter((opener) =>
    all.some((one) => one.renderResults([{ name: "a", text: `x ${opener} y` }]).includes(opener)),
  );
  const place = "`harmlessResult` in protocols.ts breaks the others";
  expect(kept, place).toEqual(["😊", "{", "{{", "[", "functools", "<"]);
});
