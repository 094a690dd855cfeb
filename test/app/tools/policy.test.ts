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
const policy =
  (rules: Partial<Rules>) =>
  (...about: Parameters<ReturnType<typeof policyOf>>) =>
    policyOf({ ...none, ...rules })(...about).answer;

it("means a server's tool by the server's own name for it", () => {
  const decide = policy({ autoApprove: "files, -files.write_file" });
  expect(decide(tool("write_file"), call())).toBe("ask");
  expect(decide(tool("read_file"), call())).toBe("allow");
  expect(policy({ autoApprove: "files.read_*" })(tool("read_file"), call())).toBe("allow");
});

it("allows nothing by default", () => {
  expect(policy({})(tool("read_file"), call())).toBe("ask");
});

it("lets deny beat ask, and ask beat allow", () => {
  const all = { autoApprove: "files", allow: ["files"] };
  expect(policy(all)(tool("read_file"), call())).toBe("allow");
  expect(policy({ ...all, ask: ["files.read_*"] })(tool("read_file"), call())).toBe("ask");
  const denied = policy({ ...all, ask: ["files"], deny: ["files.read_*"] });
  expect(denied(tool("read_file"), call())).toBe("deny");
  expect(denied(tool("write_file"), call())).toBe("ask");
});

it("looks at the values of arguments", () => {
  const rule = { tool: "files.read_*", arguments: { path: "/notes/*" } };
  const allow = policy({ allow: [rule] });
  expect(allow(tool("read_file"), call({ path: "/notes/a" }))).toBe("allow");
  expect(allow(tool("read_file"), call({ path: "/etc/passwd" }))).toBe("ask");
  expect(allow(tool("read_file"), call({ path: "/notes/../etc/passwd" }))).toBe("ask");
  expect(allow(tool("read_file"), call({ path: ["/notes/a", "/etc/b"] }))).toBe("ask");
  expect(allow(tool("read_file"), call({ path: [] }))).toBe("ask");
  expect(allow(tool("read_file"), call({}))).toBe("ask");
  expect(allow(tool("write_file"), call({ path: "/notes/a" }))).toBe("ask");
  const deny = policy({ allow: ["files"], deny: [rule] });
  expect(deny(tool("read_file"), call({ path: ["/etc/b", "/notes/a"] }))).toBe("deny");
  expect(deny(tool("read_file"), call({ path: 1 }))).toBe("allow");
});

it("says which rule decided, as it is written", () => {
  const rule = { tool: "files.*", arguments: { path: "/notes/*" } };
  const verdict = (rules: Partial<Rules>) =>
    policyOf({ ...none, ...rules })(tool("read_file"), call({ path: "/notes/a" })).rule;
  expect(verdict({ allow: ["other", rule] })).toBe(`allow ${JSON.stringify(rule)}`);
  expect(verdict({ allow: [rule], deny: ["files.read_*"] })).toBe('deny "files.read_*"');
  expect(verdict({ autoApprove: "files" })).toBe('auto_approve "files"');
  expect(verdict({})).toBeNull();
});
