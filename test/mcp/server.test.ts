import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { createClientFeatures } from "../../src/mcp/asking/client-features.ts";
import { serverEnvironment } from "../../src/mcp/transport/environment.ts";
import { eventually } from "../support/eventually.ts";
import {
  badServer,
  call,
  configuration,
  namesOf,
  noFeatures,
  start,
} from "../support/mcp-server.ts";
import { processesWith } from "../support/processes.ts";

describe("the tools of a server", () => {
  it("come with description, schema and claims", async () => {
    const { server } = start("good");
    const { tools, problems } = await server.tools(15_000);
    expect(problems).toEqual([]);
    expect(tools[0]).toEqual({
      name: "echo",
      description: "does echo",
      inputSchema: { type: "object", properties: { text: { type: "string" } } },
      annotations: { readOnlyHint: true },
    });
  });

  it("are read from all pages", async () => {
    const { server } = start("pages");
    expect(await namesOf(server)).toEqual(["page0", "page1", "page2"]);
  });

  it("end at a cursor that comes again", async () => {
    const { server } = start("looping");
    expect(await namesOf(server)).toEqual(["page1", "page2"]);
  });

  it("lose only those that are invalid", async () => {
    const { server } = start("invalid");
    const { tools, problems } = await server.tools(15_000);
    expect(tools.map((tool) => tool.name)).toEqual(["good", "odd"]);
    expect(problems).toEqual([
      "Its tool no_schema has no schema for its arguments and is left out.",
      "Its tool number 3 has no name and is left out.",
      "Its tool number 4 is not an object and is left out.",
      "Its tool good is listed twice; the first one is used.",
      "Its tool as_task runs only as a task, which is not supported, and is left out.",
    ]);
  });

  it("are none, without a message, if the server knows no tools", async () => {
    const { server } = start("no-tools");
    expect(await server.tools(15_000)).toEqual({ tools: [], problems: [] });
  });

  it("are read once, and again when the server says that they changed", async () => {
    const { server } = start("growing");
    expect(await namesOf(server)).toEqual(["tool0"]);
    expect(await namesOf(server)).toEqual(["tool0"]);
    await call(server, "grow");
    await eventually(async () => expect(await namesOf(server)).toEqual(["tool0", "tool1"]));
  });

  it("are found behind noise on both outputs", async () => {
    const { server, logged } = start("noisy");
    expect(await namesOf(server)).toEqual(["echo", "a.b/c d"]);
    expect(logged[0]).toBe('MCP server bad: Not a JSON-RPC message: "Welcome!"');
    expect(logged.length).toBe(21);
    expect((await call(server, "echo", { text: "hi" })).text).toBe("hi");
  });
});

