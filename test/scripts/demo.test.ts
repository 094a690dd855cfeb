import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { neovims } from "../support/neovims.ts";

const script = fileURLToPath(new URL("../../scripts/demo.mjs", import.meta.url));

function runDemo(neovim: string) {
  const env = { ...process.env, PARLEY_NVIM: neovim };
  return promisify(execFile)(process.execPath, [script, "--headless"], { env });
}

// Two model steps at reading speed, and a build before them where dist/ is stale.
const timeout = 60_000;

describe("the demo without a terminal", { timeout }, () => {
  it.each(neovims)(
    "prints the finished transcript and no more, on Neovim $version",
    async ({ path }) => {
      const { stdout } = await runDemo(path);
      const lines = stdout.split("\n");
      expect(lines[0]).toBe("---");
      expect(lines.filter((line) => line.startsWith("❓:[ya] "))).toHaveLength(2);
      expect(lines.filter((line) => line.startsWith("🛠️: [web_search]"))).toHaveLength(2);
      expect(stdout).toMatch(/\n💬: ?\n$/);
    },
  );

  it("fails with a sentence when Neovim does not run", async () => {
    await expect(runDemo("/nonexistent/nvim")).rejects.toMatchObject({
      code: 1,
      stdout: "",
      stderr: expect.stringContaining("PARLEY_NVIM names /nonexistent/nvim, which does not run."),
    });
  });
});
