// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the variables of configurations look like this
/** Words of a project's file that would deceive. */
import { describe, expect, it } from "vitest";
import { haveFolders, open, project } from "./servers-scene.ts";

haveFolders();

describe("a server of a project", () => {
  it("cannot have a name that means the built-in tools in rules", async () => {
    await project({ builtin: { command: "run" }, edit_file: { command: "run" } });
    const { servers } = open({ says: true });
    const { servers: found, notices } = await servers.find();
    expect(found).toEqual([]);
    expect(notices).toEqual([
      expect.stringMatching(/the MCP server builtin is left out: .* built-in tools/),
      expect.stringMatching(/the MCP server edit_file is left out: .* built-in tools/),
    ]);
  });

  it("asks for an input in words that cannot deceive", async () => {
    const inputs = [{ id: "pin", description: `PIN\n\u202e${"x".repeat(500)}` }];
    await project({ x: { command: "run", args: ["${input:pin}"] } }, { inputs });
    const { servers, asked, find } = open({ says: true, types: "1" });
    await servers.agree(null);
    await (await find("x")).start();
    expect(asked[1]).toMatch(/^PIN\\n\\u\{202e\}x+… \(MCP server x\): $/);
    expect(asked[1]?.length).toBeLessThan(300);
  });
});
