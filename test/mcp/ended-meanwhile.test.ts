/** Servers that the user stops or restarts, or whose configuration changes, while something waits for them. */
import { describe, expect, it } from "vitest";
import type { Server } from "../../src/mcp/server.ts";
import type { ServerStart } from "../../src/mcp/server-options.ts";
import { eventually } from "../support/eventually.ts";
import { call, configuration, start } from "../support/mcp-server.ts";

/** A server that waits in this place the first time, and is good the next. */
interface Waiting {
  readonly server: Server;
  /** Resolves once it has come there. */
  readonly isThere: () => Promise<unknown>;
}

function first(mode: string, then = "good"): ServerStart {
  const modes = [mode];
  return async () => configuration(modes.shift() ?? then);
}

const places: Readonly<Record<string, () => Promise<Waiting>>> = {
  async "while its configuration is found"() {
    let starts = 0;
    const { server } = start(async () => {
      starts += 1;
      return starts === 1 ? new Promise(() => {}) : configuration("good");
    });
    return { server, isThere: () => eventually(() => expect(starts).toBe(1)) };
  },
  async "while its next start is delayed"() {
    const { server } = start(first("exit"), { firstBackoffMs: 1900 });
    await server.tools(5000);
    return {
      server,
      isThere: () => eventually(() => expect(server.status().state).toBe("starting")),
    };
  },
  async "in its handshake"() {
    const { server } = start(first("silent-with-words"));
    return {
      server,
      isThere: () => eventually(() => expect(server.status().stderr).toMatch(/downloading/)),
    };
  },
  async "while it lists its tools"() {
    const { server } = start(first("no-list"));
    return { server, isThere: () => eventually(() => expect(server.status().state).toBe("ready")) };
  },
};

describe.each(Object.keys(places))("a server %s", (place) => {
  async function waiting() {
    const { server, isThere } = (await places[place]?.()) ?? expect.fail("It is in the table.");
    const listing = server.tools(15_000);
    await isThere();
    return { server, listing };
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
    const { server, listing } = await waiting();
    await Promise.all([server.stop(), server.restart(), server.restart()]);
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
    const { server } = start(first("silent-with-words"));
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
