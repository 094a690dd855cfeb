import { defineConfig } from "vitest/config";

// Asks real vendors, and costs a little: never part of `npm test`.
export default defineConfig({
  test: { include: ["test/live/*.live.ts"], testTimeout: 180_000, fileParallelism: false },
});
