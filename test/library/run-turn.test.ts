import { describe, expect, it } from "vitest";
import { z } from "zod";
import type { Message, ToolResultPart } from "../../src/conversation/ports.ts";
import { type Model, openModel } from "../../src/library/open-model.ts";
import { runTurn } from "../../src/library/run-turn.ts";
import type { TurnOptions } from "../../src/library/turn-options.ts";
import { defineTool } from "../../src/tools/define-tool.ts";
import { ToolArgumentError } from "../../src/tools/tool-errors.ts";
import { parseArguments } from "../../src/tools/typed-tool.ts";
import { type Api, startModelServer } from "../support/model-server.ts";
import { playing } from "./playing.ts";

const question: Message = { role: "user", content: [{ type: "text", text: "go" }] };

const double = defineTool({
  name: "double",
  description: "Doubles a number.",
  input: z.object({ n: z.int() }),
  run: ({ n }) => String(2 * n),
});

function call(id: string, args: unknown, name = "double") {
  return { id, name, arguments: args };
}

function run(model: Model, options: Partial<TurnOptions> = {}) {
  return runTurn({ model, messages: [question], tools: [double], approve: () => true, ...options });
}

function results(messages: readonly Message[]): readonly ToolResultPart[] {
  return messages.flatMap((message) => (message.role === "tool" ? message.results : []));
}

function texts(messages: readonly Message[]): readonly string[] {
  return results(messages).flatMap(({ content }) =>
    content.map((part) => (part.type === "text" ? part.text : part.mime)),
  );
}

