// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the variables of configurations look like this
import { describe, expect, it } from "vitest";
import { parseServerFile } from "../../../src/mcp/configured/config-file.ts";
import { defaultOAuthSettings } from "../../support/configuration.ts";

describe("a file of servers", () => {
  it("is read in the shape of mcpServers, with comments and trailing commas", () => {
    const text = `{
  // ours
  "mcpServers": {
    "files": {"command": "npx", "args": ["-y", "server", "\${HOME}"], "env": {"PORT": 1}, "timeout": 5000,},
    "off": {"command": "x", "disabled": true, "autoApprove": true, "roots": false},
    "far": {"url": "https://example.test/mcp", "headers": {"A": "b"}},
  },
}`;
    const { entries, mistakes, remarks, deny } = parseServerFile("mcp.json", text);
    expect(mistakes).toEqual([]);
    expect(remarks).toEqual([
      "mcp.json:5: mcpServers.off.autoApprove: allows nothing here; use rules in your configuration.",
    ]);
    expect(deny).toEqual([]);
    expect(entries).toEqual([
      {
        name: "files",
        isDisabled: false,
        timeoutMs: 5000,
        sampling: null,
        protocol: null,
        sharesRoots: true,
        instructions: null,
        tools: { only: null, without: [] },
        startTimeoutMs: null,
        launch: {
          type: "stdio",
          command: "npx",
          args: ["-y", "server", "${HOME}"],
          env: { PORT: "1" },
          envFile: null,
          envPass: [],
          cwd: null,
        },
      },
      {
        name: "off",
        isDisabled: true,
        timeoutMs: null,
        sampling: null,
        protocol: null,
        sharesRoots: false,
        instructions: null,
        tools: { only: null, without: [] },
        startTimeoutMs: null,
        launch: {
          type: "stdio",
          command: "x",
          args: [],
          env: {},
          envFile: null,
          envPass: [],
          cwd: null,
        },
      },
      {
        name: "far",
        isDisabled: false,
        timeoutMs: null,
        sampling: null,
        protocol: null,
        sharesRoots: true,
        instructions: null,
        tools: { only: null, without: [] },
        startTimeoutMs: null,
        launch: {
          type: "remote",
          transport: "http",
          url: "https://example.test/mcp",
          headers: { A: "b" },
          oauth: defaultOAuthSettings,
        },
      },
    ]);
  });

  it("says how to log in, in the words of other clients", () => {
    const text = `{"mcpServers": {
  "none": {"url": "https://a/", "oauth": false},
  "gemini": {"url": "https://a/", "oauth": {"enabled": true, "scopes": ["a", "b"], "tokenUrl": "x"}},
  "claude": {"url": "https://a/", "oauth": {"clientId": "id", "callbackPort": 8080, "scopes": "a b"}},
  "port": {"url": "https://a/", "oauth": {"callbackPort": 80}},
  "document": {"url": "https://a/", "oauth": {"clientMetadataUrl": "http://secret/"}},
  "machine": {"url": "https://a/", "oauth": {"grantType": "client_credentials", "clientId": "id"}}
}}`;
    const { entries, mistakes } = parseServerFile("f.json", text);
    const logins = entries.map(({ launch }) => (launch.type === "remote" ? launch.oauth : launch));
    expect(logins).toEqual([
      null,
      { ...defaultOAuthSettings, scope: "a b" },
      { ...defaultOAuthSettings, clientId: "id", callbackPort: 8080, scope: "a b" },
    ]);
    expect(mistakes).toEqual([
      "f.json:5: mcpServers.port.oauth.callbackPort: write a number from 1024 to 65535. This server is left out.",
      "f.json:6: mcpServers.document.oauth.clientMetadataUrl: write an https address. This server is left out.",
      "f.json:7: mcpServers.machine.oauth: client_credentials needs clientId, issuer, and clientSecret or privateKey. This server is left out.",
    ]);
  });

  it("is read in the shape of VS Code, with its inputs", () => {
    const text =
      '{"servers":{"a":{"type":"stdio","command":"a"}},"inputs":[{"type":"promptString","id":"token","description":"A token","password":true}]}';
    const { entries, inputs } = parseServerFile("mcp.json", text);
    expect(entries.map(({ name }) => name)).toEqual(["a"]);
    expect(inputs).toEqual([
      { id: "token", prompt: "A token", options: null, preset: null, isSecret: true },
    ]);
  });

  it("names each mistake with file and line, without its value, and leaves out that server", () => {
    const text = `{"mcpServers": {
  "args": {"command": "a", "args": "secret"},
  "none": {},
  "both": {"command": "a", "url": "https://b"},
  "kind": {"command": "a", "type": "secret"},
  "zero": {"command": "a", "timeout": 0},
  "off": {"command": "a", "enabled": "secret"},
  "\\u001b": {"command": "a"},
  "good": {"command": "a"},
  "twice": {"command": "a", "env": {}, "environment": {"A": "secret"}}
}, "parley": {"allow": ["secret"]}}`;
    const { entries, mistakes } = parseServerFile("f.json", text);
    expect(entries.map(({ name }) => name)).toEqual(["good"]);
    expect(mistakes.map((mistake) => mistake.split(" ")[0])).toEqual(
      [2, 3, 4, 5, 6, 7, 8, 10, 11].map((line) => `f.json:${line}:`),
    );
    expect(mistakes.join("\n")).not.toContain("secret");
    expect(mistakes[0]).toBe(
      "f.json:2: mcpServers.args.args: write a list of texts. This server is left out.",
    );
    expect(mistakes[5]).toContain("mcpServers.off.enabled: write true or false");
  });

  it("uses nothing of what is not JSON, and says where that is", () => {
    const { entries, mistakes, isReadable } = parseServerFile(
      "f.json",
      '{"mcpServers": {"a": {"command": "a"}\n',
    );
    expect({ entries, isReadable }).toEqual({ entries: [], isReadable: false });
    expect(mistakes).toEqual([expect.stringMatching(/^f\.json:2: not valid JSON here/)]);
  });

  it("denies everything when what it denies cannot be read", () => {
    const read = (deny: string) => parseServerFile("f.json", `{"parley":{"deny":${deny}}}`);
    expect(read('["files.write_*"]').deny).toEqual(["files.write_*"]);
    expect(read('"files"')).toMatchObject({ deny: ["*"], mistakes: [expect.any(String)] });
  });
});
