/** Servers that the user stops or restarts, or whose configuration changes, while something waits for them. */
import { describe, expect, it, vi } from "vitest";
import type { Server } from "../../src/mcp/server.ts";
import { eventually } from "../support/eventually.ts";
import { call, configuration, start } from "../support/mcp-server.ts";

/** A server that waits in this place the first time, and is good the next. */
interface Waiting {
  readonly server: Server;
  /** How often it was started so far. */
  readonly starts: () => number;
  /** Resolves once it has come there. */
  readonly isThere: () => Promise<unknown>;
}

function first(mode: string) {
  const modes = [mode];
  const begin = vi.fn(async () => configuration(modes.shift() ?? "good"));
  return { begin, starts: () => begin.mock.calls.length };
}

const places: Readonly<Record<string, () => Promise<Waiting>>> = {
  async "while its configuration is found"() {
    const { begin, starts } = first("good");
    begin.mockImplementationOnce(() => new Promise(() => {}));
    const { server } = start(begin);
    return { server, starts, isThere: () => eventually(() => expect(starts()).toBe(1)) };
  },
  async "while its next start is delayed"() {
    const { begin, starts } = first("exit");
    const { server } = start(begin, { firstBackoffMs: 1900 });
    await server.tools(5000);
    return {
      server,
      starts,
      isThere: () => eventually(() => expect(server.status().state).toBe("starting")),
    };
  },
  async "in its handshake"() {
    const { begin, starts } = first("silent-with-words");
    const { server } = start(begin);
    return {
      server,
      starts,
      isThere: () => eventually(() => expect(server.status().stderr).toMatch(/downloading/)),
    };
  },
  async "while it lists its tools"() {
    const { begin, starts } = first("no-list");
    const { server } = start(begin);
    return {
      server,
      starts,
      isThere: () => eventually(() => expect(server.status().state).toBe("ready")),
    };
  },
};

describe.each(Object.keys(places))("a server %s", (place) => {
  async function waiting() {
    const { server, starts, isThere } =
      (await places[place]?.()) ?? expect.fail("It is in the table.");
    const listing = server.tools(15_000);
    await isThere();
    return { server, starts, listing };
  }

  it("that the user stops is not waited for, and nothing more is said", async () => {
    const { server, listing } = await waiting();
    await server.stop();
    expect(await listing).toEqual({ tools: [], problems: [] });
  });

  it("that is restarted is waited for", async () => {
    const { server, listing } = await waiting();
    await server.restart();
    expect(await listing).toMatchObject({ tools: [{ name: "echo" }, {}], problems: [] });
  });

  it("that is stopped and restarted at once starts once", async () => {
    const { server, starts, listing } = await waiting();
    const before = starts();
    await Promise.all([server.stop(), server.restart(), server.restart()]);
    expect(starts()).toBe(before + 1);
    expect((await listing).problems).toEqual([]);
    expect(server.status().state).toBe("ready");
  });

  it("whose configuration changes says so", async () => {
    const { server, listing } = await waiting();
    await server.retire();
    const problems = ["It could not be used. Its configuration changed or was removed."];
    expect(await listing).toEqual({ tools: [], problems });
  });
});

describe("a call to a server that has not started yet", () => {
  it("says who stopped it", async () => {
    const { server } = start("silent-with-words");
    const called = call(server, "echo");
    await eventually(() => expect(server.status().stderr).toMatch(/downloading/));
    await server.stop();
    expect(await called).toMatchObject({
      status: "error",
      text: "The call was not made: the MCP server bad could not be started. It was stopped; :Parley mcp restart bad starts it.",
    });
  });

  it("is made once it was restarted", async () => {
    const { server } = start(first("silent-with-words").begin);
    const called = call(server, "echo", { text: "hi" });
    await eventually(() => expect(server.status().stderr).toMatch(/downloading/));
    await server.restart();
    expect(await called).toMatchObject({ status: "ok", text: "hi" });
  });
});

it("a request for prompts that a stop ends says so", async () => {
  const { server } = start("no-list");
  const catalog = await server.catalog(new AbortController().signal);
  const prompts = catalog.prompts().catch((error: Error) => error.message);
  await eventually(() => expect(server.status().stderr).toMatch(/asked for prompts/));
  await server.stop();
  expect(await prompts).toBe("The server was closed before it answered.");
});
