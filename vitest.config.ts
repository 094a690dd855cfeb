import { defineConfig } from "vitest/config";
import { neovimsForTests } from "./scripts/lib/nvim.mjs";

// `npm test` says which Neovim to run on; `npx vitest` by hand finds them the same way.
async function testNeovims(): Promise<string> {
  return process.env.PARLEY_TEST_NVIMS ?? JSON.stringify((await neovimsForTests()).neovims);
}

export default defineConfig(async () => ({
  test: {
    include: ["test/**/*.test.ts"],
    env: { PARLEY_TEST_NVIMS: await testNeovims() },
    // Most time goes into editors and servers that run as processes of their own.
    maxWorkers: 2,
    testTimeout: 20_000,
    hookTimeout: 20_000,
  },
}));
