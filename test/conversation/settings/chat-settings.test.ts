import { describe, expect, it } from "vitest";
import type { Configuration } from "../../../src/app/configuration/options.ts";
import { chatSettings } from "../../../src/conversation/settings/chat-settings.ts";
import { parseLines } from "../../../src/transcript/parse.ts";
import type { Header } from "../../../src/transcript/transcript.ts";
import { defaults } from "../../support/configuration.ts";

/** A header of these lines, without the `---` around them. */
function header(...lines: readonly string[]): Header {
  return parseLines(["---", ...lines, "---"]).header;
}

function read(lines: readonly string[], changes: Partial<Configuration> = {}) {
  return chatSettings(header(...lines), { ...defaults, ...changes });
}

describe("an agent", () => {
  const agents = {
    coder: { model: "openai/gpt-5.5", label: "Coder", tools: "builtin", temperature: 0 },
    poet: { system_prompt: "Rhyme.", reasoning_effort: "low" },
  } as const;

  it("is chosen by the header, whose other lines take precedence over it", () => {
    const { settings, problems } = read(["tools+: files", "agent: coder", "temperature: 1"], {
      agents,
      agent: "poet",
    });
    expect(problems).toEqual([]);
    expect(settings).toMatchObject({
      agent: "coder",
      label: "Coder",
      model: { provider: "openai", id: "gpt-5.5" },
      tools: "builtin, files",
      temperature: 1,
      system_prompt: defaults.system_prompt,
    });
  });

  it("is the configured one when the header has no agent line, and none with “agent: none”", () => {
    expect(read([], { agents, agent: "poet" }).settings).toMatchObject({
      agent: "poet",
      label: null,
      system_prompt: "Rhyme.",
      reasoning_effort: "low",
    });
    expect(read(["agent: none"], { agents, agent: "poet" }).settings.agent).toBeNull();
  });

  it.each(["cook", "toString"])("%s, which does not exist, is reported at its line", (name) => {
    const { settings, problems } = read(["topic: x", `agent: ${name}`], { agents });
    expect(settings.agent).toBeNull();
    expect(problems).toMatchObject([{ line: 2, message: expect.stringContaining("coder, poet") }]);
  });

  it("takes precedence over the settings of its model, which take precedence over the configuration", () => {
    const models = {
      "openai/gpt-5.5": { temperature: 2, top_p: 0.5, tool_protocol: "smiley" },
    } as const;
    const change = { agents, models, top_p: 1 } as const;
    expect(read(["agent: coder"], change).settings).toMatchObject({
      temperature: 0,
      top_p: 0.5,
      tool_protocol: "smiley",
    });
    expect(read(["model: openai/gpt-5.5"], change).settings.temperature).toBe(2);
    expect(read(["model: openai/gpt-5"], change).settings).toMatchObject({
      temperature: null,
      top_p: 1,
    });
  });
});

