import { expect, it } from "vitest";
import { autoApproval } from "../../src/app/policy.ts";

const call = { id: "call_1", name: "mcp__files__write_file", arguments: "{}" };
const tool = (serverTool: string) => ({
  name: `mcp__files__${serverTool}`,
  description: "",
  inputSchema: {},
  server: "files",
  serverTool,
});

it("means a server's tool by the server's own name for it", () => {
  const policy = autoApproval("files, -files.write_file");
  expect(policy(tool("write_file"), call)).toBe("ask");
  expect(policy(tool("read_file"), call)).toBe("allow");
  expect(autoApproval("files.read_*")(tool("read_file"), call)).toBe("allow");
});

it("allows nothing by default", () => {
  expect(autoApproval("none")(tool("read_file"), call)).toBe("ask");
});
