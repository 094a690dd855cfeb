import { expect, it } from "vitest";
import { policyOf, type Rules } from "../../../src/app/tools/policy.ts";

const call = (args: unknown = {}) => ({
  id: "call_1",
  name: "any",
  arguments: JSON.stringify(args),
});
const tool = (serverTool: string) => ({
  name: `mcp__files__${serverTool}`,
  description: "",
  inputSchema: {},
  server: "files",
  serverTool,
});
const none: Rules = { autoApprove: "none", allow: [], ask: [], deny: [] };
const frame = { folders: ["/w"], home: "/home/me" };
const policy =
  (rules: Partial<Rules>) =>
  (...[about, of]: Parameters<ReturnType<typeof policyOf>>) =>
    policyOf({ ...none, ...rules }, frame)(about, of, null).answer;

it("means a server's tool by the server's own name for it", () => {
  const decide = policy({ autoApprove: "files, -files.write_file" });
  expect(decide(tool("write_file"), call(), null)).toBe("ask");
  expect(decide(tool("read_file"), call(), null)).toBe("allow");
  expect(policy({ autoApprove: "files.read_*" })(tool("read_file"), call(), null)).toBe("allow");
});

it("allows nothing by default", () => {
  expect(policy({})(tool("read_file"), call(), null)).toBe("ask");
});

it("lets deny beat ask, and ask beat allow", () => {
  const all = { autoApprove: "files", allow: ["files"] };
  expect(policy(all)(tool("read_file"), call(), null)).toBe("allow");
  expect(policy({ ...all, ask: ["files.read_*"] })(tool("read_file"), call(), null)).toBe("ask");
  const denied = policy({ ...all, ask: ["files"], deny: ["files.read_*"] });
  expect(denied(tool("read_file"), call(), null)).toBe("deny");
  expect(denied(tool("write_file"), call(), null)).toBe("ask");
});

it("looks at the values of arguments", () => {
  const rule = { tool: "files.read_*", arguments: { path: "/notes/*" } };
  const allow = policy({ allow: [rule] });
  expect(allow(tool("read_file"), call({ path: "/notes/a" }), null)).toBe("allow");
  expect(allow(tool("read_file"), call({ path: "/etc/passwd" }), null)).toBe("ask");
  expect(allow(tool("read_file"), call({ path: "/notes/../etc/passwd" }), null)).toBe("ask");
  expect(allow(tool("read_file"), call({ path: ["/notes/a", "/etc/b"] }), null)).toBe("ask");
  expect(allow(tool("read_file"), call({ path: [] }), null)).toBe("ask");
  expect(allow(tool("read_file"), call({}), null)).toBe("ask");
  expect(allow(tool("write_file"), call({ path: "/notes/a" }), null)).toBe("ask");
  const deny = policy({ allow: ["files"], deny: [rule] });
  expect(deny(tool("read_file"), call({ path: ["/etc/b", "/notes/a"] }), null)).toBe("deny");
  expect(deny(tool("read_file"), call({ path: 1 }), null)).toBe("allow");
});

it.each([
  "/notes/..",
  "/notes/%2e%2E/etc/passwd",
  "/notes/a%2f..%5Cetc",
  "/notes/.\t.\n/etc/passwd",
  "/notes/.. /etc/passwd",
  "/notes/.. ./etc/passwd",
  "/notes/..?a",
  "/notes/..#a",
  "/notes/%252e%25252e/etc/passwd",
  "/notes/..;/etc/passwd",
  "/notes/..%00.txt",
])("allows no path that leads out again, however a server may read it: %j", (path) => {
  const rule = { tool: "files.read_*", arguments: { path: "/notes/*" } };
  expect(policy({ allow: [rule] })(tool("read_file"), call({ path }), null)).toBe("ask");
});

it("allows a path with dots that lead nowhere", () => {
  const rule = { tool: "files.read_*", arguments: { path: "/notes/*" } };
  for (const path of [
    "/notes/a..b",
    "/notes/..a/b",
    "/notes/100%25/a",
    "/notes/a?b=..",
    "/notes/...",
  ])
    expect(policy({ allow: [rule] })(tool("read_file"), call({ path }), null)).toBe("allow");
});

it("takes the name of an argument in any case: what forbids holds, and of two nothing is allowed", () => {
  const rule = { tool: "files.read_*", arguments: { kpath: "/notes/*" } };
  for (const other of ["KPATH", "kPath", "\u212apath"]) {
    const both = call({ kpath: "/notes/a", [other]: "/etc/passwd" });
    expect(policy({ allow: [rule] })(tool("read_file"), both, null)).toBe("ask");
    const allow = ["files"];
    for (const answer of ["deny", "ask"] as const) {
      const decide = policy({ allow, [answer]: [rule] });
      expect(decide(tool("read_file"), call({ [other]: "/notes/a" }), null)).toBe(answer);
      expect(decide(tool("read_file"), call({ other: "/notes/a" }), null)).toBe("allow");
    }
  }
});

it("asks and denies by what a tool takes for an argument that is left out, and allows nothing by it", () => {
  const usual = (value: unknown) => ({
    ...tool("deploy"),
    inputSchema: { properties: { to: { $ref: "#/$defs/place", default: value } } },
  });
  const rule = { tool: "files.deploy", arguments: { to: "production" } };
  for (const answer of ["deny", "ask"] as const) {
    const decide = policy({ allow: ["files"], [answer]: [rule] });
    expect(decide(usual("production"), call(), null)).toBe(answer);
    expect(decide(usual(["test", "production"]), call(), null)).toBe(answer);
    expect(decide(usual("production"), call({ to: null }), null)).toBe(answer);
    expect(decide(usual("production"), call({ to: "test" }), null)).toBe("allow");
    expect(decide(usual("test"), call(), null)).toBe("allow");
    expect(decide(tool("deploy"), call(), null)).toBe("allow");
    const any = policy({ allow: ["files"], [answer]: [{ ...rule, arguments: { to: "*" } }] });
    expect(any(usual(null), call(), null), "null is none").toBe("allow");
    expect(any(usual("test"), call(), null)).toBe(answer);
  }
  expect(policy({ allow: [rule] })(usual("production"), call(), null)).toBe("ask");
});

it("says which rule decided, as it is written", () => {
  const rule = { tool: "files.*", arguments: { path: "/notes/*" } };
  const verdict = (rules: Partial<Rules>) =>
    policyOf({ ...none, ...rules }, frame)(tool("read_file"), call({ path: "/notes/a" }), null)
      .rule;
  expect(verdict({ allow: ["other", rule] })).toBe(`allow ${JSON.stringify(rule)}`);
  expect(verdict({ allow: [rule], deny: ["files.read_*"] })).toBe('deny "files.read_*"');
  expect(verdict({ autoApprove: "files" })).toBe('auto_approve "files"');
  expect(verdict({})).toBeNull();
});