describe("the settings of a chat", () => {
  it("are cached for a header and its configuration", () => {
    const lines = ["temperature: 1", "max_tokens: x"];
    const one = header(...lines);
    const first = chatSettings(one, defaults);
    expect(chatSettings(one, defaults)).toBe(first);
    expect(chatSettings(header(...lines), defaults)).toEqual(first);
    const other = chatSettings(one, { ...defaults, system_prompt: "Rhyme." });
    expect(other.settings).toEqual({ ...first.settings, system_prompt: "Rhyme." });
    expect(chatSettings(one, defaults)).toEqual(first);
  });

  it("come from the configuration when the header is empty", () => {
    const { settings, problems } = read([], { model: "openai/gpt-5.5", tools: "mock" });
    expect(problems).toEqual([]);
    expect(settings).toMatchObject({
      topic: null,
      model: { provider: "openai", id: "gpt-5.5" },
      system_prompt: defaults.system_prompt,
      tools: "mock",
      tool_choice: null,
      max_full_exchanges: 42,
    });
  });

  it("come from the header where it sets them", () => {
    const { settings, problems } = read([
      "topic: prices",
      "tags: a, b c",
      "model: mock/file:/tmp/two words.json",
      "role: Be brief.\\nBe kind.",
      "tools: files, -files.write_file",
      "tool_choice: web_search",
      "parallel_tool_calls: false",
      "tool_protocol: native",
      "max_full_exchanges: 3",
      "max_tokens: 500",
      "reasoning_effort: high",
      "temperature: 0.2",
      "top_p: 0.9",
      "server_tools: web_search, code_execution",
      "rules: AGENTS.md",
      "unknown: kept",
    ]);
    expect(problems).toEqual([]);
    expect(settings).toEqual({
      ...read([]).settings,
      topic: "prices",
      tags: ["a", "b", "c"],
      model: { provider: "mock", id: "file:/tmp/two words.json" },
      system_prompt: "Be brief.\nBe kind.",
      tools: "files, -files.write_file",
      tool_choice: { tool: "web_search" },
      parallel_tool_calls: false,
      max_full_exchanges: 3,
      max_tokens: 500,
      reasoning_effort: "high",
      temperature: 0.2,
      top_p: 0.9,
      rules_files: ["AGENTS.md"],
      server_tools: ["web_search", "code_execution"],
      tool_protocol: "native",
    });
  });

  it.each([
    [["provider: openai", "model: gpt-5.5"], { provider: "openai", id: "gpt-5.5" }],
    [["model: openai/gpt-5.5", "provider: openai"], { provider: "openai", id: "gpt-5.5" }],
    [["provider: router", "model: openai/gpt-5.5"], { provider: "router", id: "openai/gpt-5.5" }],
  ])("take the model from the older pair %j", (lines, model) => {
    expect(read(lines)).toMatchObject({ settings: { model }, problems: [] });
  });

  it("append to the configured value with “+”", () => {
    const given = { system_prompt: "Be brief.", tools: "files" };
    const { settings } = read(
      ["system_prompt+: Be kind.", "tools+: mock", "tools+: -clock"],
      given,
    );
    expect(settings.system_prompt).toBe("Be brief.\nBe kind.");
    expect(settings.tools).toBe("files, mock, -clock");
    expect(read(["tools+: mock"]).settings.tools).toBe("*, mock");
  });

  it.each([
    "model: gpt-5.5",
    "model: ",
    "provider: openai",
    "tool_choice: two words",
    "parallel_tool_calls: yes",
    "tool_protocol: morse",
    "reasoning_effort: very",
    "temperature: 3",
    "top_p: 0",
    "max_full_exchanges: -1",
    "max_full_exchanges: many",
    "max_tokens: 0",
  ])("keep the configured value for the invalid %j and report it at its line", (line) => {
    const { settings, problems } = read(["topic: x", line], { model: "mock/demo" });
    expect(settings).toEqual({ ...read([], { model: "mock/demo" }).settings, topic: "x" });
    expect(problems).toHaveLength(1);
    expect(problems[0]).toMatchObject({ line: 2, level: "warning", code: "unusable-header-value" });
  });

  it.each([
    ["temperature: 3", /^"3" cannot be used as temperature: write a number from 0 to 2\. /],
    ["max_tokens: 1.5", /write a whole number/],
    ["topic: [a, b]", /^topic is one text, not a list\./],
    ["system_prompt:\n  a: b", /cannot be read as YAML \(it is a table/],
    ['system_prompt: "open', /It is used as written\.$/],
    ["modle: mock/demo", /^There is no setting modle; did you mean model\?$/],
  ])("explain what is wrong with %j", (text, message) => {
    const { problems } = read(text.split("\n"));
    expect(problems).toMatchObject([{ line: 1, message: expect.stringMatching(message) }]);
  });

  it.each(["file: x.md", "date: 2026-01-01", "aliases: [a]", "toString: 1", "cssclasses:\n  - a"])(
    "report nothing for keys of other programs: %j",
    (text) => {
      expect(read(text.split("\n")).problems).toEqual([]);
    },
  );

  it("can be multi-line texts and lists", () => {
    const lines = [
      "system_prompt: |",
      "  Be brief.",
      "  Never \\n.",
      "tools:",
      "- files",
      "- -mock",
    ];
    const { settings, problems } = read([...lines, "server_tools: [none]", "tags: [a, b]"]);
    expect(problems).toEqual([]);
    expect(settings).toMatchObject({
      system_prompt: "Be brief.\nNever \\n.",
      tools: "files, -mock",
      server_tools: [],
      tags: ["a", "b"],
    });
  });

  it("report an invalid word of `tools` and select no tool for it", () => {
    const { settings, problems } = read(["tools: a\u200bword"], { tools: "files" });
    expect(settings.tools).toBe("");
    expect(problems).toHaveLength(1);
  });
});
