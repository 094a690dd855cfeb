// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the variables of configurations look like this
/** What other programs write beside the usual words: keys without a value, lists of servers, logins of their own. */
import { describe, expect, it } from "vitest";
import { rawServers } from "../../../src/mcp/configured/add-entry.ts";
import { parseServerFile } from "../../../src/mcp/configured/config-file.ts";

function read(value: unknown) {
  return parseServerFile("f.json", JSON.stringify(value));
}

function entry(value: unknown) {
  const { entries, mistakes, remarks } = read({ mcpServers: { x: value } });
  expect(mistakes).toEqual([]);
  const [only] = entries;
  if (only === undefined) throw new Error("It was not read.");
  return { ...only, remarks };
}

describe("the words of other programs", () => {
  it.each([
    { command: "a", args: null, env: null, cwd: null, url: null, headers: null, timeout: null },
    { command: "a", baseUrl: "", url: "", cwd: " ", type: null, disabledTools: null, tools: null },
  ])("say nothing where they have no value: %j", (value) => {
    const { launch, tools, remarks } = entry(value);
    expect(launch).toMatchObject({ type: "stdio", command: "a", args: [], env: {}, cwd: null });
    expect(tools).toEqual({ only: null, without: [] });
    expect(remarks).toEqual([]);
  });

  it("have null in Zed's command for nothing", () => {
    const { launch } = entry({ command: { path: "a", args: ["b"], env: null } });
    expect(launch).toMatchObject({ command: "a", args: ["b"], env: {} });
  });

  it("reach a server by an address where the command is empty", () => {
    const { launch } = entry({
      type: "sse",
      command: "",
      args: [],
      env: {},
      baseUrl: "https://a/",
    });
    expect(launch).toMatchObject({ type: "remote", transport: "sse", url: "https://a/" });
  });

  it("log in with the client that Cursor was given", () => {
    const auth = { CLIENT_ID: "parley", CLIENT_SECRET: "${env:SECRET}", scopes: ["read", "write"] };
    const { launch, remarks } = entry({ url: "https://a/", auth });
    const oauth = { clientId: "parley", clientSecret: "${env:SECRET}", scope: "read write" };
    expect(launch).toMatchObject({ oauth });
    expect(remarks).toEqual([]);
    expect(entry({ url: "https://a/", auth: "oauth" }).remarks).toHaveLength(1);
  });

  it.each([
    [{ excluded: ["b"] }, [false, true]],
    [{ allowed: ["b"] }, [true, false]],
    [{ allowed: [] }, [true, true]],
    [{ allowed: ["a", "b"], excluded: ["a"], serverCommand: "" }, [true, false]],
    [{ serverCommand: "a" }, [false, false]],
  ])("turn servers off beside the table of Gemini CLI: %j", (mcp, disabled) => {
    const { entries, mistakes } = read({
      mcpServers: { a: { command: "x" }, b: { command: "y" } },
      mcp,
    });
    expect(entries.map(({ isDisabled }) => isDisabled)).toEqual(disabled);
    expect(mistakes).toEqual([]);
  });

  it("turn all servers off where such a list cannot be read", () => {
    const { entries, mistakes } = read({
      mcpServers: { a: { command: "x" } },
      mcp: { excluded: "a" },
    });
    expect(entries.map(({ isDisabled }) => isDisabled)).toEqual([true]);
    expect(mistakes).toEqual([
      "f.json:1: mcp.excluded: write a list of servers. Until then no server of this file is used.",
    ]);
  });

  it("are imported with what a list turns off", () => {
    const a = { command: "x" };
    const text = JSON.stringify({ mcpServers: { a, b: a }, mcp: { excluded: ["b"] } });
    expect(rawServers(text).servers).toEqual({ a, b: { ...a, disabled: true } });
  });

  it("of a login are named where they do nothing", () => {
    const oauth = { client_id: "parley", authorizationUrl: "https://a/" };
    const { launch, remarks } = entry({ url: "https://a/", oauth });
    expect(launch).toMatchObject({ oauth: { clientId: "parley" } });
    expect(remarks).toEqual([
      "f.json:1: mcpServers.x.oauth.authorizationUrl: is unknown and does nothing.",
    ]);
  });
});
