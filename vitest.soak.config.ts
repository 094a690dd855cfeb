import { defineConfig } from "vitest/config";
import { viteProgramTexts } from "./scripts/lib/program-text.mjs";

// Long: random sessions, folders of chats, kills, damage and memory. `npm run soak`, never part of `npm test`.
export default defineConfig({
  plugins: [viteProgramTexts()],
  test: { include: ["test/soak/*.soak.ts"], testTimeout: 600_000, maxWorkers: 2 },
});
