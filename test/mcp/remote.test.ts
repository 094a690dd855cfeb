/** Servers behind an address, real ones. */
import { describe, expect, it, onTestFinished } from "vitest";
import { call, namesOf, start } from "../support/mcp-server.ts";
import { named, startProxy } from "../support/proxy-server.ts";
import { at, everything, freePort, modern, modernServer } from "../support/remote-server.ts";

describe("server-everything", () => {
  it("is used over Streamable HTTP", async () => {
    const remote = await everything("streamableHttp");
    const { server } = start(at(remote));
    expect(await namesOf(server)).toContain("echo");
    expect(await call(server, "echo", { message: "hi" })).toMatchObject({ text: "Echo: hi" });
    expect(server.status().state).toBe("ready");
  });

  it("is used over the older SSE, asked for or found out", async () => {
    const remote = await everything("sse");
    for (const transport of ["sse", "http"] as const) {
      const { server } = start(at(remote, "/sse", { transport }));
      expect(await namesOf(server)).toContain("echo");
      expect(await call(server, "echo", { message: "hi" })).toMatchObject({ text: "Echo: hi" });
    }
  });

  it("gets the call that a forgotten session refused, in a new session, once", async () => {
    const remote = await everything("streamableHttp");
    const { server } = start(at(remote));
    await namesOf(server);
    await remote.kill();
    await everything("streamableHttp", remote.port);
    const results = await Promise.all(
      ["one", "two"].map((message) => call(server, "echo", { message })),
    );
    expect(results.map(({ text }) => text)).toEqual(["Echo: one", "Echo: two"]);
    expect(server.status().state).toBe("ready");
  });

  it("that is gone ends its call with a sentence, and the call is not repeated", async () => {
    const remote = await everything("streamableHttp");
    const { server } = start(at(remote));
    await namesOf(server);
    let isRunning = () => {};
    const running = new Promise<void>((resolve) => {
      isRunning = resolve;
    });
    const args = { duration: 60, steps: 60 };
    const signal = new AbortController().signal;
    const long = server.call("trigger-long-running-operation", args, {
      signal,
      progress: () => isRunning(),
    });
    await running;
    await remote.kill();
    const result = await long;
    expect(result.status).toBe("error");
    expect(result.text).toContain("the call was not repeated. It is not known");
    const next = await call(server, "echo", { message: "hi" });
    expect(next.text).toMatch(/^The call was not made\. It could not be reached at http:\/\/127/);
    expect(server.status()).toMatchObject({ state: "failed" });
  });

  it("that is not there is named", async () => {
    const { server } = start(at({ port: await freePort() }));
    const { problems } = await server.tools(15_000);
    expect(problems.join()).toMatch(/It could not be reached at http:\/\/127\S+ \(ECONNREFUSED\)/);
  });

  it("is reached by way of the proxy of the environment", async () => {
    const proxy = await startProxy();
    const before = process.env.HTTP_PROXY;
    process.env.HTTP_PROXY = proxy.address;
    onTestFinished(async () => {
      if (before === undefined) delete process.env.HTTP_PROXY;
      else process.env.HTTP_PROXY = before;
      await proxy.close();
    });
    const remote = await everything("streamableHttp");
    const { server } = start({ ...at(remote), url: new URL(named(String(at(remote).url))) });
    expect(await call(server, "echo", { message: "hi" })).toMatchObject({ text: "Echo: hi" });
    expect(proxy.asked).toContain(`POST http://named.test:${remote.port}`);
  });
});

describe("a server of 2026-07-28", () => {
  const stdio = { command: process.execPath, args: [modernServer, "stdio", "serve"] };

  it("is spoken to in its own revision over HTTP, without being asked", async () => {
    const { server } = start(at(await modern()));
    expect(await namesOf(server)).toContain("era");
    expect(await call(server, "era")).toMatchObject({ text: "modern" });
  });

  it("tells that its tools changed", async () => {
    const { server } = start(at(await modern()));
    expect(await namesOf(server)).not.toContain("grown1");
    // Until the stream of changes is open, nothing is told.
    await expect
      .poll(
        async () => {
          await call(server, "grow");
          return namesOf(server);
        },
        { timeout: 10_000 },
      )
      .toContain("grown1");
  });

  it("is spoken to in the older one where that is configured", async () => {
    const { server } = start(at(await modern("stateless"), "/mcp", { protocol: "legacy" }));
    expect(await call(server, "era")).toMatchObject({ text: "legacy" });
  });

  it("is spoken to in its own revision over stdio, unless configured", async () => {
    const eraOf = async (more: object) =>
      (await call(start({ ...stdio, ...more }).server, "era")).text;
    expect(await eraOf({})).toBe("modern");
    expect(await eraOf({ protocol: "legacy" })).toBe("legacy");
    expect(await eraOf({ protocol: "2026-07-28" })).toBe("modern");
  });

  it("that is wanted and missing is reported", async () => {
    const remote = await everything("streamableHttp");
    const { server } = start(at(remote, "/mcp", { protocol: "2026-07-28" }));
    const { tools, problems } = await server.tools(15_000);
    expect(tools).toEqual([]);
    expect(problems).toHaveLength(1);
  });
});
