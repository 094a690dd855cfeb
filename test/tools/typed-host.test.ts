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

function runOptions(signal = new AbortController().signal) {
  const said: string[] = [];
  return { signal, progress: (text: string) => void said.push(text), said };
}

function call(name = "echo", text = "{}") {
  return { id: "call_1", name, arguments: text };
}

describe("a host of typed tools", () => {
  it("lists the selected tools that have a run function, with a notice for one that has none", async () => {
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
    const options = runOptions();
    expect(await host.run(call(), options)).toEqual({
      status: "ok",
      text: '{"said":"hello"}',
      media: [],
    });
    expect(options.said).toEqual(["half"]);
  });

  it("does not run a call with an unknown tool or invalid arguments", async () => {
    let runs = 0;
    const host = createTypedToolHost([
      tool(() => {
        runs += 1;
      }),
    ]);
    const output = await host.run(call("echo", '{"text":1}'), runOptions());
    expect(output).toMatchObject({ status: "error", text: expect.stringContaining("`text`: ") });
    expect((await host.run(call("echo", "{"), runOptions())).text).toContain("not JSON");
    expect((await host.run(call("other"), runOptions())).text).toBe(
      'There is no tool "other". The tools are: echo.',
    );
    expect(runs).toBe(0);
  });

  it("reads the timeout again for each call", async () => {
    let timeoutMs = 1;
    let answer: (text: string) => void = () => {};
    const patient = tool(() => new Promise<string>((resolve) => (answer = resolve)));
    const host = createTypedToolHost([patient], { timeoutMs: () => timeoutMs });
    expect((await host.run(call(), runOptions())).status).toBe("timeout");
    timeoutMs = 60_000;
    const running = host.run(call(), runOptions());
    setTimeout(() => answer("there"), 30);
    expect((await running).status).toBe("ok");
  });

  it("returns the message of a tool that throws, and writes its stack only to the log", async () => {
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
      ).run(call(), runOptions());
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

  it("reports a return value that is not JSON", async () => {
    const host = createTypedToolHost([tool(() => () => 1)]);
    expect((await host.run(call(), runOptions())).text).toContain("a function, which is not JSON");
  });

  it("ends a stopped call at once, even when the tool ignores the signal", async () => {
    const stop = new AbortController();
    let received: AbortSignal | undefined;
    const host = createTypedToolHost([
      tool((_, { signal }) => {
        received = signal;
        stop.abort();
        return never();
      }),
    ]);
    expect(await host.run(call(), runOptions(stop.signal))).toMatchObject({ status: "cancelled" });
    expect(received?.aborted).toBe(true);
    const late = await host.run(call(), runOptions(stop.signal));
    expect(late).toMatchObject({ status: "cancelled", text: "Stopped before it was run." });
  });

  it("ends a running call when the host is closed", async () => {
    const host = createTypedToolHost([
      tool(() => {
        void host.close();
        return never();
      }),
    ]);
    expect(await host.run(call(), runOptions())).toMatchObject({ status: "cancelled" });
  });

  it("ends a call that exceeds the timeout without reporting progress", async () => {
    const host = createTypedToolHost([tool(never)], { timeoutMs: 20 });
    expect(await host.run(call(), runOptions())).toMatchObject({
      status: "timeout",
      text: expect.stringContaining("longer than 0.02 seconds"),
    });
  });

  it("ignores progress after the result", async () => {
    let progress = (_text: string) => {};
    const host = createTypedToolHost([
      tool((_, context) => {
        progress = context.progress;
      }),
    ]);
    const options = runOptions();
    await host.run(call(), options);
    progress("late");
    expect(options.said).toEqual([]);
  });

  it("rejects two tools with the same name", () => {
    expect(() => createTypedToolHost([tool(), tool()])).toThrow(ToolSchemaError);
  });
});

describe("validateArguments with a typed tool", () => {
  it("uses the tool's own checks, which may be stricter than its JSON Schema", async () => {
    const even = z.object({ n: z.int().refine((n) => n % 2 === 0, "must be even") });
    const strict = defineTool({ name: "half", description: "", input: even });
    const log = (text: string) => expect.unreachable(text);
    expect(await validateArguments(strict, '{"n":2}', log)).toBeNull();
    expect(await validateArguments(strict, '{"n":3}', log)).toContain("must be even, but it is 3.");
  });

  it("reports and logs a check that throws", async () => {
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
