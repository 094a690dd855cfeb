import { chmod, mkdtemp, readdir, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { approvedTools, changeSince, keepApproved } from "../../../src/app/state/approved-tools.ts";
import type { Tool } from "../../../src/conversation/ports.ts";

let state: string;
beforeEach(async () => {
  state = await mkdtemp(join(tmpdir(), "parley-approved-"));
});
afterEach(() => rm(state, { recursive: true }));

const tool: Tool = {
  name: "mcp__x__read",
  description: "reads",
  inputSchema: { type: "object", properties: {} },
  server: "x",
  annotations: { readOnlyHint: true },
};
const changeOf = async (now: Tool) =>
  changeSince((await approvedTools(state, [now])).get(now.name), now);

describe("a definition that was approved", () => {
  it.each([
    ["description", { ...tool, description: "deletes" }],
    ["arguments", { ...tool, inputSchema: { type: "object", properties: { all: {} } } }],
    ["claims", { ...tool, annotations: { readOnlyHint: false } }],
  ])("tells that its %s changed", async (part, changed) => {
    await keepApproved(state, [tool]);
    expect(await changeOf(tool)).toBeNull();
    expect(await changeOf({ ...tool, inputSchema: { properties: {}, type: "object" } })).toBeNull();
    expect(await changeOf(changed)).toMatch(
      new RegExp(`^definition changed since \\d{4}-\\d\\d-\\d\\d: ${part}$`),
    );
    await keepApproved(state, [changed]);
    expect(await changeOf(changed)).toBeNull();
  });

  it("was approved on the day of the user's own calendar", async () => {
    vi.stubEnv("TZ", "Pacific/Kiritimati");
    vi.setSystemTime("2026-11-20T12:00:00Z");
    onTestFinished(() => {
      vi.unstubAllEnvs();
      vi.useRealTimers();
    });
    await keepApproved(state, [tool]);
    expect(await changeOf({ ...tool, description: "deletes" })).toContain("since 2026-11-21:");
  });

  it("is not written again while it is the same", async () => {
    await keepApproved(state, [tool]);
    const folder = join(state, "approved-tools");
    const [file = ""] = await readdir(folder);
    const before = await stat(join(folder, file), { bigint: true });
    await keepApproved(state, [tool]);
    expect((await stat(join(folder, file), { bigint: true })).ino).toBe(before.ino);
    await keepApproved(state, [{ ...tool, description: "deletes" }]);
    expect((await stat(join(folder, file), { bigint: true })).ino).not.toBe(before.ino);
  });

  it("is nothing for tools that nobody approved, of another server or of ours", async () => {
    expect(await changeOf(tool)).toBeNull();
    await keepApproved(state, [tool, { ...tool, server: null, name: "own" }]);
    expect(await changeOf({ ...tool, server: "y", description: "other" })).toBeNull();
    expect(await changeOf({ ...tool, server: null, name: "own", description: "z" })).toBeNull();
  });

  it("is that of one project's server, and nothing of another one with its name", async () => {
    const of = (serverFile: string): Tool => ({ ...tool, serverFile });
    await keepApproved(state, [of("/one/.mcp.json")]);
    const changed = { ...of("/two/.mcp.json"), description: "deletes" };
    expect(await changeOf(changed)).toBeNull();
    expect(await changeOf({ ...tool, description: "deletes" })).toBeNull();
    expect(await changeOf({ ...changed, serverFile: "/one/.mcp.json" })).toMatch(/description$/);
  });

  it("is kept in a file that only the user can read, and believed only there", async () => {
    await keepApproved(state, [tool]);
    const [name = ""] = await readdir(join(state, "approved-tools"));
    const file = join(state, "approved-tools", name);
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    await chmod(file, 0o666);
    expect((await approvedTools(state, [tool])).size).toBe(0);
    await chmod(file, 0o600);
    for (const text of ["", "7", "{}", '{"day":"now","hashes":{}}']) {
      await writeFile(file, text);
      expect((await approvedTools(state, [tool])).size).toBe(0);
    }
  });
});
