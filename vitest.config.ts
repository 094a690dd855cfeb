import { defineConfig } from "vitest/config";
import { viteProgramTexts } from "./scripts/lib/program-text.mjs";

export default defineConfig({
  plugins: [viteProgramTexts()],
  test: {
    include: ["test/**/*.test.ts"],
    // Most time goes into editors and servers that run as processes of their own, and into waiting for them.
    maxWorkers: 3,
    testTimeout: 20_000,
    hookTimeout: 20_000,
  },
});
