import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { describe, expect, it, vi } from "vitest";
import { demoArguments, prepareDemo } from "../../scripts/lib/demo-folder.mjs";
import { openNeovim } from "../../scripts/lib/editor.mjs";
import { neovims, oneNeovim } from "../support/neovims.ts";
import { removeFolder } from "../support/remove-folder.ts";

const script = fileURLToPath(new URL("../../scripts/demo.mjs", import.meta.url));

function runDemo(neovim: string) {
  const env = { ...process.env, PARLEY_NVIM: neovim };
  return promisify(execFile)(process.execPath, [script, "--headless"], { env });
}

// Two model steps at reading speed, preceded by a build if dist/ is stale.
const timeout = 60_000;
const patience = { timeout: 10_000, interval: 20 };

describe("the demo without a terminal", { timeout }, () => {
  it.each(oneNeovim)(
    "prints only the finished transcript, on Neovim $version",
    async ({ path }) => {
      const { stdout } = await runDemo(path);
      const lines = stdout.split("\n");
      expect(lines[0]).toBe("---");
      expect(lines.filter((line) => line.startsWith("❓:[ya] "))).toHaveLength(2);
      expect(lines.filter((line) => line.startsWith("🛠️: [web_search]"))).toHaveLength(2);
      expect(stdout).toMatch(/\n💬: ?\n$/);
    },
  );

  it.each(neovims)(
    "opens without a hit-enter prompt on a small screen and has help, on Neovim $version",
    async ({ path }) => {
      const { folder, chat, env } = await prepareDemo();
      const opened = openNeovim({ path, args: [...demoArguments, chat], env });
      try {
        await opened.client.request("nvim_ui_attach", [80, 24, { ext_linegrid: true }]);
        await vi.waitUntil(async () => {
          const { mode, blocking } = await opened.client.request("nvim_get_mode", []);
          expect({ mode, blocking }).toEqual({ mode: "n", blocking: false });
          return String(await opened.client.request("nvim_eval", ["&winbar"])).includes("1/3");
        }, patience);
        await opened.client.command("help parley-keys");
        expect(await opened.client.call("expand", ["%:t"])).toBe("parley.txt");
      } finally {
        opened.process.kill("SIGKILL");
        await opened.gone;
        // The host, which ends after Neovim, still writes its compiled code there.
        await removeFolder(folder);
      }
    },
  );

  it("describes each step in a line that fits 80 columns", () => {
    const init = readFileSync(new URL("../../scripts/demo/init.lua", import.meta.url), "utf8");
    const steps = [...init.matchAll(/say\("(\d\/3 .*)"\)/g)].map(([, text = ""]) => text);
    expect(steps).toHaveLength(3);
    for (const text of steps) expect(text.length).toBeLessThan(80);
  });

  it("fails with a clear message when Neovim does not run", async () => {
    await expect(runDemo("/nonexistent/nvim")).rejects.toMatchObject({
      code: 1,
      stdout: "",
      stderr: expect.stringContaining("PARLEY_NVIM names /nonexistent/nvim, which does not run."),
    });
  });
});
