import { describe, expect, it } from "vitest";
import { parseCommand, usageBelow, usageOf } from "../../src/cli/arguments.ts";

describe("the arguments of the command line", () => {
  it("name a model as in the header of a chat", () => {
    const model = "mock/file:/my chats/turns.json";
    expect(parseCommand(["preview", "a.md", "--model", model])).toMatchObject({ model });
  });

  it("are a command and its options, in any order", () => {
    expect(
      parseCommand(
        "run --approve web_search,a.b chat.md --max-steps 3 --model mock/file:x/y.json".split(" "),
      ),
    ).toMatchObject({
      name: "run",
      file: "chat.md",
      model: "mock/file:x/y.json",
      tools: null,
      config: null,
      approve: {
        words: [
          { pattern: "web_search", removes: false },
          { pattern: "a.b", removes: false },
        ],
        others: false,
      },
      maxSteps: 3,
    });
    expect(parseCommand(["preview", "--tools=mock", "--", "-odd.md"])).toMatchObject({
      name: "preview",
      file: "-odd.md",
      model: null,
      tools: "mock",
      config: null,
    });
    expect(parseCommand(["check", "a", "b"])).toEqual({
      name: "check",
      files: ["a", "b"],
      secrets: false,
    });
    expect(parseCommand(["run", "a"])).toMatchObject({ approve: "none", maxSteps: null });
    const limits = parseCommand(["run", "a", "--max-cost", "0.5", "--large-reference", "9"]);
    expect(limits).toMatchObject({ budget: { max_cost: 0.5, large_reference: 9 } });
    expect(parseCommand(["run", "a", "--approve", "all"])).toMatchObject({ approve: "all" });
    expect(parseCommand(["run", "-h"])).toEqual({ name: "help" });
    expect(parseCommand(["help"])).toEqual({ name: "help" });
    expect(parseCommand(["mcp", "check", "--config", "f"])).toEqual({
      name: "mcp",
      action: "check",
      config: "f",
    });
    expect(parseCommand(["mcp", "tools"])).toMatchObject({ action: "tools", server: null });
    expect(parseCommand(["mcp", "call", "a", "b", '{"c":1}'])).toMatchObject({
      server: "a",
      tool: "b",
      json: '{"c":1}',
    });
    expect(parseCommand(["export", "a"])).toEqual({
      name: "export",
      file: "a",
      format: "html",
      output: null,
    });
    expect(parseCommand(["export", "a", "--output", "-"])).toMatchObject({ output: null });
    expect(parseCommand(["--version"])).toEqual({ name: "version" });
  });

  it.each([
    ["", "a command is missing"],
    ["rum x", 'there is no command "rum"; did you mean run?'],
    ["run", "run takes exactly one FILE"],
    ["run a b", "run takes exactly one FILE"],
    ["preview", "preview takes exactly one FILE"],
    ["check", "check needs at least one FILE"],
    ["preview a --approve all", "preview takes no --approve"],
    ["export a --format pdf", "--format takes one of html, markdown"],
    ["check a --model x/y", "check takes no --model"],
    [
      "run a --model gpt-5.5",
      '--model: "gpt-5.5" is not the name of a model: write provider/model-id, such as openai/gpt-5.5',
    ],
    ["run a --max-steps 0", "--max-steps takes a whole number from 1"],
    ["run a --max-steps 1.5", "--max-steps takes a whole number from 1"],
    ["run a --max-cost 0", "--max-cost takes a number above 0"],
    ["run a --max-cost= ", "--max-cost takes a number above 0"],
    ["run a --max-input-tokens 1.5", "--max-input-tokens takes a whole number from 1"],
    ["run a --large-reference x", "--large-reference takes a whole number from 1"],
    ["run a --max-steps ten", "--max-steps takes a whole number from 1"],
    [
      "run a --approve a,,b",
      "--approve takes none, all, or servers, tools and server.tool, with commas between",
    ],
    ["run a --aprove all", "Unknown option '--aprove'"],
    ["run a --max-steps -1", "Option '--max-steps' argument is ambiguous"],
    ["help frob", 'there is no command "frob"'],
    ["frob --help", 'there is no command "frob"'],
    ["run a --model", "Option '--model <value>' argument missing"],
  ])("are rejected with the reason when they are invalid: %s", (words, message) => {
    expect(parseCommand(words.split(" ").filter((word) => word !== ""))).toEqual({
      name: "wrong",
      message,
    });
  });

  it("have a short usage message after a mistake, and help lines that are not too long", () => {
    for (const words of [[], ["frob"], ["run", "--bogus"], ["mcp"]]) {
      expect(usageBelow(words).split("\n").length).toBeLessThan(20);
    }
    expect(usageBelow(["frob"])).toContain("Commands: preview, run, check,");
    expect(
      usageOf([])
        .split("\n")
        .filter((line) => line.length > 90),
    ).toEqual([]);
  });

  it("are explained for the given command, or for all commands if it is unknown", () => {
    expect(usageOf(["run", "--bogus"])).toMatch(/^parley run FILE/);
    expect(usageOf(["help", "mcp"])).not.toContain("parley run");
    const names = /Commands: (.*?)\./.exec(usageBelow([]))?.[1]?.split(", ") ?? [];
    expect(names).toContain("mcp");
    for (const words of [[], ["frob"], ["constructor"]]) {
      const explained = usageOf(words).match(/^parley \w+/gm);
      expect([...new Set(explained)]).toEqual([...names, "help"].map((name) => `parley ${name}`));
    }
  });
});