describe("a server that does not start", () => {
  it("is explained by the missing command", async () => {
    const { server } = start({ command: "no-such-command-anywhere" });
    const { problems } = await server.tools(15_000);
    expect(problems[0]).toContain("Its command no-such-command-anywhere was not found on PATH (");
  });

  it("is explained by a command line that is written as one program", async () => {
    const { server } = start({ command: "npx-that-is-missing -y @x/y", args: ["/notes"] });
    expect((await server.tools(15_000)).problems[0]).toContain(
      'was not found. A command is one program, and its words go into args: write "command": "npx-that-is-missing", "args": ["-y", "@x/y", …], or correct the path.',
    );
  });

  it.each(["by its path", "on PATH"])(
    "is explained by the missing interpreter of its script, found %s",
    async (place) => {
      const folder = await mkdtemp(join(tmpdir(), "parley-script-"));
      onTestFinished(() => rm(folder, { recursive: true }));
      const script = join(folder, "mcp-server");
      await writeFile(script, "#!/moved/.venv/bin/python3\nimport server\n", { mode: 0o755 });
      const { server } = start(
        place === "on PATH"
          ? { command: "mcp-server", env: { PATH: `/no/such/folder:${folder}` } }
          : { command: script },
      );
      expect((await server.tools(15_000)).problems[0]).toMatch(
        /mcp-server runs by \/moved\/.venv\/bin\/python3, as its first line says, and that was not found; install/,
      );
    },
  );

  it("is explained by the missing folder, not by the command", async () => {
    const { server } = start(configuration("good", { cwd: "/no/such/folder" }));
    expect((await server.tools(15_000)).problems).toEqual([
      "It could not be used. Its working folder /no/such/folder does not exist; correct `cwd`.",
    ]);
  });

  it("is explained by what it wrote to stderr", async () => {
    const { server, logged } = start("exit");
    const { problems } = await server.tools(15_000);
    expect(problems).toEqual([
      "It could not be used. It ended with exit code 3. It gets PATH, HOME and the like, and no keys: name what it needs in env or envPass. Its last lines on stderr:\nno license found",
    ]);
    expect(logged.join("\n")).toContain("no license found");
  });

  it("does not give away what its environment holds", async () => {
    const { server } = start(configuration("print-secret", { env: { SERVER_TOKEN: "tok-12345" } }));
    const [problem] = (await server.tools(15_000)).problems;
    expect(problem).toContain("token is [hidden]");
  });

  it("fails its calls with the reason", async () => {
    const { server } = start("exit");
    const output = await call(server, "echo");
    expect(output.status).toBe("error");
    expect(output.text).toContain("The call was not made");
    expect(output.text).toContain("no license found");
  });

  it("is explained by a protocol of another time, and its process is gone", async () => {
    const marker = `future-${process.pid}`;
    const { server } = start(configuration("future", { args: [badServer, "future", marker] }));
    const { problems } = await server.tools(15_000);
    expect(problems[0]).toMatch(/protocol version.*2099-01-01/i);
    await eventually(() => expect(processesWith(marker)).toEqual([]));
  });

  it("is given up after the time for connecting, and its process is gone", async () => {
    const marker = `silent-${process.pid}`;
    const { server } = start(configuration("silent", { args: [badServer, "silent", marker] }), {
      startTimeoutMs: 400,
    });
    const { problems } = await server.tools(15_000);
    expect(problems).toEqual(["It could not be used. It did not answer within 0.4 s."]);
    await eventually(() => expect(processesWith(marker)).toEqual([]));
  });

  it("holds nobody longer than asked while it starts, and the next one not at all", async () => {
    const { server } = start("silent");
    const { tools, problems } = await server.tools(50);
    expect(tools).toEqual([]);
    expect(problems[0]).toContain("so its tools are missing from this answer");
    expect(await server.tools(60_000)).toMatchObject({
      tools,
      problems: [expect.stringMatching(/^It is still starting/)],
    });
  });

  it("has its tools listed once it is ready", async () => {
    const { server } = start("good");
    expect((await server.tools(0)).tools).toEqual([]);
    await eventually(async () => expect(await namesOf(server)).toContain("echo"));
  });

  it("is explained when it answers no request for its tools", async () => {
    const { server, logged } = start("no-list", { connectTimeoutMs: 3000 });
    expect((await server.tools(15_000)).problems).toEqual([
      "It could not be used. Its tools could not be listed. It did not answer within 3 s.",
    ]);
    expect(logged).toEqual([]);
    expect(server.status().problem).toMatch(/^Its tools could not be listed/);
  });

  it("that lists its tools too late and then not at all is reported, and not as one that starts", async () => {
    const told: string[] = [];
    const notify = (_: string, text: string) => void told.push(text);
    const features = createClientFeatures({ ...noFeatures, notify });
    const { server } = start("no-list", { connectTimeoutMs: 300, features });
    expect((await server.tools(0)).problems[0]).toMatch(/^It is still starting/);
    await eventually(() => expect(told).toHaveLength(1));
    expect(told[0]).toMatch(/^MCP server bad could not be used. Its tools could not be listed/);
    expect((await server.tools(0)).problems[0]).toMatch(/^It could not be used. Its tools/);
  });

  it("that starts too late and ends when it is asked for its tools is reported once", async () => {
    const told: string[] = [];
    const notify = (_: string, text: string) => void told.push(text);
    const features = createClientFeatures({ ...noFeatures, notify });
    const { server } = start("crash-on-list", { features });
    expect((await server.tools(0)).problems[0]).toMatch(/^It is still starting/);
    await eventually(() => expect(server.status().state).toBe("failed"));
    await eventually(() => expect(told).toHaveLength(1));
    expect(told[0]).toMatch(/^MCP server bad could not be used. It ended with exit code 9/);
  });
});

