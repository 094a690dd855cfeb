import { describe, expect, it } from "vitest";
import { z } from "zod";
import { defineTool } from "../../src/tools/define-tool.ts";
import { validateArguments } from "../../src/tools/schema-validation.ts";
import { ToolSchemaError } from "../../src/tools/tool-errors.ts";
import { createTypedToolHost } from "../../src/tools/typed-host.ts";
import type { ToolContext } from "../../src/tools/typed-tool.ts";

const input = z.object({ text: z.string().default("hello") });

function tool(run?: (args: { text: string }, context: ToolContext) => unknown, name = "echo") {
  return defineTool({ name, description: "", input, ...(run === undefined ? {} : { run }) });
}

function never(): Promise<never> {
  return new Promise(() => {});
}

function how(signal = new AbortController().signal) {
  const said: string[] = [];
  return { signal, progress: (text: string) => void said.push(text), said };
}

function call(name = "echo", text = "{}") {
  return { id: "call_1", name, arguments: text };
}

describe("a host of typed tools", () => {
  it("lists those that a selection means and that can run", async () => {
    const host = createTypedToolHost([tool(({ text }) => text), tool(undefined, "outside")]);
    const names = async (selection: string | null) =>
      (await host.list(selection, "mock/demo")).tools.map(({ name }) => name);
    expect(await names(null)).toEqual(["echo"]);
    expect(await names("ec*")).toEqual(["echo"]);
    expect(await names("mock")).toEqual([]);
    expect(await names("-echo")).toEqual([]);
    expect((await host.list(null, "mock/demo")).notices).toEqual([
      "The tool outside has no run function, so it is left out.",
    ]);
    expect((await host.list("echo", "mock/demo")).notices).toEqual([]);
  });

  it("runs a call with checked arguments, defaults and progress", async () => {
    const host = createTypedToolHost([
      tool(({ text }, { progress }) => {
        progress("half");
        return { said: text };
      }),
    ]);
    const options = how();
    expect(await host.run(call(), options)).toEqual({
      status: "ok",
      text: '{"said":"hello"}',
      media: [],
    });
    expect(options.said).toEqual(["half"]);
  });

  it("runs nothing with arguments that do not fit", async () => {
    let runs = 0;
    const host = createTypedToolHost([
      tool(() => {
        runs += 1;
      }),
    ]);
    const output = await host.run(call("echo", '{"text":1}'), how());
    expect(output).toMatchObject({ status: "error", text: expect.stringContaining("`text`: ") });
    expect((await host.run(call("echo", "{"), how())).text).toContain("not JSON");
    expect((await host.run(call("other"), how())).text).toBe(
      'There is no tool "other". The tools are: echo.',
    );
    expect(runs).toBe(0);
  });

  it("asks for each call how long it may take, where that may change", async () => {
    let timeoutMs = 1;
    let answer: (text: string) => void = () => {};
    const patient = tool(() => new Promise<string>((resolve) => (answer = resolve)));
    const host = createTypedToolHost([patient], { timeoutMs: () => timeoutMs });
    expect((await host.run(call(), how())).status).toBe("timeout");
    timeoutMs = 60_000;
    const running = host.run(call(), how());
    setTimeout(() => answer("there"), 30);
    expect((await running).status).toBe("ok");
  });

  it("gives the message of what a tool throws, and its stack to the log alone", async () => {
    const logged: string[] = [];
    const log = (text: string) => void logged.push(text);
    const failing = (thrown: unknown) =>
      createTypedToolHost(
        [
          tool(async () => {
            throw thrown;
          }),
        ],
        { log },
      ).run(call(), how());
    expect(await failing(new Error("no network"))).toEqual({
      status: "error",
      text: "The tool echo failed: no network",
      media: [],
    });
    expect(logged.join()).toMatch(/tool echo: Error: no network\n\s+at /);
    expect((await failing("just a text")).text).toBe("The tool echo failed: just a text");
    expect((await failing(undefined)).text).toBe("The tool echo failed: undefined");
    expect((await failing(new TypeError())).text).toBe("The tool echo failed: TypeError");
  });

  it("says so when what came back is no JSON", async () => {
    const host = createTypedToolHost([tool(() => () => 1)]);
    expect((await host.run(call(), how())).text).toContain("a function, which is not JSON");
  });

  it("ends a call that is stopped at once, whether the tool heeds it or not", async () => {
    const stop = new AbortController();
    let told: AbortSignal | undefined;
    const host = createTypedToolHost([
      tool((_, { signal }) => {
        told = signal;
        stop.abort();
        return never();
      }),
    ]);
    expect(await host.run(call(), how(stop.signal))).toMatchObject({ status: "cancelled" });
    expect(told?.aborted).toBe(true);
    const late = await host.run(call(), how(stop.signal));
    expect(late).toMatchObject({ status: "cancelled", text: "Stopped before it was run." });
  });

  it("ends a call when it is closed", async () => {
    const host = createTypedToolHost([
      tool(() => {
        void host.close();
        return never();
      }),
    ]);
    expect(await host.run(call(), how())).toMatchObject({ status: "cancelled" });
  });

  it("ends a call that takes too long without a word", async () => {
    const host = createTypedToolHost([tool(never)], { timeoutMs: 20 });
    expect(await host.run(call(), how())).toMatchObject({
      status: "timeout",
      text: expect.stringContaining("longer than 0.02 seconds"),
    });
  });

  it("tells no progress after the result", async () => {
    let progress = (_text: string) => {};
    const host = createTypedToolHost([
      tool((_, context) => {
        progress = context.progress;
      }),
    ]);
    const options = how();
    await host.run(call(), options);
    progress("late");
    expect(options.said).toEqual([]);
  });

  it("cannot have two tools of one name", () => {
    expect(() => createTypedToolHost([tool(), tool()])).toThrow(ToolSchemaError);
  });
});

describe("before a call is shown", () => {
  it("a typed tool is asked by its own rules, which may be more than its schema", async () => {
    const even = z.object({ n: z.int().refine((n) => n % 2 === 0, "must be even") });
    const strict = defineTool({ name: "half", description: "", input: even });
    const log = (text: string) => expect.unreachable(text);
    expect(await validateArguments(strict, '{"n":2}', log)).toBeNull();
    expect(await validateArguments(strict, '{"n":3}', log)).toContain("must be even, but it is 3.");
  });

  it("a rule that throws blocks the call and is logged", async () => {
    const logged: string[] = [];
    const odd = z.object({
      n: z.int().refine(() => {
        throw new Error("broken rule");
      }),
    });
    const strict = defineTool({ name: "half", description: "", input: odd });
    const sentence = await validateArguments(strict, '{"n":3}', (text) => logged.push(text));
    expect(sentence).toBe("The arguments of half could not be checked: broken rule");
    expect(logged.join()).toMatch(/broken rule\n\s+at /);
  });
});
