import { describe, expect, it } from "vitest";
import { launcherOf, programName } from "../../../src/mcp/configured/launchers.ts";

const isLauncher = (line: string) => {
  const [command = "", ...args] = line.split(" ");
  return launcherOf(command, args) !== null;
};

describe("programs that look for code where they start", () => {
  it.each([
    "npx -y pkg",
    "npm exec pkg",
    "pnpm dlx pkg",
    "yarn dlx pkg",
    "bunx pkg",
    "uvx mcp-server-git",
    "uv run server",
    "pipx run pkg",
    "python -m module",
    "python3.12 -I -m module",
    "python3 -W ignore -mmodule",
    "python -c code",
    "python",
    "deno run -A npm:pkg",
    "go run example.com/pkg",
    "cargo run",
    "make mcp",
    "sh -c anything",
    "bash -lc anything",
    "node --import tsx /abs/server.ts",
    "docker compose run mcp",
    "env npx pkg",
    "/usr/local/bin/npx pkg",
    "C:\\Program_Files\\nodejs\\npx.cmd pkg",
  ])("%s", (line) => expect(isLauncher(line)).toBe(true));

  it.each([
    "node /abs/server.mjs",
    "python /abs/server.py",
    "docker run -i --rm mcp/git",
    "/home/me/bin/server --stdio",
    "github-mcp-server stdio",
    "go version",
  ])("%s is none", (line) => expect(isLauncher(line)).toBe(false));

  it("are known by what people call them", () => {
    expect(programName("C:\\x\\NPX.CMD")).toBe("npx");
    expect(programName("/usr/bin/python3")).toBe("python3");
  });
});
