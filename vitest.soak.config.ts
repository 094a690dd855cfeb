import { defineConfig } from "vitest/config";

// Long: random sessions, kills and memory. `npm run soak`, never part of `npm test`.
export default defineConfig({
  test: { include: ["test/soak/*.soak.ts"], testTimeout: 600_000, maxWorkers: 2 },
});