describe("a server that crashes", () => {
  it("fails its calls with its last words, repeats none, and runs again for the next", async () => {
    const folder = await mkdtemp(join(tmpdir(), "parley-crash-"));
    onTestFinished(() => rm(folder, { recursive: true, force: true }));
    const file = join(folder, "calls");
    const { server } = start("good");
    await server.tools(15_000);
    const [crash, hang] = await Promise.all([
      call(server, "crash", { file }),
      call(server, "hang"),
    ]);
    expect(crash.status).toBe("error");
    expect(crash.text).toBe(
      "The server ended during the call, which was not repeated. It is not known whether it had " +
        "an effect. It ended with exit code 9. Its last lines on stderr:\nout of memory\n" +
        "unfinished line",
    );
    expect(hang.status).toBe("error");
    expect((await call(server, "echo", { text: "again" })).text).toBe("again");
    expect(await readFile(file, "utf8")).toBe("called\n");
  });

  it("runs again when it was killed while nothing ran", async () => {
    const { server } = start("good");
    const first = (await call(server, "process")).text;
    process.kill(Number(first), "SIGKILL");
    await eventually(async () => {
      const output = await call(server, "process");
      expect(output.status).toBe("ok");
      expect(output.text).not.toBe(first);
    });
  });
});

describe("the environment of a server", () => {
  it("is the safe set and what is configured", async () => {
    vi.stubEnv("OPENAI_API_KEY", "sk-of-ours");
    onTestFinished(() => void vi.unstubAllEnvs());
    const { server } = start(configuration("good", { env: { CITY: "Bern" } }));
    const environment = JSON.parse((await call(server, "environment")).text);
    const given = serverEnvironment({ CITY: "Bern" });
    expect(environment).toEqual({ ...given, PARLEY_MCP_SERVER: expect.any(String) });
    expect(JSON.stringify(environment)).not.toContain("sk-of-ours");
    // A function that an old bash would run.
    const own = { PATH: "/bin", LC_ALL: "() { :; }; echo hi", LC_CTYPE: "C" };
    expect(serverEnvironment({}, ["LC_ALL"], own)).toEqual({ PATH: "/bin", LC_CTYPE: "C" });
  });

  it("has the configured folder", async () => {
    const { server } = start(configuration("good", { cwd: "/" }));
    expect((await call(server, "folder")).text).toBe("/");
  });
});

describe("closing", () => {
  const kinds = [
    ["a server", (args: string[]) => ({ command: process.execPath, args })],
    [
      "a server behind a shell",
      (args: string[]) => ({
        command: "sh",
        args: ["-c", `'${process.execPath}' '${args.join("' '")}'; true`],
      }),
    ],
  ] as const;

  for (const [kind, configure] of kinds) {
    for (const mode of ["good", "lingering", "stubborn"]) {
      it(`leaves no process of ${kind} that is ${mode} and has a call in flight`, async () => {
        const marker = `leak-${process.pid}-${kind.length}-${mode}`;
        const { server } = start(configure([badServer, mode, marker]));
        await server.tools(15_000);
        const output = call(server, "hang");
        await server.close();
        expect((await output).status).toBe("cancelled");
        await eventually(() => expect(processesWith(marker)).toEqual([]));
      });
    }
  }

  it("leaves no process of a server that is only starting", async () => {
    const marker = `starting-${process.pid}`;
    const { server } = start(configuration("silent", { args: [badServer, "silent", marker] }));
    const tools = server.tools(15_000);
    await eventually(() => expect(processesWith(marker).length).toBe(1));
    await server.close();
    expect((await tools).tools).toEqual([]);
    await eventually(() => expect(processesWith(marker)).toEqual([]));
  });

  it("starts nothing afterwards", async () => {
    const marker = `after-${process.pid}`;
    const { server } = start(configuration("good", { args: [badServer, "good", marker] }));
    await server.close();
    expect((await call(server, "echo")).status).toBe("cancelled");
    expect((await server.tools(15_000)).tools).toEqual([]);
    expect(processesWith(marker)).toEqual([]);
  });
});

describe.runIf(process.platform === "linux")("a child in a session of its own", () => {
  it.each(["close", "stop", "retire"] as const)("ends with its server: %s", async (how) => {
    const marker = `4${process.pid}${Math.floor(Math.random() * 1000)}`;
    const script = `setsid sleep ${marker} & exec "$0" "$1" good`;
    const { server } = start({ command: "sh", args: ["-c", script, process.execPath, badServer] });
    await namesOf(server);
    await eventually(() => expect(processesWith(`sleep ${marker}`)).not.toEqual([]));
    await server[how]();
    expect(processesWith(`sleep ${marker}`)).toEqual([]);
  });
});