describe("a turn", () => {
  it("asks the model, runs the approved calls, and repeats until the model answers", async () => {
    const model = playing(
      { text: "both", calls: [call("a", { n: 1 }), call("b", { n: 2 })] },
      { calls: [call("c", { n: 4 })] },
      { text: "8" },
    );
    const said: string[] = [];
    const turn = await run(model, { onText: (text) => void said.push(text) });
    expect(turn).toMatchObject({ end: "done", failure: null, pending: [], last: { text: "8" } });
    expect(turn.messages.map(({ role }) => role)).toEqual([
      "user",
      "assistant",
      "tool",
      "assistant",
      "tool",
      "assistant",
    ]);
    expect(texts(turn.messages)).toEqual(["2", "4", "8"]);
    expect(said.join("")).toBe("both8");
    expect(turn.usage.input).toBeGreaterThan(0);
    for (const [index, { messages }] of model.asked.entries()) {
      expect(turn.messages.slice(0, messages.length)).toEqual(messages);
      expect(messages).toHaveLength(1 + 2 * index);
    }
  });

  it("asks for approval of every call before any runs, with the arguments that the tool gets", async () => {
    const log: string[] = [];
    const tool = defineTool({
      name: "double",
      description: "",
      input: z.object({ n: z.int().default(7) }),
      run: ({ n }) => void log.push(`run ${n}`),
    });
    const model = playing({ calls: [call("a", {}), call("b", { n: 2 })] }, { text: "ok" });
    await run(model, {
      tools: [tool],
      approve: async ({ id, arguments: args }) => {
        log.push(`ask ${id} ${JSON.stringify(args)}`);
        return true;
      },
    });
    expect(log).toEqual(['ask a {"n":7}', 'ask b {"n":2}', "run 7", "run 2"]);
  });

  it("answers calls that cannot run with an error, without asking, and runs the others", async () => {
    const asked: string[] = [];
    const model = playing(
      {
        calls: [
          call("a", '{"n":'),
          call("b", { n: "1" }),
          call("c", {}, "triple"),
          call("d", { n: 3 }),
        ],
      },
      { text: "ok" },
    );
    const { messages, end } = await run(model, {
      approve: ({ id }) => {
        asked.push(id);
        return true;
      },
    });
    expect(asked).toEqual(["d"]);
    expect(end).toBe("done");
    expect(results(messages).map(({ callId, isError }) => [callId, isError])).toEqual([
      ["a", true],
      ["b", true],
      ["c", true],
      ["d", false],
    ]);
    const [syntax, field, unknown, six] = texts(messages);
    expect(syntax).toMatch(/not a JSON object \(.* at line 1, column 6\)/);
    expect(field).toContain("`n`: ");
    expect(unknown).toBe('There is no tool "triple". The tools are: double.');
    expect(six).toBe("6");
  });

  it("neither runs nor asks about a tool that the request did not offer", async () => {
    const asked: string[] = [];
    const calls = [call("a", { n: 1 })];
    const model = playing({ calls }, { calls }, { text: "ok" });
    const { messages } = await run(model, {
      approve: ({ id }) => asked.push(id) > 0,
      prepareStep: ({ number }) => (number === 1 ? { activeTools: [] } : undefined),
    });
    expect(asked).toEqual(["a"]);
    expect(texts(messages)).toEqual([
      'There is no tool "double": no tools are offered here. Answer without.',
      "2",
    ]);
  });

  it("does not run declined calls, gives the model the reason, and takes invalid decisions as refusals", async () => {
    let runs = 0;
    const tool = defineTool({
      name: "double",
      description: "",
      input: z.object({}),
      run: () => {
        runs += 1;
      },
    });
    const model = playing({ calls: [call("a", {}), call("b", {})] }, { text: "ok" });
    const { messages } = await run(model, {
      tools: [tool],
      approve: ({ id }) => (id === "a" ? false : { deny: "too late" }),
    });
    expect(runs).toBe(0);
    expect(texts(messages)).toEqual(["declined by the user", "declined by the user: too late"]);
    expect(results(messages).every(({ isError }) => isError)).toBe(true);

    for (const odd of [{ deny: " " }, {}, "yes", 1] as { deny: string }[]) {
      const again = playing({ calls: [call("a", {})] }, { text: "ok" });
      const turn = await run(again, { tools: [tool], approve: () => odd });
      expect([runs, texts(turn.messages)]).toEqual([0, ["declined by the user"]]);
    }
  });

  it("runs many calls in parallel without a Node warning", async () => {
    const warned: string[] = [];
    const onWarning = ({ name }: Error) => void warned.push(name);
    process.on("warning", onWarning);
    const calls = Array.from({ length: 30 }, (_, index) => call(`c${index}`, { n: index }));
    const { signal } = new AbortController();
    const turn = await run(playing({ calls }, { text: "ok" }), { signal });
    await new Promise((resolve) => setImmediate(resolve));
    process.off("warning", onWarning);
    expect(texts(turn.messages)).toHaveLength(30);
    expect(warned).toEqual([]);
  });

  it("reports a schema check that throws to the model, and its stack to the log", async () => {
    const logged: string[] = [];
    const rule = (): boolean => {
      throw new Error("broken rule");
    };
    const tool = defineTool({
      name: "double",
      description: "",
      input: z.object({ n: z.int().refine(rule) }),
      run: () => expect.unreachable(),
    });
    const model = playing({ calls: [call("a", { n: 1 })] }, { text: "ok" });
    const log = (text: string) => void logged.push(text);
    const { messages } = await run(model, { tools: [tool], log });
    expect(texts(messages)).toEqual(["The arguments of double could not be checked: broken rule"]);
    expect(logged.join()).toMatch(/broken rule\n\s+at /);
    const one = { id: "a", name: "double", arguments: '{"n":1}' };
    await expect(parseArguments(tool, one)).rejects.toBeInstanceOf(ToolArgumentError);
  });

  it("sends the model the message of a tool that throws, and its stack to the log", async () => {
    const tool = defineTool({
      name: "double",
      description: "",
      input: z.object({}),
      run: () => {
        throw new Error("no network");
      },
    });
    const logged: string[] = [];
    const model = playing({ calls: [call("a", {})] }, { text: "ok" });
    const { messages } = await run(model, { tools: [tool], log: (text) => void logged.push(text) });
    expect(texts(messages)).toEqual(["The tool double failed: no network"]);
    expect(logged.join()).toContain("    at ");
  });

  it("ends after maxSteps with a result for every call", async () => {
    const model = playing({ calls: [call("a", { n: 1 })] }, { calls: [call("b", { n: 2 })] });
    const turn = await run(model, { maxSteps: 2 });
    expect(turn).toMatchObject({ end: "max-steps", failure: null });
    expect(texts(turn.messages)).toEqual(["2", "4"]);
  });

  it("rejects an invalid maxSteps or toolTimeoutMs", async () => {
    const model = playing({ text: "ok" });
    await expect(run(model, { maxSteps: Number.NaN })).rejects.toThrow("maxSteps is not a number");
    await expect(run(model, { toolTimeoutMs: 0 })).rejects.toThrow("toolTimeoutMs is not");
  });

  it.each([
    [{ messages: "hello" }, "messages is not a list of texts and messages."],
    [{ messages: ["hello", { role: "user", content: "hello" }] }, "look at messages[1]"],
    [{ messages: [{ role: "user", content: [{ type: "text" }] }] }, "messages[0].content[0]"],
    [
      { messages: [{ role: "user", content: [{ type: "image", url: "https://x.test" }] }] },
      "messages[0].content[0]",
    ],
    [
      { messages: ["hi", { role: "assistant", content: [{ type: "tool-call", id: "a" }] }] },
      "messages[1].content[0]",
    ],
    [{ messages: [{ role: "tool", results: [{ content: [] }] }] }, "messages[0].results[0]"],
    [{ tools: undefined }, "tools is not a list"],
    [{ tools: [null] }, "tools[0] is not a tool"],
    [{ tools: [{ type: "function", function: { name: "f" } }] }, "tools[0] is not a tool"],
    [{ model: null }, "model is neither"],
    [{ model: { id: "gpt-4.1" } }, "model is neither"],
  ])("rejects invalid options of a program without types: %j", async (options, message) => {
    const wrong = options as unknown as { messages: readonly string[] };
    await expect(run(playing({ text: "ok" }), wrong)).rejects.toThrow(message);
  });

  it("waits for a tool without a limit when toolTimeoutMs is infinite", async () => {
    const model = playing({ calls: [call("a", { n: 1 })] }, { text: "ok" });
    const wait = () => new Promise<string>((resolve) => setTimeout(resolve, 20, "late"));
    const tool = defineTool({ name: "double", description: "", input: z.object({}), run: wait });
    const turn = await run(model, { tools: [tool], toolTimeoutMs: Number.POSITIVE_INFINITY });
    expect(texts(turn.messages)).toEqual(["late"]);
  });

  it("shows an object that a tool throws as JSON", async () => {
    const model = playing({ calls: [call("a", {})] }, { text: "ok" });
    const tool = defineTool({
      name: "double",
      description: "",
      input: z.object({}),
      run: () => {
        throw { code: 5 };
      },
    });
    const turn = await run(model, { tools: [tool] });
    expect(texts(turn.messages)).toEqual(['The tool double failed: {"code":5}']);
  });

  it("counts failed steps from zero again after a call that could run", async () => {
    const wrong = { calls: [call("a", { n: "no number" })] };
    const model = playing(
      wrong,
      wrong,
      { calls: [call("b", { n: 1 })] },
      wrong,
      wrong,
      wrong,
      wrong,
    );
    const turn = await run(model);
    expect(turn).toMatchObject({ end: "max-steps", failure: null });
    expect(turn.steps).toHaveLength(7);
  });

  it("returns calls of tools without a run function as pending, with the results of the others", async () => {
    const outside = defineTool({ name: "outside", description: "", input: z.object({}) });
    const model = playing({ calls: [call("a", {}, "outside"), call("b", { n: 1 })] });
    const turn = await run(model, { tools: [outside, double] });
    expect(turn).toMatchObject({ end: "pending", pending: [{ id: "a", name: "outside" }] });
    expect(results(turn.messages).map(({ callId }) => callId)).toEqual(["b"]);
  });

  it("keeps the history when the model fails", async () => {
    const failing = { text: "half", error: { kind: "overloaded", message: "Later." } };
    const turn = await run(playing({ calls: [call("a", { n: 1 })] }, failing));
    expect(turn).toMatchObject({
      end: "failed",
      failure: { kind: "overloaded" },
      last: { text: "half" },
    });
    expect(turn.messages.map(({ role }) => role)).toEqual(["user", "assistant", "tool"]);
  });

  it("stops while a tool runs, and leaves no call without a result", async () => {
    const abort = new AbortController();
    const tool = defineTool({
      name: "double",
      description: "",
      input: z.object({}),
      run: () => {
        abort.abort();
        return new Promise(() => {});
      },
    });
    const model = playing({ calls: [call("a", {})] }, { text: "never" });
    const turn = await run(model, { tools: [tool], signal: abort.signal });
    expect(turn.end).toBe("stopped");
    expect(texts(turn.messages)).toEqual([expect.stringContaining("stopped")]);
    expect(model.asked).toHaveLength(1);
  });

  it("stops while an approval is pending, and runs no call", async () => {
    const abort = new AbortController();
    const model = playing({ calls: [call("a", { n: 1 }), call("b", { n: 2 })] });
    const turn = await run(model, {
      signal: abort.signal,
      approve: () => {
        abort.abort();
        return new Promise(() => {});
      },
    });
    expect(turn.end).toBe("stopped");
    expect(texts(turn.messages)).toEqual(["not executed", "not executed"]);
  });

  it("sends toolChoice only with the first request", async () => {
    for (const toolChoice of ["required", { tool: "double" }] as const) {
      const model = playing({ calls: [call("a", { n: 1 })] }, { text: "ok" });
      await run(model, { toolChoice });
      expect(model.asked.map((request) => request.toolChoice)).toEqual([toolChoice, "auto"]);
    }
  });
});

describe.each<[Api, string]>([
  ["openai", "gpt-5.5"],
  ["anthropic", "claude-sonnet-5-5"],
])("a turn with the %s API", (provider, id) => {
  it("sends a history that the vendor accepts", async () => {
    const server = await startModelServer({
      turns: [
        {
          text: "I calculate.",
          calls: [
            { id: "call_1", name: "double", arguments: '{"n":21}' },
            { id: "call_2", name: "double", arguments: '{"n":"x"}' },
          ],
        },
        { text: "It is 42." },
      ],
    });
    try {
      const model = openModel(`${provider}/${id}`, { environment: server.environment });
      const turn = await run(model);
      expect(turn).toMatchObject({ end: "done", failure: null, last: { text: "It is 42." } });
      expect(texts(turn.messages)).toEqual(["42", expect.stringContaining("`n`: ")]);
    } finally {
      await server.close();
    }
  });
});
