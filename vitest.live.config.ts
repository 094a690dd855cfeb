import { defineConfig } from "vitest/config";
import { viteProgramTexts } from "./scripts/lib/program-text.mjs";

// Asks real vendors, and costs a little: never part of `npm test`.
export default defineConfig({
  plugins: [viteProgramTexts()],
  test: { include: ["test/live/*.live.ts"], testTimeout: 180_000, fileParallelism: false },
});
